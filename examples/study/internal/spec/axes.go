package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Axis is a property in which cells may differ.
type Axis struct {
	Name, Default, Usage string
	// set parses a value and applies it to a setting.
	set func(*Setting, string) error
}

// Setting is the meaning of a cell's values.
type Setting struct {
	Preemption preemption.Config
	Release    outrank.Release
	Classes    workload.Classes
	Shape      workload.Shape
	Sim        sim.Config
	// Static has the requests of a static pod on every node. It is nil if there is none.
	Static *workload.Amounts
	// Budgets are the disruption budgets of service classes, and Quotas their quotas. They are nil if there are
	// none.
	Budgets []Budget
	Quotas  *Quotas
	// Regret is n if every n-th plan is compared with the best one. It is 0 if none is.
	Regret int
	// Devices is set if the GPUs of a node are separate devices instead of one amount.
	Devices bool
}

// allAxes lists all axes, in the order of the columns of tables. Add a new axis at the end.
var allAxes = []Axis{
	{"policy", "current", "who is evicted: " + names(policies) + ", or a registered one", policy},
	{"release", outrank.DefaultRelease.String(), "whose rules hold: v1.36 or v1.37", func(s *Setting, v string) error {
		return s.Release.UnmarshalText([]byte(v))
	}},
	{"classes", workload.DefaultClasses().String(), "the priority of each service class, like LS=1000,BE=0", func(s *Setting, v string) (err error) {
		s.Classes, err = workload.ParseClasses(v)
		return err
	}},
	{"load", "1", "how many pods there are for each one of the trace", func(s *Setting, v string) error { return factor(v, &s.Shape.Load) }},
	{"timeScale", "1", "what the times between arrivals are multiplied with", func(s *Setting, v string) error { return factor(v, &s.Shape.TimeScale) }},
	{"queue", "priority", "who is scheduled first: " + names(queues), func(s *Setting, v string) error {
		return choose(v, queues, func(d sim.Discipline) { s.Sim.Discipline = d })
	}},
	{"score", "least", "which of the nodes that take a pod: " + names(scores), func(s *Setting, v string) error {
		return choose(v, scores, func(f sim.Score) { s.Sim.Schedulers[0].Score = f })
	}},
	{"order", "sync", "in which order plans are carried out, for a policy without one of its own: " + names(orders), func(s *Setting, v string) error {
		return choose(v, orders, func(o execution.Order) { s.Sim.Order = o })
	}},
	{"earlyPop", "true", "whether a pod may leave its backoff early while the scheduler has nothing else to do", func(s *Setting, v string) error {
		early, err := truth(v)
		run := &s.Sim
		run.Queue.NoEarlyPop = !early
		return err
	}},
	{"cycle", "0s", "how long the scheduler takes for a pod", func(s *Setting, v string) error { return duration(v, &s.Sim.Cycle) }},
	{"grace", sim.DefaultGrace.String(), "how long an evicted pod takes to end", func(s *Setting, v string) error {
		s.Sim.Grace = new(time.Duration)
		return duration(v, s.Sim.Grace)
	}},
	{"kubelets", "false", "whether kubelets admit pods, and evict for critical pods and under pressure: false, true, or true with options like order=best,period=30s,transition=1m,retries=3; the order is class, priority or best", kubelets},
	{"sample", "all", "how many nodes preemption looks at: all, reference (what kube-scheduler takes by default), or a percentage like 10", sample},
	{"until", "end", "how long the run lasts at most, like 3h; end is when nothing happens any more", func(s *Setting, v string) error {
		if v == "end" {
			return nil
		}
		if err := duration(v, &s.Sim.End); err != nil || s.Sim.End == 0 {
			return fmt.Errorf("it is end, or a time above 0 like 3h")
		}
		return nil
	}},
	{"static", "none", "what a static pod of every node asks for, in thousandths of a core and MiB, like 4000,8192; it switches kubelets on", func(s *Setting, v string) error {
		if v == "none" {
			return nil
		}
		asks, err := workload.ParseStatic(v)
		s.Static = &asks
		if s.Sim.Kubelets == nil {
			s.Sim.Kubelets = &sim.Kubelets{}
		}
		return err
	}},
	{"budgets", "none", "disruption budgets: how many pods of a service class have to stay ready, like LS=90%,BE=500", budgets},
	{"quotas", "none", "quotas of service classes, which lend what they do not use: per cent of what all nodes have, like LS=60,BE=40; kueue: or yunikorn: in front has their rules", readQuotas},
	{"regret", "false", "whether plans are compared with the best ones there were, which takes time: false, true for all of them, or a number n for every n-th", regret},
	{"gpus", "amount", "how the GPUs of a node are counted: amount, as Kubernetes does, or devices, each by itself; not for kubelets", func(s *Setting, v string) error {
		return choose(v, map[string]bool{"amount": false, "devices": true}, func(d bool) { s.Devices = d })
	}},
}

var (
	queues = map[string]sim.Discipline{"priority": sim.PriorityQueue, "fifo": sim.FIFOQueue}
	scores = map[string]sim.Score{"least": sim.LeastAllocated, "most": sim.MostAllocated}
	orders = map[string]execution.Order{"sync": execution.Synchronous, "async": execution.Asynchronous}
)

// Axes returns the axes in which cells may differ, in the order of the columns of tables.
func Axes() []Axis { return slices.Clone(allAxes) }

// Setting returns the meaning of a cell's values.
func (c *Cell) Setting() (*Setting, error) {
	s := &Setting{Sim: sim.Config{Schedulers: make([]sim.Scheduler, 1), Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}}}
	for i, a := range allAxes {
		if err := a.set(s, c.Values[i]); err != nil {
			return nil, fmt.Errorf("%s %s: %w", a.Name, c.Values[i], err)
		}
	}
	s.Sim.Schedulers[0].Preemption = s.Preemption
	if err := s.Sim.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// sample sets how many nodes preemption looks at. Its axis has to come after the policy, which replaces the
// whole configuration.
func sample(s *Setting, v string) error {
	switch v {
	case "all":
		return nil
	case "reference":
		s.Preemption.Sample = &preemption.Sample{}
		return nil
	}
	percent, err := strconv.Atoi(v)
	if err != nil || percent < 1 || percent > 100 {
		return fmt.Errorf("it is all, reference or a percentage from 1 to 100")
	}
	s.Preemption.Sample = &preemption.Sample{Percent: percent, Minimum: 1}
	return nil
}

// choose passes one of a few values to take, selected by its name.
func choose[T any](v string, of map[string]T, take func(T)) error {
	x, ok := of[v]
	if !ok {
		return fmt.Errorf("it is one of %s", names(of))
	}
	take(x)
	return nil
}

// names lists the names of a few values.
func names[T any](of map[string]T) string { return strings.Join(slices.Sorted(maps.Keys(of)), ", ") }

// regret sets which plans are compared with the best ones.
func regret(s *Setting, v string) error {
	switch v {
	case "false":
		s.Regret = 0
		return nil
	case "true":
		s.Regret = 1
		return nil
	}
	n, err := strconv.Atoi(v)
	s.Regret = n
	if err != nil || n < 1 || n > 1_000_000 {
		return fmt.Errorf("it is false, true or a number from 1 on")
	}
	return nil
}

// truth parses true or false.
func truth(v string) (bool, error) {
	if v != "true" && v != "false" {
		return false, fmt.Errorf("it is true or false")
	}
	return v == "true", nil
}

// factor parses a factor.
func factor(v string, to *float64) error {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || !(f > 0 && f <= 1_000_000) {
		return fmt.Errorf("it is a factor above 0 and no larger than a million")
	}
	*to = f
	return nil
}

// duration parses a duration.
func duration(v string, to *time.Duration) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return fmt.Errorf("it is a time like 30s, and not negative")
	}
	*to = d
	return nil
}
