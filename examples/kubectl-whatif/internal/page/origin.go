package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// mostOrigins is the most nodes that mark the pods coming from them with a colour and a letter.
const mostOrigins = 6

// findOrigins gives a letter and a colour to the nodes from which the most pods come. Letters follow the order
// of the cluster.
func (d *overviewMaker) findOrigins() {
	moved := map[string]int{}
	for _, a := range d.over.Come {
		// A pod that is recreated on its own node does not move.
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
		// Letters in the order of the cluster are easy to find from top to bottom.
		if i := len(d.origins); slices.Contains(chosen, name) {
			d.origins[name] = &origin{Letter: string(rune('A' + i)), Class: fmt.Sprint("from", i), Node: name}
		}
	}
}

// from returns the node that a pod is on before it comes to another one. It is empty for a pod that is new or
// was pending.
func (d *overviewMaker) from(key outrank.Key) string { return d.snap.NodeOf(key) }

// listed returns the origins in the order of their letters.
func (d *overviewMaker) listed() (out []origin) {
	for _, o := range d.origins {
		out = append(out, *o)
	}
	slices.SortFunc(out, func(a, b origin) int { return cmp.Compare(a.Letter, b.Letter) })
	return out
}
