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

// WholeGroup says what becomes of the group that a pod is scheduled with.
type WholeGroup struct {
	// Group names the group. If Tree is set, it names the topmost group of the tree that contains the pod's
	// group.
	Group outrank.Key `json:"group"`
	Tree  bool        `json:"tree,omitempty"`
	// Priority is the priority with which the group counts.
	Priority int32 `json:"priority"`
	// MinCount is the number of pods of the group that need a place, including running ones. In a tree it is
	// the number of child groups. It is 0 if the group names no number.
	MinCount int32 `json:"minCount,omitempty"`
	// Asked is the pod in question.
	Asked outrank.Key `json:"asked"`
	// Members lists the group's waiting pods in the order in which they are tried, with their nodes. Unplaced
	// counts the pods without a node.
	Members  []Member `json:"members"`
	Unplaced int      `json:"unplaced"`
	// Running counts the group's pods that have a node already.
	Running int `json:"running"`
	// KeptBack lists the group's pods that have no node and that no scheduler tries.
	KeptBack []KeptBack `json:"keptBack,omitempty"`
	// Report gives the reasons. REPORT_JSON.md of package explain describes it.
	Report *explain.GroupReport `json:"report"`

	// turn is the group's turn, as in [AllPending]. plan is the decision about the group, and snap its
	// snapshot.
	turn Turn
	plan *preemption.GroupPlan
	snap *engine.Snapshot
}

// KeptBack is a pod that no scheduler tries, because of its gates or because it is being deleted.
type KeptBack struct {
	Key     outrank.Key `json:"key"`
	Gates   []string    `json:"gates,omitempty"`
	Leaving bool        `json:"leaving,omitempty"`
}

// why says what keeps the pod back.
func (k *KeptBack) why() string {
	if k.Leaving {
		return "is being deleted"
	}
	return "has scheduling gates (" + names(k.Gates, 3) + ")"
}

// AskGroup answers who has to leave so that the group of a pending pod can run, with all its waiting pods. It
// ignores other waiting pods. A tree of groups is asked about as a whole. Unlike [AllPending] it keeps the
// group's pods of other schedulers: a group has one scheduler, and it is an error if its pods name several.
//
// Errors are those of the setting, of the context and of [engine.Evaluator.PreemptGroup]. They wrap
// [outrank.ErrInvalid] for a pod that is not scheduled with a group of the snapshot, and for a pod that no
// scheduler tries. It takes the time of one such decision, and looks at every pod.
func AskGroup(ctx context.Context, set Setting, pod *outrank.Pod) (*WholeGroup, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	eval, err := set.decider(pod)
	if err != nil {
		return nil, err
	}

	// With one evaluator for every scheduler, line leaves out no pod of the group.
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

// wholeGroup returns the facts about the group of a pod, before the decision.
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
	out.countPods(s, g)

	// The group is tried without this pod, so that there is no answer about it.
	for i := range out.KeptBack {
		if out.KeptBack[i].Key == out.Asked {
			return nil, out.keptBack(&out.KeptBack[i])
		}
	}
	return out, nil
}

// countPods counts the running pods of the group, and lists the pods that are kept back.
func (w *WholeGroup) countPods(s *scene, g *queue.Group) {
	for p := range s.snap.Pods() {
		if p.Group == "" {
			continue
		}
		its := s.groupOf(p)
		switch {
		case its == nil || groupKey(its) != groupKey(g):
		case s.snap.NodeOf(p.Key()) != "":
			w.Running++
		case p.NodeName != "": // on a node that does not exist
		case p.Terminating():
			w.KeptBack = append(w.KeptBack, KeptBack{Key: p.Key(), Leaving: true})
		case p.Gated():
			w.KeptBack = append(w.KeptBack, KeptBack{Key: p.Key(), Gates: append([]string{}, p.SchedulingGates...)})
		}
	}
}

// lineKey returns the key by which groupKey identifies the group in a line.
func (w *WholeGroup) lineKey() outrank.Key {
	if w.Tree {
		return "tree " + w.Group
	}
	return w.Group
}

// keptBack returns the error about the pod in question if no scheduler tries it.
func (w *WholeGroup) keptBack(k *KeptBack) error {
	field := "spec.schedulingGates"
	if k.Leaving {
		field = "metadata.deletionTimestamp"
	}
	return aboutPod(k.Key, field, "the pod "+k.why()+", so that its group "+string(w.Group)+" is tried without it; ask about another of its pods")
}

// aboutPod returns an error about a pod.
func aboutPod(key outrank.Key, field, text string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "pod " + string(key), Field: field, Text: text}}}
}

// ask decides about the group, and reports the reasons.
func (w *WholeGroup) ask(s *scene, g *queue.Group) (err error) {
	if w.turn, w.plan, err = s.planGroup(g); err != nil {
		return err
	}
	w.turn.tellGroup(s, w.plan)
	w.Members, w.Unplaced = w.turn.Members, w.turn.unplaced()
	w.Report, err = explain.Group(s.snap, w.plan, explain.Options{Most: everyName})
	return err
}

// everyName is a limit that no report reaches, so that it lists all names.
const everyName = 1 << 20
