package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// NamedStatuses are the statuses that the caller gave by name, by position.
//
// All entries of the map are read once, in whatever order they come, and their names are
// looked for. That is less work than to ask the map for every node, because the entries
// come as they lie in memory. A map that was read before gives its entries in much the
// same order again, so that the next node is guessed from last time; two strings that are
// one are found equal without a look at their bytes. Names that were not guessed are looked
// for several at a time, which lets the processor wait for the bytes of all of them at once.
// No result depends on the order: what the statuses are and whether all names are known
// does not, and the rest is done in the order of the nodes.
type NamedStatuses struct {
	// of is by position an index into list, 0 for a node without a status. Neighbours in
	// list differ, and a status may be there twice.
	of   []int32
	List []preemption.Status
	// order has the positions as they came last time, and turns says by position where in
	// order that is. Both are guesses, and good for any snapshot. now is the order of
	// this time.
	order, turns, now []int32
	// unread are entries whose names are still to be looked for, and enough is how many
	// are looked for at once.
	unread        [16]namedStatus
	count, enough int
	Guessed       int // names
}

// namedStatus is an entry of the caller's map; status is an index into the list.
type namedStatus struct {
	name   string
	hash   uint64
	status int32
}

// Read reads the caller's statuses; none is that of a node without one. It is not ok if one is for a node that does not exist.
func (x *NamedStatuses) Read(names *state.NodeNames, statuses map[string]preemption.Status, none preemption.Status) (ok bool) {
	x.begin(len(names.Names), none)
	of, order, turn, status := x.of, x.order, 0, int32(0)
	for name, st := range statuses {
		if status == 0 || !sameStatus(&st, &x.List[status]) {
			status = x.indexOf(&st)
		}
		if x.count == 0 && turn < len(order) {
			if guess := int(order[turn]); guess < len(of) && names.Names[guess] == name {
				of[guess], x.enough = status, 1
				x.now = append(x.now, order[turn])
				x.Guessed++
				turn++
				continue
			}
		}
		x.unread[x.count] = namedStatus{name: name, status: status}
		if x.count++; x.count == x.enough {
			if turn, ok = x.find(names); !ok {
				return false
			}
		}
	}
	_, ok = x.find(names)
	x.learn()
	return ok
}

// known reports whether all codes that were read are codes.
func (x *NamedStatuses) known() bool {
	return !slices.ContainsFunc(x.List, func(s preemption.Status) bool { return !dryrun.Known(s.Code) })
}

// begin forgets the statuses of the call before.
func (x *NamedStatuses) begin(nodes int, none preemption.Status) {
	x.of = state.Fill(x.of, nodes, 0)
	for len(x.turns) < nodes {
		x.turns = append(x.turns, 0)
	}
	x.List, x.now = append(x.List[:0], none), x.now[:0]
	x.count, x.enough, x.Guessed = 0, 1, 0
}

// find looks for the names that are unread, and returns whose turn it was after the last
// of them. The more often names are not guessed, the more it waits for.
func (x *NamedStatuses) find(names *state.NodeNames) (turn int, ok bool) {
	unread := x.unread[:x.count]
	for i := range unread {
		unread[i].hash = state.HashOfName(unread[i].name)
	}
	for i := range unread {
		position, ok := names.Position(unread[i].name, unread[i].hash)
		if !ok {
			return 0, false
		}
		x.of[position] = unread[i].status
		x.now = append(x.now, position)
		turn = int(x.turns[position]) + 1
	}
	x.count, x.enough = 0, min(2*x.enough, len(x.unread))
	return turn, true
}

// learn notes the order of a map in which few names were guessed.
func (x *NamedStatuses) learn() {
	if x.Guessed >= len(x.now)-len(x.now)/8 {
		return
	}
	x.order, x.now = x.now, x.order
	for turn, position := range x.order {
		x.turns[position] = int32(turn)
	}
}

// mostRecent is how many of the last statuses a status is compared with.
const mostRecent = 4

// indexOf returns the index of a status in the list. Mostly it is one of the last.
func (x *NamedStatuses) indexOf(st *preemption.Status) int32 {
	last := len(x.List) - 1
	for i := last; i > 0 && i > last-mostRecent; i-- {
		if sameStatus(st, &x.List[i]) {
			return int32(i)
		}
	}
	x.List = append(x.List, *st)
	return int32(last + 1)
}

// release drops what belongs to the caller.
func (x *NamedStatuses) release() {
	clear(x.List)
	clear(x.unread[:])
	x.List, x.of = x.List[:0], x.of[:0]
}

// sameStatus reports whether two statuses are equal, mostly without a look at texts.
func sameStatus(a, b *preemption.Status) bool {
	return a.Code == b.Code && a.Filter == b.Filter && a.ExcludedBy == b.ExcludedBy && sameTexts(a.Reasons, b.Reasons)
}

// sameTexts is slices.Equal, and mostly does not look at the texts.
func sameTexts(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// givenStatuses are the statuses that the caller gave, none if any is not set: by name, or
// in the order of the nodes.
type givenStatuses struct {
	any     bool
	byName  map[string]preemption.Status
	inOrder []preemption.Status
	named   NamedStatuses // those by name, as they are read
}

// givenAnswers are what a worker knows of answers that stand for given statuses: the answer
// of the last status in order, and those of statuses by name, by index in their list, 0
// where it is not known yet.
type givenAnswers struct {
	last   preemption.Status
	answer answer
	of     []answer
}
