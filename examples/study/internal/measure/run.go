package measure

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/course"
	"github.com/outrank-go/outrank/examples/study/internal/devices"
	"github.com/outrank-go/outrank/examples/study/internal/metric"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/trace"
	"github.com/outrank-go/outrank/resource"
)

// Run simulates a cell with a seed. Its errors, a panic too, are in the result,
// so that other runs go on; the error is that of the context alone.
func Run(ctx context.Context, study *spec.Study, cell spec.Cell, seed uint64) (r *Result, err error) {
	r = &Result{Cell: cell, Seed: seed}
	begun := time.Now()
	defer func() {
		if p := recover(); p != nil {
			*r, err = Result{Cell: cell, Seed: seed, Error: fmt.Sprintf("panic: %v at %s", p, where())}, nil
		}
		if r != nil { // nil where the context ended
			r.Seconds = time.Since(begun).Seconds()
		}
	}()
	if err := r.simulate(ctx, study); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		*r = Result{Cell: cell, Seed: seed, Error: err.Error()}
	}
	return r, nil
}

// where is the line that panicked, of the present trace when it is recovered.
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
	watch := &watch{regret: setting.Regret}
	s, err := prepare(t, setting, r.Seed, watch)
	if err != nil {
		return err
	}
	watch.use.resources = s.Resources()
	result, err := s.Run(ctx)
	if err != nil {
		return err
	}
	r.note(result, watch)
	return r.sketch(result)
}

// prepare makes the simulation.
func prepare(t *trace.Trace, setting *spec.Setting, seed uint64, watch *watch) (*sim.Simulation, error) {
	config := setting.Sim
	config.Seed, config.Sample, config.Decided = seed, watch.sample, watch.decided
	decides := &config.Schedulers[0].Preemption
	if setting.Quotas != nil {
		if err := setting.Quotas.Use(decides, t.Cluster.Nodes); err != nil {
			return nil, err
		}
	}
	cluster := *t.Cluster
	cluster.Release = setting.Release
	for i := range setting.Budgets {
		cluster.Budgets = append(cluster.Budgets[:len(cluster.Budgets):len(cluster.Budgets)], setting.Budgets[i].Object())
	}
	items, err := itemsOf(t, setting, seed)
	if err != nil {
		return nil, err
	}
	if config.Kubelets == nil && t.Items != nil {
		watch.course = course.New(t.Cluster.Nodes, items, *config.Grace)
		config.Bind = watch.bound
		if setting.Devices {
			decides.Filters = append(decides.Filters[:len(decides.Filters):len(decides.Filters)], devices.Filter(watch.course.Table()))
		}
	}
	s, err := sim.New(&cluster, workOf(items), config)
	if err != nil {
		return nil, err
	}
	watch.now, watch.begun = s.Now, s.Time().Add(-s.Now())
	return s, nil
}

// itemsOf are the pods to come. Those of the trace are left alone.
func itemsOf(t *trace.Trace, setting *spec.Setting, seed uint64) (items []workload.Item, err error) {
	if t.Items != nil {
		shape := setting.Shape
		shape.Seed = seed
		if items, err = shape.Of(t.Items); err != nil {
			return nil, err
		}
	}
	if setting.Static != nil {
		if items, err = workload.StaticPods(items, t.Cluster.Nodes, *setting.Static); err != nil {
			return nil, err
		}
	}
	for i := range items {
		x := &items[i]
		if x.NeedsKubelets() && setting.Sim.Kubelets == nil {
			return nil, fmt.Errorf("pod %.60q: node_name, static and memory_used_mib need kubelets", x.Pod.Name)
		}
		if len(setting.Budgets) > 0 {
			labelled := *x.Pod
			labelled.Labels = map[string]string{spec.ClassLabel: x.Class}
			x.Pod = &labelled
		}
	}
	return items, nil
}

func workOf(items []workload.Item) []sim.Work {
	work := make([]sim.Work, len(items))
	for i := range items {
		x := &items[i]
		work[i] = sim.Work{Pod: x.Pod, Arrival: x.Arrival, Duration: x.Duration, Endless: x.Endless, Usage: x.Usage}
	}
	return work
}

// note computes the figures of the run.
func (r *Result) note(of *sim.Result, watch *watch) {
	pods, p := &of.Pods, &of.Preemption
	r.Figures = map[string]float64{
		"arrived": float64(pods.Arrived), "finished": float64(pods.Finished), "waiting": float64(pods.Waiting),
		"preemptions": float64(p.Preemptions), "evictions": float64(p.Evictions),
		"evictedPods": float64(pods.Evicted), "evictedAgain": float64(pods.EvictedAgain),
		"lostPodHours": of.Lost.PodSeconds / 3600, "lostCPUHours": of.Lost.CPUHours,
		"cascades": float64(p.Cascades), "cycles": float64(p.Cycles), "repeats": float64(p.Repeats),
		"hours": of.Simulated / 3600, "violations": float64(watch.violations),
	}
	if k := of.Kubelets; k != nil {
		rejected := 0
		for _, x := range k.Rejected {
			rejected += x.Pods
		}
		r.Figures["kubeletEvictions"], r.Figures["kubeletRejections"] = float64(k.ForCritical+k.UnderMemory+k.UnderDisk), float64(rejected)
	}
	watch.note(r.Figures)
	end := time.Duration(math.Round(of.Simulated * float64(time.Second)))
	if watch.course != nil {
		watch.course.Figures(end, r.Figures)
	}
	for name, to := range map[resource.Name]string{resource.CPU: "useCPU", resource.Memory: "useMemory", workload.GPU: "useGPU"} {
		if share, ok := watch.use.mean(name, end); ok {
			r.Figures[to] = 100 * share
		}
	}
	total, count := 0.0, 0
	for _, w := range of.Summary.Waits {
		for i, v := range []float64{w.Mean, w.Median, w.P95, w.Max} {
			r.Figures[metric.NameAt(metric.ByPriority[i].Name, w.Priority)] = v
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

// use sums the usage of each resource over time.
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

// hold adds the usage up to a time.
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
