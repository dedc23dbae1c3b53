package outrank_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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

// The text of an event leaves out whatever the event lacks.
func TestEventsInText(t *testing.T) {
	pod, other := &outrank.Pod{Name: "p"}, &outrank.Pod{Name: "q", Namespace: "ops"}
	for _, c := range []struct {
		name         string
		event        outrank.Event
		text, logged string
	}{
		{
			"all", outrank.Event{Type: "T", Reason: "R", Action: "A", Pod: pod, Related: other, Message: "m"},
			"T R default/p: m",
			"level=INFO msg=x event.type=T event.reason=R event.action=A event.pod=default/p event.related=ops/q event.message=m\n",
		},
		{
			"of one pod", outrank.Event{Type: "T", Reason: "R", Action: "A", Pod: pod, Message: "m"},
			"T R default/p: m",
			"level=INFO msg=x event.type=T event.reason=R event.action=A event.pod=default/p event.message=m\n",
		},
		{
			"of no pod", outrank.Event{Type: "T", Reason: "R", Action: "A", Message: "m"},
			"T R (nil): m",
			"level=INFO msg=x event.type=T event.reason=R event.action=A event.pod=(nil) event.message=m\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.text, c.event.String())
			var logged strings.Builder
			noTime := func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}
			slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{ReplaceAttr: noTime})).Info("x", "event", c.event)
			assert.Equal(t, c.logged, logged.String())
		})
	}
}
