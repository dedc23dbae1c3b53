package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Log records preemptions one by one and follows their chains; the package comment defines
// these. It is for one goroutine at a time.
type Log struct {
	config Config
	// now is the time of the last preemption.
	now time.Time
	// lineages maps the name of every lineage that was ever evicted to its record.
	lineages map[string]*lineage
	cascades cascades
	cycles   cycleCounts
	// preemptions counts the recorded preemptions, and evictions all of their victims.
	preemptions, evictions int
	// names is a buffer for the victims of one preemption.
	names []string
}

// errNoLog is the error of a nil Log.
var errNoLog = fmt.Errorf("%w: no log", outrank.ErrInvalid)

// Config limits what a [Log] follows. Its zero value is ready for use.
type Config struct {
	// Within is the time after the latest eviction of a lineage during which a
	// preemption by it counts as a consequence of that eviction. Zero means forever.
	Within time.Duration
	// MaxChain is the number of links at which a chain is cut: the next link
	// begins a new cascade. A round that is cut is not recognized, so cycles of
	// more than MaxChain lineages are not found. Zero means 1,000.
	MaxChain int
	// MaxCycles is the number of distinct cycles that are kept. The first ones are
	// kept; for later ones only the rounds are counted. Zero means 10,000.
	MaxCycles int
}

// errNoConfig is the error of a nil Config.
var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// The defaults of Config.MaxChain and Config.MaxCycles.
const (
	defaultMaxChain  = 1_000
	defaultMaxCycles = 10_000
)

// validate returns an error with every problem of the configuration.
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
	// Time is when the preemption happened. Preemptions are recorded in chronological order.
	Time time.Time
	Node string
	// Preemptor and Victims are lineages. Two victims may have the same
	// lineage, and Victims may be empty.
	Preemptor string
	Victims   []string
}

// LineageOf returns a lineage for pods about which the caller knows nothing better: the
// controller in its namespace, such as default/ReplicaSet/web, or the pod itself, such as
// default/web, if it has no controller. For a nil pod it returns the empty string.
func LineageOf(p *outrank.Pod) string {
	if p == nil {
		return ""
	}
	if owner := p.Owner.String(); owner != "" {
		return p.NamespaceName() + "/" + owner
	}
	return string(p.Key())
}

// lineage is the record of a lineage that was evicted.
type lineage struct {
	name string
	id   uint32 // numbered from 0 in the order of first eviction
	// times counts the preemptions that evicted it. first and last are the times of the first and the last one.
	times       int
	first, last time.Time
	// by is the lineage of the first preemptor. several is set once a different
	// lineage has evicted it, too.
	by      string
	several bool
	// chain is the chain whose last link is the latest eviction.
	chain *link
}

// New returns an empty log. The error is an *[outrank.InputError] with every problem of
// the configuration.
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

// Record adds the next preemption. It keeps the strings of the preemption, and not its
// slices. An error wraps [outrank.ErrInvalid] and leaves the log as it was: the preemption is
// earlier than the last recorded one, a lineage is empty, or the log was not made by [New].
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

// check returns an error for a preemption that cannot be recorded.
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

// chainOf returns the chain that a preemption by this lineage continues: an empty one if the
// lineage was never evicted, or not within Config.Within.
func (h *Log) chainOf(preemptor string) *link {
	l, ok := h.lineages[preemptor]
	if !ok || h.config.Within > 0 && h.now.Sub(l.last) > h.config.Within {
		return begin(preemptor)
	}
	return l.chain
}

// evict records one victim of a preemption that continues the chain from. If the victim already occurs in the chain,
// the links after it are a round of a cycle: they are counted, and the chain of the victim ends at its place again.
func (h *Log) evict(e *Preemption, from *link, victim string) {
	l := h.lineages[victim]
	if l == nil {
		l = &lineage{name: victim, id: uint32(len(h.lineages)), first: e.Time, by: e.Preemptor}
		h.lineages[victim] = l
	}
	l.times++
	l.last = e.Time
	l.several = l.several || l.by != e.Preemptor

	// A victim that occurs in the chain closes a cycle.
	if at := from.find(victim); at != nil {
		l.chain = at
		h.cycles.count(h.idsFrom(from, at), e.Time)
		return
	}
	l.chain = h.cascades.extend(from, link{lineage: victim, time: e.Time, node: e.Node})
}

// idsFrom returns the ids of the lineages from one link of a chain back to an earlier one, including both. Each
// lineage has an id, because each was evicted: the beginning of the chain can only be included as the victim that
// closes the round.
func (h *Log) idsFrom(from, to *link) []uint32 {
	ids := []uint32{h.lineages[from.lineage].id}
	for at := from; at != to; {
		at = at.before
		ids = append(ids, h.lineages[at.lineage].id)
	}
	return ids
}
