package main

import (
	"io"

	"github.com/outrank-go/outrank"
	htmlpage "github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/samples"
	"github.com/outrank-go/outrank/preemption/engine"
)

// writeHTML draws a decision as a page.
func writeHTML(w io.Writer, d *decision) error {
	a := newAnswer(d, 0)
	in := htmlpage.Input{
		Source: a.Cluster.Source, Snapshot: d.scene.snap, Explanation: d.explained, Report: d.why,
		Priority: howPriorityIsKnown(&a.Pod), Hints: a.Hints, Now: d.scene.now, NoEffect: a.NoEffect, Goes: a.Goes,
	}

	for _, c := range d.scene.caveats {
		in.Caveats = append(in.Caveats, caveatText(c))
	}
	if d.steps != nil {
		in.Tables = d.steps.Tables()
	}

	in.Tables = append(in.Tables, aboutSample(d.scene.opts)...)
	if d.then != nil {
		in.Replacements = d.then.Replacements
	}
	return htmlpage.Write(w, in)
}

// drawn is an answer that can be drawn as a page about the whole cluster. pod is the pod in question, or nil.
type drawn interface {
	Overview(snap *engine.Snapshot, pod *outrank.Pod) *htmlpage.Overview
}

// writeOverview draws an answer about the whole cluster. The answer provides its own part of the page, and the
// program adds the parts that every page has.
func writeOverview(w io.Writer, q *answeredQuestion) error {
	var pod *outrank.Pod
	if q.scene.question != nil {
		pod = q.scene.question.pod
	}

	in := q.reply.(drawn).Overview(q.scene.snap, pod)
	in.Source, in.Now = dumpOf(q.scene).Source, q.scene.now
	in.Tables = append(in.Tables, aboutSample(q.scene.opts)...)
	for _, c := range q.scene.caveats {
		in.Caveats = append(in.Caveats, caveatText(c))
	}
	return htmlpage.WriteOverview(w, *in)
}

// aboutSample returns the part of a page that says what the sample shows.
func aboutSample(o *options) []htmlpage.Table {
	s, ok := samples.Named(o.sample)
	if !ok || !o.sampleAsked {
		return nil
	}
	return []htmlpage.Table{{Title: "What the sample " + s.Name + " shows", Note: s.Line, Text: s.About}}
}
