package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// writeReasons prints the answers of the nodes in groups: nodes that take the pod, nodes that would take it
// once others have left, and nodes that would not, by reason. It shows at most list groups of the last kind.
func writeReasons(p console.Page, a *Answer, list int) {
	p.Line("\nWhat the %s said:", console.Plural(a.Cluster.Nodes, "node"))
	t := console.Table{Right: map[int]bool{0: true}}
	if n := &a.FeasibleNodes; n.Count > 0 {
		t.Add(fmt.Sprint(n.Count), "fits as things are", "", nodeNames(n, list))
	}

	if a.CandidateCount > 0 {
		// The candidates are in the order of the ranks, so that the line names the best.
		n := Nodes{Count: a.CandidateCount}
		for _, c := range a.Candidates {
			n.Names = append(n.Names, c.Node)
		}
		t.Add(fmt.Sprint(n.Count), "preemption makes room", "", nodeNames(&n, list))
	}

	rest := otherReasons(a)
	for _, r := range rest[:min(len(rest), list)] {
		does := "preemption cannot help"
		if r.Tried {
			does = "preemption makes no room"
		}
		t.Add(fmt.Sprint(r.Nodes.Count), does, joined(r.Reasons), nodeNames(&r.Nodes, list))
	}

	t.Print(p)
	if more := len(rest) - list; more > 0 {
		p.Line("     and %s more", console.Plural(more, "reason"))
	}
}

// otherReasons returns the reasons of the nodes that take the pod neither as things are nor after evictions:
// the remaining obstacle if preemption was tried, otherwise the first one.
func otherReasons(a *Answer) []Reason {
	rest := a.Unhelpful[:len(a.Unhelpful):len(a.Unhelpful)]
	for _, r := range a.TurnedDown {
		if !r.Tried {
			rest = append(rest, r)
		}
	}
	return rest
}

// everything as the limit of a list means no limit.
const everything = math.MaxInt

// nodeNames lists as many nodes as fit into a line, and at least one.
func nodeNames(n *Nodes, list int) string {
	if list == everything {
		return strings.Join(n.Names, ", ")
	}

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

// joined lists reasons. Of consecutive shortages only the first one says "Insufficient".
func joined(reasons []string) string {
	const short = "Insufficient "
	var b strings.Builder
	for i, r := range reasons {
		if i > 0 {
			b.WriteString(", ")
			if strings.HasPrefix(reasons[i-1], short) {
				r = strings.TrimPrefix(r, short)
			}
		}
		b.WriteString(r)
	}
	return b.String()
}
