package engine

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Apply carries a plan out on the snapshot in one step: the victims are removed, nominations are cleared, and
// each pod for which the plan has a node is pending and nominated to it (rules 14.3.2 and 12.9.12), until
// [Snapshot.Bind] puts it there. The node is the one on which the plan makes room. If the plan says that the
// pod fits, it is [preemption.Plan].FirstFit; for a group the nodes are those of
// [preemption.GroupPlan].Placement. A preemptor that already runs on its node, as with
// [preemption.Plan.Resize], stays there unchanged.
//
// The plan may be older than the snapshot. A pod of the plan must have the same name and UID in the snapshot,
// and a nomination is cleared only if it is still to the node. If the snapshot knows a newer version of the
// preemptor, it keeps that ([Snapshot.PutPod], item 3). A victim that the plan names twice leaves once, and a
// victim of a group's plan may run on any node. Apply checks nothing else, as when a plan is executed;
// [Evaluator.Verify] says whether the plan is still valid. Errors leave the snapshot as it was:
//
//   - [preemption.ErrState] for a plan whose outcome is neither Preempts nor Fits, for a preemptor that runs
//     by now or whose name another pod has, and for a victim whose own priority is higher than in the plan;
//   - [preemption.ErrNotFound] for a node that is not there, and for a victim that does not run there; a pod
//     of the victim's name with another UID is not the victim;
//   - [outrank.ErrInvalid] for no plan, for a plan without a preemptor, and for a victim or a cleared
//     nomination that is nil;
//   - the error of [outrank.Pod.Validate] about a preemptor.
func (s *Snapshot) Apply(d preemption.Decision) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Apply(d)
}

// Tracked returns the state of a tracker, which is only to be read; see [preemption.View]. The first call
// looks at every pod. From then on the state follows the snapshot and its clones. A snapshot keeps at most
// sixteen states of trackers and lists of pods that concern a [preemption.Filter], those that were asked for
// last. The state is nil for a nil tracker, and for a tracker without a state. Any number of goroutines may
// ask at once.
func (s *Snapshot) Tracked(t *preemption.Tracker) preemption.ClusterState {
	return s.reads().Tracked(t)
}

// Within returns the snapshot as a view for a call that ends with a context. If the context ends while the
// view's Tracked counts pods, the state is incomplete. Filters and guards of a decision are given such a
// view.
func (s *Snapshot) Within(ctx context.Context) preemption.View { return s.reads().Within(ctx) }

// Cluster returns the state as a cluster, from which [NewSnapshot] makes an equal snapshot: the nodes and
// budgets in their order, the pods in the order of [Snapshot.Pods], namespaces by name, groups and composite
// groups by key. If a pod's own NodeName or NominatedNodeName differ from the snapshot's knowledge, the pod
// is replaced by a copy with the right values. All other objects are the caller's own, and none is changed.
// Priority classes, claims, workloads and the list of what was skipped are empty, because a snapshot does not
// keep them. The slices are the caller's. Time is that of Pods.
func (s *Snapshot) Cluster() *outrank.Cluster {
	return s.reads().Cluster()
}

// Clone returns an equal snapshot that is independent of s. The two share everything that neither has changed
// since: cloning copies two pointers for 64 nodes, and the first change afterwards one for each node. The
// clone has no marks, and starts with the cached answers of s. As during a change, no other call may use s
// during Clone. Afterwards different goroutines may use the two.
func (s *Snapshot) Clone() *Snapshot {
	return &Snapshot{of: s.writes().Clone()}
}

// Scratch returns an equal snapshot in which a goroutine can try changes while others read s. A change of the
// scratch does not change s. Scratch only reads s, so that any number of calls may run on s at once. The
// scratch is valid as long as s does not change, and belongs to one goroutine. It has no marks and no cached
// answers. It copies two pointers for 64 nodes, and the first change of a node costs one look at its pods.
// [Snapshot.Clone] makes a snapshot that outlives changes of s.
func (s *Snapshot) Scratch() *Snapshot {
	if s.of == nil {
		return new(Snapshot)
	}
	return &Snapshot{of: s.of.Scratch()}
}

// Release returns the release whose rules apply in the snapshot, from [outrank.Cluster.Release]. It cannot
// change, because the requests of pods are counted by its rules when they enter.
func (s *Snapshot) Release() outrank.Release {
	return s.reads().Release()
}

// Mark marks the present state. From then on changes are recorded, until [Snapshot.Undo] or [Snapshot.Keep]
// uses the mark up. Marks nest: using one up also uses up all later ones.
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

// Revision returns a number that grows with every change of the snapshot, including those by [Snapshot.Undo].
// With it a caller can tell whether the snapshot has changed between a decision and carrying it out. A clone
// goes on from the number of its origin. Time is constant.
func (s *Snapshot) Revision() uint64 {
	return s.reads().Revision()
}

// Changes lists the changes of a snapshot since its follower saw it last.
type Changes struct {
	// All says that everything may have changed: this follower sees the snapshot for the first time, another
	// one has seen it meanwhile, or there were too many changes to list. The lists are empty then.
	All bool
	// Pods lists the versions of pods, running and pending, that were added or removed, in the order of these
	// changes. A replaced version may come before the one that took its place, and a pod may be listed
	// several times. The list is only to be read.
	Pods []*outrank.Pod
	// Nodes lists the names of nodes that were added or removed. A name may be listed several times. The list
	// is only to be read.
	Nodes []string
	// Point is the number that the follower returned the last time. It is 0 if All is set.
	Point uint64
}

// Follow lets a follower, by, keep a snapshot in line with something outside of it at the cost of what has
// changed, as execution.Nominator.ApplyTo does. It calls see with the changes since this follower saw the
// snapshot the last time. Changes that see itself makes are not listed in the next call, unless
// [Snapshot.Undo] takes them back. The number that see returns is the Point of the next call: how far the
// follower has come with its own changes. A [Snapshot.Clone] has the same follower and Point, so that the
// follower need not start anew there.
//
// A snapshot has one follower at a time, which may be any value that can be compared, such as a pointer. If
// see returns an error or panics, everything is as before. Follow returns the error of see, or
// [outrank.ErrInvalid] if see is nil or by cannot be compared. The list of pods is bounded by a small
// multiple of the number of nodes; beyond that, All is set. Without a follower nothing is listed.
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
