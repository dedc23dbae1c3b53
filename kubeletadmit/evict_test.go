package kubeletadmit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// recorder writes down what it is told to do. Kills of the pods in fail fail,
// and after a pod named by stop the context is cancelled.
type recorder struct {
	log    []string
	status []kubeletadmit.PodStatus
	fail   map[string]error
	stop   string
	cancel context.CancelCauseFunc
}

func (r *recorder) Record(e outrank.Event) {
	r.log = append(r.log, fmt.Sprintf("record %s %s %s", e.Pod.Name, e.Type, e.Reason))
}

func (r *recorder) Kill(_ context.Context, pod *outrank.Pod, s kubeletadmit.PodStatus) error {
	r.log = append(r.log, "kill "+pod.Name)
	r.status = append(r.status, s)
	if pod.Name == r.stop {
		r.cancel(errStopped)
	}
	return r.fail[pod.Name]
}

var (
	errStopped = errors.New("shutting down")
	errStuck   = errors.New("container stuck")
)

// threeToEvict is an admission that costs c, b and a, in this order.
func threeToEvict(t *testing.T) (kubeletadmit.Admission, []*outrank.Pod) {
	t.Helper()
	active := []*outrank.Pod{newPod("a", req("cpu", "1")), newPod("b", req("cpu", "1")), newPod("c", req("cpu", "1"))}
	adm, err := kubeletadmit.Resolve(newCritical(nil), active, []kubeletadmit.CheckFailure{lacks("memory", 0), lacks("cpu", 3000)}, kubeletadmit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return adm, []*outrank.Pod{active[2], active[1], active[0]}
}

func TestEvict(t *testing.T) {
	adm, order := threeToEvict(t)
	rec := &recorder{fail: map[string]error{"b": errStuck}}
	got, err := kubeletadmit.Evict(context.Background(), adm, rec)
	if err != nil {
		t.Fatal(err)
	}
	want := []kubeletadmit.KillResult{{Pod: order[0], Tried: true}, {Pod: order[1], Tried: true, Err: errStuck}, {Pod: order[2], Tried: true}}
	if d := testdiff.Diff(want, got, cmpopts.EquateErrors()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	wantLog := []string{
		"record c Warning Preempting", "kill c",
		"record b Warning Preempting", "kill b",
		"record a Warning Preempting", "kill a",
	}
	if d := testdiff.Diff(wantLog, rec.log); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	status := kubeletadmit.PodStatus{
		Phase: "Failed", Reason: "Preempting", Message: "Preempted in order to admit critical pod",
		Condition: outrank.PodCondition{Type: "DisruptionTarget", Status: "True", Reason: "TerminationByKubelet",
			Message: "Pod was preempted by Kubelet to accommodate a critical pod."},
	}
	if d := testdiff.Diff([]kubeletadmit.PodStatus{status, status, status}, rec.status); d != "" {
		t.Errorf("status (-want +got):\n%s", d)
	}
}

func TestEvictStops(t *testing.T) {
	adm, order := threeToEvict(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	rec := &recorder{stop: "c", cancel: cancel}
	got, err := kubeletadmit.Evict(ctx, adm, rec)
	if !errors.Is(err, errStopped) || err.Error() != "2 of 3 evictions not tried: shutting down" {
		t.Errorf("error %v, want one that wraps the cause", err)
	}
	want := []kubeletadmit.KillResult{{Pod: order[0], Tried: true}, {Pod: order[1], Err: errStopped}, {Pod: order[2], Err: errStopped}}
	if d := testdiff.Diff(want, got, cmpopts.EquateErrors()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	if len(rec.log) != 2 {
		t.Errorf("calls %q, want those for c alone", rec.log)
	}
}

func TestEvictInput(t *testing.T) {
	adm, _ := threeToEvict(t)
	adm.Evictions[1].Pod = nil
	rec := &recorder{}
	got, err := kubeletadmit.Evict(context.Background(), adm, rec)
	if !errors.Is(err, outrank.ErrInvalid) || err.Error() != "evictions[1].Pod: is nil" || got != nil || rec.log != nil {
		t.Errorf("Evict = %v, %v after %q, want nothing done", got, err, rec.log)
	}
	_, err = kubeletadmit.Evict(context.Background(), adm, nil)
	if !errors.Is(err, outrank.ErrInvalid) || err.Error() != "kubelet: is nil\nevictions[1].Pod: is nil" {
		t.Errorf("Evict without a kubelet: %v", err)
	}

	adm, _ = threeToEvict(t)
	var none context.Context
	got, err = kubeletadmit.Evict(none, adm, rec)
	if !errors.Is(err, outrank.ErrInvalid) || err.Error() != "context: is nil" || got != nil || rec.log != nil {
		t.Errorf("Evict without a context = %v, %v after %q, want nothing done", got, err, rec.log)
	}
}

func TestEvictNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := kubeletadmit.Evict(ctx, kubeletadmit.Admission{Outcome: kubeletadmit.Admitted}, &recorder{})
	if err != nil || len(got) != 0 {
		t.Errorf("Evict = %v, %v, want nothing: there was nothing left to do when the context ended", got, err)
	}
}
