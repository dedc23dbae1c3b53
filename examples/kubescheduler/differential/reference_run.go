package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/thirdparty"
)

// RunReference lets kube-scheduler try to schedule the preemptor of a case. If there is another plugin in place
// of DefaultPreemption, it preempts; the candidates of the answer are DefaultPreemption's all the same.
func RunReference(c *Case, instead Instead) (*Answer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := newReference(ctx, c, instead)
	if err != nil {
		return nil, err
	}
	if r.waits {
		return r.answer, nil
	}

	r.sched.ScheduleOne(ctx)
	r.wait(c)

	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer.Deallocated = r.deallocated
	r.answer.Evicted, r.answer.Cleared = sorted(r.evicted), sorted(r.cleared)
	if !r.answer.Fits {
		r.answer.Preempts = r.answer.Nominated != "" && r.answer.Nominated != NominationKept
		r.answer.Part = r.part(c.Preemptor)
	}
	// Without a way out not all nodes were asked.
	if !r.asked && !r.answer.Fits {
		r.answer.Nodes = map[string]Status{}
	}
	r.sched.SchedulingQueue.Close()
	return r.answer, nil
}

// part returns the part of the queue that a pod is in.
func (r *reference) part(pod *corev1.Pod) string {
	q := r.sched.SchedulingQueue
	for _, part := range []struct {
		name string
		pods []*corev1.Pod
	}{{"active", q.PodsInActiveQ()}, {"backoff", q.PodsInBackoffQ()}, {"unschedulable", q.UnschedulablePods()}} {
		if slices.ContainsFunc(part.pods, func(p *corev1.Pod) bool { return p.UID == pod.UID }) {
			return part.name
		}
	}
	return "none"
}

// wait waits for the goroutine that evicts. It is done when as many pods are evicted as the candidate has
// victims.
func (r *reference) wait(c *Case) {
	// With a foreign plugin the plans that are compared are carried out within the attempt.
	if c.Around.Foreign != nil {
		return
	}
	a := r.answer
	if a.Fits || a.Nominated == "" || a.Nominated == NominationKept || strings.Contains(a.Message, thirdparty.OtherHelp) {
		return
	}

	proposed := map[string][]string{}
	for _, one := range a.Candidates {
		proposed[one.Node] = one.Victims
	}
	victims := thirdparty.Remaining(c.Around.Extenders, c.thirdParty(), proposed)[a.Nominated]
	want := 0
	for _, p := range c.Pods {
		if slices.Contains(victims, podKey(p)) && p.DeletionTimestamp == nil {
			want++
		}
	}

	for range 5000 {
		r.mu.Lock()
		n := len(r.evicted)
		r.mu.Unlock()
		if n >= want {
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// react records the client's requests, and lets all of them succeed.
func (r *reference) react(action clienttesting.Action) (bool, runtime.Object, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch a := action.(type) {
	case clienttesting.DeleteAction:
		if a.GetResource().Resource == "pods" {
			r.evicted = append(r.evicted, a.GetNamespace()+"/"+a.GetName())
		}
	case clienttesting.UpdateAction:
		if a.GetResource().Resource == "resourceclaims" {
			r.deallocated = append(r.deallocated, keyOf(a.GetObject()))
		}
		return true, a.GetObject(), nil
	case clienttesting.PatchAction:
		switch name := a.GetNamespace() + "/" + a.GetName(); {
		case a.GetResource().Resource != "pods":
		case name == r.preemptor:
			r.noteCondition(a.GetPatch())
		case clearsNomination(a.GetPatch()):
			r.cleared = append(r.cleared, name)
		}
	}
	return true, &corev1.Pod{}, nil
}

// noteCondition records the condition PodScheduled of the preemptor.
func (r *reference) noteCondition(patch []byte) {
	var p struct {
		Status struct{ Conditions []corev1.PodCondition }
	}
	if json.Unmarshal(patch, &p) != nil {
		return
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			r.answer.Reason, r.answer.Message = c.Reason, c.Message
		}
	}
}

// recorder records the scheduler's events about the preemptor.
type recorder struct{ r *reference }

func (e *recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return e }

func (e *recorder) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	if reason == "FailedScheduling" {
		e.r.answer.Event = note
	}
}
