package measure

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/course"
	"github.com/outrank-go/outrank/examples/study/internal/devices"
	"github.com/outrank-go/outrank/examples/study/internal/metric"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/trace"
	"github.com/outrank-go/outrank/resource"
)

// Run simulates a cell with a seed. A failure of the run, even a panic, becomes part of the result, so that
// other runs continue. The error is only that of the context.
func Run(ctx context.Context, study *spec.Study, cell spec.Cell, seed uint64) (r *Result, err error) {
	r = &Result{Cell: cell, Seed: seed}
	begun := time.Now()
	defer func() {
		// A rule of the caller's may panic. That concerns only this run.
		if p := recover(); p != nil {
			*r, err = Result{Cell: cell, Seed: seed, Error: fmt.Sprintf("panic: %v at %s", p, where())}, nil
		}
		if r != nil { // r is nil if the context has ended
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

// where returns the file and line that has panicked. It is called while recovering.
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

// simulate performs the run, and stores its figures and waits.
func (r *Result) simulate(ctx context.Context, study *spec.Study) error {
	source, err := study.Trace(r.Cell.Trace)
	if err != nil {
		return err
	}
	setting, err := r.Cell.Setting()
	if err != nil {
		return err
	}
	t, err := trace.Load(ctx, source, setting.Classes)
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

// prepare makes the simulation. The trace is shared by runs, and only read.
func prepare(t *trace.Trace, setting *spec.Setting, seed uint64, watch *watch) (*sim.Simulation, error) {
	config := setting.Sim
	config.Seed = seed
	config.Sample, config.Decided = watch.sample, watch.decided
	decides := &config.Schedulers[0].Preemption
	nodes := t.Cluster.Nodes
	if setting.Quotas != nil {
		if err := setting.Quotas.Use(decides, nodes); err != nil {
			return nil, err
		}
	}

	items, err := itemsOf(t, setting, seed)
	if err != nil {
		return nil, err
	}

	// A course finds pods by the trace, and knows no kubelets; see watch.course.
	if config.Kubelets == nil && t.Items != nil {
		watch.course = course.New(nodes, items, *config.Grace)
		config.Bind = watch.bound
		if setting.Devices {
			decides.Filters = append(slices.Clip(decides.Filters), devices.Filter(watch.course.Table()))
		}
	}

	s, err := sim.New(clusterOf(t, setting), workOf(items), config)
	if err != nil {
		return nil, err
	}
	watch.now = s.Now
	watch.begun = s.Time().Add(-s.Now())
	return s, nil
}

// clusterOf returns the cluster of the trace, with the release and the budgets of the setting.
func clusterOf(t *trace.Trace, setting *spec.Setting) *outrank.Cluster {
	cluster := *t.Cluster
	cluster.Release = setting.Release
	cluster.Budgets = slices.Clip(cluster.Budgets)
	for i := range setting.Budgets {
		cluster.Budgets = append(cluster.Budgets, setting.Budgets[i].Object())
	}
	return &cluster
}

// itemsOf returns the pods that arrive during the run. The pods of the trace are only read.
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

	kubelets := setting.Sim.Kubelets != nil
	for i := range items {
		x := &items[i]
		if x.NeedsKubelets() && !kubelets {
			return nil, fmt.Errorf("pod %.60q: node_name, static and memory_used_mib need kubelets", x.Pod.Name)
		}
		// Budgets select pods by a label with their class.
		if len(setting.Budgets) > 0 {
			labelled := *x.Pod
			labelled.Labels = map[string]string{spec.ClassLabel: x.Class}
			x.Pod = &labelled
		}
	}
	return items, nil
}

// workOf converts the items to the work of a simulation.
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
	r.Figures = countsOf(of)
	r.Figures["violations"] = float64(watch.violations)
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

	noteWaits(of.Summary.Waits, r.Figures)
	for _, n := range of.Metrics.ScheduleAttempts {
		r.Attempts += n
	}
}

// countsOf returns the figures that the simulation itself counts.
func countsOf(of *sim.Result) map[string]float64 {
	pods, p := &of.Pods, &of.Preemption
	figures := map[string]float64{
		"arrived": float64(pods.Arrived), "finished": float64(pods.Finished), "waiting": float64(pods.Waiting),
		"preemptions": float64(p.Preemptions), "evictions": float64(p.Evictions),
		"evictedPods": float64(pods.Evicted), "evictedAgain": float64(pods.EvictedAgain),
		"lostPodHours": of.Lost.PodSeconds / 3600, "lostCPUHours": of.Lost.CPUHours,
		"cascades": float64(p.Cascades), "cycles": float64(p.Cycles), "repeats": float64(p.Repeats),
		"hours": of.Simulated / 3600,
	}
	if k := of.Kubelets; k != nil {
		rejected := 0
		for _, x := range k.Rejected {
			rejected += x.Pods
		}
		figures["kubeletEvictions"] = float64(k.ForCritical + k.UnderMemory + k.UnderDisk)
		figures["kubeletRejections"] = float64(rejected)
	}
	return figures
}

// noteWaits stores the waits of each priority, and the mean over all pods.
func noteWaits(waits []report.Wait, figures map[string]float64) {
	total, count := 0.0, 0
	for _, w := range waits {
		// The first metrics by priority are about waits.
		for i, v := range []float64{w.Mean, w.Median, w.P95, w.Max} {
			figures[metric.NameAt(metric.ByPriority[i].Name, w.Priority)] = v
		}
		total += w.Mean * float64(w.Pods)
		count += w.Pods
	}
	if count > 0 {
		figures["waitMean"] = total / float64(count)
	}
}

// sketch stores sketches of the waits.
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
	// shares are the shares in use since the time at.
	at     time.Duration
	shares []float64
	// sums are the integrals of the shares, in seconds.
	sums []float64
}

// sample records the present usage.
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

// mean returns the mean share of a resource up to the end. It is not ok if there is no such resource.
func (u *use) mean(name resource.Name, end time.Duration) (float64, bool) {
	u.hold(max(end, u.at))
	for i, other := range u.resources {
		if other == name && end > 0 {
			return u.sums[i] / end.Seconds(), true
		}
	}
	return 0, false
}
