package kubeletadmit_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// logged returns records as lines.
func logged(records []slog.Record) (lines []string) {
	for _, r := range records {
		line := fmt.Sprint(int(-r.Level), " ", r.Message)
		if r.Level == slog.LevelError {
			line = "error " + r.Message
		}
		r.Attrs(func(a slog.Attr) bool {
			line += " " + a.String()
			return true
		})
		lines = append(lines, line)
	}
	return lines
}

// Two lines tell of each kill: that it begins, and what became of it (rule 17.7.7). A kill that was not tried has
// none.
func TestLogRecords(t *testing.T) {
	adm, order := threeToEvict(t)
	kills := []kubeletadmit.KillResult{{Pod: order[0], Tried: true}, {Pod: order[1], Tried: true, Err: errStuck}, {Pod: order[2], Err: errStopped}}
	critical := newCritical(nil)
	begins := func(pod *outrank.Pod) string {
		return fmt.Sprintf("2 Preempting pod to free up resources pod=%s podUID=%s insufficientResources=[(res: memory, q: 0), (res: cpu, q: 3000), ] requestingPod=%s",
			pod.Key(), pod.UID, critical.Key())
	}
	want := []string{
		begins(order[0]), fmt.Sprintf("0 Pod evicted successfully pod=%s", order[0].Key()),
		begins(order[1]), fmt.Sprintf("error Failed to evict pod pod=%s err=container stuck", order[1].Key()),
	}
	if d := testdiff.Diff(want, logged(adm.LogRecords(critical, kills))); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}

	// What is no shortage, which no eviction cures, does not stand among the resources.
	adm.Failures = append(adm.Failures, kubeletadmit.CheckFailure{Predicate: "NodeAffinity"})
	if d := testdiff.Diff(want, logged(adm.LogRecords(critical, kills))); d != "" {
		t.Errorf("lines with another failure (-want +got):\n%s", d)
	}
	if got := adm.LogRecords(nil, []kubeletadmit.KillResult{{Tried: true}}); len(got) != 2 {
		t.Errorf("a result without a pod has %d lines", len(got))
	}
}

// deaf is a kubelet that kills at once.
type deaf struct{}

func (deaf) Record(outrank.Event) {}
func (deaf) Kill(context.Context, *outrank.Pod, kubeletadmit.PodStatus) error {
	return nil
}

func ExampleAdmission_LogRecords() {
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "110")}
	web := &outrank.Pod{Name: "web", UID: "1", NodeName: "n1", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "800m")}}}
	dns := &outrank.Pod{Name: "dns", Priority: outrank.Priority(2_000_000_000), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "500m")}}}
	adm, err := kubeletadmit.Admit(node, []*outrank.Pod{web}, dns, kubeletadmit.Config{})
	if err != nil {
		panic(err)
	}
	kills, err := kubeletadmit.Evict(context.Background(), adm, deaf{})
	if err != nil {
		panic(err)
	}
	for _, record := range adm.LogRecords(dns, kills) {
		fmt.Print(int(-record.Level), " ", record.Message)
		record.Attrs(func(a slog.Attr) bool { fmt.Print(" ", a); return true })
		fmt.Println()
	}
	// Output:
	// 2 Preempting pod to free up resources pod=default/web podUID=1 insufficientResources=[(res: cpu, q: 300), ] requestingPod=default/dns
	// 0 Pod evicted successfully pod=default/web
}
