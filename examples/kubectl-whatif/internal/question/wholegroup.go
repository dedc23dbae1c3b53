package question

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// WholeGroup is the outcome of the group that a pod is scheduled with.
type WholeGroup struct {
	// Group is the group, or with Tree set the topmost of the tree that it is part of.
	Group outrank.Key `json:"group"`
	Tree  bool        `json:"tree,omitempty"`
	// Priority is the priority that counts.
	Priority int32 `json:"priority"`
	// MinCount is the number of its pods that need a place, those that run included, or
	// in a tree the number of the groups below; 0 where the group names no number.
	MinCount int32 `json:"minCount,omitempty"`
	// Asked is the pod in question.
	Asked outrank.Key `json:"asked"`
	// Members are its pods that wait, in the order in which they are tried, with
	// their nodes. Unplaced of them get none.
	Members  []Member `json:"members"`
	Unplaced int      `json:"unplaced"`
	// Running is the number of its pods that have a node already.
	Running int `json:"running"`
	// KeptBack are pods of it that have no node and that no scheduler tries.
	KeptBack []KeptBack `json:"keptBack,omitempty"`
	// Report gives the reasons. REPORT_JSON.md of package explain describes it.
	Report *explain.GroupReport `json:"report"`

	// turn is the same as one of the turns of all that wait, plan the decision,
	// and snap its snapshot.
	turn Turn
	plan *preemption.GroupPlan
	snap *engine.Snapshot
}

// KeptBack is a pod that no scheduler tries, because of its gates or because it is being
// deleted.
type KeptBack struct {
	Key     outrank.Key `json:"key"`
	Gates   []string    `json:"gates,omitempty"`
	Leaving bool        `json:"leaving,omitempty"`
}

// why is the reason that keeps the pod back.
func (k *KeptBack) why() string {
	if k.Leaving {
		return "is being deleted"
	}
	return "has scheduling gates (" + names(k.Gates, 3) + ")"
}

// AskGroup answers who has to leave so that the group of a pending pod can run: that of all
// its pods that wait, as things are, whoever else waits. A tree of groups is asked about as
// a whole. Unlike in [AllPending] a pod of another scheduler is no reason to leave it out:
// a group has one scheduler, and that it has not is an error.
//
// Errors are those of the setting, of the context and of [engine.Evaluator.PreemptGroup],
// and wrap [outrank.ErrInvalid] for a pod that is not scheduled with a group that the
// snapshot has, and for one that no scheduler tries. Time is that of one such decision, and of
// looking at every pod.
func AskGroup(ctx context.Context, set Setting, pod *outrank.Pod) (*WholeGroup, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	eval, err := set.decider(pod)
	if err != nil {
		return nil, err
	}
	set.Scheduler = func(string) *engine.Evaluator { return eval }
	s := set.scene(ctx)
	out, err := s.wholeGroup(pod)
	if err != nil {
		return nil, err
	}
	line := s.line(s.waiting())
	for i := range line {
		g := line[i].Group
		if g == nil || groupKey(g) != out.lineKey() {
			continue
		}
		if slices.ContainsFunc(g.Members, func(e queue.Entry) bool { return e.Pod.Key() == out.Asked }) {
			if err := out.ask(s, g); err != nil {
				return nil, err
			}
			return out, nil
		}
	}
	return nil, aboutPod(pod.Key(), "", "it is not among the pods that wait")
}

// wholeGroup has the facts about the group before anything is decided.
func (s *scene) wholeGroup(pod *outrank.Pod) (*WholeGroup, error) {
	var g *queue.Group
	if s.grouped(pod) {
		g = s.groupOf(pod)
	}
	if g == nil {
		return nil, aboutPod(pod.Key(), "spec.schedulingGroup", "it is not scheduled with a group that is known")
	}
	out := &WholeGroup{Group: g.Key(), Tree: g.Composite != nil, Priority: g.Priority(), Asked: pod.Key(), snap: s.snap}
	switch {
	case out.Tree && g.Composite.Policy == outrank.GangPolicy:
		out.MinCount = g.Composite.MinGroupCount
	case !out.Tree && g.PodGroup.Policy == outrank.GangPolicy:
		out.MinCount = g.PodGroup.MinCount
	}
	for p := range s.snap.Pods() {
		if p.Group == "" {
			continue
		}
		of := s.groupOf(p)
		switch {
		case of == nil || groupKey(of) != groupKey(g):
		case s.snap.NodeOf(p.Key()) != "":
			out.Running++
		case p.NodeName != "": // on a node that does not exist
		case p.Terminating():
			out.KeptBack = append(out.KeptBack, KeptBack{Key: p.Key(), Leaving: true})
		case p.Gated():
			out.KeptBack = append(out.KeptBack, KeptBack{Key: p.Key(), Gates: append([]string{}, p.SchedulingGates...)})
		}
	}
	for i := range out.KeptBack {
		if out.KeptBack[i].Key == out.Asked {
			return nil, out.keptBack(&out.KeptBack[i])
		}
	}
	return out, nil
}

// lineKey is that of the group in a line.
func (w *WholeGroup) lineKey() outrank.Key {
	if w.Tree {
		return "tree " + w.Group
	}
	return w.Group
}

func (w *WholeGroup) keptBack(k *KeptBack) error {
	field := "spec.schedulingGates"
	if k.Leaving {
		field = "metadata.deletionTimestamp"
	}
	return aboutPod(k.Key, field, "the pod "+k.why()+", so that its group "+string(w.Group)+" is tried without it; ask about another of its pods")
}

// aboutPod is an error that names a pod.
func aboutPod(key outrank.Key, field, text string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "pod " + string(key), Field: field, Text: text}}}
}

// ask decides, and says why.
func (w *WholeGroup) ask(s *scene, g *queue.Group) (err error) {
	if w.turn, w.plan, err = s.planGroup(g); err != nil {
		return err
	}
	w.turn.tellGroup(s, w.plan)
	w.Members, w.Unplaced = w.turn.Members, w.turn.unplaced()
	w.Report, err = explain.Group(s.snap, w.plan, explain.Options{Most: everyName})
	return err
}

// everyName is more than the most names in a report.
const everyName = 1 << 20
