package packing

// Kind is a kind of items that are alike. Needs is the amount that one of them takes of each row, and Count is
// the number of items.
type Kind struct {
	Needs []int64
	Count int
}

// Leaver is an occupant of a bin that may leave it. Holds is the amount that it then frees of each row. Weight
// is the cost of its leaving. Charges are the budgets that it takes from.
type Leaver struct {
	Holds   []int64
	Weight  int64
	Charges []int32
}

// Bin takes items. Free is the room in each row while no leaver has left; it may be below 0.
// Refuses marks the kinds that the bin never takes; nil marks none.
type Bin struct {
	Free    []int64
	Refuses []bool
	Leavers []Leaver
}

// turns returns an upper bound on the turns of a loop that goes through all kinds and leavers of a bin, row by
// row.
func (p *Problem) turns(bin int) int {
	b := &p.Bins[bin]
	return (1 + len(b.Free)) * (1 + len(p.Kinds) + len(b.Leavers))
}

// Problem asks for a place for every item. Left is how many leavers each budget covers; a leaver beyond that is
// a violation. The searches only read a Problem.
type Problem struct {
	Kinds []Kind
	Bins  []Bin
	Left  []int64
}

// Meter counts the steps of a search, and ends it when Steps reaches Limit or Stop returns true. Stop is called
// after every few thousand turns of loops. It may be nil.
type Meter struct {
	Steps, Limit int
	Stop         func() bool
	turns        int // turns of loops since Stop was called last
	stopped      bool
}

const (
	// nodesPerStep is the number of nodes of a search tree that count as one step.
	nodesPerStep = 12
	// perSack is the number of steps that a knapsack counts in addition to its nodes.
	perSack = 1
	// turnsPerStop is the number of turns of loops between two calls of Stop.
	turnsPerStop = 4096
)

// spend counts one knapsack and the nodes of its search.
func (m *Meter) spend(nodes int) {
	m.Steps += perSack + nodes/nodesPerStep
}

// turn counts n turns of loops, and reports whether Stop has ended the search. Turns only decide when Stop is
// called; they do not count as steps.
func (m *Meter) turn(n int) bool {
	if m.turns += n; m.turns >= turnsPerStop && m.Stop != nil && !m.stopped {
		m.turns = 0
		m.stopped = m.Stop()
	}
	return m.stopped
}

// Spent reports whether the search has to end, because of Limit or Stop.
func (m *Meter) Spent() bool { return m.stopped || m.Steps >= m.Limit }

// Filling is one way to fill a bin: how many items of each kind it takes, and which of its leavers leave.
type Filling struct {
	Counts []int
	Leaves []bool
}

// clone returns a filling that shares nothing with this one.
func (f *Filling) clone() Filling {
	return Filling{append([]int(nil), f.Counts...), append([]bool(nil), f.Leaves...)}
}

// empty reports whether the filling has no items.
func (f *Filling) empty() bool {
	for _, n := range f.Counts {
		if n > 0 {
			return false
		}
	}
	return true
}
