package groups

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// fitter places the members of a group, each on the first node that takes it. Afterwards it says whether
// they can keep their places while units are put back. It relies on two facts:
//
//  1. The answer of a node to a member depends on the pods on that node: those of the
//     cluster, and the members that were placed before. If a filter looks further (far),
//     it also depends on where certain pods of the cluster and other members are. So while
//     the members are placed an answer holds until the node changes, and it holds for all
//     members of one kind.
//  2. A unit that is put back can matter only to the members on its nodes, and to members
//     whose filters count one of its pods wherever the pod is (affectedBy). A filter that
//     may look anywhere (opaque) counts every pod.
//
// Nodes are known by their position in the order of the snapshot.
type fitter struct {
	run  *run
	snap *state.Snapshot
	// look is the run's watch.
	look *work.Watch
	// lean is set if no filter but NodeResourcesFit looks at the pods on a node. The
	// sites then count what pods take. The snapshot stays as it was, except for
	// pods that a filter counts wherever they are.
	lean bool
	// far is set if answers depend on pods of other nodes, too.
	far bool
	// sites has the site of each position.
	sites []site
	// positionOf has the position of each slot.
	positionOf []int32
	members    []member
	// since is the first member that was placed after a group gave up and its members were
	// taken away again. afresh is set if the next member to be placed is that one.
	since  int
	afresh bool
	// answers is the number of answers that all kinds remember together (mostAnswers).
	answers int
	// version is the last version that was given to a site.
	version uint32
	// positions is memory for the positions of the pods of one unit.
	positions []int32
	// rules lists members that differ in what their filters count wherever it is.
	// watched is set if these filters count any pod on a node at all.
	rules   []int
	watched bool
	// concerns say which pods count for filters of the caller.
	concerns []func(*outrank.Pod) bool
	// opaque is set if a filter of a member may look at any pod anywhere.
	opaque bool
	// nominees has the members with a nomination, by their pods. The value is false while a
	// member has a place of its own, and its nomination does not count for the others
	// (rule 12.9.5).
	nominees map[*outrank.Pod]bool
	// failing lists, in order, the placed members that do not pass the filters on their nodes
	// (rules 12.9.8 and 12.9.9). The list stays the same until a unit is put back, and is empty
	// afterwards: a unit stays away while any member fails.
	failing []failure
	// affected is memory for the members that a unit matters to.
	affected []int
	err      error
}

// site is one node.
type site struct {
	// version changes whenever the pods of the cluster on the node change.
	version uint32
	// count and taken follow the pods of the cluster on the node, if lean.
	count int32
	taken state.Usage
	// seated lists the members that have their place here, by index, sorted.
	seated []int32
	// rows has what each pod on the node takes, if all of them ask only for resources that
	// have a column; else it is nil. The rows belong to the node.
	rows []state.AmountRow
}

// member is one pod of the group.
type member struct {
	pod     *outrank.Pod
	attempt *dryrun.Attempt
	// signature is equal for members that no filter tells apart, and empty for a member that
	// is a kind of its own.
	signature string
	kind      *memberKind
	// runs is the pod as a running one, on no particular node.
	runs *state.PodState
	// at is the position of the member's place, nowhere for none.
	at int32
	// nominated is the position of the node that the member is nominated to, nowhere for
	// none. nomination is the name of that node.
	nominated  int32
	nomination string
	// counted remembers which classes of pods a filter of the member counts
	// wherever they are; members with the same rules share it.
	counted map[*state.PodClass]bool
}

// nowhere is the position of no node.
const nowhere = -1

// node returns the node at a position, as the fitter's snapshot has it.
func (f *fitter) node(position int32) *state.NodeState {
	return f.snap.NodeStates[f.snap.Order[position]]
}

// failure is a member that does not pass the filters on its node.
type failure struct {
	member int
	why    *preemption.Refusal
}

// memberKind stands for members that no filter can tell apart, and remembers what each node
// answered to them.
type memberKind struct {
	fitter  *fitter
	attempt *dryrun.Attempt
	runner  *dryrun.DryRunner
	// epoch numbers the attempts for one member. An answer of another epoch does not count.
	epoch uint32
	said  *nodeAnswers
}

// nodeAnswers remembers what nodes answered. All epochs of a kind share it.
type nodeAnswers struct {
	// The table numbers the different statuses.
	*filters.StatusTable
	// answers has the answer of each position. It is empty if the fitter would remember too
	// many.
	answers []nodeAnswer
	// epochs is the number of epochs that were given out.
	epochs uint32
}

// nodeAnswer is what a node answered while no member was on it.
type nodeAnswer struct {
	// version is that of the site when it answered, 0 for no answer yet, and epoch that of
	// the attempt.
	version, epoch uint32
	status         filters.StatusID
	// fixed is one more than the answer of the filters that look at the node alone, which no
	// pod changes. It is 0 before they are asked.
	fixed filters.StatusID
}

// seatedBefore returns the members before the i-th that have their place at a position.
func (f *fitter) seatedBefore(i int, position int32) []int32 {
	seated := f.sites[position].seated
	for len(seated) > 0 && int(seated[len(seated)-1]) >= i {
		seated = seated[:len(seated)-1]
	}
	return seated
}

// positionsOf returns the positions of the pods of a unit, in their order. The slice is the
// fitter's and valid until the next call.
func (f *fitter) positionsOf(u *possibleVictim) []int32 {
	f.positions = f.positions[:0]
	if u.single() {
		f.positions = append(f.positions, u.node)
		return f.positions
	}
	for _, p := range f.run.podsOf(u) {
		f.positions = append(f.positions, f.positionOf[f.snap.NodeState(p.At.Name).Slot])
	}
	return f.positions
}
