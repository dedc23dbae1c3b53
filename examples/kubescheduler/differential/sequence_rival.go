package differential

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// rival holds a plugin for each profile that is asked for room beside the scheduler's own. The plugins write to
// an API of their own, which changes nothing.
type rival struct {
	plugins map[string]fwk.PostFilterPlugin // by profile
	// clerk is the rival's API. It also knows the rival's earlier victims: nobody is told twice (rule 14.1.8).
	clerk *clerk
	// result and status are the rival's answer in this attempt.
	result *fwk.PostFilterResult
	status *fwk.Status
	// own are the scheduler's plugins that keep preemptors out of the queue, by profile.
	own      map[string]fwk.PreEnqueuePlugin
	sequence *sequenceRun
}

// rivalHandle is the scheduler's framework with the rival's API.
type rivalHandle struct {
	framework.Framework
	client kubernetes.Interface
}

func (h *rivalHandle) ClientSet() kubernetes.Interface              { return h.client }
func (h *rivalHandle) EventRecorder() events.EventRecorderLogger    { return nil }
func (h *rivalHandle) Activate(klog.Logger, map[string]*corev1.Pod) {}

func newRival(ctx context.Context, s *sequenceRun, profiles map[string]framework.Framework) (*rival, error) {
	v := &rival{clerk: newClerk(), sequence: s, plugins: map[string]fwk.PostFilterPlugin{}, own: map[string]fwk.PreEnqueuePlugin{}}
	for _, name := range ProfileNames {
		for _, p := range profiles[name].PreEnqueuePlugins() {
			if p.Name() == preemptorName {
				v.own[name] = p
			}
		}
		var err error
		if v.plugins[name], err = s.Rival(ctx, &rivalHandle{profiles[name], v.clerk.client()}); err != nil {
			return nil, err
		}
	}
	s.r.beside = func(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, m fwk.NodeToStatusReader) {
		v.result, v.status = v.plugins[pod.Spec.SchedulerName].PostFilter(ctx, state, pod, m)
	}
	return v, nil
}

func (v *rival) close() {
	for _, name := range ProfileNames {
		if c, ok := v.plugins[name].(io.Closer); ok {
			_ = c.Close()
		}
	}
}

// carriesOut reports whether the rival carries out a plan. Whether it keeps the preemptor out of the queue does not
// tell that, as in anyPreempting: a call that it makes later would count as one of the next attempt.
func (v *rival) carriesOut() bool {
	return slices.ContainsFunc(ProfileNames, func(name string) bool {
		plugin, ok := v.plugins[name].(interface{ Busy() bool })
		return ok && plugin.Busy()
	})
}

// keptOut reports whether the scheduler's plugin keeps a pod out of the queue because its plan is being carried
// out.
func (s *sequenceRun) keptOut(p *corev1.Pod) bool {
	own := s.rival.own[p.Spec.SchedulerName]
	return own != nil && !own.PreEnqueue(context.Background(), p).IsSuccess()
}

// anyPreempting reports whether the scheduler still carries out a plan. Whether a preemptor is kept out does not
// tell that: it is let in once the last victim is terminating, for any reason, and the plan may tell that victim
// to go again later.
func (s *sequenceRun) anyPreempting() bool {
	return slices.ContainsFunc(ProfileNames, func(name string) bool { return len(preempting(s.rival.own[name])) > 0 })
}

// carriesOut reports whether the scheduler still carries out a plan for the pod.
func (s *sequenceRun) carriesOut(p *corev1.Pod) bool {
	return s.keptOut(p) || slices.Contains(preempting(s.rival.own[p.Spec.SchedulerName]), p.UID)
}

// preempting returns the UIDs of the preemptors whose plans the scheduler's plugin carries out. They are in
// unexported fields of its executor.
func preempting(own fwk.PreEnqueuePlugin) (list []types.UID) {
	plugin, ok := own.(*defaultpreemption.DefaultPreemption)
	if !ok {
		return nil
	}
	executor := reflect.ValueOf(plugin.Executor).Elem()
	mu := (*sync.RWMutex)(executor.FieldByName("mu").Addr().UnsafePointer())
	uids := (*sets.Set[types.UID])(executor.FieldByName("preempting").Addr().UnsafePointer())
	mu.RLock()
	defer mu.RUnlock()
	return uids.UnsortedList()
}

// forget drops the rival's answer in this attempt.
func (v *rival) forget() { v.result, v.status = nil, nil }

// compare returns how the rival's answer, and what it did, differ from the scheduler's. Tied is the decision of a
// follower that knows the scheduler's memory; nil if there is none.
func (v *rival) compare(a *Answer, tied *decided) []string {
	result, status := v.result, v.status
	v.forget()
	if a.Fits || status == nil || !strings.Contains(a.Event, "preemption: ") {
		return nil // preemption was not asked (rule 15.3.9)
	}

	nominated := NominationKept
	if result != nil && result.Mode() == fwk.ModeOverride {
		nominated = result.NominatedNodeName
	}
	if nominated != a.Nominated {
		// Of several nodes that are equal in every rank each side may choose another.
		if tied != nil && tied.tied && a.Preempts && status.IsSuccess() {
			return nil
		}
		return []string{fmt.Sprintf("nominated: kube-scheduler has %q, the plugin %q: %s", a.Nominated, nominated, status.Message())}
	}

	// While calls hang or fail the two plans reach different victims, and leave different ones to an earlier plan
	// (rules 14.2.7 and 14.1.8).
	s := v.sequence
	_, refused, _ := s.scheduler.state("")
	if s.held != nil || refused > 0 {
		return nil
	}

	// The rival carries its plan out in the background, so that the calls are awaited.
	want := v.clerk.news(a.Evicted)
	var deleted, cleared []string
	same := func() bool {
		deleted, cleared = v.clerk.did(s.r.preemptor)
		deleted, cleared = v.clerk.news(deleted), s.toldOf(cleared)
		return slices.Equal(deleted, want) && slices.Equal(cleared, s.toldOf(a.Cleared))
	}
	if s.until(same); same() {
		return nil
	}
	return []string{fmt.Sprintf("evicted: kube-scheduler has %v and clears %v, the plugin %v and %v", want, a.Cleared, deleted, cleared)}
}
