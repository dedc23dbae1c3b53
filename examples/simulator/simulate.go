package main

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/metrics"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// simulate runs the input and writes the results. If the context ends first, it writes the results so far and
// returns the interruption. The summary is written before the picture, so that no failure of the picture
// prevents it.
func simulate(ctx context.Context, r *runner, stdout, stderr io.Writer) error {
	run, err := orInterrupted(ctx, beforeAll, r.prepare)
	if err != nil {
		return err
	}

	r.progress = report.NewProgress(stderr)
	r.picture = chart.NewRecorder(namesOf(run.Resources())...)

	f := r.files
	var eventsErr error
	if f.events == nil {
		err = r.play(ctx, run)
	} else {
		eventsErr = f.events.fill(func(w io.Writer) error {
			r.log = report.NewLog(w)
			err = r.play(ctx, run)
			return r.log.Close()
		})
	}

	r.progress.End()
	if r.result == nil {
		return eventsErr // the log could not be started, so nothing was run
	}

	out := r.output(run)
	summaryErr := writeWhole(stdout, r.opts, out.writeText, out.writeJSON)
	return errors.Join(eventsErr, summaryErr, r.draw(f.chart, out.Summary), err)
}

// runner is one run with its outputs.
type runner struct {
	opts     *options
	files    *files
	in       *input
	log      *report.Log // nil without -events
	progress *report.Progress
	picture  *chart.Recorder
	drawErr  error
	result   *sim.Result
	metrics  *metrics.Collector // nil without -metrics
}

// prepare makes the simulation without starting it.
func (r *runner) prepare() (*sim.Simulation, error) {
	config := r.opts.simulation()

	// Listeners are set only for outputs that need them, because an observer makes the run slower.
	if r.files.events != nil {
		config.Observe = r.note
	}
	if r.files.chart != nil {
		config.Sample = func(s chart.Sample) { r.drawErr = cmp.Or(r.drawErr, r.picture.Add(s)) }
	}

	cluster, err := r.in.cluster()
	if err != nil {
		return nil, err
	}
	if r.opts.wantsMetrics() {
		if r.metrics, err = metrics.New(cluster, r.opts.measured(r.in.items)); err != nil {
			return nil, err
		}
		config.Follow = r.metrics.Event
	}

	// Progress is first called during the run, when run has been set.
	var run *sim.Simulation
	config.Progress = func() { r.progress.Step(run.Progress(), run.Steps()) }
	run, err = sim.New(cluster, workOf(r.in.items), config)
	return run, err
}

// cluster returns the initial cluster. With gangs it gets a release that supports them.
func (in *input) cluster() (*outrank.Cluster, error) {
	cluster := &outrank.Cluster{Nodes: in.nodes, Groups: in.groups}
	if len(cluster.Groups) == 0 {
		return cluster, nil
	}
	var err error
	cluster.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	return cluster, err
}

// play runs the simulation until it ends or the context does.
func (r *runner) play(ctx context.Context, run *sim.Simulation) (err error) {
	r.result, err = run.Run(ctx)
	if errors.Is(err, context.Canceled) {
		return duringRun
	}
	return err
}

// simulation returns the configuration of a run by the flags.
func (o *options) simulation() sim.Config {
	c := sim.Config{
		Schedulers: []sim.Scheduler{{Preemption: preemption.Config{Variant: o.variant}, Score: o.score.Score, Scorer: o.score.Scorer}},
		Discipline: o.queue, Order: o.order, Cycle: o.cycle, Grace: &o.grace, Seed: o.shape.Seed,
		End: o.until, Audit: o.measures.audit,
	}
	c.Queue.NoEarlyPop = !o.earlyPop
	if o.kubelets {
		kubelets := o.kubeletOrder
		c.Kubelets = &kubelets
	}
	if o.recreate {
		c.Recreate.Rule = sim.RecreateWhenGone
	}
	return c
}

// workOf returns the items as work of a simulation.
func workOf(items []workload.Item) []sim.Work {
	work := make([]sim.Work, len(items))
	for i := range items {
		x := &items[i]
		work[i] = sim.Work{Pod: x.Pod, Arrival: x.Arrival, Duration: x.Duration, Endless: x.Endless, Usage: x.Usage}
	}
	return work
}

// namesOf returns the names of resources for people.
func namesOf(resources []resource.Name) []string {
	names := make([]string, len(resources))
	for i, name := range resources {
		names[i] = string(name)
		if name == workload.GPU {
			names[i] = "GPUs"
		}
	}
	return names
}

// note writes an event to the log.
func (r *runner) note(e sim.Event) {
	line := report.Event{Time: e.Time, Kind: string(e.Kind), Node: e.Node, Details: e.Text}
	if e.Pod != nil {
		line.Pod = string(e.Pod.Key())
	}
	r.log.Add(line)
}
