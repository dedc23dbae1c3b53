package packing

// Kind is a number of items that are alike. Needs is what one of them takes, by row.
type Kind struct {
	Needs []int64
	Count int
}

// Leaver is in a bin and may leave it. Holds is what it frees, by row. Weight is what its
// leaving costs. Charges are the budgets that it takes from.
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

// Problem asks for a place for every item. Left is how many leavers each budget covers for
// nothing; a leaver beyond that is a violation. The searches read a Problem and do not change it.
type Problem struct {
	Kinds []Kind
	Bins  []Bin
	Left  []int64
}

// Meter counts steps. A search ends when they come to Limit, or when Stop, which is asked
// every thousand steps or so, says so. Stop may be nil.
type Meter struct {
	Steps, Limit int
	Stop         func() bool
	asked        int
	stopped      bool
}

const (
	// nodesPerStep is how many nodes of a search tree count as a step.
	nodesPerStep = 12
	// perSack is how many steps a knapsack counts beside its nodes.
	perSack = 1
	// stepsPerStop is how many steps lie between two calls of Stop.
	stepsPerStop = 1024
)

// spend counts a knapsack and the nodes of its search.
func (m *Meter) spend(nodes int) {
	m.Steps += perSack + nodes/nodesPerStep
	if m.Stop != nil && !m.stopped && m.Steps-m.asked >= stepsPerStop {
		m.asked, m.stopped = m.Steps, m.Stop()
	}
}

// Spent reports whether the search has to end.
func (m *Meter) Spent() bool { return m.stopped || m.Steps >= m.Limit }

// Filling is what a placement makes of one bin: how many items of each kind it takes, and
// which of its leavers leave.
type Filling struct {
	Counts []int
	Leaves []bool
}

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
