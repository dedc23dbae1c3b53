package measure

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/trace"
	"github.com/outrank-go/outrank/resource"
)

// Run simulates a cell with a seed. What goes wrong, a panic too, is in the result, so
// that other runs go on; the error is that of the context alone.
func Run(ctx context.Context, study *spec.Study, cell spec.Cell, seed uint64) (r *Result, err error) {
	r = &Result{Cell: cell, Seed: seed}
	begun := time.Now()
	defer func() {
		if p := recover(); p != nil {
			*r, err = Result{Cell: cell, Seed: seed, Error: fmt.Sprintf("panic: %v at %s", p, where())}, nil
		}
		r.Seconds = time.Since(begun).Seconds()
	}()
	if err := r.simulate(ctx, study); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		*r = Result{Cell: cell, Seed: seed, Error: err.Error()}
	}
	return r, nil
}

// where is the line that panicked, of the trace that is at hand when it is recovered.
func where() string {
	lines := strings.Split(string(debug.Stack()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+3 < len(lines) {
			at, _, _ := strings.Cut(strings.TrimSpace(lines[i+3]), " ")
			return at[strings.LastIndexByte(at, '/')+1:]
		}
	}
	return "an unknown place"
}

func (r *Result) simulate(ctx context.Context, study *spec.Study) error {
	of, err := study.Trace(r.Cell.Trace)
	if err != nil {
		return err
	}
	setting, err := r.Cell.Setting()
	if err != nil {
		return err
	}
	t, err := trace.Load(ctx, of, setting.Classes)
	if err != nil {
		return err
	}
	use := &use{}
	s, err := prepare(t, setting, r.Seed, use)
	if err != nil {
		return err
	}
	use.resources = s.Resources()
	result, err := s.Run(ctx)
	if err != nil {
		return err
	}
	r.note(result, use)
	return r.sketch(result)
}

// prepare makes the simulation.
func prepare(t *trace.Trace, setting *spec.Setting, seed uint64, use *use) (*sim.Simulation, error) {
	config := setting.Sim
	config.Seed, config.Sample = seed, use.sample
	if sample := config.Schedulers[0].Preemption.Sample; sample != nil {
		seeded := *sample
		seeded.Seed = seed
		config.Schedulers[0].Preemption.Sample = &seeded
	}
	cluster := *t.Cluster
	cluster.Release = setting.Release
	shape := setting.Shape
	shape.Seed = seed
	var work []sim.Work
	if t.Items != nil {
		items, err := shape.Of(t.Items)
		if err != nil {
			return nil, err
		}
		work = workOf(items)
	}
	return sim.New(&cluster, work, config)
}

func workOf(items []workload.Item) []sim.Work {
	work := make([]sim.Work, len(items))
	for i := range items {
		x := &items[i]
		work[i] = sim.Work{Pod: x.Pod, Arrival: x.Arrival, Duration: x.Duration, Endless: x.Endless}
	}
	return work
}

// note puts the run in figures.
func (r *Result) note(of *sim.Result, use *use) {
	pods, p := &of.Pods, &of.Preemption
	r.Figures = map[string]float64{
		"arrived": float64(pods.Arrived), "finished": float64(pods.Finished), "waiting": float64(pods.Waiting),
		"preemptions": float64(p.Preemptions), "evictions": float64(p.Evictions),
		"evictedPods": float64(pods.Evicted), "evictedAgain": float64(pods.EvictedAgain),
		"lostPodHours": of.Lost.PodSeconds / 3600, "lostCPUHours": of.Lost.CPUHours,
		"cascades": float64(p.Cascades), "cycles": float64(p.Cycles), "repeats": float64(p.Repeats),
		"hours": of.Simulated / 3600,
	}
	end := time.Duration(of.Simulated * float64(time.Second))
	for name, metric := range map[resource.Name]string{resource.CPU: "useCPU", resource.Memory: "useMemory", workload.GPU: "useGPU"} {
		if share, ok := use.mean(name, end); ok {
			r.Figures[metric] = 100 * share
		}
	}
	total, count := 0.0, 0
	for _, w := range of.Summary.Waits {
		for i, v := range []float64{w.Mean, w.Median, w.P95, w.Max} {
			r.Figures[waitName(waitMetrics[i].Name, w.Priority)] = v
		}
		total, count = total+w.Mean*float64(w.Pods), count+w.Pods
	}
	if count > 0 {
		r.Figures["waitMean"] = total / float64(count)
	}
	for _, n := range of.Metrics.ScheduleAttempts {
		r.Attempts += n
	}
}

// sketch keeps the waits themselves.
func (r *Result) sketch(of *sim.Result) (err error) {
	sketches := map[int32]*Sketch{}
	of.Waited.Each(func(priority int32, wait time.Duration) {
		s := sketches[priority]
		if s == nil {
			s = NewSketch()
			sketches[priority] = s
		}
		if addErr := s.Add(wait.Seconds()); addErr != nil {
			err = addErr
		}
	})
	r.Waits = map[int32][]byte{}
	for priority, s := range sketches {
		r.Waits[priority] = s.Bytes()
	}
	return err
}

// use adds up how much of each resource is in use over time.
type use struct {
	resources []resource.Name
	at        time.Duration
	shares    []float64
	sums      []float64
}

func (u *use) sample(s chart.Sample) {
	u.hold(s.Time)
	u.shares = u.shares[:0]
	for _, l := range s.Levels {
		share := 0.0
		if l.Capacity > 0 {
			share = l.Used / l.Capacity
		}
		u.shares = append(u.shares, share)
	}
}

// hold adds what is in use up to a time.
func (u *use) hold(until time.Duration) {
	if u.sums == nil {
		u.sums = make([]float64, len(u.resources))
	}
	for i, share := range u.shares {
		u.sums[i] += share * (until - u.at).Seconds()
	}
	u.at = until
}

// mean is the mean share of a resource up to the end; not ok if there is none of it.
func (u *use) mean(name resource.Name, end time.Duration) (float64, bool) {
	u.hold(max(end, u.at))
	for i, of := range u.resources {
		if of == name && end > 0 {
			return u.sums[i] / end.Seconds(), true
		}
	}
	return 0, false
}
