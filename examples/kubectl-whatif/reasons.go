package main

import (
	"fmt"
	"strings"
)

// writeReasons says what each node had to say, in groups: who takes the pod,
// who would once others have left, and who does not and why. At most list
// groups of the last kind are shown.
func writeReasons(p page, a *Answer, list int) {
	p.line("\nWhat the %s said:", plural(a.Cluster.Nodes, "node"))
	t := table{right: map[int]bool{0: true}}
	if n := &a.FeasibleNodes; n.Count > 0 {
		t.add(fmt.Sprint(n.Count), "fits as things are", "", nodeNames(n))
	}
	if a.CandidateCount > 0 {
		n := Nodes{Count: a.CandidateCount}
		for _, c := range a.Candidates {
			n.Names = append(n.Names, c.Node)
		}
		t.add(fmt.Sprint(n.Count), "preemption makes room", "", nodeNames(&n))
	}
	rest := otherReasons(a)
	for _, r := range rest[:min(len(rest), list)] {
		does := "preemption cannot help"
		if r.Tried {
			does = "preemption tried in vain"
		}
		t.add(fmt.Sprint(r.Nodes.Count), does, joined(r.Reasons), nodeNames(&r.Nodes))
	}
	t.print(p)
	if more := len(rest) - list; more > 0 {
		p.line("     and %s more", plural(more, "reason"))
	}
}

// otherReasons are those of the nodes that take the pod neither way: where
// preemption was tried what was still in the way, else what was from the start.
func otherReasons(a *Answer) []Reason {
	rest := a.Unhelpful[:len(a.Unhelpful):len(a.Unhelpful)]
	for _, r := range a.TurnedDown {
		if !r.Tried {
			rest = append(rest, r)
		}
	}
	return rest
}

// nodeNames lists as many nodes as a line has room for, one at least.
func nodeNames(n *Nodes) string {
	room := 26
	if n.Count > len(n.Names) || len(strings.Join(n.Names, "")) > room {
		room -= len("and 99 more")
	}
	shown, width := 0, 0
	for _, name := range n.Names {
		if width += len(name); shown > 0 && width > room {
			break
		}
		shown++
	}
	return some(n.Names, shown, n.Count)
}
