package groups

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// fitter places the members of a group, each on the first node that takes it, and says whether they can keep
// their places while units are put back:
//
//  1. What a node says to a member of the group depends on the pods on that node,
//     those of the cluster and those of members that were placed before; and, if a
//     filter looks further (far), on where certain pods of the cluster and members
//     are. So while the members are placed an answer holds until the node changes. It
//     holds for all members of one kind.
//  2. A unit that is put back can only matter to the members on its nodes, and to those
//     whose filters count one of its pods wherever it is (affects). A filter that may look
//     anywhere (opaque) counts every pod.
type fitter struct {
	run  *run
	snap *state.Snapshot
	look *work.Watch // of the run
	// lean is set if no filter but NodeResourcesFit looks at the pods on a node. The
	// sites count what pods take then, and the snapshot stays as it was, but for
	// pods that a filter counts wherever they are.
	lean bool
	// far is set if answers depend on pods of other nodes, too.
	far   bool
	sites []site // by position
	// positionOf has the position of each slot.
	positionOf []int32
	members    []member
	// since is the first member that was placed after a group gave up and its members were
	// taken away again. afresh is set if the next member is that one.
	since  int
	afresh bool
	// answers is how many are remembered (mostAnswers).
	answers int
	// version is the last one that was given to a site.
	version uint32
	// at are the positions of the pods of the unit at hand, with repetitions.
	at []int32
	// rules are members that differ in what their filters count wherever it is.
	// watched is set if these filters count any pod on a node at all.
	rules   []int
	watched bool
	// concerns say which pods count for filters of the caller.
	concerns []func(*outrank.Pod) bool
	// opaque is set if a filter of a member may look at any pod anywhere.
	opaque bool
	// nominees are the members with a nomination that counts for the others at present
	// (rule 12.9.5), by their pods: false while they have a place of their own.
	nominees map[*outrank.Pod]bool
	// failing are the members that do not pass on their nodes while units are put back and
	// the members stay in their places (rules 12.9.8 and 12.9.9), in order. They stay the
	// same until a unit is put back, and there are none afterwards. affected is the memory
	// of the members that a unit has to do with.
	failing  []failure
	affected []int
	err      error
}

// site is one node.
type site struct {
	// version is another one whenever the pods of the cluster on the node are
	// others.
	version uint32
	// count and taken follow the pods of the cluster on the node, if lean.
	count int32
	taken state.Usage
	// seated are the members that have their place here, by index, sorted.
	seated []int32
	// rows are what the pods that could leave take, if they ask only for what has a
	// column; nil on a node where some ask for more. They are the node's own.
	rows []state.AmountRow
}

// member is one pod of the group.
type member struct {
	pod     *outrank.Pod
	attempt *dryrun.Attempt
	// signature is equal for members that no filter tells apart, empty for one of its own kind.
	signature string
	kind      *memberKind
	runs      *state.PodState // as a running pod, on no particular node
	at        int32           // position, nowhere for none
	// nominated is the position of the node that the member is nominated to, nowhere for
	// none, and nomination its name.
	nominated  int32
	nomination string
	// counted remembers which classes of pods a filter of the member counts
	// wherever they are; members with the same rules share it.
	counted map[*state.PodClass]bool
}

const nowhere = -1

func (f *fitter) node(position int32) *state.NodeState {
	return f.snap.NodeStates[f.snap.Order[position]]
}

// failure is a member that does not pass on its node.
type failure struct {
	member int
	why    *preemption.Refusal
}

// memberKind is what the filters see of members that they cannot tell apart, with
// what each node said to them.
type memberKind struct {
	fitter *fitter
	a      *dryrun.Attempt
	w      *dryrun.DryRunner
	// epoch tells the answers from those of an earlier attempt for the same member.
	epoch uint32
	said  *nodeAnswers
}

// nodeAnswers are what nodes said.
type nodeAnswers struct {
	// statuses are the different ones.
	statuses *filters.StatusTable
	// answers are by position, empty where there would be too many.
	answers []nodeAnswer
	epochs  uint32 // so many were given out
}

// nodeAnswer is what a node said without any member on it.
type nodeAnswer struct {
	version, epoch uint32 // of the site and the attempt; version is 0 for none yet
	status         filters.StatusID
	// fixed is one more than what the node filters said, which no pod changes; 0
	// where they were not asked yet.
	fixed filters.StatusID
}

// seatedBefore are the members before one that have their place at a position.
func (f *fitter) seatedBefore(i int, position int32) []int32 {
	seated := f.sites[position].seated
	for len(seated) > 0 && int(seated[len(seated)-1]) >= i {
		seated = seated[:len(seated)-1]
	}
	return seated
}

// positionsOf returns the positions of the pods of a unit, in their order.
func (f *fitter) positionsOf(u *possibleVictim) []int32 {
	f.at = f.at[:0]
	if u.single() {
		f.at = append(f.at, u.node)
		return f.at
	}
	for _, p := range f.run.podsOf(u) {
		f.at = append(f.at, f.positionOf[f.snap.NodeState(p.At.Name).Slot])
	}
	return f.at
}
