package tenancy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Queue is a tenant: the amounts that its workloads may have together, and the workloads that
// they may preempt.
type Queue struct {
	Name string
	// Cohort names the cohort that it lends to and borrows from; empty for a queue by itself.
	Cohort string
	Quota
	Policy Policy
	// Labels are what a Selector selects queues by.
	Labels map[string]string
}

// Cohort is a pool of amounts that queues and further cohorts share. A cohort that a queue or another
// cohort names need not be listed.
type Cohort struct {
	Name string
	// Parent is the cohort that this one lends to and borrows from; empty at the top.
	Parent string
	// The quota is for everybody below, beside what they have.
	Quota
}

// Quota has the amounts of a queue or a cohort.
type Quota struct {
	// Nominal has the amounts that are its own, 0 of a resource that is not named.
	Nominal resource.List
	// BorrowLimit is the most that it may have beyond Nominal, and LendLimit the most of
	// Nominal that others may have. A resource that is not named has no limit.
	BorrowLimit, LendLimit resource.List
	// Weight divides its share in comparisons of shares. Nil means 1. With weight 0 the share is the largest
	// of all as soon as it borrows.
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
// A name of a resource may have a flavor behind an @, such as memory@spot. Quotas count
// each flavor by itself, and shares add up the flavors of a resource.
type Tree struct {
	names []resource.Name // sorted
	nodes []node          // cohorts, then queues
	// byName has the indexes of the queues, cohorts those of the cohorts.
	byName, cohorts map[string]int
	// bases has each name without its flavor, and kind has a number for each, the same for the flavors of one
	// resource. kinds is how many there are.
	bases []resource.Name
	kind  []int
	kinds int
}

var errNoTree = fmt.Errorf("%w: no tree", outrank.ErrInvalid)

// none stands for no limit and for no node.
const none = -1

// node is a queue or a cohort.
type node struct {
	name   string
	parent int
	// depth is 1 at the top.
	depth  int
	queue  bool
	policy Policy
	weight float64
	// children are the nodes below, in the order of the configuration.
	children []int
	// nominal, borrow and lend are the quotas by the index of a resource, none for no limit.
	nominal, borrow, lend []int64
	// subtree is what is there for the node and all below (rule 24.1.3), and local the part of it that is not
	// lent (rule 24.1.4).
	subtree, local []int64
	// declared marks the resources of which the node, or one below, has a nominal amount.
	declared []bool
	// further are the policy's further rules, and labels those of the queue.
	further []Selection
	labels  map[string]string
}

// NewTree checks a configuration. The error is an *[outrank.InputError] with everything that is
// wrong with it: names that are missing or doubled, cohorts in a circle, amounts or weights below
// 0, a policy that does not exist, further rules that ask for what is not there, more than 1,000 cohorts one
// in another, and more than four million amounts (one of every resource for each queue and cohort). Nothing of
// the configuration is kept. Time is linear in it.
func NewTree(c Config) (*Tree, error) {
	t := &Tree{byName: map[string]int{}, cohorts: map[string]int{}}
	b := builder{Tree: t}
	b.findNames(c)
	if n := len(c.Queues) + len(c.Cohorts); n*len(b.names) > mostAmounts {
		b.bad("tenancy config", "Nominal", "%d queues and cohorts with %d resources, and there can be %d amounts", n, len(b.names), mostAmounts)
		return nil, &outrank.InputError{Problems: b.problems}
	}

	// Queues and cohorts name one another in any order, so they are linked once all are there.
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

// builder makes a tree, and lists what is wrong with its configuration.
type builder struct {
	*Tree
	problems []outrank.Problem
}

// bad adds a problem.
func (b *builder) bad(object, field, format string, args ...any) {
	b.problems = append(b.problems, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// findNames collects the names of resources, and numbers their kinds.
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
	for name := range seen {
		b.names = append(b.names, name)
	}
	slices.Sort(b.names)

	// Flavors of one resource are of one kind: shares add them up.
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

func (b *builder) addCohort(c *Cohort) {
	if object, ok := b.named("cohort", c.Name, b.cohorts); ok {
		b.cohorts[c.Name] = b.add(object, node{name: c.Name, parent: none}, c.Quota)
	}
}

// named returns what messages call an object. It is not ok if the name is missing or taken.
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

// addQueue adds a queue whose name is free, and checks its policy.
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
	if q.Policy.Reclaim == LowerOrNewer { // rule 24.2.3
		b.bad(object, "Policy.Reclaim", "%v is for the queue itself alone", q.Policy.Reclaim)
	}

	n := node{name: q.Name, parent: none, queue: true, policy: q.Policy.clone(), further: b.further(object, q.Policy.Further), labels: maps.Clone(q.Labels)}
	b.byName[q.Name] = b.add(object, n, q.Quota)
}

func (b *builder) further(object string, rules []Selection) []Selection {
	return checkedFurther(rules, func(field, format string, args ...any) { b.bad(object, field, format, args...) })
}

// add adds a node with its quota, and returns its index.
func (b *builder) add(object string, n node, q Quota) int {
	n.weight = 1
	if q.Weight != nil {
		n.weight = *q.Weight
	}
	if !(n.weight >= 0) || n.weight > 1e18 { // also not a number
		b.bad(object, "Weight", "%v is not a weight", n.weight)
	}

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
			if x.from[name].Sign() < 0 {
				b.bad(object, x.field+"."+string(name), "%s is negative", x.from[name])
			}
			x.to[b.index(name)] = max(0, b.amount(name, x.from[name]))
		}
	}
	for name := range q.Nominal { // also with 0
		n.declared[b.index(name)] = true
	}

	b.nodes = append(b.nodes, n)
	return len(b.nodes) - 1
}

// link sets the parents, adds cohorts that are only named, and finds circles.
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
	// deepest is how many cohorts may lie one in another: every question goes up from a queue to its top.
	deepest = 1000
	// mostAmounts is how many amounts the queues and cohorts may have together, one of every resource each.
	mostAmounts = 1 << 22
)

// measure finds how deep each node lies, in time linear in the nodes, and connects it with the node above. A node
// in a circle, or below one, has no depth.
func (b *builder) measure() {
	const unknown, open = 0, -1
	for i := range b.nodes {
		// The way goes up from the node as far as nothing is known. If it ends at a node that is open it has met
		// itself, or a circle that was found before, and stays open.
		var way []int
		at := i
		for ; at != none && b.nodes[at].depth == unknown; at = b.nodes[at].parent {
			b.nodes[at].depth = open
			way = append(way, at)
		}

		depth := 0
		if at != none {
			depth = b.nodes[at].depth
		}
		for k := len(way) - 1; k >= 0 && depth != open; k-- {
			depth++
			b.nodes[way[k]].depth = depth
		}
	}

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

// sumUp computes what is there for a node and for all below (rules 24.1.3 and 24.1.4).
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

	// Without a limit on lending it keeps nothing to itself.
	for r, lend := range n.lend {
		if lend != none {
			n.local[r] = max(0, n.subtree[r]-lend)
		}
	}
}

// index returns the index of a resource, none for one that nobody has a quota of.
func (t *Tree) index(name resource.Name) int {
	if i, ok := slices.BinarySearch(t.names, name); ok {
		return i
	}
	return none
}

// amount counts a quantity: millicores of cpu, units of anything else.
func (t *Tree) amount(name resource.Name, q resource.Quantity) int64 {
	base, _, _ := strings.Cut(string(name), "@")
	return resource.Amount(resource.Name(base), q)
}

// root returns the top of the tree that a node belongs to.
func (t *Tree) root(at int) int {
	for t.nodes[at].parent != none {
		at = t.nodes[at].parent
	}
	return at
}

// above reports whether a node is another one or above it.
func (t *Tree) above(ancestor, at int) bool {
	for ; at != none; at = t.nodes[at].parent {
		if at == ancestor {
			return true
		}
	}
	return false
}

// meet returns the lowest node above two queues, and the nodes just below it on the ways to
// both. All are none where the queues are of different trees.
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
