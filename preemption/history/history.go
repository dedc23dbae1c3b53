package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// A Log answers whether preemption moves a cluster forward or round and
// round. It is told every preemption, and finds
//
//   - cascades: A pushes out B, and B, made anew, pushes out C;
//   - cycles: the same, but A is pushed out by the last one and all begins
//     again;
//   - repeats: whoever is pushed out more than once, by the same pods or others.
//
// # Lineages
//
// A pod that is made anew has another name or UID, so pods are known here by
// their lineage: the name, chosen by the caller, that a pod shares with the pods
// it replaces. A simulator that recreates pods itself knows it exactly. Where
// only the controller is known, [LineageOf] takes that; replicas then count as
// one another's recreation, and chains are an estimate.
//
// # Definitions
//
// A link is one lineage evicting another: a preemption gives one for every
// lineage among its victims, however many victims of that lineage there are.
//
// The chain of a lineage is the list of links that led to its latest eviction.
// It is empty for one that was never evicted, or longer ago than
// [Config.Within]. When P evicts V, the chain of V becomes that of P, as
// it stood before this preemption, with the link from P to V at its end.
//
// If V had a place in the chain of P already, the links from there to its end and
// the new one are one round of a cycle: V evicted the next, and so on to P,
// which evicted V. The round is counted and taken out of the chain, which ends
// in V's earlier place. So no lineage is twice in a chain, every cycle is a
// simple one, and a cycle within a cycle is counted apart from the outer one. A
// lineage that evicts itself is a cycle of one.
//
// A cascade is all chains with the same beginning: a preemption by a lineage
// whose chain was empty, and what followed from it. Its length is the number of
// links of the longest chain that it ever had, also where a round took links out
// of it later, and it counts from a length of two. No cascade is as long as there
// are lineages, however often something goes round in it.
//
// Nobody is evicted by a pod of equal or lower priority, so that a cycle needs
// priorities that change when a pod is made anew, or several schedulers that do
// not agree. A repeat needs neither.
//
// # Cost
//
// Recording takes time linear in the victims and in the length of the chain,
// which is short, and limited by [Config.MaxChain]. Memory is one record
// for every lineage that was ever evicted, the links in the chains of these
// records, which are shared, and one record per distinct cycle, limited by
// [Config.MaxCycles]. Pods that only ever evicted others leave nothing.
//
// What is reported depends on the entries and their order alone. A Log is
// for one goroutine at a time.
type Log struct {
	config   Config
	now      time.Time
	lineages map[string]*lineage
	cascades cascades
	cycles   cycles
	// preemptions and evictions are the entries, and the victims in them.
	preemptions, evictions int
	// names is scratch memory for the victims of one entry.
	names []string
}

// Config limits what a [Log] follows.
type Config struct {
	// Within is how long after its latest eviction a lineage's preemption still
	// counts as its consequence; zero means for ever.
	Within time.Duration
	// MaxChain is the number of links at which a chain is cut: the next link
	// begins a new cascade. A round that the cut falls into is not seen, so that
	// cycles of more lineages than that are not found. Zero means 1,000.
	MaxChain int
	// MaxCycles is how many distinct cycles are told apart, the first ones;
	// the rounds of others are only counted. Zero means 10,000.
	MaxCycles int
}

const (
	defaultMaxChain  = 1_000
	defaultMaxCycles = 10_000
)

// Validate names everything that is wrong with the configuration, in one
// *[outrank.InputError].
func (c *Config) Validate() error {
	var ps []outrank.Problem
	add := func(field string, value any) {
		ps = append(ps, outrank.Problem{Object: "history config", Field: field, Text: fmt.Sprintf("%v is negative", value)})
	}
	if c.Within < 0 {
		add("Within", c.Within)
	}
	if c.MaxChain < 0 {
		add("MaxChain", c.MaxChain)
	}
	if c.MaxCycles < 0 {
		add("MaxCycles", c.MaxCycles)
	}
	if ps == nil {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}

// Preemption is one preemption that was carried out.
type Preemption struct {
	// Time is when it was; entries come in the order of time.
	Time time.Time
	Node string
	// Preemptor and Victims are lineages. Two victims may be of the same
	// lineage, and there may be none.
	Preemptor string
	Victims   []string
}

// LineageOf is the lineage of a pod where nothing better is known: its
// controller in its namespace, or the pod itself where it has none. It is written
// like default/ReplicaSet/web, or default/web for a pod.
func LineageOf(p *outrank.Pod) string {
	if owner := p.Owner.String(); owner != "" {
		return p.NamespaceName() + "/" + owner
	}
	return p.Key()
}

// lineage is what is known of a lineage that was evicted.
type lineage struct {
	name string
	id   uint32 // by order of first eviction
	// times counts the preemptions that evicted it, from first to last.
	times       int
	first, last time.Time
	// by is the lineage that did, while it was always the same.
	by      string
	several bool
	// chain ends in the latest eviction.
	chain *link
}

// New is a history of nothing yet. Error: that of
// [Config.Validate].
func New(config Config) (*Log, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if config.MaxChain == 0 {
		config.MaxChain = defaultMaxChain
	}
	if config.MaxCycles == 0 {
		config.MaxCycles = defaultMaxCycles
	}
	return &Log{
		config:   config,
		lineages: map[string]*lineage{},
		cascades: cascades{most: config.MaxChain},
		cycles:   cycles{most: config.MaxCycles, known: map[string]*cycle{}},
	}, nil
}

// Record takes in the next preemption. The entry is only read, but for its
// strings nothing of it is kept. Errors wrap [outrank.ErrInvalid] and change
// nothing: an entry that is earlier than the one before it, or a lineage without
// a name.
func (h *Log) Record(e Preemption) error {
	if err := h.check(&e); err != nil {
		return err
	}
	h.now = e.Time
	h.preemptions++
	h.evictions += len(e.Victims)
	h.names = append(h.names[:0], e.Victims...)
	slices.Sort(h.names)
	// All links start from the chain as it is before any victim leaves, so that
	// the order of the victims means nothing.
	from := h.chainOf(e.Preemptor)
	for _, victim := range slices.Compact(h.names) {
		h.evict(&e, from, victim)
	}
	clear(h.names)
	return nil
}

func (h *Log) check(e *Preemption) error {
	problem := func(field, text string) error {
		object := fmt.Sprintf("history entry %d", h.preemptions+1)
		return &outrank.InputError{Problems: []outrank.Problem{{Object: object, Field: field, Text: text}}}
	}
	if h.preemptions > 0 && e.Time.Before(h.now) {
		return problem("Time", fmt.Sprintf("%v is before the entry before, %v", e.Time, h.now))
	}
	if e.Preemptor == "" {
		return problem("Preemptor", "missing")
	}
	if i := slices.Index(e.Victims, ""); i >= 0 {
		return problem(fmt.Sprintf("Victims[%d]", i), "missing")
	}
	return nil
}

// chainOf is the chain that a preemption by this lineage goes on from.
func (h *Log) chainOf(preemptor string) *link {
	l, ok := h.lineages[preemptor]
	if !ok || h.config.Within > 0 && h.now.Sub(l.last) > h.config.Within {
		return begin(preemptor)
	}
	return l.chain
}

// evict notes one link.
func (h *Log) evict(e *Preemption, from *link, victim string) {
	l := h.lineages[victim]
	if l == nil {
		l = &lineage{name: victim, id: uint32(len(h.lineages)), first: e.Time, by: e.Preemptor}
		h.lineages[victim] = l
	}
	l.times++
	l.last = e.Time
	l.several = l.several || l.by != e.Preemptor
	if at := from.find(victim); at != nil {
		l.chain = at
		h.cycles.count(h.idsFrom(from, at), e.Time)
		return
	}
	l.chain = h.cascades.extend(from, link{lineage: victim, time: e.Time, node: e.Node})
}

// idsFrom lists the lineages between two places of a chain, the later one
// first. All of them were evicted: a place that has none before it is the victim
// of the round that is being counted.
func (h *Log) idsFrom(from, to *link) []uint32 {
	ids := []uint32{h.lineages[from.lineage].id}
	for at := from; at != to; {
		at = at.before
		ids = append(ids, h.lineages[at.lineage].id)
	}
	return ids
}
