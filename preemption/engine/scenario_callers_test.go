package engine_test

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
)

// readRefusal reads a rule about who may preempt. There is one: nobody whose nominated node is unschedulable.
func readRefusal(l *scenario.Line) func(*outrank.Pod, preemption.Ineligibility, preemption.Status) preemption.Ineligibility {
	if !l.Accept("unschedulable") {
		l.Fail("unschedulable is the only answer that a pod is refused for")
	}
	return func(_ *outrank.Pod, by preemption.Ineligibility, nominated preemption.Status) preemption.Ineligibility {
		if nominated.Code == preemption.Unschedulable {
			return "its node may have room soon"
		}
		return by
	}
}

// readCost reads a rank of the caller's that sums up what the victims cost.
func readCost(l *scenario.Line) preemption.Rank {
	r := preemption.Rank{Name: l.Next("name of the rank")}
	var each int64
	var of *outrank.LabelSelector
	l.Options(scenario.Options{"each=": scenario.Number(&each), "of=": scenario.Selector(&of)})
	r.Cost = func(victim *outrank.Pod) int64 {
		if of.Matches(victim.Labels) {
			return each
		}
		return 0
	}
	return r
}

// readGuard reads a guard of the caller's: of the pods that one selector picks, at most so many more may be away than of
// those that the other picks.
func readGuard(l *scenario.Line) *preemption.Guard {
	g := &scenarioGuard{}
	name := l.Next("name of the guard")
	l.Options(scenario.Options{"at-most=": scenario.Number(&g.most), "of=": scenario.Selector(&g.of), "beyond=": scenario.Selector(&g.beyond)})
	return &preemption.Guard{Name: name, Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) { return g, nil }}
}

// scenarioGuard is a guard that a scenario describes, with the pods that are away counted.
type scenarioGuard struct {
	of, beyond  *outrank.LabelSelector
	most, count int
}

func (g *scenarioGuard) Remove(p *outrank.Pod, _ *outrank.Node) { g.move(p, 1) }
func (g *scenarioGuard) Add(p *outrank.Pod, _ *outrank.Node)    { g.move(p, -1) }

func (g *scenarioGuard) move(p *outrank.Pod, by int) {
	if g.of.Matches(p.Labels) {
		g.count += by
	}
	if g.beyond.Matches(p.Labels) {
		g.count -= by
	}
}

func (g *scenarioGuard) Check() preemption.Status {
	if g.count <= g.most {
		return preemption.Status{}
	}
	return preemption.Unschedulable.Because("too many would be away")
}

func (g *scenarioGuard) Rule(*outrank.Pod) string { return "" }

func (g *scenarioGuard) Clone() preemption.GuardState {
	c := *g
	return &c
}

// readFound reads what the caller's scheduler says of a node.
func (w *scenarioWorld) readFound(l *scenario.Line) {
	if w.found == nil {
		w.found = map[string]string{}
	}
	node := l.Next("name of the node")
	for _, word := range []string{"fits", "unschedulable", "unresolvable", "unasked"} {
		if l.Accept(word) {
			w.found[node] = word
			return
		}
	}
	l.Fail("want fits, unschedulable, unresolvable or unasked")
}

// statuses returns what the caller's scheduler says of the nodes, nil if it says nothing. It has not asked a node that
// nothing is said of.
func (w *scenarioWorld) statuses() func(position int, node *outrank.Node) (preemption.Status, bool) {
	if w.found == nil {
		return nil
	}
	return func(_ int, node *outrank.Node) (preemption.Status, bool) {
		switch w.found[node.Name] {
		case "fits":
			return preemption.Status{}, true
		case "unschedulable":
			return preemption.Unschedulable.Because("found so"), true
		case "unresolvable":
			return preemption.UnschedulableAndUnresolvable.Because("found so"), true
		}
		return preemption.Status{}, false
	}
}
