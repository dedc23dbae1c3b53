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
	// Lost: the pod has no controller, and nobody creates it again.
	Lost Fate = "lost"
	// FitsNow: its replacement fits on Node.
	FitsNow Fate = "fits"
	// PushesOut: its replacement fits nowhere, and pushes others out of Node.
	PushesOut Fate = "pushes-out"
	// Waits: its replacement fits nowhere, and pushes nobody out.
	Waits Fate = "waits"
	// Replaced: the pod was leaving before, and its controller has created another already.
	Replaced Fate = "replaced"
	// Unknown: the pod belongs to a group that is scheduled as a whole, which is not followed.
	Unknown Fate = "unknown"
)

// Replacement says what becomes of one victim.
type Replacement struct {
	Pod  Pod  `json:"pod"`
	Fate Fate `json:"fate"`
	// Owner is Kind/Name of the pod's controller. Left is the number of its pods that keep running, and Ready
	// how many of these are ready.
	Owner string `json:"owner,omitempty"`
	Left  int    `json:"left"`
	Ready int    `json:"ready"`
	// Tied is set for a pod of a DaemonSet, whose replacement can only run on the same node.
	Tied bool `json:"tied,omitempty"`
	// Node is the node that the replacement gets. It is set for FitsNow and PushesOut.
	Node string `json:"node,omitempty"`
	// Fits is the number of nodes on which the replacement fits. It is set for FitsNow.
	Fits int `json:"fits,omitempty"`
	// Victims lists the pods that the replacement preempts, with what becomes of them in turn. Their Fate is
	// empty beyond Options.Depth.
	Victims []Replacement `json:"victims,omitempty"`
}

// Replacements says what becomes of the victims of [Question].Plan. Once they are gone and the preemptor
// runs, their controllers create replacements, the most important first. Of the nodes with room, a replacement
// takes the one that [Options].Scorer prefers. If no node has room, the evaluator decides whether it preempts. If
// its preferences cannot be read, it waits, as in kube-scheduler. Each replacement sees the effects of those before
// it. The pods that replacements preempt are followed to the depth of [Options].Depth. Of the request only Now is
// used.
//
// The snapshot is cloned, and must not change meanwhile. The slice belongs to the caller. Errors are those of
// [engine.Evaluator.Preempt] and [engine.Snapshot.Apply]; they wrap [outrank.ErrInvalid] for a plan whose
// outcome is not preempt, and for a depth below 0. For each replacement every node is asked and scored once, and if
// none has room, a decision is made.
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
	if err := s.countAll(); err != nil {
		return nil, err
	}
	return s.after(plan, options.Depth)
}

// podsPerLook is the number of pods that are counted between two checks of the context.
const podsPerLook = 1024

// countAll counts the pods on nodes by their controllers.
func (s *successors) countAll() error {
	seen := 0
	for p := range s.snap.Pods() {
		if seen++; seen%podsPerLook == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if s.snap.NodeOf(p.Key()) != "" {
			s.count(p, 1)
		}
	}
	return nil
}

// checkPlan returns an error if the plan cannot be applied to the snapshot any more. The snapshot stays as it is.
func (s *successors) checkPlan(plan *preemption.Plan) error {
	mark := s.snap.Mark()
	return errors.Join(s.snap.Apply(plan), s.snap.Undo(mark))
}

// successors carries out evictions and replacements in a clone of the snapshot, one after the other.
type successors struct {
	ctx  context.Context
	eval *engine.Evaluator
	snap *engine.Snapshot
	now  time.Time
	// scorer is Options.Scorer; nil means the default profile.
	scorer func(*outrank.Pod) *score.Scorer
	// made counts the replacements so far, which makes their names unique.
	made int
	// owners counts, for each controller, the running pods that are not leaving.
	owners map[ownerKey]*ownerCount
}

// ownerKey identifies a controller.
type ownerKey struct {
	namespace string
	outrank.Owner
}

// ownerCount counts the pods that a controller has left, and how many of these are ready.
type ownerCount struct{ left, ready int }

// counts returns the counts of a pod's controller, which the caller may change.
func (s *successors) counts(p *outrank.Pod) *ownerCount {
	key := ownerKey{p.NamespaceName(), p.Owner}
	c := s.owners[key]
	if c == nil {
		c = &ownerCount{}
		s.owners[key] = c
	}
	return c
}

// count adds by to the counts of the pod's controller. Pods that are leaving do not count.
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

// carryOut carries out a plan in the snapshot: the victims leave, nominations are cleared, and the preemptor runs on
// its node.
func (s *successors) carryOut(plan *preemption.Plan) error {
	if err := s.snap.Apply(plan); err != nil {
		return err
	}
	for i := range plan.Victims {
		s.count(plan.Victims[i].Pod, -1)
	}

	// A pod that grows in place runs already, and is counted.
	if plan.Resize {
		return nil
	}
	s.count(plan.Pod, 1)
	return s.snap.Bind(plan.Pod.Key(), plan.Node)
}

// after carries out a plan, and says what becomes of its victims.
func (s *successors) after(plan *preemption.Plan, depth int) ([]Replacement, error) {
	out := make([]Replacement, len(plan.Victims))
	for i := range plan.Victims {
		v := &plan.Victims[i]
		node := cmp.Or(v.Node, plan.Node)
		out[i] = Replacement{Pod: Pod{Key: v.Pod.Key(), Priority: v.Pod.PriorityValue(), Node: node}, Owner: v.Pod.Owner.String()}
	}

	if err := s.carryOut(plan); err != nil {
		return nil, err
	}
	for i := range plan.Victims {
		if err := s.recreate(&out[i], plan.Victims[i].Pod, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// put makes a pod run on a node, and counts it.
func (s *successors) put(p *outrank.Pod, node string) error {
	placed := *p
	placed.NodeName, placed.NominatedNodeName = node, ""
	s.count(&placed, 1)
	_, err := s.snap.PutPod(&placed)
	return err
}

// recreate finds out what becomes of a victim. If its controller creates a replacement, the effects of the replacement
// are carried out in the snapshot.
func (s *successors) recreate(r *Replacement, victim *outrank.Pod, depth int) error {
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

	// A replacement from a DaemonSet is already bound to the victim's node.
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
	return s.pushOut(r, pod, depth)
}

// pushOut lets a replacement that fits nowhere preempt, if it can. At depth 0 its victims leave, and are listed
// without a fate.
func (s *successors) pushOut(r *Replacement, pod *outrank.Pod, depth int) error {
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

// fits puts a replacement on the node with the best score among those that take it.
func (s *successors) fits(r *Replacement, pod *outrank.Pod, nodes []*outrank.Node) error {
	scorer := &score.Scorer{}
	if s.scorer != nil {
		scorer = cmp.Or(s.scorer(pod), scorer)
	}

	// The scheduler does not place a pod whose preferences it cannot read.
	ranked, err := scorer.Score(s.ctx, s.snap, pod, nodes)
	if errors.Is(err, outrank.ErrInvalid) {
		r.Fate = Waits
		return nil
	}
	if err != nil {
		return err
	}

	r.Fate, r.Node = FitsNow, ranked.Choose(nil).Name
	r.Fits = len(nodes)
	return s.put(pod, r.Node)
}

// replacesAtOnce reports whether controllers of a kind create a replacement as soon as a pod is terminating. A
// StatefulSet and a DaemonSet wait until the pod is gone. Other kinds are assumed to wait, too.
func replacesAtOnce(kind string) bool {
	return kind == "ReplicaSet" || kind == "ReplicationController" || kind == "Job"
}

// copyOf returns the pod that the controller of a victim creates in its place.
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

// write writes the sentence about the pod, and below it the sentences about the pods that its replacement pushes out.
func (r *Replacement) write(w *writer, indent int) {
	w.line(indent, "%s", r.sentence())
	for i := range r.Victims {
		r.Victims[i].write(w, indent+1)
	}
}

// sentence says what becomes of the pod. A pod without a fate, which is beyond Options.Depth, just leaves.
func (r *Replacement) sentence() string {
	text := r.Pod.text()
	if r.Owner != "" && r.Fate != "" && r.Fate != Replaced {
		text += fmt.Sprintf(" of %s, which has %s left", prose.Name(r.Owner), prose.Plural(r.Left, "pod"))
		if r.Ready < r.Left {
			text += fmt.Sprintf(" (%d ready)", r.Ready)
		}
	}

	// A pod of a DaemonSet is bound to its node, and has texts of its own.
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
