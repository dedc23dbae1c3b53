package filters

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// AskAll asks the first node filters about all nodes at once. It returns the nodes that pass, as a bit by
// slot, and calls count with each other status and the number of nodes that have it. restricted is the number
// of nodes that may turn away even a pod without demands. The result is nil where asking the nodes one by one
// costs less. No worker may use the plan meanwhile.
func (fp *Plan) AskAll(q *Question, restricted int, count func(s Status, nodes int)) (passing []uint64) {
	// Without a filter that selects nodes for this pod, only restricted nodes can fail.
	snap := q.Snap
	mayFail := restricted
	if fp.Selects {
		mayFail = len(snap.Order)
	}

	switch {
	case !fp.useFirst || mayFail == 0:
		return nil
	case fp.Narrowed:
		return fp.askNamed(q, count)
	case fp.Selects && restricted < asksBefore && fp.labels(q) != nil:
		return fp.askLabelled(q, count)
	case mayFail < asksBefore:
		return nil
	case !fp.first.known():
		fp.first.find(q, math.MaxInt, fp.order, func(n *state.NodeState) Status { return fp.askNode(q, n) })
	}
	return fp.first.all(count)
}

// askNamed is AskAll for a preemptor that only the nodes in Names are filtered for.
func (fp *Plan) askNamed(q *Question, count func(s Status, nodes int)) []uint64 {
	snap := q.Snap
	passing := state.Fill(fp.first.passing, (len(snap.NodeStates)+state.SummaryBlockSize-1)/state.SummaryBlockSize, 0)
	fp.first.passing = passing

	// The pod may name nodes that do not exist. The others are left out, without a question.
	excluded := len(snap.Order)
	for name, filtered := range fp.Names {
		n := snap.NodeState(name)
		if !filtered || n == nil || n.Node == nil {
			continue
		}

		excluded--
		if s := fp.askNode(q, n); s.Code != Success {
			count(s, 1)
			continue
		}
		passing[n.Slot/state.SummaryBlockSize] |= 1 << (n.Slot % state.SummaryBlockSize)
	}
	if excluded > 0 {
		count(fp.Excluded, excluded)
	}
	return passing
}

// labels returns the labels that an unrestricted node must have to pass, if nothing else can turn the
// preemptor away from it, and nil otherwise.
func (fp *Plan) labels(q *Question) map[string]string {
	if f := fp.labelFilter(); f != nil {
		return f.labels(q.Pod)
	}
	return nil
}

// labelFilter returns the only filter that selects nodes, if it selects them by labels alone, and nil
// otherwise.
func (fp *Plan) labelFilter() *descriptor {
	i := bits.TrailingZeros16(uint16(fp.selecting))
	if fp.selecting == 0 || fp.selecting != 1<<i || BuiltIn[i].labels == nil {
		return nil
	}
	return BuiltIn[i]
}

// askLabelled is AskAll for a preemptor that asks nothing of a node but labels.
func (fp *Plan) askLabelled(q *Question, count func(s Status, nodes int)) []uint64 {
	passing, lacking := q.Snap.Labelled(fp.labels(q), fp.first.passing, func(n *state.NodeState) bool {
		s := fp.askNode(q, n)
		if s.Code != Success {
			count(s, 1)
		}
		return s.Code == Success
	})
	if lacking > 0 {
		f := fp.labelFilter()
		count(Status{Code: UnschedulableAndUnresolvable, By: f.Index, Text: f.unlabelled}, lacking)
	}
	fp.first.passing = passing
	return passing
}
