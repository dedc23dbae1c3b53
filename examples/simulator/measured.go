package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/simulator/metrics"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
)

// mostKinds is the most kinds of pods in the mix by which fragments are measured.
const mostKinds = 20

// measured returns the configuration of the metrics by the flags.
func (o *options) measured(items []workload.Item) metrics.Config {
	var c metrics.Config
	if o.measures.fragments == "" {
		return c
	}

	pods := make([]*outrank.Pod, len(items))
	for i := range items {
		pods[i] = items[i].Pod
	}
	c.Fragmentation = &metrics.Fragmentation{Resource: o.measures.fragments, Mix: metrics.MixOf(pods, mostKinds)}
	return c
}

// runAnswer is the answer of a run: the summary and, if they were asked for, the metrics.
type runAnswer struct {
	// Version is the version of the program. It is left out if the build does not say.
	Version string `json:"version,omitempty"`
	*report.Summary
	Metrics *metrics.Report `json:"metrics,omitempty"`
}

// output returns the answer of the run.
func (r *runner) output(run *sim.Simulation) *runAnswer {
	out := &runAnswer{Version: stamp.Here().Known(), Summary: &r.result.Summary}
	if r.metrics != nil {
		out.Metrics = r.metrics.Report(run.Now())
	}
	return out
}

func (o *runAnswer) writeText(w io.Writer) error {
	if err := o.Summary.WriteText(w); err != nil || o.Metrics == nil {
		return err
	}
	fmt.Fprintln(w)
	return o.Metrics.WriteText(w)
}

func (o *runAnswer) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(o)
}
