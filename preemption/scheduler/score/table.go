package score

import (
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// table has the values that scores read from the nodes of a cluster, as columns: one value for each node, in
// the cluster's order. Columns are made when they are first needed, and never change. Any number
// of goroutines may use a table at once.
type table struct {
	nodes []*outrank.Node
	// at has the index of each node, by name.
	at map[string]int32
	// avoids marks nodes with a taint of PreferNoSchedule.
	avoids []bool

	// mu guards the maps of columns.
	mu      sync.Mutex
	labels  map[string]*labels
	amounts map[resource.Name][]int64
	// images has the images of all nodes, by name. It is nil until images are needed.
	images map[string]*image
}

// labels is the column of one label: the value that each node has.
type labels struct {
	// ids has a number for each node's value; equal values have equal numbers. The number 0 belongs to
	// the empty value, and to nodes without the label.
	ids []int32
	// has marks the nodes that have the label.
	has []bool
	// size is the number of different values, with the empty one. All numbers in ids are below it.
	size int
}

// image has the size of an image, and the indexes of the nodes that have it, in order.
type image struct {
	size  int64
	nodes []int32
}

// mostColumns is the largest number of columns of one kind that are kept.
const mostColumns = 64

// tables keeps the last table that was made.
type tables struct {
	mu   sync.Mutex
	last *table
}

// tableOf returns the table of a snapshot's nodes. It returns the last one again while the nodes are the same
// objects in the same order.
func (c *tables) tableOf(snap *engine.Snapshot) *table {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || !c.last.holds(snap) {
		c.last = newTable(snap)
	}
	return c.last
}

// holds reports whether the table was made for the snapshot's nodes, in their present order.
func (t *table) holds(snap *engine.Snapshot) bool {
	if snap.NumNodes() != len(t.nodes) {
		return false
	}
	i := 0
	for n := range snap.Nodes() {
		if t.nodes[i] != n {
			return false
		}
		i++
	}
	return true
}

// newTable returns a table without columns.
func newTable(snap *engine.Snapshot) *table {
	t := &table{at: make(map[string]int32, snap.NumNodes()), labels: map[string]*labels{}, amounts: map[resource.Name][]int64{}}
	for n := range snap.Nodes() {
		t.at[n.Name] = int32(len(t.nodes))
		t.nodes = append(t.nodes, n)
		t.avoids = append(t.avoids, slices.ContainsFunc(n.Taints, func(x outrank.Taint) bool { return x.Effect == outrank.PreferNoSchedule }))
	}
	return t
}

// indexOf returns the index of each node.
func (t *table) indexOf(nodes []*outrank.Node) []int32 {
	// Most lists are in the cluster's order, so both are walked together. The walk need not look further
	// ahead than the number of nodes that the list leaves out. A node that is not in order is looked up by
	// name.
	out := make([]int32, len(nodes))
	next := 0
	for i, n := range nodes {
		for next < len(t.nodes) && t.nodes[next] != n && next < i+len(t.nodes)-len(nodes) {
			next++
		}
		if next < len(t.nodes) && t.nodes[next] == n {
			out[i] = int32(next)
			next++
		} else {
			out[i] = t.at[n.Name]
		}
	}
	return out
}

// label returns the column of a label.
func (t *table) label(key string) *labels {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.labels[key]; c != nil {
		return c
	}

	c := &labels{ids: make([]int32, len(t.nodes)), has: make([]bool, len(t.nodes)), size: 1}
	known := map[string]int32{"": 0}
	for i, n := range t.nodes {
		value, ok := n.Labels[key]
		id, old := known[value]
		if !old {
			id = int32(c.size)
			known[value] = id
			c.size++
		}
		c.ids[i], c.has[i] = id, ok
	}
	put(t.labels, key, c)
	return c
}

// amount returns the column of the allocatable amounts of a resource.
func (t *table) amount(name resource.Name) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.amounts[name]; c != nil {
		return c
	}

	c := make([]int64, len(t.nodes))
	for i, n := range t.nodes {
		c[i] = n.Allocatable.Amount(name)
	}
	put(t.amounts, name, c)
	return c
}

// put keeps a column. If there are mostColumns columns already, it drops them first.
func put[K comparable, C any](columns map[K]C, key K, c C) {
	if len(columns) >= mostColumns {
		clear(columns)
	}
	columns[key] = c
}

// image returns the image with a name, nil if no node has it. Its size is taken from the first node that has it
// (rule 27.8.4).
func (t *table) image(name string) *image {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.images == nil {
		t.images = map[string]*image{}
		for i, n := range t.nodes {
			for j := range n.Images {
				t.addImage(&n.Images[j], int32(i))
			}
		}
	}
	return t.images[name]
}

// addImage adds an image on a node under all its names. It is called for the nodes in order. So if a node
// lists a name twice, it is already the last node of that image.
func (t *table) addImage(on *outrank.NodeImage, at int32) {
	for _, name := range on.Names {
		m := t.images[name]
		if m == nil {
			m = &image{size: on.SizeBytes}
			t.images[name] = m
		}
		if k := len(m.nodes); k == 0 || m.nodes[k-1] != at {
			m.nodes = append(m.nodes, at)
		}
	}
}
