package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/report"
)

// draw draws the picture of the run into a file.
func (r *runner) draw(to *output, s *report.Summary) error {
	end := time.Duration(s.Simulated * float64(time.Second))
	caption := chart.Caption{
		Title: fmt.Sprintf("%s nodes, %s pods, %s: %s pods evicted at least once", report.Count(len(r.in.nodes)),
			report.Count(s.Pods.Arrived), report.Seconds(s.Simulated), report.Count(s.Pods.Evicted)),
		Lines: []string{r.opts.rules(), r.opts.calledWith()},
	}
	if k := s.Kubelets; k != nil {
		caption.Evictions = fmt.Sprintf("kubelets evicted %s for critical pods, %s under pressure",
			report.Count(k.ForCritical), report.Count(k.UnderMemory+k.UnderDisk))
	}

	return to.fill(func(w io.Writer) error {
		return errors.Join(r.drawErr, chart.Write(w, caption, r.picture.Series(end)))
	})
}

// rules describes the rules of a run, including those that no flag has set.
func (o *options) rules() string {
	parts := []string{
		"policy " + o.texts["policy"], "queue " + o.queue.String(), "score " + o.texts["score"], "order " + o.texts["order"],
		"grace " + o.grace.String(), "cycle " + o.cycle.String(), fmt.Sprintf("seed %d", o.shape.Seed),
	}

	for _, x := range []struct {
		text string
		set  bool
	}{
		{"pods wait out their backoff", !o.earlyPop},
		{"evicted pods do not come back", !o.recreate},
		{fmt.Sprintf("gangs of %d", o.gangs), o.gangs > 0},
		{"kubelets on every node, order " + cmp.Or(o.texts["kubelet-order"], "class"), o.kubelets},
	} {
		if x.set {
			parts = append(parts, x.text)
		}
	}
	return "Rules: " + strings.Join(parts, ", ")
}

// calledWith describes the given flags, except those for outputs.
func (o *options) calledWith() string {
	if len(o.given) == 0 {
		return "Called without flags: the sample"
	}
	return "Called with " + strings.Join(o.given, " ")
}

// give records a flag that was given, in the form of the command line. Only the last part of a path is kept,
// so that the picture does not depend on where files are.
func (o *options) give(f *flag.Flag) {
	text := "-" + f.Name + " " + cmp.Or(f.Value.String(), o.texts[f.Name])
	switch f.Name {
	case "o", "events", "chart", "inspect", "metrics", "fragments", "audit":
		return
	case "nodes", "pods":
		text = "-" + f.Name + " " + filepath.Base(f.Value.String())
	case "kubelets", "recreate", "early-pop":
		text = "-" + f.Name + "=" + f.Value.String()
	}
	o.given = append(o.given, strings.TrimSuffix(text, "=true"))
}
