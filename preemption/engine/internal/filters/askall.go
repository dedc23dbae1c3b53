package filters

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// AskAll asks the first node filters about all nodes, so many of which are restricted. It counts
// how many nodes have each status but Success, and returns a bit by slot for each that has none
// of these. It returns nil where it is better to ask nodes one by one. No worker asks meanwhile.
func (fp *Plan) AskAll(q *Question, restricted int, count func(s Status, nodes int)) (passing []uint64) {
	some := restricted
	if fp.Selects {
		some = len(q.Snap.Order)
	}
	switch {
	case !fp.useFirst || some == 0:
		return nil
	case fp.Narrowed:
		return fp.askNamed(q, count)
	case fp.Selects && restricted < asksBefore && fp.labels(q) != nil:
		return fp.askLabelled(q, count)
	case some < asksBefore:
		return nil
	case !fp.first.ready.Load():
		fp.first.find(q, math.MaxInt, fp.order, func(n *state.NodeState) Status { return fp.askNode(q, n) })
	}
	t := fp.first.table
	if t == nil {
		return nil // the context has ended
	}
	for i, nodes := range t.Nodes {
		if nodes > 0 {
			count(unnamed(t.Statuses[i]), nodes)
		}
	}
	return t.Passing
}

// askNamed is AskAll where only some nodes are filtered.
func (fp *Plan) askNamed(q *Question, count func(s Status, nodes int)) []uint64 {
	passing := state.Fill(fp.first.passing, (len(q.Snap.NodeStates)+state.SummaryBlockSize-1)/state.SummaryBlockSize, 0)
	fp.first.passing = passing
	excluded := len(q.Snap.Order)
	for name, filtered := range fp.Names {
		n := q.Snap.NodeState(name)
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

// labels returns the labels that a node without restrictions has to have, nil where more decides.
func (fp *Plan) labels(q *Question) map[string]string {
	if f := fp.labelFilter(); f != nil {
		return f.labels(q.Pod)
	}
	return nil
}

// labelFilter returns the filter that asks for labels, nil where others select nodes, too.
func (fp *Plan) labelFilter() *descriptor {
	i := bits.TrailingZeros16(uint16(fp.selecting))
	if fp.selecting == 0 || fp.selecting != 1<<i || BuiltIn[i].labels == nil {
		return nil
	}
	return BuiltIn[i]
}

// askLabelled is AskAll where the preemptor asks for labels alone.
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
