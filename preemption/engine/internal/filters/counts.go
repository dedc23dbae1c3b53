package filters

import (
	"maps"
	"math"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// counter says what a filter counts by domain, in one attempt.
type counter interface {
	// addSets adds the sets of counts that the preemptor asks for. partsOf may add more.
	addSets(c *podCounts)
	// partsOf lists the sets that pods of a class count in.
	partsOf(c *podCounts, k *state.PodClass) []ClassPart
	// includes reports whether pods on a node count. The node has the topology key of the set.
	includes(c *podCounts, n *state.NodeState, set int) bool
}

// ClassPart is one set that pods of a class count in.
type ClassPart struct {
	set int
	// late is set if pods of the class are not counted at the start of an attempt, and change
	// the count when they leave or come back. empty is set if that is because the selector demands
	// nothing.
	late, empty bool
}

// podCounts are the pods that a filter counts for preemptors of one shape, by domain. They follow
// the cluster: they remember what each node adds, and count a node anew once it has changed. The
// snapshot keeps them and says which nodes have changed.
type podCounts struct {
	// shape is all that the filter reads of the preemptor.
	shape string
	sets  []countSet
	// parts says what pods of a class count for. Most classes count for nothing and are not in it.
	parts classParts
	// classesAtFirst is the number of classes that were in parts at first. Classes that are gone stay.
	classesAtFirst int
	marks          []mark // by slot
	// changed is the version with the last change of any count, and everywhere the version with the
	// last change that matters in all domains.
	changed, everywhere uint64
}

// countSet has the counts of one relation by the domains of one topology key.
type countSet struct {
	*state.Partition
	key      string
	relation int
	// self is what the preemptor itself adds.
	self int
	// watch says which changes matter in all domains.
	watch watch
	// occupied is the number of domains with a count above 0, and present the number of domains with a
	// node that counts.
	occupied, present int

	cells   []cell // by slot
	domains []domainCount
	least   least
	stale   bool // set once a count has changed on which least depends
}

// watch says what of a set of counts has a part in the answer of every node.
type watch uint8

const (
	watchNothing  watch = iota // a node looks at its own domain alone
	watchOccupied              // whether there is any pod in another domain
	watchLeast                 // the least count of the other domains
)

// cell is what a node adds to a set: a number of pods in a domain. The domain is NoDomain where pods
// of the node do not count.
type cell struct{ domain, pods int32 }

// domainCount is the count of a domain, with the number of its nodes that count and the version
// with the last change of either.
type domainCount struct {
	pods, nodes int32
	changed     uint64
}

// least is the smallest count of any domain, with that domain, and the smallest count of the others.
type least struct {
	least, second int
	domain        int32
}

// mark has the lowest and the highest priority of the pods on a node that count in any set.
type mark struct{ low, high int32 }

// untouched is the mark of a node without such pods. mixed is the mark of a node where the priorities
// do not tell everything, because some pods change a count that they were not in.
var untouched, mixed = mark{math.MaxInt32, math.MinInt32}, mark{math.MinInt32, math.MaxInt32}

// set returns the index of the set of a relation and a topology key, and adds the set if there is
// none.
func (c *podCounts) set(relation int, key string) int {
	i := slices.IndexFunc(c.sets, func(s countSet) bool { return s.relation == relation && s.key == key })
	if i < 0 {
		i = len(c.sets)
		c.sets = append(c.sets, countSet{relation: relation, key: key})
	}
	return i
}

// partsFor lists what pods of a class count for.
func (c *podCounts) partsFor(k *state.PodClass) []ClassPart { return c.parts.lookUp(k) }

// touched reports whether a node has pods that count.
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

// goneBelow reports whether all of the pods of a node that count are below a priority, or none. It is
// not ok where they must be looked at one by one.
func (c *podCounts) goneBelow(slot int32, priority int64) (all, ok bool) {
	switch m := c.mark(slot); {
	case m.low > m.high || int64(m.low) >= priority:
		return false, true
	case m == mixed || int64(m.high) >= priority:
		return false, false
	}
	return true, true
}

// countedIn returns the domain that pods of a node count in, NoDomain for none.
func (s *countSet) countedIn(slot int32) int32 {
	if int(slot) < len(s.cells) {
		return s.cells[slot].domain
	}
	return state.NoDomain
}

// podsOn returns how many pods of a node count.
func (s *countSet) podsOn(slot int32) int {
	if int(slot) < len(s.cells) {
		return int(s.cells[slot].pods)
	}
	return 0
}

// count returns the count of a domain, 0 for one without any node that counts.
func (s *countSet) count(domain int32) int {
	if s.anyNode(domain) {
		return int(s.domains[domain].pods)
	}
	return 0
}

// remaining returns the count of the domain of a node, less the pods of the node itself if they are
// gone. It is 0 where the node is in no domain.
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

// leastBut returns the least count of the domains but one.
func (s *countSet) leastBut(but int32) int {
	if s.stale {
		s.findLeast()
	}
	if but == s.least.domain {
		return s.least.second
	}
	return s.least.least
}

// leastWith returns the same, where some domains have changed in a dry run.
func (s *countSet) leastWith(changes map[int32]int, but int32) int {
	found := math.MaxInt
	for id := range s.domains {
		if d := &s.domains[id]; d.nodes > 0 && int32(id) != but {
			found = min(found, int(d.pods)+changes[int32(id)])
		}
	}
	return found
}

// findLeast finds the two smallest counts of domains with a node that counts.
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

// move counts pods of a node in or out. The counts are those of one attempt alone.
func (s *countSet) move(slot int32, by int) {
	if id := s.countedIn(slot); id != state.NoDomain {
		s.shift(id, int32(by))
		s.stale = s.watch == watchLeast
	}
}

// shift changes the count of a domain, and keeps occupied right. A count may fall below 0 while an
// attempt follows pods.
func (s *countSet) shift(id, by int32) {
	d := &s.domains[id]
	s.occupied -= int(min(max(d.pods, 0), 1))
	d.pods += by
	s.occupied += int(min(max(d.pods, 0), 1))
}

// enter counts a node with its pods in, and leave counts it out.
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

// copy returns equal counts that share nothing which is written.
func (c *podCounts) copy() *podCounts {
	other := *c
	other.sets, other.marks = slices.Clone(c.sets), slices.Clone(c.marks)
	other.parts.byClass = maps.Clone(c.parts.byClass)
	for i := range other.sets {
		s := &other.sets[i]
		s.cells, s.domains = slices.Clone(s.cells), slices.Clone(s.domains)
	}
	return &other
}

// changedSince reports whether what a node looks at has changed since a version.
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

// counting has counts while they are written, for a filter that counts in a snapshot.
type counting struct {
	*podCounts
	snap    *state.Snapshot
	counter counter
	counts  []int32 // memory of recount: the pods of a node, by set
}

// begin counts everything from the start.
func (c *counting) begin(version uint64) {
	c.changed, c.everywhere = version, version
	c.counter.addSets(c.podCounts)

	// The nodes of classes that count are marked. Only these need to be counted.
	snap := c.snap
	c.marks = state.Fill(c.marks, len(snap.NodeStates), untouched)
	snap.Classes.EachRunning(func(k *state.PodClass, nodes map[int32]int32) {
		if c.add(k) {
			for slot := range nodes {
				c.marks[slot] = mixed
			}
		}
	})
	c.classesAtFirst = len(c.parts.byClass)

	// All classes have added their sets by now.
	c.laySets(0)
	for slot, m := range c.marks {
		if m == mixed {
			c.recount(int32(slot), version)
		}
	}
	c.findLeast()
}

// add finds out what pods of a class count for, and reports whether they count for anything.
func (c *counting) add(k *state.PodClass) bool {
	parts := c.counter.partsOf(c.podCounts, k)
	if len(parts) > 0 {
		c.parts.set(k, parts)
	}
	return len(parts) > 0
}

// learn returns what pods of a class count for, and finds it out if it is not known.
func (c *counting) learn(k *state.PodClass) []ClassPart {
	parts, known := c.parts.byClass[k]
	if !known {
		before := len(c.sets)
		parts = c.counter.partsOf(c.podCounts, k)
		c.parts.set(k, parts)
		c.laySets(before)
	}
	return parts
}

// laySets begins the sets from an index on, with all nodes and without pods. A counter may look at
// the partitions of all sets to tell whether a node counts in one, so that these come first.
func (c *counting) laySets(from int) {
	for i := from; i < len(c.sets); i++ {
		s := &c.sets[i]
		s.Partition = c.snap.Partition(s.key)
		s.cells = state.Fill(s.cells, len(c.marks), cell{state.NoDomain, 0})
	}

	for i := from; i < len(c.sets); i++ {
		s := &c.sets[i]
		for slot := range s.cells {
			s.cells[slot].domain = c.domainOf(i, int32(slot))
			s.enter(s.cells[slot], c.changed)
		}
	}
}

// domainOf returns the domain that pods of a node count in, NoDomain if they do not.
func (c *counting) domainOf(set int, slot int32) int32 {
	n, id := c.snap.NodeStates[slot], c.sets[set].Of(slot)
	if id == state.NoDomain || n == nil || n.Node == nil || !c.counter.includes(c.podCounts, n, set) {
		return state.NoDomain
	}
	return id
}

// follow takes in what has changed since the counts were written last: nodes by slot, and classes that
// are new. It is not ok if the counts must begin anew.
func (c *counting) follow(slots []int32, classes []*state.PodClass, version uint64) (ok bool) {
	// With more changes than nodes it is cheaper to count everything. And classes that are gone stay in
	// parts, so that they must be forgotten now and then.
	if len(slots) > len(c.snap.NodeStates) || len(c.parts.byClass) > 2*c.classesAtFirst+64 {
		return false
	}
	if !c.followPartitions() {
		return false
	}

	before := len(c.sets)
	for _, k := range classes {
		c.add(k)
	}
	c.laySets(before)

	// What nodes of all domains look at is compared before and after the nodes are counted.
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

// followPartitions has the sets look at the nodes that there are now. It is not ok if domains have
// other numbers than before.
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

// lengthened returns a list with at least n elements. Those that are added equal rest.
func lengthened[T any](list []T, n int, rest T) []T {
	for len(list) < n {
		list = append(list, rest)
	}
	return list
}

// recount counts anew what a node adds to each set. A change is noted with its version.
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
		parts := c.parts.lookUp(p.Class)
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

	// A late pod is not in the count, and yet lowers it when it leaves. So what leaves with all pods
	// below a priority is not what the node adds.
	if late {
		return mixed
	}
	return m
}

// findLeast finds the least counts of the sets where they may have changed.
func (c *podCounts) findLeast() {
	for i := range c.sets {
		if c.sets[i].stale {
			c.sets[i].findLeast()
		}
	}
}

// watched is what of a set has a part in the answers of nodes of all domains; see watch.
type watched struct {
	occupied, present int
	least             least
}

// watched returns what is watched of a set. Of the occupied domains it tells only whether there are
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

// noteFar notes for which nodes of other domains a change in a set matters. If the smallest count is
// the same as before and only the second, or the domain of the smallest, has changed, it matters for
// the nodes of the old and the new domain alone: no others look at the second.
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

// classParts lists, by pod class, the sets that pods of the class count in.
// Nearly all classes count in none, which a mask tells without a look in the map.
type classParts struct {
	byClass map[*state.PodClass][]ClassPart
	// mask has the bits of the classes in byClass. Other classes may have the same bits.
	mask uint64
}

// set notes the parts of a class.
func (p *classParts) set(k *state.PodClass, parts []ClassPart) {
	if p.byClass == nil {
		p.byClass = map[*state.PodClass][]ClassPart{}
	}
	p.byClass[k] = parts
	p.mask |= k.Bit
}

// lookUp returns the parts of a class.
func (p *classParts) lookUp(k *state.PodClass) []ClassPart {
	if p.mask&k.Bit == 0 {
		return nil
	}
	return p.byClass[k]
}
