package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Fate says what becomes of a victim once it is gone.
type Fate string

// The fates.
const (
	// Lost: the pod has no controller, and nobody makes it again.
	Lost Fate = "lost"
	// FitsNow: its replacement fits on Node.
	FitsNow Fate = "fits"
	// PushesOut: its replacement fits nowhere, and pushes others out of Node.
	PushesOut Fate = "pushes-out"
	// Waits: its replacement fits nowhere, and pushes nobody out.
	Waits Fate = "waits"
	// Replaced: the pod was leaving before, and its ReplicaSet or Job has made another already.
	Replaced Fate = "replaced"
	// Unknown: it belongs to a group that is scheduled as a whole.
	Unknown Fate = "unknown"
)

// Replacement says what becomes of one victim.
type Replacement struct {
	Pod  Pod  `json:"pod"`
	Fate Fate `json:"fate"`
	// Owner is Kind/Name of the pod's controller, and Left how many of its pods run on, of
	// which Ready are ready.
	Owner string `json:"owner,omitempty"`
	Left  int    `json:"left"`
	Ready int    `json:"ready"`
	// Tied is set for a pod of a DaemonSet, whose replacement can only come back to the node.
	Tied bool   `json:"tied,omitempty"`
	Node string `json:"node,omitempty"`
	// Fits is the number of nodes on which the replacement fits.
	Fits int `json:"fits,omitempty"`
	// Victims lists the pods that the replacement pushes out, with what becomes of them in turn, as
	// far as the depth goes that was asked for: beyond it their Fate is empty.
	Victims []Replacement `json:"victims,omitempty"`
}

// Replacements says what becomes of the victims of [Question].Plan: once they are gone and the
// preemptor runs, their controllers make them again, the most important first, and each
// replacement takes the node that the scores of [Options].Scorer prefer among those with room, or
// else does what the evaluator decides; where preferences cannot be read it waits, as the scheduler
// has it do. Each sees what those before it did. [Options].Depth is how far the pods that
// replacements push out are followed. Of the request Now counts.
//
// The snapshot is cloned, and must not change meanwhile; the slice is the caller's. Errors
// are those of [engine.Evaluator.Preempt] and [engine.Snapshot.Apply], and wrap
// [outrank.ErrInvalid] for a plan that is none to preempt, and for a depth below 0. Time is that of asking
// and scoring every node once for each replacement, and of a decision where none has room.
func Replacements(ctx context.Context, q Question, options Options) ([]Replacement, error) {
	plan := q.Plan
	if plan == nil || plan.Outcome != preemption.Preempts {
		return nil, fmt.Errorf("%w: no plan to preempt", outrank.ErrInvalid)
	}
	if ctx == nil || q.Evaluator == nil || q.Snapshot == nil {
		return nil, fmt.Errorf("%w: no context, no evaluator or no snapshot", outrank.ErrInvalid)
	}
	if options.Depth < 0 {
		return nil, fmt.Errorf("%w: depth %d is below 0", outrank.ErrInvalid, options.Depth)
	}
	s := &successors{ctx: ctx, eval: q.Evaluator, snap: q.Snapshot.Clone(), now: q.Request.Now, owners: map[ownerKey]*ownerCount{}, scorer: options.Scorer}
	if err := s.checkPlan(plan); err != nil {
		return nil, err
	}
	seen := 0
	for p := range s.snap.Pods() {
		if seen++; seen%podsPerLook == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s.snap.NodeOf(p.Key()) != "" {
			s.count(p, 1)
		}
	}
	return s.after(plan, options.Depth)
}

// podsPerLook is how many pods are counted between two looks at the context.
const podsPerLook = 1024

// checkPlan reports a plan that does not hold any more.
func (s *successors) checkPlan(plan *preemption.Plan) error {
	mark := s.snap.Mark()
	return errors.Join(s.snap.Apply(plan), s.snap.Undo(mark))
}

// successors follows the snapshot from eviction to eviction.
type successors struct {
	ctx  context.Context
	eval *engine.Evaluator
	snap *engine.Snapshot
	now  time.Time
	// scorer is nil for the default profile.
	scorer func(*outrank.Pod) *score.Scorer
	made   int // replacements so far, for their names
	// owners count the running pods of each controller that are not leaving.
	owners map[ownerKey]*ownerCount
}

// ownerKey is a controller.
type ownerKey struct {
	namespace string
	outrank.Owner
}

// ownerCount is how many pods it has left, and how many of these are ready.
type ownerCount struct{ left, ready int }

// counts returns what is known of the controller of a pod.
func (s *successors) counts(p *outrank.Pod) *ownerCount {
	key := ownerKey{p.NamespaceName(), p.Owner}
	c := s.owners[key]
	if c == nil {
		c = &ownerCount{}
		s.owners[key] = c
	}
	return c
}

// count adds a pod that runs, or takes it away.
func (s *successors) count(p *outrank.Pod, by int) {
	if p.Terminating() || p.Owner == (outrank.Owner{}) {
		return
	}
	c := s.counts(p)
	c.left += by
	if p.Ready {
		c.ready += by
	}
}

// carryOut takes the victims of a plan and the nominations that it clears out of the
// cluster, and has the preemptor run.
func (s *successors) carryOut(plan *preemption.Plan) error {
	if err := s.snap.Apply(plan); err != nil {
		return err
	}
	for i := range plan.Victims {
		s.count(plan.Victims[i].Pod, -1)
	}
	if plan.Resize {
		return nil
	}
	s.count(plan.Pod, 1)
	return s.snap.Bind(plan.Pod.Key(), plan.Node)
}

// after carries out a plan, and makes its victims again.
func (s *successors) after(plan *preemption.Plan, depth int) ([]Replacement, error) {
	out := make([]Replacement, len(plan.Victims))
	for i := range plan.Victims {
		v := &plan.Victims[i]
		node := plan.Node
		if v.Node != "" {
			node = v.Node
		}
		out[i] = Replacement{Pod: Pod{Key: v.Pod.Key(), Priority: v.Pod.PriorityValue(), Node: node}, Owner: v.Pod.Owner.String()}
	}
	if err := s.carryOut(plan); err != nil {
		return nil, err
	}
	for i := range plan.Victims {
		if err := s.again(&out[i], plan.Victims[i].Pod, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// put has a pod run on a node.
func (s *successors) put(p *outrank.Pod, node string) error {
	placed := *p
	placed.NodeName, placed.NominatedNodeName = node, ""
	s.count(&placed, 1)
	_, err := s.snap.PutPod(&placed)
	return err
}

// again makes a victim again, and finds out where it goes.
func (s *successors) again(r *Replacement, victim *outrank.Pod, depth int) error {
	if victim.Owner == (outrank.Owner{}) {
		r.Fate = Lost
		return nil
	}
	c := s.counts(victim)
	r.Left, r.Ready = c.left, c.ready
	switch {
	case victim.Terminating() && replacesAtOnce(victim.Owner.Kind):
		r.Fate = Replaced
		return nil
	case victim.Group != "":
		r.Fate = Unknown
		return nil
	}
	pod := s.copyOf(victim)
	if r.Tied = victim.Owner.Kind == "DaemonSet"; r.Tied {
		pod.NodeName = r.Pod.Node
	}
	feasible, err := s.eval.Feasible(s.ctx, s.snap, pod)
	if err != nil {
		return err
	}
	if len(feasible) > 0 {
		return s.fits(r, pod, feasible)
	}
	plan, err := s.eval.Preempt(s.ctx, s.snap, preemption.Request{Pod: pod, Now: s.now})
	if err != nil {
		return err
	}
	if plan.Outcome != preemption.Preempts {
		r.Fate = Waits
		return nil
	}
	r.Fate, r.Node = PushesOut, plan.Node
	if depth > 0 {
		r.Victims, err = s.after(plan, depth-1)
		return err
	}
	for i := range plan.Victims {
		v := plan.Victims[i].Pod
		r.Victims = append(r.Victims, Replacement{Pod: Pod{Key: v.Key(), Priority: v.PriorityValue(), Node: plan.Node}, Owner: v.Owner.String()})
	}
	return s.carryOut(plan)
}

// fits has a replacement run on the best of the nodes that take it.
func (s *successors) fits(r *Replacement, pod *outrank.Pod, nodes []*outrank.Node) error {
	scorer := &score.Scorer{}
	if s.scorer != nil {
		scorer = cmp.Or(s.scorer(pod), scorer)
	}
	ranked, err := scorer.Score(s.ctx, s.snap, pod, nodes)
	if errors.Is(err, outrank.ErrInvalid) {
		r.Fate = Waits
		return nil
	}
	if err != nil {
		return err
	}
	r.Fate, r.Node, r.Fits = FitsNow, ranked.Choose(nil).Name, len(nodes)
	return s.put(pod, r.Node)
}

// replacesAtOnce reports whether controllers of a kind make another pod when one begins to
// leave. A StatefulSet and a DaemonSet wait until it is gone, and of others nobody knows.
func replacesAtOnce(kind string) bool {
	return kind == "ReplicaSet" || kind == "ReplicationController" || kind == "Job"
}

// copyOf is a pod as its controller makes it again.
func (s *successors) copyOf(victim *outrank.Pod) *outrank.Pod {
	s.made++
	return lifecycle.Recreate(victim, fmt.Sprintf("%s-replacement-%d", victim.Name, s.made))
}

// Text says what becomes of the pod, and below it, indented, of the pods that its replacement
// pushes out.
func (r *Replacement) Text() string {
	w := &writer{}
	r.write(w, 0)
	return strings.TrimSuffix(w.String(), "\n")
}

func (r *Replacement) write(w *writer, indent int) {
	w.line(indent, "%s", r.sentence())
	for i := range r.Victims {
		r.Victims[i].write(w, indent+1)
	}
}

func (r *Replacement) sentence() string {
	text := r.Pod.text()
	if r.Owner != "" && r.Fate != "" && r.Fate != Replaced {
		text += fmt.Sprintf(" of %s, which has %s left", prose.Name(r.Owner), prose.Plural(r.Left, "pod"))
		if r.Ready < r.Left {
			text += fmt.Sprintf(" (%d ready)", r.Ready)
		}
	}
	switch r.Fate {
	case Lost:
		return text + " is lost: it has no controller to recreate it."
	case FitsNow:
		if r.Tied {
			return text + ", comes back to node " + prose.Name(r.Node) + "."
		}
		return fmt.Sprintf("%s: a replacement fits now, on node %s, one of %d.", text, prose.Name(r.Node), r.Fits)
	case PushesOut:
		return fmt.Sprintf("%s: a replacement pushes out %s of node %s.", text, prose.Plural(len(r.Victims), "pod"), prose.Name(r.Node))
	case Waits:
		if r.Tied {
			return text + ": a replacement waits for room on node " + prose.Name(r.Pod.Node) + "."
		}
		return text + ": a replacement waits for room."
	case Replaced:
		return text + " was leaving already, and another was made in its place."
	case Unknown:
		return text + ": its group is scheduled as a whole, which is not looked at."
	}
	return text + " leaves in turn."
}
