package invariants

import (
	"fmt"
	"math"

	"pgregory.net/rapid"
)

// Worlds draws worlds that a single pod asks in, and GroupWorlds those that a group asks in. They are small, their
// nodes nearly full, and made of few distinct values, so that ties and conflicts are common.
var (
	Worlds      = rapid.Custom(func(t *rapid.T) *World { return drawWorld(t, false) })
	GroupWorlds = rapid.Custom(func(t *rapid.T) *World { return drawWorld(t, true) })
)

func drawWorld(t *rapid.T, group bool) *World {
	n := numbers{t}
	w := &World{Release: n.of("release", v137, v136, withGroups, withGroups), priorities: []int64{0, 1, 2, -1, -2, 3}}
	if n.oneIn("lowest priorities", 8) {
		w.priorities = []int64{0, math.MinInt32, 1, math.MinInt32} // the lowest adds nothing to a sum (rule 11.4)
	}
	if group {
		w.Release = withGroups
	}
	w.MostAway = -1
	if n.oneIn("guard", 6) {
		w.MostAway = int(n.upTo("most away", 0, 1))
	}
	w.drawAsks(n, group)
	w.drawGroups(n)
	for i := range n.oneOf("nodes", 2, 1, 3) {
		if name := fmt.Sprint("n", i+1); i > 0 && n.oneIn("twin", 5) {
			w.drawTwin(n, name)
		} else {
			w.drawNode(n, name)
		}
	}
	w.drawNominated(n)
	w.drawBudgets(n)

	w.drawRules(n, group)
	return w
}

// drawAsks draws who asks for room.
func (w *World) drawAsks(n numbers, group bool) {
	p := Pod{
		Name: "asker", CPU: n.oneOf("asked cpu", 2, 3, 4, 1, 5, 6), Memory: n.upTo("asked memory", 0, 2),
		Priority: int32(n.oneOf("asking priority", 3, 2, 4, 1, 0, -1)), App: n.of("asking app", "", "a"), Never: n.oneIn("never", 12),
	}
	if n.oneIn("asked port", 8) {
		p.Port = 80
	}
	p.Unset = p.Priority == 0 && n.oneIn("unset", 2)
	if n.oneIn("names its nodes", 8) {
		p.Names = [][]string{{"n1"}, {"n1", "n2"}, {"n2"}, {"n9"}}[n.upTo("nodes that it names", 0, 3)]
	}
	if n.oneIn("asker avoids", 8) {
		p.Avoids = n.of("avoided by the asker", "a", "b")
	}
	if !group {
		w.Known = n.oneIn("known", 4)
		if n.oneIn("asker has a nomination", 3) {
			p.Nominated = n.of("nominated node", "n1", "n2", "n9")
		}
		w.Asks = []Pod{p}
		return
	}

	p.Group, p.Unset = "gang", false
	w.Groups = append(w.Groups, Group{Name: "gang", Priority: p.Priority})
	for i := range n.oneOf("pods of the group", 2, 1, 3) {
		q := p
		q.Name, q.CPU = fmt.Sprint("asker", i+1), n.oneOf("asked cpu", 2, 1, 3, 4)
		w.Asks = append(w.Asks, q)
	}
}

// drawGroups draws the groups of running pods.
func (w *World) drawGroups(n numbers) {
	if w.units() && n.oneIn("groups", 2) {
		for _, name := range []string{"g", "h"} {
			w.Groups = append(w.Groups, Group{Name: name, Whole: !n.oneIn("single", 3), Priority: int32(n.oneOf("group's priority", 0, 1, 2, -1, 3))})
		}
	}
}

// drawNode draws a node and the pods on it, so that little is left for those who ask.
func (w *World) drawNode(n numbers, name string) {
	node := Node{Name: name, Cordoned: n.oneIn("cordoned", 12)}
	count, ported := n.oneOf("pods", 2, 3, 1, 4, 5, 0), false
	for i := range count {
		p := w.drawPod(n, fmt.Sprintf("p%s%d", name[1:], i+1))
		p.Node = name
		p.Started = n.oneOf("started", 0, 1, 2, 0, 1, 2, -1)
		if n.oneIn("leaving", 4) {
			p.Leaving = n.of("why it leaves", byPreemption, byPreemption, byEviction)
		}
		// Whom running pods avoid is asked about a group only if one that avoids it is there when it is placed (rule 12.9.9).
		if w.Asks[0].Group == "" && n.oneIn("avoids", 16) {
			p.Avoids = n.of("avoided", "a", "b")
		}
		if !ported && n.oneIn("port", 8) { // two pods of one port cannot run beside each other (rule 7.6.7)
			p.Port, ported = 80, true
		}
		w.Pods = append(w.Pods, p)
		node.CPU += p.CPU
		node.Memory += p.Memory
	}

	asks := &w.Asks[0]
	free := asks.CPU - 1
	if n.oneIn("room for the asker", 6) {
		free++
	}
	node.CPU += n.upTo("free cpu", 0, max(1, free))
	node.Memory += n.upTo("free memory", 0, 2)
	if !n.oneIn("too small", 10) {
		node.CPU, node.Memory = max(node.CPU, asks.CPU), max(node.Memory, asks.Memory)
	}
	node.Pods = count + n.upTo("free places", 0, 3)
	w.Nodes = append(w.Nodes, node)
}

// drawTwin draws a node that is the first one once more, but for one thing, so that candidates tie in all ranks but one.
func (w *World) drawTwin(n numbers, name string) {
	node := w.Nodes[0]
	node.Name = name
	w.Nodes = append(w.Nodes, node)
	first := len(w.Pods)
	for _, p := range w.on("n1") {
		q := *p
		q.Node, q.Name = name, "p"+name[1:]+p.Name[2:]
		w.Pods = append(w.Pods, q)
	}

	one := first + int(n.upTo("which pod", 0, 4))
	switch what := n.of("differs by", "a pod of n1", "a start", "a pod", "a priority"); {
	case what == "a pod of n1":
		w.addLowest(n, "n1")
	case what == "a pod":
		w.addLowest(n, name)
	case one >= len(w.Pods) || w.Pods[one].Group != "":
	case what == "a start":
		w.Pods[one].Started = n.oneOf("started", 0, 1, 2, -1)
	default:
		w.Pods[one].Priority, w.Pods[one].Unset = 1, false
	}
}

// addLowest adds a pod to a node that has no more room for it. If its priority is the lowest there is, it adds nothing to
// a sum of priorities (rule 11.4).
func (w *World) addLowest(n numbers, node string) {
	name := fmt.Sprintf("p%s%d", node[1:], len(w.on(node))+1)
	w.Pods = append(w.Pods, Pod{Name: name, Node: node, CPU: 1, Priority: int32(n.oneOf("lowest", math.MinInt32, -2))})
}

// drawPod draws a pod of some group, or of none.
func (w *World) drawPod(n numbers, name string) Pod {
	p := Pod{
		Name: name, CPU: n.oneOf("cpu", 1, 2, 3, 0, 4), Memory: n.upTo("memory", 0, 1), Priority: int32(n.oneOf("priority", w.priorities...)),
		App: n.of("app", "", "a", "b"), Tier: n.of("tier", "", "x"),
	}
	if w.MostAway >= 0 { // the guard looks at two apps
		p.App = n.of("guarded app", "b", "a", "b", "")
	}
	for _, g := range w.Groups {
		if g.Name != "gang" && p.Group == "" && n.oneIn("in the group", 2) {
			p.Group, p.Priority = g.Name, g.Priority
		}
	}
	p.Unset = p.Priority == 0 && p.Group == "" && n.oneIn("unset", 2)
	return p
}

// drawNominated draws pods that wait for a node that an earlier preemption has made room on.
// None of them avoids the pod that asks: that counts only if a running pod does (rules
// 7.13.15 and 7.13.16).
func (w *World) drawNominated(n numbers) {
	for i := range n.oneOf("nominated", 0, 1, 2) {
		p := w.drawPod(n, fmt.Sprint("w", i+1))
		p.Group, p.Nominated = "", n.of("nominated to", "n1", "n2", "n9")
		p.Started = n.upTo("began to wait", 0, 2)
		w.Pods = append(w.Pods, p)
	}
}

// drawBudgets draws budgets, of which one pod may be in two.
func (w *World) drawBudgets(n numbers) {
	for _, b := range []Budget{{Name: "a", Label: "app", Value: "a"}, {Name: "x", Label: "tier", Value: "x"}, {Name: "b", Label: "app", Value: "b"}, {Name: "all"}} {
		if oneOf := 2 + len(b.Name); !n.oneIn("budget", oneOf-1) {
			continue
		}
		b.Allowed = int32(n.upTo("allowed", 0, 2))
		if len(w.Pods) > 0 && n.oneIn("disrupted", 5) {
			b.Disrupted = w.Pods[n.upTo("disrupted pod", 0, int64(len(w.Pods)-1))].Name
		}
		b.Elsewhere = n.oneIn("elsewhere", 10)
		w.Budgets = append(w.Budgets, b)
	}
}

// numbers draws numbers. Whatever is drawn shrinks to the plainest case: the least number, the first of a list, no. What
// stands first in a list is drawn most often, too.
type numbers struct{ t *rapid.T }

func (n numbers) upTo(label string, least, most int64) int64 {
	return rapid.Int64Range(least, most).Draw(n.t, label)
}

func (n numbers) of(label string, texts ...string) string {
	return rapid.SampledFrom(texts).Draw(n.t, label)
}

func (n numbers) oneOf(label string, values ...int64) int64 {
	return rapid.SampledFrom(values).Draw(n.t, label)
}

// oneIn is true about once in so many draws.
func (n numbers) oneIn(label string, count int) bool {
	return rapid.IntRange(0, count-1).Draw(n.t, label) == min(2, count-1) // small numbers are drawn more often
}
