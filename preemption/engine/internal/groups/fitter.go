package groups

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// fitter places the members of a group, each on the first node that takes it. Afterwards it tells whether
// they can keep their places while units are put back. It relies on two facts:
//
//  1. The answer of a node to a member depends on the pods on that node: those of the cluster, and the
//     members that were placed before. If a filter looks further (far), it also depends on where certain pods
//     of the cluster and other members are. So while the members are placed, an answer is valid until the
//     node changes, and for all members of the same kind.
//  2. A unit that is put back can change only the answers to the members on its nodes, and to members whose
//     filters count one of its pods wherever that is (affectedBy). A filter that may look anywhere (opaque)
//     counts every pod.
//
// Nodes are identified by their position in the order of the snapshot.
type fitter struct {
	run  *run
	snap *state.Snapshot
	// look is the run's watch, which ends loops with the context.
	look *work.Watch
	// lean is set if no filter but NodeResourcesFit looks at the pods on a node. The sites then count what
	// pods take, and removed pods stay in the snapshot, except for pods that a filter counts wherever they
	// are.
	lean bool
	// far is set if answers also depend on pods of other nodes.
	far bool
	// sites has a site for each position.
	sites []site
	// positionOf has the position of each slot, nowhere for a slot without a node.
	positionOf []int32
	members    []member
	// since is the first member that was placed after a group last gave up and its members were removed.
	// afresh is set if that member is the next to be placed.
	since  int
	afresh bool
	// answers is the number of answers that all kinds together have memory for (mostAnswers).
	answers int
	// version is the largest version of any site.
	version uint32
	// positions is memory for the positions of the pods of one unit.
	positions []int32
	// rules has one member, by index, for each different set of pods that members' filters count. watched is
	// set if these filters count any running pod at all.
	rules   []int
	watched bool
	// concerns has the functions that say which pods concern filters of the caller.
	concerns []func(*outrank.Pod) bool
	// opaque is set if a filter of a member may look at any pod anywhere.
	opaque bool
	// nominees has the members with a nomination, by their pods. The value is false while the member has a
	// place, because its nomination then does not count for the others (rule 12.9.5).
	nominees map[*outrank.Pod]bool
	// failing lists, in order, the placed members that fail the filters on their nodes (rules 12.9.8 and
	// 12.9.9). While any member fails no unit can return. So the list does not change until the first unit is
	// put back, and is empty from then on.
	failing []failure
	// affected is memory for the result of affectedBy.
	affected []int
	err      error
}

// site is what a fitter knows of one node.
type site struct {
	// version changes whenever the cluster's pods on the node, or the nominations to it that count, change.
	version uint32
	// count and taken are the number and the sum of the cluster's pods on the node that are not removed. They
	// are up to date only if lean is set.
	count int32
	taken state.Usage
	// seated has the indexes of the members that are placed here, sorted.
	seated []int32
	// rows is the Rows of the node in the caller's snapshot, if its pods take only resources with a column,
	// and nil otherwise.
	rows []state.AmountRow
}

// member is one pod of the group.
type member struct {
	pod     *outrank.Pod
	attempt *dryrun.Attempt
	// signature is equal for members that no filter tells apart. It is empty for a member that is the only
	// one of its kind.
	signature string
	kind      *memberKind
	// runs is the state of the pod as a running one, without a node.
	runs *state.PodState
	// at is the position of the member's place, nowhere if it has none.
	at int32
	// nominated is the position of the node that the member is nominated to, nowhere if there is none in the
	// order. nomination is the name of that node.
	nominated  int32
	nomination string
	// counted remembers, for each class, the result of fitter.counts. Members with the same rules share it.
	counted map[*state.PodClass]bool
}

// nowhere stands for no position.
const nowhere = -1

// node returns the fitter's state of the node at a position.
func (f *fitter) node(position int32) *state.NodeState {
	return f.snap.NodeStates[f.snap.Order[position]]
}

// failure is a member that fails the filters on its node, and the reason.
type failure struct {
	member int
	why    *preemption.Refusal
}

// memberKind stands for members that no filter can tell apart, and remembers the answers of nodes to them.
type memberKind struct {
	fitter  *fitter
	attempt *dryrun.Attempt
	runner  *dryrun.DryRunner
	// epoch numbers the attempts of one member. Answers of other epochs are not valid.
	epoch uint32
	said  *nodeAnswers
}

// nodeAnswers remembers the answers of nodes. All epochs of a kind share it.
type nodeAnswers struct {
	// StatusTable numbers the different statuses.
	*filters.StatusTable
	// answers has the answer at each position. It is nil if the fitter would have to remember more than
	// mostAnswers.
	answers []nodeAnswer
	// epochs is the last epoch that was given out.
	epochs uint32
}

// nodeAnswer is the answer of a node without members on it.
type nodeAnswer struct {
	// version is the version of the site at the time of the answer, 0 if there is none yet, and epoch the
	// epoch of the kind.
	version, epoch uint32
	status         filters.StatusID
	// fixed is 1 plus the answer of the first node filters, which no pod changes. It is 0 before they are
	// asked.
	fixed filters.StatusID
}

// seatedBefore returns the members before member i that are placed at a position.
func (f *fitter) seatedBefore(i int, position int32) []int32 {
	seated := f.sites[position].seated
	for len(seated) > 0 && int(seated[len(seated)-1]) >= i {
		seated = seated[:len(seated)-1]
	}
	return seated
}

// positionsOf returns the positions of the pods of a unit, in the order of the pods. The slice is valid until
// the next call.
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
