package tenancy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Queue is a tenant: a quota that its workloads use together, and the policy by which they preempt others.
type Queue struct {
	Name string
	// Cohort names the cohort that the queue lends to and borrows from. It is empty for a queue by itself.
	Cohort string
	Quota
	Policy Policy
	// Labels are the labels by which Selector.Queues selects the queue.
	Labels map[string]string
}

// Cohort is a group of queues and further cohorts that borrow unused quota from one another. A cohort without a
// quota and a parent need not be listed; it is enough that a queue or another cohort names it.
type Cohort struct {
	Name string
	// Parent is the cohort that this one lends to and borrows from. It is empty at the top.
	Parent string
	// Quota is shared by everything below the cohort, in addition to the quotas there.
	Quota
}

// Quota has the amounts of a queue or a cohort.
type Quota struct {
	// Nominal has the amounts that belong to the queue or cohort: 0 of a resource that is not named.
	Nominal resource.List
	// BorrowLimit is the most that may be used beyond Nominal, and LendLimit the most of Nominal that others
	// may use. A resource that is not named has no limit.
	BorrowLimit, LendLimit resource.List
	// Weight divides the share when shares are compared. Nil means 1. With weight 0 the share is larger than
	// any other as soon as the queue or cohort borrows.
	Weight *float64
}

// Config lists the queues and cohorts with their amounts.
type Config struct {
	Queues  []Queue
	Cohorts []Cohort
}

// Tree is a checked [Config]. It never changes; any number of goroutines may use it at
// once.
//
// The name of a resource may have a flavor after an @, such as memory@spot. Each flavor has a quota of its own, and
// shares add up the flavors of a resource.
type Tree struct {
	names []resource.Name // the resources with a quota, sorted; slices of amounts are in this order
	nodes []node          // cohorts and queues
	// byName maps the name of a queue to its index in nodes, and cohorts the name of a cohort.
	byName, cohorts map[string]int
	// bases has each name without its flavor. kind numbers the bases, so that all flavors of a resource have the
	// same number, and kinds is the number of different ones.
	bases []resource.Name
	kind  []int
	kinds int
}

// errNoTree is the error of a nil tree.
var errNoTree = fmt.Errorf("%w: no tree", outrank.ErrInvalid)

// none means no limit, no node or no index.
const none = -1

// node is a queue or a cohort. Its slices of amounts are indexed like Tree.names.
type node struct {
	name   string
	parent int // index in Tree.nodes, none at the top
	depth  int // 1 at the top
	queue  bool
	policy Policy
	weight float64
	// children lists the nodes directly below, in the order of Tree.nodes.
	children []int
	// nominal, borrow and lend are the amounts of Quota. A limit that is not set is none.
	nominal, borrow, lend []int64
	// subtree is the quota of the node together with what all nodes below lend (rule 24.1.3), and local the part
	// of it that the node does not lend (rule 24.1.4).
	subtree, local []int64
	// declared marks the resources with a nominal amount, also 0, at the node or below it.
	declared []bool
	// further has the rules of Policy.Further, and labels the labels of the queue.
	further []Selection
	labels  map[string]string
}

// NewTree checks a configuration and builds its tree. It copies everything that it needs from the configuration,
// and takes linear time. The error is an *[outrank.InputError] with every problem: a name that is missing or given
// twice, cohorts in a circle, an amount or weight below 0, an unknown policy, an invalid rule in Policy.Further,
// more than 1,000 cohorts one below the other, or more than four million amounts (each queue and cohort counts
// once for every resource).
func NewTree(c Config) (*Tree, error) {
	t := &Tree{byName: map[string]int{}, cohorts: map[string]int{}}
	b := builder{Tree: t}
	b.findNames(c)
	if n := len(c.Queues) + len(c.Cohorts); n*len(b.names) > mostAmounts {
		b.bad("tenancy config", "Nominal", "%d queues and cohorts with %d resources, and there can be %d amounts", n, len(b.names), mostAmounts)
		return nil, &outrank.InputError{Problems: b.problems}
	}

	// Queues and cohorts may name cohorts that are listed later, so they are linked once all are added.
	for i := range c.Cohorts {
		b.addCohort(&c.Cohorts[i])
	}
	for i := range c.Queues {
		b.addQueue(&c.Queues[i])
	}
	b.link(c)
	if len(b.problems) > 0 {
		return nil, &outrank.InputError{Problems: b.problems}
	}

	for i := range t.nodes {
		if t.nodes[i].parent == none {
			t.sumUp(i)
		}
	}
	return t, nil
}

// builder builds a tree, and collects the problems of its configuration.
type builder struct {
	*Tree
	problems []outrank.Problem
}

// bad adds a problem of a field of an object.
func (b *builder) bad(object, field, format string, args ...any) {
	b.problems = append(b.problems, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// findNames collects the names of all resources with a quota or a limit, and numbers their kinds.
func (b *builder) findNames(c Config) {
	seen := map[resource.Name]bool{}
	add := func(lists ...resource.List) {
		for _, l := range lists {
			for name := range l {
				seen[name] = true
			}
		}
	}

	for i := range c.Cohorts {
		add(c.Cohorts[i].Nominal, c.Cohorts[i].BorrowLimit, c.Cohorts[i].LendLimit)
	}
	for i := range c.Queues {
		add(c.Queues[i].Nominal, c.Queues[i].BorrowLimit, c.Queues[i].LendLimit)
	}

	// Sorted, so that the order of maps decides nothing.
	for name := range seen {
		b.names = append(b.names, name)
	}
	slices.Sort(b.names)

	// Flavors of one resource get one kind, because shares add them up.
	kinds := map[string]int{}
	for _, name := range b.names {
		base, _, _ := strings.Cut(string(name), "@")
		b.bases = append(b.bases, resource.Name(base))
		if _, ok := kinds[base]; !ok {
			kinds[base] = len(kinds)
		}
		b.kind = append(b.kind, kinds[base])
	}
	b.kinds = len(kinds)
}

// addCohort adds a cohort, unless its name is missing or taken.
func (b *builder) addCohort(c *Cohort) {
	if object, ok := b.named("cohort", c.Name, b.cohorts); ok {
		b.cohorts[c.Name] = b.add(object, node{name: c.Name, parent: none}, c.Quota)
	}
}

// named returns the name of an object for messages, such as "queue ads". If the name is missing or taken, it adds a
// problem and is not ok.
func (b *builder) named(kind, name string, taken map[string]int) (object string, ok bool) {
	if name == "" {
		b.bad(kind, "Name", "missing")
		return "", false
	}
	if _, ok := taken[name]; ok {
		b.bad(kind+" "+name, "Name", "there is another %s of this name", kind)
		return "", false
	}
	return kind + " " + name, true
}

// addQueue adds a queue, unless its name is missing or taken, and checks its policy.
func (b *builder) addQueue(q *Queue) {
	object, ok := b.named("queue", q.Name, b.byName)
	if !ok {
		return
	}

	for _, x := range []struct {
		field string
		take  Take
	}{{"Policy.Within", q.Policy.Within}, {"Policy.Reclaim", q.Policy.Reclaim}} {
		if !slices.Contains(takes, x.take) {
			b.bad(object, x.field, "there is no rule %q", x.take)
		}
	}
	if q.Policy.Reclaim == LowerOrNewer { // only Within may have it (rule 24.2.3)
		b.bad(object, "Policy.Reclaim", "%v is for the queue itself alone", q.Policy.Reclaim)
	}

	n := node{name: q.Name, parent: none, queue: true, policy: q.Policy.clone(), further: b.further(object, q.Policy.Further), labels: maps.Clone(q.Labels)}
	b.byName[q.Name] = b.add(object, n, q.Quota)
}

// further checks and copies the further rules of a queue.
func (b *builder) further(object string, rules []Selection) []Selection {
	return checkedFurther(rules, func(field, format string, args ...any) { b.bad(object, field, format, args...) })
}

// add adds a node with its quota, and returns its index.
func (b *builder) add(object string, n node, q Quota) int {
	n.weight = 1
	if q.Weight != nil {
		n.weight = *q.Weight
	}
	if !(n.weight >= 0) || n.weight > 1e18 { // written so that NaN is refused, too
		b.bad(object, "Weight", "%v is not a weight", n.weight)
	}

	// An amount that is not named is 0, and a limit that is not named is none.
	names := len(b.names)
	n.declared = make([]bool, names)
	n.nominal = make([]int64, names)
	n.subtree = make([]int64, names)
	n.local = make([]int64, names)
	n.borrow = slices.Repeat([]int64{none}, names)
	n.lend = slices.Repeat([]int64{none}, names)

	for _, x := range []struct {
		field string
		from  resource.List
		to    []int64
	}{{"Nominal", q.Nominal, n.nominal}, {"BorrowLimit", q.BorrowLimit, n.borrow}, {"LendLimit", q.LendLimit, n.lend}} {
		for _, name := range x.from.Names() {
			// A negative amount is a problem. It counts as 0, so that it is not taken for none.
			if x.from[name].Sign() < 0 {
				b.bad(object, x.field+"."+string(name), "%s is negative", x.from[name])
			}
			x.to[b.index(name)] = max(0, b.amount(name, x.from[name]))
		}
	}
	for name := range q.Nominal { // a nominal amount of 0 declares the resource as well
		n.declared[b.index(name)] = true
	}

	b.nodes = append(b.nodes, n)
	return len(b.nodes) - 1
}

// link sets the parent of each node, and adds cohorts that are only named. Then it checks depths and circles.
func (b *builder) link(c Config) {
	parentOf := func(name string) int {
		at, ok := b.cohorts[name]
		if !ok {
			at = b.add("cohort "+name, node{name: name, parent: none}, Quota{})
			b.cohorts[name] = at
		}
		return at
	}
	for i := range c.Cohorts {
		if at, ok := b.cohorts[c.Cohorts[i].Name]; ok && c.Cohorts[i].Parent != "" {
			b.nodes[at].parent = parentOf(c.Cohorts[i].Parent)
		}
	}
	for i := range c.Queues {
		if at, ok := b.byName[c.Queues[i].Name]; ok && c.Queues[i].Cohort != "" {
			b.nodes[at].parent = parentOf(c.Queues[i].Cohort)
		}
	}
	b.measure()
}

const (
	// deepest bounds the depth of a cohort, because every question goes up from a queue to the top.
	deepest = 1000
	// mostAmounts bounds the number of nodes times the number of resources, and so the memory of a tree.
	mostAmounts = 1 << 22
)

// measure sets the depth of each node, and adds it to the children of its parent, in linear time. A node in a circle,
// or below one, has no depth; that is a problem.
func (b *builder) measure() {
	const unknown, open = 0, -1
	for i := range b.nodes {
		// Follow the parents up to the first node that was visited before, marking nodes as open on the way. If that
		// node is open, the way has met itself or an earlier circle, and its nodes stay open.
		var way []int
		at := i
		for ; at != none && b.nodes[at].depth == unknown; at = b.nodes[at].parent {
			b.nodes[at].depth = open
			way = append(way, at)
		}

		// Otherwise the depth of that node gives the depths of all nodes on the way back down.
		depth := 0
		if at != none {
			depth = b.nodes[at].depth
		}
		for k := len(way) - 1; k >= 0 && depth != open; k-- {
			depth++
			b.nodes[way[k]].depth = depth
		}
	}

	// A chain of cohorts that is too deep is reported once, for the first cohort beyond the limit.
	for i := range b.nodes {
		n := &b.nodes[i]
		switch {
		case n.depth == open:
			b.bad("cohort "+n.name, "Parent", "it is in a circle, or below one")
		case n.depth == deepest+1 && !n.queue:
			b.bad("cohort "+n.name, "Parent", "more than %d cohorts lie one in another", deepest)
		case n.parent != none:
			b.nodes[n.parent].children = append(b.nodes[n.parent].children, i)
		}
	}
}

// sumUp computes the subtree and local quotas of a node and of all nodes below (rules 24.1.3 and 24.1.4).
func (t *Tree) sumUp(at int) {
	n := &t.nodes[at]
	copy(n.subtree, n.nominal)
	for _, child := range n.children {
		t.sumUp(child)
		c := &t.nodes[child]
		for r := range n.subtree {
			n.subtree[r] = resource.AddSat(n.subtree[r], c.subtree[r]-c.local[r])
			n.declared[r] = n.declared[r] || c.declared[r]
		}
	}

	// A node without a limit on lending lends everything, so its local quota stays 0.
	for r, lend := range n.lend {
		if lend != none {
			n.local[r] = max(0, n.subtree[r]-lend)
		}
	}
}

// index returns the index of a resource, or none if there is no quota of it.
func (t *Tree) index(name resource.Name) int {
	if i, ok := slices.BinarySearch(t.names, name); ok {
		return i
	}
	return none
}

// amount converts a quantity to an integer: millicores of cpu, and whole units of any other resource.
func (t *Tree) amount(name resource.Name, q resource.Quantity) int64 {
	base, _, _ := strings.Cut(string(name), "@")
	return resource.Amount(resource.Name(base), q)
}

// root returns the topmost node above a node, or the node itself.
func (t *Tree) root(at int) int {
	for t.nodes[at].parent != none {
		at = t.nodes[at].parent
	}
	return at
}

// above reports whether ancestor is the node at or lies above it.
func (t *Tree) above(ancestor, at int) bool {
	for ; at != none; at = t.nodes[at].parent {
		if at == ancestor {
			return true
		}
	}
	return false
}

// meet returns the lowest common cohort of two queues, and its children on the ways to both queues. All are none if
// the queues have no cohort in common.
func (t *Tree) meet(a, b int) (at, belowA, belowB int) {
	belowA, belowB = a, b
	for x, y := t.nodes[a].parent, t.nodes[b].parent; x != none && y != none; {
		switch {
		case x == y:
			return x, belowA, belowB
		case t.nodes[x].depth >= t.nodes[y].depth:
			belowA, x = x, t.nodes[x].parent
		default:
			belowB, y = y, t.nodes[y].parent
		}
	}
	return none, none, none
}
