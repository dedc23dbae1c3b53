// Package figures says how the figures of real clusters are kept and shown: raw results of outrank beside
// kube-scheduler's own code, tables of them, and which of them miss a bar.
package figures

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/tests/gen"
)

// Cell is a row of the matrix of real clusters, of one size: the processor time that both sides take for a decision. A
// decision is made and not carried out. Outrank always looks at all nodes.
type Cell struct {
	Row         string
	Nodes, Pods int
	// Node and Victims are what both chose. The victims are sorted.
	Node    string
	Victims []string
	// Conditions says when and on what machine the cell was measured.
	Conditions string

	// Filters is the reference's time to ask its filters about all nodes. PostFilter and Sampled are its times to look
	// for victims after that, on all nodes and on its default sample of them.
	Filters, PostFilter, Sampled time.Duration
	// Ours has outrank's time for each way of asking.
	Ours map[string]time.Duration
	// ReferenceBuild and Build are the times of both sides to take all objects up. They are spent once.
	ReferenceBuild, Build time.Duration
}

// All returns the reference's time for a decision that looks at all nodes.
func (c *Cell) All() time.Duration { return c.Filters + c.PostFilter }

// Sample returns the reference's time for a decision that looks for victims on its default sample of the nodes.
func (c *Cell) Sample() time.Duration { return c.Filters + c.Sampled }

// one is a cell asked in one way.
type one struct {
	*Cell
	way string
}

// time returns outrank's time.
func (o one) time() time.Duration { return o.Ours[o.way] }

// overAll and overSample return how many times faster outrank is than the reference with all nodes, and with its sample.
func (o one) overAll() float64    { return float64(o.All()) / float64(o.time()) }
func (o one) overSample() float64 { return float64(o.Sample()) / float64(o.time()) }

func (o one) String() string {
	return fmt.Sprintf("%s, %s nodes, %s", o.Row, grouped(o.Nodes), shown[o.way])
}

// shown maps a way of asking to its head in tables.
var shown = map[string]string{
	gen.RealFirst: "first ever", gen.RealPriority: "priority new", gen.RealRules: "rules new",
	gen.RealSecond: "second time", gen.RealKnown: "known", gen.RealChanged: "after a change",
}

// each returns the cells in each way of asking that keep says.
func each(cells []*Cell, keep func(way string) bool) (all []one) {
	for _, c := range cells {
		for _, way := range gen.RealWays() {
			if _, measured := c.Ours[way]; measured && keep(way) {
				all = append(all, one{c, way})
			}
		}
	}
	return all
}
