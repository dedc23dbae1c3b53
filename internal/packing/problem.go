package packing

// Kind is a number of items that are alike. Needs is what one of them takes, by row.
type Kind struct {
	Needs []int64
	Count int
}

// Leaver is in a bin and may leave it. Holds is what it frees, by row. Weight is the cost of its
// leaving. Charges are the budgets that it takes from.
type Leaver struct {
	Holds   []int64
	Weight  int64
	Charges []int32
}

// Bin takes items. Free is its room while everyone stays, by row; it may be below 0.
// Refuses marks the kinds that it never takes; nil marks none.
type Bin struct {
	Free    []int64
	Refuses []bool
	Leavers []Leaver
}

// turns returns how often a loop turns at most that goes through all that a bin may hold, row by row.
func (p *Problem) turns(bin int) int {
	b := &p.Bins[bin]
	return (1 + len(b.Free)) * (1 + len(p.Kinds) + len(b.Leavers))
}

// Problem asks for a place for every item. Left is how many leavers each budget covers for
// nothing; a leaver beyond that is a violation. The searches only read a Problem.
type Problem struct {
	Kinds []Kind
	Bins  []Bin
	Left  []int64
}

// Meter counts steps. A search ends when they reach Limit, or when Stop returns true. Stop is called
// whenever loops have turned a few thousand times. It may be nil.
type Meter struct {
	Steps, Limit int
	Stop         func() bool
	turns        int // of loops since Stop was called
	stopped      bool
}

const (
	// nodesPerStep is how many nodes of a search tree count as a step.
	nodesPerStep = 12
	// perSack is how many steps a knapsack counts beside its nodes.
	perSack = 1
	// turnsPerStop is how many turns of loops lie between two calls of Stop.
	turnsPerStop = 4096
)

// spend counts one knapsack and the nodes of its search.
func (m *Meter) spend(nodes int) {
	m.Steps += perSack + nodes/nodesPerStep
}

// turn counts turns of loops, and reports whether Stop has ended the search. A step may take many
// turns. Their number decides nothing but when Stop is called.
func (m *Meter) turn(n int) bool {
	if m.turns += n; m.turns >= turnsPerStop && m.Stop != nil && !m.stopped {
		m.turns = 0
		m.stopped = m.Stop()
	}
	return m.stopped
}

// Spent reports whether the search has to end.
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

// empty reports whether the bin takes nothing.
func (f *Filling) empty() bool {
	for _, n := range f.Counts {
		if n > 0 {
			return false
		}
	}
	return true
}
