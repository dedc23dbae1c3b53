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
	// one, the caller's. The answer does not depend on it.
	Workers int
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
	for _, name := range builtIn {
		taken[name] = true
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
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

// builtIn are the filters' names in the order in which they run; a filter is
// known by its place here, the caller's own follow.
var builtIn = [...]string{
	NodeUnschedulable, NodeName, TaintToleration, NodeAffinity,
	NodePorts, NodeResourcesFit, PodTopologySpread, InterPodAffinity,
}

// Places of the built-in filters.
const (
	byNone = iota - 1
	byUnschedulable
	byNodeName
	byTaints
	byNodeAffinity
	byPorts
	byResources
	bySpread
	byInterPod
	byOwn // the first of the caller's own
)
