// Command whatif answers before anybody acts: who would this pod push out of
// the cluster I have, and why?
//
//	kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers -A -o json > dump.json
//	whatif --cluster dump.json --pending shop/checkout-2
//	whatif --cluster dump.json --filename manifest.json
//	whatif --cluster dump.json --cpu 4 --memory 8Gi --class production
//
// Without --cluster it asks about a small sample cluster that comes with it, and
// without a pod, too, about a pending pod of the sample: run it with no
// arguments to see what an answer looks like.
//
// The pod is one of
//
//   - a pending pod of the dump (--pending), taken as it stands, with the
//     priority it was given when it was created; or a pod on a node whose resize in
//     place is deferred, with the gate InPlacePodVerticalScalingSchedulerPreemption;
//   - a manifest in JSON (--filename), whose priority is worked out from the classes
//     of the dump as the API server would. Where the dump holds no classes but
//     the manifest a number, as a pod printed by kubectl does, the number counts;
//   - described by flags: --cpu, --memory, -request, --class or --priority,
//     --namespace, --name, -labels, -node-selector.
//
// The answer goes to standard output as text or, with -o json, as the documented
// type Document, which holds the decision as the library writes it. Same input,
// same bytes: nothing depends on the clock. What a missing start time counts as,
// and what ages are measured from, is -now; it defaults to a second after the
// latest time in the dump.
//
// Warnings about the dump, and what was left out of it, go to standard error.
// The exit status is 0 for an answer, whatever it is, and 2 for input that
// cannot be used; nothing is written to standard output then.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newCommand(func(opts *options) error {
		// Everything is written at once, so that an error leaves no half answer.
		var out bytes.Buffer
		err := answerQuestion(opts, stdin, &out, stderr)
		if err == nil {
			_, err = out.WriteTo(stdout)
		}
		return err
	})
	if err := execute(root, args, stdin, stdout, stderr); err != nil {
		complain(stderr, err)
		return 2
	}
	return 0
}

// answerQuestion decides and prints.
func answerQuestion(opts *options, stdin io.Reader, out, stderr io.Writer) error {
	watch := stopwatch{last: time.Now()}
	d, err := decided(opts, stdin, stderr, &watch)
	if err != nil {
		return err
	}
	a := newAnswer(d)
	notices(stderr, a, d.warnings, d.question.others)
	if opts.timings {
		fmt.Fprintln(stderr, "whatif:", watch.String())
	}
	switch opts.format {
	case "json":
		return writeJSON(out, newDocument(d))
	case "yaml":
		return writeYAML(out, newDocument(d))
	case "html":
		return writeHTML(out, d)
	}
	writeText(out, a, opts.list)
	return nil
}

// decided reads the cluster, finds out which pod is meant, and decides.
func decided(opts *options, stdin io.Reader, stderr io.Writer, watch *stopwatch) (*decision, error) {
	cluster, err := load(opts, stdin, stderr)
	if err != nil {
		return nil, err
	}
	watch.lap("loading")
	from, doubts := settleRelease(opts, cluster)
	q, err := ask(opts, cluster, stdin)
	if err != nil {
		return nil, err
	}
	watch.skip()
	d, err := decide(opts, cluster, q, watch)
	if err != nil {
		return nil, err
	}
	d.releaseFrom, d.caveats = from, append(doubts, d.caveats...)
	return d, nil
}

// decision is an explanation with what it was made from.
type decision struct {
	*preemption.Explanation
	why      *explain.Report
	opts     *options
	cluster  *outrank.Cluster
	question *question
	snap     *preemption.Snapshot
	warnings []outrank.Problem
	caveats  []Warning
	now      time.Time
	// releaseFrom is where the release comes from.
	releaseFrom ReleaseSource
}

func decide(opts *options, cluster *outrank.Cluster, q *question, watch *stopwatch) (*decision, error) {
	config, warnings, err := opts.configFor(cluster.Release, q.pod)
	if err != nil {
		return nil, err
	}
	eval, err := preemption.NewEvaluator(config)
	if err != nil {
		return nil, err
	}
	snap, err := preemption.NewSnapshot(cluster)
	if err != nil {
		return nil, unusable(opts.source(), err)
	}
	watch.lap("indexing")
	now := opts.now
	if now.IsZero() {
		now = afterLatest(cluster)
	}
	e, err := eval.Explain(context.Background(), snap, q.pod, now)
	if err != nil {
		return nil, unusable("the pod", err)
	}
	watch.lap("deciding")
	why, err := explain.Explanation(context.Background(), eval, snap, preemption.Request{Pod: q.pod, Now: now}, e, explain.Options{Classes: cluster.Classes})
	if err != nil {
		return nil, unusable("the pod", err)
	}
	watch.lap("explaining")
	return &decision{
		Explanation: e, why: why, opts: opts, cluster: cluster, question: q, snap: snap,
		warnings: slices.Concat(warnings, cluster.Warnings(), q.warnings), caveats: caveats(opts, cluster, q), now: now,
	}, nil
}

// afterLatest is a second after the latest time that the dump names, so that no
// pod started in the future. It is the zero time where the dump names none.
func afterLatest(c *outrank.Cluster) time.Time {
	if c.AsOf.IsZero() {
		return c.AsOf
	}
	return c.AsOf.Add(time.Second)
}

// stopwatch measures the steps that --timings reports.
type stopwatch struct {
	last time.Time
	text string
}

func (s *stopwatch) lap(step string) {
	took := time.Since(s.last)
	if s.text != "" {
		s.text += ", "
	}
	s.text += fmt.Sprintf("%s took %.3f s", step, took.Seconds())
	s.skip()
}

// skip leaves the time since the last step out.
func (s *stopwatch) skip() { s.last = time.Now() }

func (s *stopwatch) String() string { return s.text }
