package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// Config is how to decide. Its zero value decides what kube-scheduler does,
// looking at every node, on the caller's goroutine.
type Config struct {
	// Filters are the caller's own rules, asked after the built-in ones, in
	// this order.
	Filters []Filter
	// Workers is how many goroutines share the work of one call; zero means
	// one, the caller's. The answer does not depend on it. More than one pay on
	// large clusters: with the default rules the caller works alone on fewer than
	// 1,024 nodes. The others end before the call does; until then they wait
	// without sleeping, so that more of them than processors gain nothing.
	Workers int
	// Policy is the variant of preemption; zero is today's.
	Policy Policy
	// Sample limits the search to some of the nodes; nil looks at all.
	Sample *Sample
	// Extenders have a say in the candidates, in this order.
	Extenders []Extender
	// MayEvict protects pods: only those of lower priority that it allows can
	// be victims. Nil allows all. Several goroutines may call it at once.
	MayEvict func(preemptor, victim *outrank.Pod) bool
	// Importance orders the possible victims of a node in place of priority
	// and start time: negative if a is more important than b. Ties go by the
	// default order. Nil is that order. Several goroutines may call it at once.
	Importance func(a, b *outrank.Pod) int
	// Scorers rank the candidates in place of the policy's ranks: the highest
	// score wins, the next scorer decides among equals, and the order of the
	// nodes in the end. Every candidate is then worked out in full.
	Scorers []Scorer
}

// Scorer gives candidates a score of the caller's own.
type Scorer struct {
	// Name is for people.
	Name string
	// Score may look at the candidate, and must not change it.
	Score func(c *Candidate) int64
}

// maxWorkers keeps a mistaken number from starting goroutines without bound.
const maxWorkers = 1024

// Validate names everything that is wrong with the configuration, in one
// *[outrank.InputError].
func (c *Config) Validate() error {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if c.Workers < 0 || c.Workers > maxWorkers {
		add("Workers", "%d is not between 0 and %d", c.Workers, maxWorkers)
	}
	taken := map[string]bool{}
	for _, f := range builtIn {
		taken[f.name] = true
	}
	for i, f := range c.Filters {
		at := fmt.Sprintf("Filters[%d]", i)
		switch {
		case f == nil:
			add(at, "missing")
		case f.Name() == "":
			add(at, "has no name")
		case taken[f.Name()]:
			add(at, "there is another filter of the name %q", f.Name())
		default:
			taken[f.Name()] = true
		}
	}
	for i, x := range c.Extenders {
		if x == nil {
			add(fmt.Sprintf("Extenders[%d]", i), "missing")
		}
	}
	for i, x := range c.Scorers {
		if x.Score == nil {
			add(fmt.Sprintf("Scorers[%d].Score", i), "missing")
		}
	}
	ps = append(ps, c.Policy.problems()...)
	if c.Sample != nil {
		ps = append(ps, c.Sample.problems()...)
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}
