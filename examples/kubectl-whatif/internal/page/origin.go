package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// mostOrigins is the most nodes with a colour and a letter for the pods that come from them.
const mostOrigins = 6

// findOrigins gives a letter and a colour to the nodes from which the most pods come, in the
// cluster's order.
func (d *overviewMaker) findOrigins() {
	moved := map[string]int{}
	for _, a := range d.over.Come {
		// A pod that is recreated on its own node has not moved.
		if from := d.from(a.Pod.Key()); from != "" && from != a.Node {
			moved[from]++
		}
	}

	var nodes []string
	for _, m := range d.base.members {
		if moved[m.node.Name] > 0 {
			nodes = append(nodes, m.node.Name)
		}
	}

	chosen := slices.Clone(nodes)
	slices.SortStableFunc(chosen, func(a, b string) int { return cmp.Compare(moved[b], moved[a]) })
	chosen = chosen[:min(len(chosen), mostOrigins)]

	d.origins = map[string]*origin{}
	for _, name := range nodes {
		// Letters go by the cluster's order, so that one finds them from the top to the bottom.
		if i := len(d.origins); slices.Contains(chosen, name) {
			d.origins[name] = &origin{Letter: string(rune('A' + i)), Class: fmt.Sprint("from", i), Node: name}
		}
	}
}

// from is the node that a pod is on before it comes to another one. It is empty for a pod that is new
// or was pending.
func (d *overviewMaker) from(key outrank.Key) string { return d.snap.NodeOf(key) }

// listed are the origins in the order of their letters.
func (d *overviewMaker) listed() (out []origin) {
	for _, o := range d.origins {
		out = append(out, *o)
	}
	slices.SortFunc(out, func(a, b origin) int { return cmp.Compare(a.Letter, b.Letter) })
	return out
}
