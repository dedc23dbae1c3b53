package engine

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Apply carries a plan out on the snapshot, as if everything had happened at once: the victims
// are gone, nominations are cleared, and each pod that the plan has a node for is pending and
// nominated to it (rules 14.3.2 and 12.9.12), until [Snapshot.Bind] puts it there. That node is
// the one where room is made. If the plan says that the pod fits, the node is [preemption.Plan].FirstFit;
// for a group the nodes are those of [preemption.GroupPlan].Placement. A preemptor that is on its node
// already, for a [preemption.Plan.Resize], stays there as it is.
//
// The plan may be older than the snapshot. A pod is the plan's only if neither its name nor its UID
// is another one, and a nomination is cleared only if it is still to the node. If a newer version of the
// preemptor is known, the snapshot keeps that ([Snapshot.PutPod], item 3). A victim that the plan
// names twice leaves once, and a victim of a group's plan may run on any node. Apply asks about nothing else
// in the plan, as when a plan is executed: [Evaluator.Verify] says whether it still holds. Errors
// leave the snapshot as it was:
//
//   - [preemption.ErrState] for a plan that neither preempts nor fits, for a preemptor that
//     runs by now or whose name another pod has, and for a victim whose own priority is higher than in
//     the plan;
//   - [preemption.ErrNotFound] for a node that is not there, and for a victim that does not run there; a pod
//     of the victim's name with another UID is not the victim;
//   - [outrank.ErrInvalid] for no plan, for a plan without a preemptor, and for a victim or a cleared
//     nomination that is nil;
//   - what [outrank.Pod.Validate] says of a preemptor.
func (s *Snapshot) Apply(d preemption.Decision) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Apply(d)
}

// Tracked returns the state of a tracker, only to be read; see [preemption.View]. The first call
// looks at every pod. From then on the state follows the snapshot and its clones. A snapshot keeps the sixteen
// that were asked for last, of states of trackers and of lists of pods that concern
// a [preemption.Filter] together. The state is nil for no tracker, and for a tracker without a state. Any
// number of goroutines may ask at once.
func (s *Snapshot) Tracked(t *preemption.Tracker) preemption.ClusterState {
	return s.reads().Tracked(t)
}

// Within returns the snapshot as a view for a call that ends with a context. What the view's Tracked counts
// ends with the context, too, and is of no use then. Filters and guards of a decision are given such a view.
func (s *Snapshot) Within(ctx context.Context) preemption.View { return s.reads().Within(ctx) }

// Cluster returns the state as a cluster, from which [NewSnapshot] makes an equal
// snapshot: the nodes and budgets in their order, the pods in that of
// [Snapshot.Pods], namespaces by name, groups and composite groups by key. Pods run and are nominated where
// the snapshot says. A pod whose own fields say otherwise is
// replaced by a copy with other values of NodeName and NominatedNodeName. All other
// objects are the caller's own, and none is changed. Priority classes, claims,
// workloads and what was skipped are empty: a snapshot does not keep them. The slices
// are the caller's. Time is that of Pods.
func (s *Snapshot) Cluster() *outrank.Cluster {
	return s.reads().Cluster()
}

// Clone returns an equal snapshot that is independent of s. The two share what
// neither has changed since: cloning copies two pointers for 64 nodes, and the
// first change afterwards one for each node. The clone has no marks, and begins with the
// cached answers of s. No other call may use s during Clone, as during a change. Afterwards different
// goroutines may use the two.
func (s *Snapshot) Clone() *Snapshot {
	return &Snapshot{of: s.writes().Clone()}
}

// Scratch returns an equal snapshot for trials beside others. A change of the scratch does not
// change s, which is only read, so that any number of calls may run on s at once. The scratch is
// good as long as s does not change, and belongs to one goroutine. It has no marks, and no cached
// answers. It copies two pointers for 64 nodes, and the first change of a node costs one look at its pods.
// [Snapshot.Clone] makes a snapshot that outlives changes of s.
func (s *Snapshot) Scratch() *Snapshot {
	if s.of == nil {
		return new(Snapshot)
	}
	return &Snapshot{of: s.of.Scratch()}
}

// Release returns the release whose rules hold in the snapshot: that of [outrank.Cluster.Release]. It does
// not change, because the snapshot counts the requests of pods by it when they enter.
func (s *Snapshot) Release() outrank.Release {
	return s.reads().Release()
}

// Mark marks the present state. From then on changes are recorded, until
// [Snapshot.Undo] or [Snapshot.Keep] uses the mark up. Marks nest: whoever uses one up
// uses up all later ones, too.
func (s *Snapshot) Mark() Mark {
	return Mark{s.writes().Mark()}
}

// Undo reverts every change since the mark, exactly, and uses the mark up. Its
// time is that of making the changes. Error: [ErrMark].
func (s *Snapshot) Undo(m Mark) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Undo(m.of)
}

// Keep uses a mark up without reverting anything. Changes that an earlier mark
// may still revert stay recorded. Error: [ErrMark].
func (s *Snapshot) Keep(m Mark) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Keep(m.of)
}

// Revision counts the changes of the snapshot: it is another number after a change than before
// it. What [Snapshot.Undo] takes back counts as changes, too. So a caller can tell whether the snapshot
// changed between a decision and carrying it out. A clone goes on from the
// number of its origin. Time is constant.
func (s *Snapshot) Revision() uint64 {
	return s.reads().Revision()
}

// Changes lists what has happened to a snapshot since its follower saw it last.
type Changes struct {
	// All says that everything may have changed: this follower sees the snapshot for the first
	// time, another one has seen it meanwhile, or there was too much to list. The lists are
	// empty then.
	All bool
	// Pods lists the versions of pods that came, changed or went, on nodes and pending, in the
	// order in which that happened: a version that went may come before the one that took its
	// place. A pod may be there several times. The list is only to be read.
	Pods []*outrank.Pod
	// Nodes lists the names of nodes that were added or removed. A name may be there several times. The list
	// is only to be read.
	Nodes []string
	// Point is what the follower returned the last time; zero with All.
	Point uint64
}

// Follow brings something that is kept in a snapshot in line with something outside of it, at
// the cost of what has changed: execution.Nominator.ApplyTo is made of it. The follower is by. Follow calls
// see with what has happened since the follower saw this snapshot the last time. The changes that see
// makes are not among those of the next call, unless [Snapshot.Undo] takes them back. What see returns is the
// Point of the next call: how far the follower has come with its own changes. A [Snapshot.Clone] has
// the follower and its Point, too, so that the follower need not begin anew there.
//
// A snapshot has one follower at a time, which may be any value that can be compared, such as a
// pointer. If see returns an error or panics, everything is as before. The error is that of
// see, or [outrank.ErrInvalid] for no function, and for a by that cannot be compared. The list
// takes up to a few thousand pods. Nothing is kept as long as nobody follows.
func (s *Snapshot) Follow(by any, see func(Changes) (point uint64, err error)) error {
	if s == nil {
		return errNoSnapshot
	}
	if see == nil {
		return fmt.Errorf("snapshot: %w: no function follows it", outrank.ErrInvalid)
	}
	return s.writes().Follow(by, func(pods []*outrank.Pod, nodes []string, point uint64, all bool) (uint64, error) {
		return see(Changes{All: all, Pods: pods, Nodes: nodes, Point: point})
	})
}
