package filters

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// counter is the part of a counting filter that says what it counts by domain.
type counter interface {
	// prepare returns what the counter makes of the preemptor.
	prepare() any
	// addSets adds all sets in which pods of the snapshot's classes may count.
	addSets(c *podCounts)
	// addSetsOf adds those in which pods of a class may count that is new.
	addSetsOf(c *podCounts, k *state.PodClass)
	// eachCounted calls f for each class and each set in which pods of the class count. A class may count more
	// than once in a set.
	eachCounted(c *podCounts, f func(m *state.ClassMembers, part ClassPart))
	// appendParts appends what eachCounted has of one class.
	appendParts(to []ClassPart, c *podCounts, k *state.PodClass) []ClassPart
	// includes reports whether pods on a node count in a set. It is asked only about nodes with the topology
	// key of the set.
	includes(c *podCounts, n *state.NodeState, set int) bool
}

// ClassPart is one set in which pods of a class count.
type ClassPart struct {
	set int
	// late is set if pods of the class are not counted at the start of an attempt, but change the count when
	// they leave or come back. empty is set if the reason is an empty selector.
	late, empty bool
}

// podCounts are the numbers of pods, by domain, that a filter counts for preemptors of one shape. They
// remember what each node adds, so that only a changed node is counted anew. The snapshot keeps them and says
// which nodes have changed.
type podCounts struct {
	// shape is the encoding of all that the filter reads of the preemptor.
	shape string
	// prepared is what the counter has made of the preemptor. It follows from the shape.
	prepared any
	sets     []countSet
	marks    []mark // one for each node, by slot
	// changed is the version of the last change of any count, and everywhere the version of the last change
	// that may alter the answer in every domain.
	changed, everywhere uint64
	// known remembers what some classes count in. It is nil in counts that one attempt changes.
	known *knownParts
}

// knownParts has the first class that was asked about for each remainder of the classes' hashes. Attempts
// share it, and what it has once stays: a cluster of a few classes is known soon, and one where each pod has its own
// costs no memory for them.
type knownParts [256]atomic.Pointer[partsOfClass]

// partsOfClass is a class with the sets in which its pods count.
type partsOfClass struct {
	class *state.PodClass
	parts []ClassPart
}

// partsOf returns the sets in which pods of a class count. The list may be in space, and is only to be read.
func (c *podCounts) partsOf(space *[]ClassPart, by counter, k *state.PodClass) []ClassPart {
	if c.known != nil {
		at := &c.known[k.Hash%uint32(len(c.known))]
		first := at.Load()
		if first == nil {
			first = &partsOfClass{k, by.appendParts(nil, c, k)}
			at.Store(first)
		}
		if first.class == k {
			return first.parts
		}
	}
	*space = by.appendParts((*space)[:0], c, k)
	return *space
}

// countSet has the counts of one relation in each domain of one topology key. What a relation is, the counter
// says: a kind of match for InterPodAffinity, a constraint for PodTopologySpread.
type countSet struct {
	*state.Partition
	key      string
	relation int
	// self is 1 if the preemptor itself would be counted, else 0.
	self int
	// watch says which changes may alter the answer in all domains.
	watch watch
	// occupied is the number of domains with a count above 0, and present the number of domains with a
	// node that counts.
	occupied, present int

	cells   []cell // by slot
	domains []domainCount
	least   least
	stale   bool // set once a count has changed on which least depends
}

// watch says which property of a set the answers of all nodes depend on, beside the count of a node's own
// domain.
type watch uint8

const (
	watchNothing  watch = iota // a node looks at its own domain alone
	watchOccupied              // a node asks whether another domain has any pod
	watchLeast                 // a node compares with the least count of the other domains
)

// cell is what a node adds to a set: a number of pods in a domain. The domain is NoDomain if the node does
// not count.
type cell struct{ domain, pods int32 }

// domainCount is the number of counted pods in a domain, the number of its nodes that count, and the version
// of the last change of either.
type domainCount struct {
	pods, nodes int32
	changed     uint64
}

// least has the smallest count of all domains, a domain that has it, and second, the smallest count of the
// other domains.
type least struct {
	least, second int
	domain        int32
}

// mark is the lowest and the highest priority among the pods of a node that count in any set.
type mark struct{ low, high int32 }

// untouched marks a node without such pods. mixed marks a node whose priorities do not suffice to tell what
// its pods add: some of them are late (see ClassPart), and change a count that they were not in.
var untouched, mixed = mark{math.MaxInt32, math.MinInt32}, mark{math.MinInt32, math.MaxInt32}

// set returns the index of the set for a relation and a topology key, and adds the set if it is missing.
func (c *podCounts) set(relation int, key string) int {
	i := c.find(relation, key)
	if i < 0 {
		i = len(c.sets)
		c.sets = append(c.sets, countSet{relation: relation, key: key})
	}
	return i
}

// find returns the index of the set for a relation and a topology key, or -1.
func (c *podCounts) find(relation int, key string) int {
	for i := range c.sets {
		if c.sets[i].relation == relation && c.sets[i].key == key {
			return i
		}
	}
	return -1
}

// touched reports whether a node has pods that count in any set.
func (c *podCounts) touched(slot int32) bool {
	m := c.mark(slot)
	return m.low <= m.high
}

// mark returns the mark of a node. A node that came after the counts has none yet.
func (c *podCounts) mark(slot int32) mark {
	if int(slot) < len(c.marks) {
		return c.marks[slot]
	}
	return untouched
}

// goneBelow reports whether all counted pods of a node are below a priority (all) or none is. ok is false if
// only some are, so that they must be looked at one by one.
func (c *podCounts) goneBelow(slot int32, priority int64) (all, ok bool) {
	switch m := c.mark(slot); {
	case m.low > m.high || int64(m.low) >= priority:
		return false, true
	case m == mixed || int64(m.high) >= priority:
		return false, false
	}
	return true, true
}

// countedIn returns the domain in which the pods of a node count, NoDomain if they do not.
func (s *countSet) countedIn(slot int32) int32 {
	if int(slot) < len(s.cells) {
		return s.cells[slot].domain
	}
	return state.NoDomain
}

// podsOn returns how many pods of a node count in the set.
func (s *countSet) podsOn(slot int32) int {
	if int(slot) < len(s.cells) {
		return int(s.cells[slot].pods)
	}
	return 0
}

// count returns the count of a domain, 0 if no node of it counts.
func (s *countSet) count(domain int32) int {
	if s.anyNode(domain) {
		return int(s.domains[domain].pods)
	}
	return 0
}

// remaining returns the count of a node's domain, without the node's own pods if gone is set. It is 0 if the
// node is in no domain.
func (s *countSet) remaining(slot int32, gone bool) int {
	if int(slot) >= len(s.cells) || s.cells[slot].domain == state.NoDomain {
		return 0
	}
	c := s.cells[slot]
	if gone {
		return int(s.domains[c.domain].pods - c.pods)
	}
	return int(s.domains[c.domain].pods)
}

// anyNode reports whether any node of a domain counts.
func (s *countSet) anyNode(domain int32) bool {
	return int(domain) < len(s.domains) && s.domains[domain].nodes > 0
}

// leastBut returns the least count of all domains except one.
func (s *countSet) leastBut(but int32) int {
	if s.stale {
		s.findLeast()
	}
	if but == s.least.domain {
		return s.least.second
	}
	return s.least.least
}

// leastWith is leastBut with the changes that a dry run has made in some domains. It takes time linear in the
// domains.
func (s *countSet) leastWith(changes map[int32]int, but int32) int {
	found := math.MaxInt
	for id := range s.domains {
		if d := &s.domains[id]; d.nodes > 0 && int32(id) != but {
			found = min(found, int(d.pods)+changes[int32(id)])
		}
	}
	return found
}

// findLeast finds the two smallest counts among the domains in which any node counts.
func (s *countSet) findLeast() {
	s.stale, s.least = false, least{math.MaxInt, math.MaxInt, state.NoDomain}
	for id := range s.domains {
		switch n := int(s.domains[id].pods); {
		case s.domains[id].nodes == 0:
		case n < s.least.least: // the smallest so far becomes the second
			s.least = least{n, s.least.least, int32(id)}
		default:
			s.least.second = min(s.least.second, n)
		}
	}
}

// move changes the count of a node's domain. The counts must be an attempt's own copy.
func (s *countSet) move(slot int32, by int) {
	if id := s.countedIn(slot); id != state.NoDomain {
		s.shift(id, int32(by))
		s.stale = s.watch == watchLeast
	}
}

// shift changes the count of a domain and keeps occupied up to date. A count may fall below 0 while an
// attempt follows pods, because late pods were not counted in.
func (s *countSet) shift(id, by int32) {
	d := &s.domains[id]
	s.occupied -= int(min(max(d.pods, 0), 1))
	d.pods += by
	s.occupied += int(min(max(d.pods, 0), 1))
}

// enter adds a node and its pods to the counts, and leave takes them off.
func (s *countSet) enter(c cell, version uint64) { s.change(c, 1, version) }
func (s *countSet) leave(c cell, version uint64) { s.change(c, -1, version) }

func (s *countSet) change(c cell, by int32, version uint64) {
	if c.domain == state.NoDomain {
		return
	}

	s.domains = lengthened(s.domains, int(c.domain)+1, domainCount{})
	d := &s.domains[c.domain]
	s.present -= int(min(d.nodes, 1))
	d.nodes += by
	s.present += int(min(d.nodes, 1))
	d.changed = version

	s.shift(c.domain, by*c.pods)
	s.stale = s.watch == watchLeast
}

// copy returns equal counts that can be written without changing c.
func (c *podCounts) copy() *podCounts {
	other := *c
	other.known = nil
	other.sets, other.marks = slices.Clone(c.sets), slices.Clone(c.marks)
	for i := range other.sets {
		s := &other.sets[i]
		s.cells, s.domains = slices.Clone(s.cells), slices.Clone(s.domains)
	}
	return &other
}

// changedSince reports whether a count on which the answer of a node depends has changed since a version.
func (c *podCounts) changedSince(version uint64, slot int32) bool {
	if c.everywhere > version {
		return true
	}
	for i := range c.sets {
		s := &c.sets[i]
		if id := s.Of(slot); id != state.NoDomain && int(id) < len(s.domains) && s.domains[id].changed > version {
			return true
		}
	}
	return false
}

// counting writes counts: it counts the pods of a snapshot as a filter's counter says.
type counting struct {
	*podCounts
	snap    *state.Snapshot
	counter counter
	counts  []int32     // scratch memory of countOn: the pods of one node, by set
	parts   []ClassPart // likewise: those of one class
}

// begin counts everything from the start. It takes time in proportion to the nodes and to the classes that count.
func (c *counting) begin(version uint64) {
	c.changed, c.everywhere = version, version
	c.prepared, c.known = c.counter.prepare(), &knownParts{}
	c.counter.addSets(c.podCounts)
	c.marks = state.Fill(c.marks, len(c.snap.NodeStates), untouched)
	c.laySets(0)

	c.counter.eachCounted(c.podCounts, c.count)
	for i := range c.sets {
		for _, is := range c.sets[i].cells {
			c.sets[i].enter(is, version)
		}
	}
	c.findLeast()
}

// count counts the pods of a class in a set, node by node.
func (c *counting) count(m *state.ClassMembers, part ClassPart) {
	cells := c.sets[part.set].cells
	for slot, on := range m.Nodes() {
		if part.late {
			c.marks[slot] = mixed
			continue
		}

		was := c.marks[slot]
		c.marks[slot] = mark{min(was.low, on.Low), max(was.high, on.High)}
		if cells[slot].domain != state.NoDomain {
			cells[slot].pods += on.Pods
		}
	}
}

// learn adds the sets in which pods of a class count that may be new, and returns what the class counts in.
func (c *counting) learn(k *state.PodClass) []ClassPart {
	c.addSetsOf(k)
	c.parts = c.counter.appendParts(c.parts[:0], c.podCounts, k)
	return c.parts
}

// addSetsOf adds and lays the sets in which pods of a class count.
func (c *counting) addSetsOf(k *state.PodClass) {
	before := len(c.sets)
	c.counter.addSetsOf(c.podCounts, k)
	c.laySets(before)
	if len(c.sets) > before && c.known != nil {
		c.known = &knownParts{} // what is known was found without the new sets
	}
	for i := before; i < len(c.sets); i++ {
		for _, is := range c.sets[i].cells {
			c.sets[i].enter(is, c.changed)
		}
	}
}

// laySets finds the nodes that count in the sets from an index on, with no pods yet. All partitions are set
// first, because a counter may need them all to tell whether a node counts in one set. The nodes still have to enter.
func (c *counting) laySets(from int) {
	for i := from; i < len(c.sets); i++ {
		s := &c.sets[i]
		s.Partition = c.snap.Partition(s.key)
		s.cells = state.Fill(s.cells, len(c.marks), cell{state.NoDomain, 0})
		s.domains = slices.Grow(s.domains, s.Partition.Domains)
	}

	for i := from; i < len(c.sets); i++ {
		s := &c.sets[i]
		for slot := range s.cells {
			s.cells[slot].domain = c.domainOf(i, int32(slot))
		}
	}
}

// domainOf finds the domain in which pods of a node count, NoDomain if they do not count.
func (c *counting) domainOf(set int, slot int32) int32 {
	n, id := c.snap.NodeStates[slot], c.sets[set].Of(slot)
	if id == state.NoDomain || n == nil || n.Node == nil || !c.counter.includes(c.podCounts, n, set) {
		return state.NoDomain
	}
	return id
}

// follow updates the counts with what has changed since they were last written: slots are the changed nodes,
// classes the new classes. It reports false if everything must be counted anew.
func (c *counting) follow(slots []int32, classes []*state.PodClass, version uint64) (ok bool) {
	// With more changes than nodes it is cheaper to count everything.
	if len(slots) > len(c.snap.NodeStates) {
		return false
	}
	if !c.followPartitions() {
		return false
	}

	for _, k := range classes {
		c.addSetsOf(k)
	}

	// The properties that matter in all domains are compared before and after the nodes are counted, so that
	// everywhere changes only if one of them did.
	var space [8]watched
	seen := space[:0]
	for i := range c.sets {
		seen = append(seen, c.sets[i].watched())
	}
	for _, slot := range slots {
		c.recount(slot, version)
	}
	c.findLeast()
	for i := range c.sets {
		c.noteFar(&c.sets[i], seen[i], version)
	}
	return true
}

// followPartitions extends the sets to the nodes that exist now. It reports false if domains have been
// renumbered.
func (c *counting) followPartitions() (ok bool) {
	for i := range c.sets {
		s := &c.sets[i]
		p := c.snap.Partition(s.key)
		if !p.Continues(s.Partition) {
			return false
		}
		s.Partition = p
		s.cells = lengthened(s.cells, len(c.snap.NodeStates), cell{state.NoDomain, 0})
	}
	c.marks = lengthened(c.marks, len(c.snap.NodeStates), untouched)
	return true
}

// lengthened appends copies of rest until the list has at least n elements.
func lengthened[T any](list []T, n int, rest T) []T {
	for len(list) < n {
		list = append(list, rest)
	}
	return list
}

// recount counts anew what a node adds to each set, and stamps the sets and domains that change with the
// version.
func (c *counting) recount(slot int32, version uint64) {
	c.marks[slot] = c.countOn(c.snap.NodeStates[slot])
	for i := range c.sets {
		s := &c.sets[i]
		is := cell{domain: c.domainOf(i, slot)}
		if is.domain != state.NoDomain {
			is.pods = c.counts[i]
		}
		if was := s.cells[slot]; was != is {
			c.changed = version
			s.leave(was, version)
			s.enter(is, version)
			s.cells[slot] = is
		}
	}
}

// countOn counts the pods of a node by set, in c.counts, and returns the mark of the node. n is nil for
// a slot without a node.
func (c *counting) countOn(n *state.NodeState) mark {
	c.counts = state.Fill(c.counts, len(c.sets), 0)
	if n == nil {
		return untouched
	}

	m, late := untouched, false
	for _, p := range n.Pods {
		parts := c.partsOf(&c.parts, c.counter, p.Class)
		if len(parts) > 0 {
			m.low, m.high = min(m.low, p.Priority()), max(m.high, p.Priority())
		}
		for _, part := range parts {
			if part.late {
				late = true
			} else {
				c.counts[part.set]++
			}
		}
	}

	// A late pod is not in the count and still lowers it by leaving. So changeBelow must not subtract what
	// the node adds.
	if late {
		return mixed
	}
	return m
}

// findLeast updates the least counts of the sets that are stale.
func (c *podCounts) findLeast() {
	for i := range c.sets {
		if c.sets[i].stale {
			c.sets[i].findLeast()
		}
	}
}

// watched has the properties of a set on which the answers in all domains depend; see watch.
type watched struct {
	occupied, present int
	least             least
}

// watched returns the watched properties of a set. Of the occupied domains it tells only whether there are
// none, one or more: a node whose own domain becomes empty asks only whether another one is occupied.
func (s *countSet) watched() (w watched) {
	switch s.watch {
	case watchOccupied:
		w.occupied = min(s.occupied, 2)
	case watchLeast:
		w.present, w.least = s.present, s.least
	}
	return w
}

// noteFar records for which domains a change elsewhere in a set matters. If the smallest count is the same as
// before and only the second, or the domain of the smallest, has changed, it matters for the nodes of the old
// and the new domain alone: no others look at the second.
func (c *podCounts) noteFar(s *countSet, was watched, version uint64) {
	is := s.watched()
	switch {
	case is == was:
	case is.occupied != was.occupied || is.present != was.present || is.least.least != was.least.least:
		c.everywhere = version
	default:
		for _, id := range [...]int32{was.least.domain, is.least.domain} {
			if id != state.NoDomain {
				s.domains[id].changed = version
			}
		}
	}
}
