package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// simulate runs the input and writes what came of it. Where the context ends
// first, that is what was simulated until then, and its error.
func simulate(ctx context.Context, opts *options, stdout, stderr io.Writer) error {
	in, err := load(opts)
	if err != nil {
		return err
	}
	r := &runner{opts: opts, in: in, progress: report.NewProgress(stderr)}
	if opts.events == "" {
		err = r.play(ctx)
	} else {
		err = toFile(opts.events, stdout, func(w io.Writer) error {
			r.log = report.NewLog(w)
			return errors.Join(r.play(ctx), r.log.Close())
		})
	}
	r.progress.End()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.Join(r.write(stdout), err)
}

// runner is one run with its outputs.
type runner struct {
	opts     *options
	in       *input
	log      *report.Log
	progress *report.Progress
	picture  *chart.Recorder // nil where nobody wants one
	result   *sim.Result
}

// play runs the simulation to its end, or to that of the context.
func (r *runner) play(ctx context.Context) error {
	config := r.opts.simulation()
	if r.log != nil {
		config.Observe = r.note
	}
	var drawErr error
	if r.opts.chart != "" {
		config.Sample = func(s chart.Sample) { drawErr = errors.Join(drawErr, r.picture.Add(s)) }
	}
	var run *sim.Simulation
	config.Progress = func() { r.progress.Step(run.Progress(), run.Steps()) }
	run, err := sim.New(&outrank.Cluster{Nodes: r.in.nodes}, workOf(r.in.items), config)
	if err != nil {
		return err
	}
	r.picture = chart.NewRecorder(namesOf(run.Resources())...)
	r.result, err = run.Run(ctx)
	return errors.Join(err, drawErr)
}

// simulation is what the flags say about the run.
func (o *options) simulation() sim.Config {
	c := sim.Config{
		Schedulers: []sim.Scheduler{{Preemption: preemption.Config{Policy: o.policy}, Score: o.score}},
		Discipline: o.queue, Order: o.order, Cycle: o.cycle, Grace: &o.grace, Seed: o.shape.Seed,
		End: o.until,
	}
	c.Queue.NoEarlyPop = !o.earlyPop
	if o.recreate {
		c.Recreate.Rule = sim.RecreateWhenGone
	}
	return c
}

func workOf(items []workload.Item) []sim.Work {
	work := make([]sim.Work, len(items))
	for i := range items {
		x := &items[i]
		work[i] = sim.Work{Pod: x.Pod, Arrival: x.Arrival, Duration: x.Duration, Endless: x.Endless}
	}
	return work
}

// namesOf are the names of resources for people.
func namesOf(resources []resource.Name) []string {
	names := make([]string, len(resources))
	for i, name := range resources {
		if names[i] = string(name); name == workload.GPU {
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

// write writes the picture and the summary.
func (r *runner) write(stdout io.Writer) error {
	s := &r.result.Summary
	end := time.Duration(s.Simulated * float64(time.Second))
	title := fmt.Sprintf("%s nodes, %s pods", report.Count(len(r.in.nodes)), report.Count(s.Pods.Arrived))
	err := toFile(r.opts.chart, stdout, func(w io.Writer) error { return chart.Write(w, title, r.picture.Series(end)) })
	if err != nil {
		return err
	}
	// All at once, so that an error leaves no half answer.
	var out bytes.Buffer
	if r.opts.format == "json" {
		err = s.WriteJSON(&out)
	} else {
		err = s.WriteText(&out)
	}
	if err != nil {
		return err
	}
	_, err = out.WriteTo(stdout)
	return err
}
