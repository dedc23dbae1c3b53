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

// MostReplicas is the largest number of replicas that can be asked about.
const MostReplicas = 100_000

// Replicas counts the copies of a pod that find room.
type Replicas struct {
	Pod Pod `json:"pod"`
	// Asked is the number in the question. Running counts the replicas that find room, and Free the replicas
	// among them that find it before any pod leaves.
	Asked   int `json:"asked"`
	Free    int `json:"free"`
	Running int `json:"running"`
	// Victims counts the pods that leave for the replicas, and Violating the pods among them that break a
	// budget.
	Victims   int `json:"victims"`
	Violating int `json:"violating"`
	// Turns has the turns of the replicas in their order. The question ends with the first replica that finds
	// no room, or whose victims leave in vain; its turn is the last.
	Turns []Turn `json:"turns"`
	// Stopped is set if the last turn belongs to a replica that finds no room.
	Stopped bool `json:"stopped,omitempty"`
	// Forbidden counts the replicas that quotas keep from being created, which are the last ones. It is nil if
	// all may be created.
	Forbidden *quotas.Forbidden `json:"forbidden,omitempty"`
	// Why explains what the last replica lacks if it finds no room, and is nil otherwise. REPORT_JSON.md of
	// package explain describes it.
	Why *explain.Report `json:"why,omitempty"`
}

// AskReplicas answers how many of n copies of a pod find room, one after the other, and which pods leave for
// each. Before the next replica is tried, the victims of the last are gone and it runs. A replica takes the
// node with room that its scheduler's scores prefer; with rules about neighbours, other places might leave room
// for more. The pod itself stands for the first replica: if the snapshot has it as a pending pod, it is removed
// first.
//
// Errors are those of [AllPending]. They wrap [outrank.ErrInvalid] if n is not between 1 and [MostReplicas], for
// a pod whose scheduler is not known, for a pod that no scheduler tries, and for a pod that is scheduled only
// with its group. It takes the time of [AllPending] for n pods.
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
	if err := s.removePending(pod); err != nil {
		return nil, err
	}

	out := &Replicas{Pod: NameOf(pod, ""), Asked: n, Turns: []Turn{}}
	created, err := s.admitReplicas(pod, out)
	if err != nil {
		return nil, err
	}
	for i := range created {
		turn, err := s.replica(eval, pod, i)
		if err != nil {
			return nil, err
		}

		// The question ends with the first replica that finds no room, because the following ones are like it.
		out.Turns = append(out.Turns, turn)
		out.Victims += fresh(turn.Victims)
		out.Violating += violating(turn.Victims)
		if out.Stopped = !turn.Places(); out.Stopped {
			return out, s.whyStopped(eval, pod, out)
		}

		// A replica that fits only into room left behind by victims is not free.
		if out.Free == out.Running && turn.Outcome == Placed {
			out.Free++
		}
		out.Running++
		set.progress(i+1, n)
	}
	return out, nil
}

// removePending removes a pod if the scene has it as a pending one.
func (s *scene) removePending(pod *outrank.Pod) error {
	if _, known := s.snap.Pod(pod.Key()); !known || s.snap.NodeOf(pod.Key()) != "" {
		return nil
	}
	if err := s.snap.RemovePod(pod.Key()); err != nil {
		return err
	}
	s.books.GiveBack(pod)
	return nil
}

// admitReplicas counts the replicas that quotas let be created, and records the others. All replicas are
// created before the first has its turn.
func (s *scene) admitReplicas(pod *outrank.Pod, out *Replicas) (int, error) {
	limits := &s.set.Limits
	for i := range out.Asked {
		f, err := s.books.Admit(limits.Pod(s.copyOf(pod, i)))
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

// whyStopped explains why the last replica waits, if it does.
func (s *scene) whyStopped(eval *engine.Evaluator, pod *outrank.Pod, out *Replicas) error {
	last := &out.Turns[len(out.Turns)-1]
	if last.Outcome != Waits {
		return nil
	}

	one := s.copyOf(pod, len(out.Turns)-1)
	why, err := explain.Ask(s.ctx, explain.Question{Evaluator: eval, Snapshot: s.snap, Request: preemption.Request{Pod: one, Now: s.set.Now}}, explain.Options{
		Classes: s.set.classes(),
		Copies: func(p *outrank.Pod) bool {
			return slices.ContainsFunc(out.Turns, func(t Turn) bool { return t.Pod.Key == p.Key() })
		},
	})
	out.Why = why
	return err
}

// replicable refuses a number out of range, and a pod whose copies no scheduler would try.
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

// notOne returns the error about a pod that cannot be asked about by itself or in copies.
func notOne(pod *outrank.Pod, field, text string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "pod " + string(pod.Key()), Field: field, Text: text}}}
}

// replica makes the i-th replica, takes its turn, and carries out the outcome to the end.
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

// copyOf returns the i-th replica of the pod in question.
func (s *scene) copyOf(pod *outrank.Pod, i int) *outrank.Pod {
	one := remade(pod, s.freeName(pod, i))

	// A pod that does not run may ask for a node by name, and its replicas then ask for the same node.
	if s.snap.NodeOf(pod.Key()) == "" {
		one.NodeName = pod.NodeName
	}
	return one
}

// freeName returns a name for the i-th replica that no pod has.
func (s *scene) freeName(pod *outrank.Pod, i int) string {
	name := pod.Name + "-" + strconv.Itoa(i+1)
	for {
		if _, taken := s.snap.Pod(outrank.NewKey(pod.Namespace, name)); !taken {
			return name
		}
		name += "x"
	}
}
