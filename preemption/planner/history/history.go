package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Log records preemptions one by one and follows their chains; see the package
// comment for the definitions. It is for one goroutine at a time.
type Log struct {
	config Config
	// now is the time of the last preemption.
	now time.Time
	// lineages has by name those that were ever evicted.
	lineages map[string]*lineage
	cascades cascades
	cycles   cycleCounts
	// preemptions and evictions count the preemptions, and the victims in them.
	preemptions, evictions int
	// names is memory for the victims of one preemption.
	names []string
}

// errNoLog is the error of a nil Log.
var errNoLog = fmt.Errorf("%w: no log", outrank.ErrInvalid)

// Config limits what a [Log] follows. Its zero value is ready for use.
type Config struct {
	// Within is how long after the latest eviction of a lineage a preemption by it
	// still counts as a consequence of that eviction. Zero means for ever.
	Within time.Duration
	// MaxChain is the number of links at which a chain is cut: the next link
	// begins a new cascade. A round that the cut falls into is not seen, so
	// cycles of more lineages than that are not found. Zero means 1,000.
	MaxChain int
	// MaxCycles is the number of distinct cycles that are kept, the first ones.
	// The rounds of further cycles are only counted. Zero means 10,000.
	MaxCycles int
}

// errNoConfig is the error of a nil Config.
var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

const (
	defaultMaxChain  = 1_000
	defaultMaxCycles = 10_000
)

// validate returns everything that is wrong with the configuration.
func (c *Config) validate() error {
	if c == nil {
		return errNoConfig
	}
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
	// Time is the moment of the preemption. Preemptions are recorded in the order of time.
	Time time.Time
	Node string
	// Preemptor and Victims are lineages. Two victims may be of the same
	// lineage, and Victims may be empty.
	Preemptor string
	Victims   []string
}

// LineageOf returns the lineage of a pod where nothing better is known: its
// controller in its namespace, such as default/ReplicaSet/web, or the pod itself
// where it has none, such as default/web. For a nil pod it is the empty text.
func LineageOf(p *outrank.Pod) string {
	if p == nil {
		return ""
	}
	if owner := p.Owner.String(); owner != "" {
		return p.NamespaceName() + "/" + owner
	}
	return string(p.Key())
}

// lineage has the record of a lineage that was evicted.
type lineage struct {
	name string
	id   uint32 // numbered from 0 in the order of first eviction
	// times counts the preemptions that evicted it. first and last are when the first and the last of them were.
	times       int
	first, last time.Time
	// by is the lineage of the first preemptor; several is set once there is
	// another one.
	by      string
	several bool
	// chain ends in the latest eviction.
	chain *link
}

// New returns an empty log. The error has everything that is wrong with the
// configuration, in one *[outrank.InputError].
func New(config Config) (*Log, error) {
	if err := config.validate(); err != nil {
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
		cascades: cascades{maxChain: config.MaxChain},
		cycles:   cycleCounts{maxCycles: config.MaxCycles, known: map[string]*cycleCount{}},
	}, nil
}

// Record adds the next preemption and keeps nothing of it but its strings. An
// error wraps [outrank.ErrInvalid] and changes nothing: it is about a preemption
// that is earlier than the last recorded one, a lineage without a name, or a log
// that was not made by [New].
func (h *Log) Record(e Preemption) error {
	if h == nil {
		return errNoLog
	}
	if err := h.check(&e); err != nil {
		return err
	}

	h.now = e.Time
	h.preemptions++
	h.evictions += len(e.Victims)

	// All links start from the chain as it was before this preemption, so the
	// order of the victims does not matter.
	h.names = append(h.names[:0], e.Victims...)
	slices.Sort(h.names)
	from := h.chainOf(e.Preemptor)
	for _, victim := range slices.Compact(h.names) {
		h.evict(&e, from, victim)
	}
	clear(h.names)
	return nil
}

// check returns what is wrong with a preemption.
func (h *Log) check(e *Preemption) error {
	problem := func(field, text string) error {
		object := fmt.Sprintf("preemption %d", h.preemptions+1)
		return &outrank.InputError{Problems: []outrank.Problem{{Object: object, Field: field, Text: text}}}
	}
	if h.lineages == nil {
		return &outrank.InputError{Problems: []outrank.Problem{{Object: "log", Text: "it was not made by New"}}}
	}
	if h.preemptions > 0 && e.Time.Before(h.now) {
		return problem("Time", fmt.Sprintf("%v is before the last one recorded, %v", e.Time, h.now))
	}
	if e.Preemptor == "" {
		return problem("Preemptor", "missing")
	}
	if i := slices.Index(e.Victims, ""); i >= 0 {
		return problem(fmt.Sprintf("Victims[%d]", i), "missing")
	}
	return nil
}

// chainOf returns the chain that a preemption by this lineage continues.
func (h *Log) chainOf(preemptor string) *link {
	l, ok := h.lineages[preemptor]
	if !ok || h.config.Within > 0 && h.now.Sub(l.last) > h.config.Within {
		return begin(preemptor)
	}
	return l.chain
}

// evict records that a victim is evicted from the end of a chain. Where the victim has a place in the chain, the
// links from there on are a round of a cycle. They are taken out: the chain of the victim ends there again.
func (h *Log) evict(e *Preemption, from *link, victim string) {
	l := h.lineages[victim]
	if l == nil {
		l = &lineage{name: victim, id: uint32(len(h.lineages)), first: e.Time, by: e.Preemptor}
		h.lineages[victim] = l
	}
	l.times++
	l.last = e.Time
	l.several = l.several || l.by != e.Preemptor

	// A victim that is in the chain closes a circle.
	if at := from.find(victim); at != nil {
		l.chain = at
		h.cycles.count(h.idsFrom(from, at), e.Time)
		return
	}
	l.chain = h.cascades.extend(from, link{lineage: victim, time: e.Time, node: e.Node})
}

// idsFrom returns the ids of the lineages between two links of a chain, both
// included, the later one first. All of them have an id, because all were evicted: the beginning of a chain
// is among them only as the victim of the round that is being counted.
func (h *Log) idsFrom(from, to *link) []uint32 {
	ids := []uint32{h.lineages[from.lineage].id}
	for at := from; at != to; {
		at = at.before
		ids = append(ids, h.lineages[at.lineage].id)
	}
	return ids
}
