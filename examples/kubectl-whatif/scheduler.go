package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/schedulerconfig"
)

// configFor is how the scheduler of a pod decides: kube-scheduler's default, or by
// the file of --scheduler-config, by the rules of a release. The warnings say what of the file does not count.
func (o *options) configFor(r outrank.Release, pod *outrank.Pod) (preemption.Config, []outrank.Problem, error) {
	if o.scheduler == "" {
		return preemption.Config{Workers: o.workers}, nil, nil
	}
	f, err := os.Open(o.scheduler)
	if err != nil {
		return preemption.Config{}, nil, fmt.Errorf("--scheduler-config: %w", err)
	}
	defer f.Close()
	read, err := schedulerconfig.ReadIn(r, f)
	if err != nil {
		return preemption.Config{}, nil, unusable("--scheduler-config "+o.scheduler, err)
	}
	p, ok := read.Profile(pod.Scheduler())
	if !ok {
		return preemption.Config{}, nil, fmt.Errorf("--scheduler-config %s has no profile for %q, the scheduler of pod %s: it leaves the pod alone",
			o.scheduler, pod.Scheduler(), pod.Key())
	}
	warnings := slices.Clone(p.Unsupported)
	config := p.Config
	config.Workers = o.workers
	if config.Plugins.SpreadSelector == nil && needsSelector(&config) {
		config.Plugins.DefaultSpread = nil
		warnings = append(warnings, outrank.Problem{
			Object: "KubeSchedulerConfiguration", Field: "defaultConstraints",
			Text: "left out: which pods count depends on services and controllers, which are not read from a dump",
		})
	}
	return config, warnings, nil
}

// needsSelector reports whether a default constraint can keep a pod out.
func needsSelector(c *preemption.Config) bool {
	return slices.ContainsFunc(c.Plugins.DefaultSpread, func(s outrank.TopologySpreadConstraint) bool {
		return s.WhenUnsatisfiable == outrank.DoNotSchedule
	})
}
