package question

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
)

// MostReplicas is the most replicas in a question.
const MostReplicas = 100_000

// Replicas counts the copies of a pod that find room.
type Replicas struct {
	Pod Pod `json:"pod"`
	// Asked is the number in the question. Free of them fit before any pod
	// leaves, and Running in all, those included.
	Asked   int `json:"asked"`
	Free    int `json:"free"`
	Running int `json:"running"`
	// Victims are the pods that leave for them, Violating those that break a budget.
	Victims   int `json:"victims"`
	Violating int `json:"violating"`
	// Turns are those of the replicas that run, in order; at most one of them is another:
	// that of the first for which nothing helps, or whose victims leave in vain, with which
	// the question ends.
	Turns []Turn `json:"turns"`
	// Stopped is set where the last turn is that of a replica that finds no room.
	Stopped bool `json:"stopped,omitempty"`
	// Forbidden are the replicas that quotas keep from being created: behind the others, for which
	// that is the end. Nil where all may be.
	Forbidden *quotas.Forbidden `json:"forbidden,omitempty"`
	// Why names the missing amounts for that replica; nil unless nothing helps.
	// REPORT_JSON.md of package explain describes it.
	Why *explain.Report `json:"why,omitempty"`
}

// AskReplicas answers how many of n copies of a pod find room, one after the other, and
// who leaves for each: victims are gone and the replica runs before the next is tried. A
// replica takes the node with room that its scheduler's scores prefer, so that with
// rules about neighbours other places might leave room for more. The pod stands for the
// first replica; where the snapshot has a pod of its name, that one is taken away first
// if it is pending.
//
// Errors are those of [AllPending], and wrap [outrank.ErrInvalid] where n is not between
// 1 and [MostReplicas], where the pod's scheduler is not known, where its gates keep it back,
// and where it is scheduled with a group alone. Time is that of [AllPending] for n pods.
func AskReplicas(ctx context.Context, set Setting, pod *outrank.Pod, n int) (*Replicas, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	if err := replicable(pod, n); err != nil {
		return nil, err
	}
	eval, err := set.decider(pod)
	if err != nil {
		return nil, err
	}
	s := set.scene(ctx)
	s.scored = true
	if s.grouped(pod) {
		return nil, notOne(pod, "spec.schedulingGroup.podGroupName", "it is scheduled with its group alone, and not by itself")
	}
	if s.snap.NodeOf(pod.Key()) == "" {
		if _, ok := s.snap.Pod(pod.Key()); ok {
			if err := s.snap.RemovePod(pod.Key()); err != nil {
				return nil, err
			}
			s.books.GiveBack(pod)
		}
	}
	out := &Replicas{Pod: podOf(pod, ""), Asked: n, Turns: []Turn{}}
	created, err := s.admitReplicas(pod, out)
	if err != nil {
		return nil, err
	}
	free := true
	for i := range created {
		turn, err := s.replica(eval, pod, i)
		if err != nil {
			return nil, err
		}
		out.Turns = append(out.Turns, turn)
		out.Victims += fresh(turn.Victims)
		out.Violating += violating(turn.Victims)
		if out.Stopped = turn.InVain != nil || turn.Outcome != Placed && turn.Outcome != PushesOut; out.Stopped {
			return out, s.whyStopped(eval, pod, out)
		}
		out.Running++
		if free = free && turn.Outcome == Placed; free {
			out.Free++
		}
		set.progress(i+1, n)
	}
	return out, nil
}

// create counts the replicas that may be created, which all are before the first has its turn.
func (s *scene) admitReplicas(pod *outrank.Pod, out *Replicas) (int, error) {
	for i := range out.Asked {
		f, err := s.books.Admit(s.set.Limits.Pod(s.copyOf(pod, i)))
		if err != nil {
			return 0, err
		}
		if f != nil {
			f.Pods = out.Asked - i
			out.Forbidden = f
			return i, nil
		}
	}
	return out.Asked, nil
}

// whyStopped explains the last replica.
func (s *scene) whyStopped(eval *engine.Evaluator, pod *outrank.Pod, out *Replicas) error {
	last := &out.Turns[len(out.Turns)-1]
	if last.Outcome != Waits {
		return nil
	}
	one := s.copyOf(pod, len(out.Turns)-1)
	why, err := explain.Ask(s.ctx, explain.Question{Evaluator: eval, Snapshot: s.snap, Request: preemption.Request{Pod: one, Now: s.set.Now}}, explain.Options{
		Classes: s.set.Cluster.Classes,
		Copies: func(p *outrank.Pod) bool {
			return slices.ContainsFunc(out.Turns, func(t Turn) bool { return t.Pod.Key == p.Key() })
		},
	})
	out.Why = why
	return err
}

func replicable(pod *outrank.Pod, n int) error {
	if pod == nil {
		return fmt.Errorf("%w: no pod", outrank.ErrInvalid)
	}
	switch {
	case n < 1 || n > MostReplicas:
		return notOne(pod, "", fmt.Sprintf("%d replicas: between 1 and %d can be asked about", n, MostReplicas))
	case pod.Gated():
		return notOne(pod, "spec.schedulingGates", "gates keep it back, so that no replica would be tried")
	case pod.ResizeDeferred:
		return notOne(pod, "status.conditions", "it waits for its resize in place, which is no pod more")
	case pod.Terminating():
		return notOne(pod, "metadata.deletionTimestamp", "it is being deleted; its replicas would not be")
	}
	return nil
}

// notOne is the error about a pod that cannot be one of many.
func notOne(pod *outrank.Pod, field, text string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "pod " + string(pod.Key()), Field: field, Text: text}}}
}

// replica makes one more pod, and carries out its outcome.
func (s *scene) replica(eval *engine.Evaluator, pod *outrank.Pod, i int) (Turn, error) {
	one := s.copyOf(pod, i)
	turn, plan, err := s.decide(eval, one)
	switch {
	case err != nil:
	case plan != nil:
		err = s.carryOut(plan, turn.InVain != nil)
	case turn.Outcome == Placed:
		err = s.bind(one, turn.Node)
	}
	return turn, err
}

// copyOf is one more pod like the one in question.
func (s *scene) copyOf(pod *outrank.Pod, i int) *outrank.Pod {
	one := remade(pod, s.freeName(pod, i))
	if s.snap.NodeOf(pod.Key()) == "" {
		one.NodeName = pod.NodeName // a wish; where a pod runs is none
	}
	return one
}

// freeName is a name for the i-th replica that no pod has.
func (s *scene) freeName(pod *outrank.Pod, i int) string {
	name := pod.Name + "-" + strconv.Itoa(i+1)
	for {
		if _, taken := s.snap.Pod(outrank.NewKey(pod.Namespace, name)); !taken {
			return name
		}
		name += "x"
	}
}
