package current

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/handedout"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// watchedGroups is the framework of a profile in which groups ask for room. The
// scheduler places a group once, and draws lots among nodes of the same score:
// the others get the places that it has found.
type watchedGroups struct {
	framework.Framework
	cycle *differential.GroupCycle
}

func watchGroups(f framework.Framework, cycle *differential.GroupCycle) framework.Framework {
	return &watchedGroups{f, cycle}
}

// RunPodGroupPostFilterPlugins lets the scheduler's own plugins find room, and then the
// others.
func (w *watchedGroups) RunPodGroupPostFilterPlugins(ctx context.Context, state *framework.CycleState, group fwk.PodGroupInfo, place fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	found := &places{}
	result, said := w.Framework.RunPodGroupPostFilterPlugins(ctx, state, group, found.first(place))
	answer, again := groupAnswer(result, said), found.again
	answer.Inexact = found.inexact
	if answer.Undecided() { // then the plugin has the scheduler place the group
		again = found.first(place)
	}
	rival := w.cycle.Rival(w.ProfileName()).(fwk.PodGroupPostFilterPlugin)
	w.cycle.Asked(group.GetPodGroup().UID, group.GetUnscheduledPods(), answer, groupAnswer(rival.PodGroupPostFilter(ctx, state, group, again)),
		func(snap *engine.Snapshot, pods []*outrank.Pod) (differential.GroupAnswer, error) {
			return w.decide(ctx, snap, pods, found)
		})
	return result, said
}

// groupAnswer is the answer of a plugin. Of several only the last preempts.
func groupAnswer(result *fwk.PodGroupPostFilterResult, said *fwk.Status) differential.GroupAnswer {
	a := differential.GroupAnswer{Code: said.Code().String(), Nominated: map[string]string{}}
	if reasons := said.Reasons(); len(reasons) > 0 {
		a.Says = reasons[len(reasons)-1]
	}
	if result != nil {
		for name, info := range result.NominatingInfos {
			a.Nominated[name.Namespace+"/"+name.Name] = info.NominatedNodeName
		}
	}
	return a
}

// decide decides with the places that the scheduler has found.
func (w *watchedGroups) decide(ctx context.Context, snap *engine.Snapshot, pods []*outrank.Pod, found *places) (a differential.GroupAnswer, err error) {
	eval, err := engine.New(preemption.Config{Profile: preemption.Profile{Schedulers: differential.ProfileNames}})
	if err != nil {
		return a, err
	}
	// A copy, because the followers keep theirs.
	snap, err = engine.NewSnapshot(snap.Cluster())
	if err != nil {
		return a, err
	}
	plan, err := handedout.PreemptGroup(ctx, eval, snap, preemption.GroupRequest{Pods: pods, Now: time.Now(), Refused: true, Place: found.place})
	if err != nil {
		return a, err
	}
	a = differential.GroupAnswer{Code: differential.CodeName(plan.Status.Code), Nominated: map[string]string{}}
	if reasons := plan.Status.Reasons; len(reasons) > 0 {
		a.Says = reasons[len(reasons)-1]
	}
	for _, at := range plan.Nominations {
		a.Nominated[string(at.Pod.Key())] = at.Node
	}
	for _, v := range plan.Victims {
		if !v.Pod.Terminating() {
			a.Evicted = append(a.Evicted, string(v.Pod.Key()))
		}
	}
	slices.Sort(a.Evicted)
	return a, nil
}

// places are those that the scheduler has found for a group.
type places struct {
	asked  bool
	found  []assigned
	status *fwk.Status
	// inexact is set once the scheduler's filter for topology spread takes another count than
	// the least one for it.
	inexact bool
}

// assigned is the place of a pod with what the filters knew about it then.
type assigned struct {
	fwk.ProposedAssignment
	state fwk.CycleState
}

func (a *assigned) GetCycleState() fwk.CycleState { return a.state }

func (p *places) first(place fwk.PodGroupSchedulingFunc) fwk.PodGroupSchedulingFunc {
	return func(ctx context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
		assignments, status := place(ctx)
		p.asked, p.status = true, status
		if assignments != nil {
			for i, at := range assignments.ProposedAssignments {
				p.found = append(p.found, assigned{at, at.GetCycleState().Clone()})
				assignments.ProposedAssignments[i] = &assigned{at, &watchedState{at.GetCycleState(), p}}
			}
		}
		return assignments, status
	}
}

// watchedState is the state of the scheduler's filters for a pod.
type watchedState struct {
	fwk.CycleState
	places *places
}

func (s *watchedState) Clone() fwk.CycleState { return &watchedState{s.CycleState.Clone(), s.places} }

// Read records whether the filter for topology spread has the least count of each
// constraint.
func (s *watchedState) Read(key fwk.StateKey) (fwk.StateData, error) {
	data, err := s.CycleState.Read(key)
	if err != nil || key != "PreFilterPodTopologySpread" || reflect.ValueOf(data).IsNil() {
		return data, err
	}
	counts := reflect.ValueOf(data).Elem().FieldByName("TpValueToMatchNum").Interface().([]map[string]int)
	least := reflect.ValueOf(data).Elem().FieldByName("CriticalPaths")
	for i := range counts {
		taken := least.Index(i).Elem().Index(0).FieldByName("MatchNum").Int()
		if len(counts[i]) > 0 && int(taken) != slices.Min(slices.Collect(maps.Values(counts[i]))) {
			s.places.inexact = true
		}
	}
	return data, nil
}

var errNotPlaced = errors.New("the scheduler has not placed the group")

func (p *places) again(context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
	if !p.asked {
		return nil, fwk.AsStatus(errNotPlaced)
	}
	out := &fwk.PodGroupAssignments{}
	for _, at := range p.found {
		out.ProposedAssignments = append(out.ProposedAssignments, &assigned{at.ProposedAssignment, at.state.Clone()})
	}
	return out, p.status
}

// place is again for a draft.
func (p *places) place(_ context.Context, _ preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
	switch {
	case !p.asked:
		return nil, nil, errNotPlaced
	case p.status.IsRejected():
		return nil, &preemption.Refusal{Reason: p.status.Message()}, nil
	case !p.status.IsSuccess():
		return nil, nil, p.status.AsError()
	}
	var answer []preemption.Assignment
	for _, at := range p.found {
		i := slices.IndexFunc(pods, func(pod *outrank.Pod) bool { return isPod(pod, at.GetPod()) })
		if i >= 0 && at.GetNodeName() != "" {
			answer = append(answer, preemption.Assignment{Pod: pods[i], Node: at.GetNodeName()})
		}
	}
	return answer, nil, nil
}

func isPod(ours *outrank.Pod, theirs *corev1.Pod) bool {
	return ours.Key() == outrank.NewKey(theirs.Namespace, theirs.Name)
}
