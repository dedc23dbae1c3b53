package outrank_test

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/outrank-go/outrank"
)

func ExampleEvent() {
	batch, urgent := &outrank.Pod{Name: "batch"}, &outrank.Pod{Name: "urgent", Namespace: "shop"}
	e := outrank.Event{
		Type: outrank.EventNormal, Reason: "Preempted", Action: "Preempting", Pod: batch, Related: urgent,
		Message: "Preempted by pod shop/urgent on node n1",
	}
	fmt.Println(e)
	fmt.Println(outrank.Event{Type: outrank.EventWarning, Reason: "Lost", Message: "there is no pod"})
	// Output:
	// Normal Preempted default/batch: Preempted by pod shop/urgent on node n1
	// Warning Lost (nil): there is no pod
}

func ExampleEvent_LogValue() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	batch, urgent := &outrank.Pod{Name: "batch"}, &outrank.Pod{Name: "urgent"}
	e := outrank.Event{Type: outrank.EventNormal, Reason: "Preempted", Action: "Preempting", Pod: batch, Message: "on node n1"}
	log.Info("told", "event", e)
	e.Related = urgent
	log.Info("told", "event", e)
	// Output:
	// level=INFO msg=told event.type=Normal event.reason=Preempted event.action=Preempting event.pod=default/batch event.message="on node n1"
	// level=INFO msg=told event.type=Normal event.reason=Preempted event.action=Preempting event.pod=default/batch event.related=default/urgent event.message="on node n1"
}

func ExamplePodCondition() {
	fmt.Println(outrank.PodCondition{
		Type: outrank.PodScheduled, Status: outrank.ConditionFalse,
		Reason: "Unschedulable", Message: "0/2 nodes are available: 2 Insufficient cpu.",
	})
	// Output:
	// PodScheduled=False Unschedulable: 0/2 nodes are available: 2 Insufficient cpu.
}
