// Command kubectl-whatif answers before anybody acts: who would this pod push out of
// the cluster I have, and why? README.md has ten questions of this kind, and says everything
// about input, forms of the answer and exit statuses.
//
//	kubectl whatif --live --pending shop/checkout-2
//	kubectl whatif --cluster dump.json -f deployment.yaml
//	kubectl whatif --cluster dump.json --cpu 4 --memory 8Gi --class production
//
// Without a cluster it asks about a small sample cluster that comes with it, and
// without a pod, too, about a pending pod of the sample: run it with no
// arguments to see what an answer looks like.
//
// The pod is one of
//
//   - a pending pod of the dump (--pending), taken as it stands, with the
//     priority it was given when it was created; or a pod on a node whose resize in
//     place is deferred, with the gate InPlacePodVerticalScalingSchedulerPreemption;
//   - a manifest (--filename), of a pod or of something that makes pods. Its priority is
//     worked out from the classes of the dump as the API server would do it. If the dump
//     holds no classes and the manifest has a number, as a pod printed by kubectl does, the
//     number counts;
//   - described by flags: --cpu, --memory, --class and so on.
//
// The answer goes to standard output as text or, with -o json or yaml, as one of the
// documented types Document and Questioned, which hold what the library writes. Same input,
// same bytes: nothing depends on the clock. Ages are measured from the time of --now, and a
// missing start time counts as that time; it defaults to a second after the latest creation
// of an object in the dump.
//
// Warnings about the dump, and what was left out of it, go to standard error.
// The exit status is 0 for an answer, whatever it is, unless --exit-status has it tell
// answers apart, and 2 for input that cannot be used; nothing is written to standard
// output then.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

func main() {
	if folder, ok := os.LookupEnv(input.FilesIn); ok {
		if err := input.Confine(folder); err != nil {
			console.Complain(os.Stderr, "whatif", err)
			os.Exit(exitUnusable)
		}
	}

	os.Exit(run(completionArgs(os.Args[0], os.Args[1:]), os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program apart from the process around it. It returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	std := streams{stdin, stdout, stderr}
	// Any answer exits with 0 unless --exit-status is set.
	status := exitFits
	root := newCommand(func(opts *options) error {
		// The output is written at once, so that an error leaves no half of an answer.
		var out bytes.Buffer
		exit, err := answerQuestion(opts, std, &out)
		if err == nil {
			_, err = out.WriteTo(stdout)
		}
		if opts.answer.exitStatus {
			status = exit
		}
		return err
	})
	root.AddCommand(kueueCommand(std, &status))

	if err := execute(root, args, std); err != nil {
		console.Complain(stderr, "whatif", err)
		return exitUnusable
	}
	return status
}

// result is an answer that can be written in each form.
type result interface {
	// text writes the answer for a person. Lists have at most list entries.
	text(p console.Page, list int) error
	// document returns the form for programs.
	document() any
	// status returns the exit status that --exit-status asks for.
	status() int
}

// answerQuestion answers the question, and writes to out what belongs on standard output. Progress, warnings
// and timings go to standard error.
func answerQuestion(opts *options, std streams, out io.Writer) (exit int, err error) {
	watch := stopwatch{last: time.Now()}
	s, err := look(opts, std.in, std.err, &watch)
	if err != nil {
		return 0, err
	}

	// A single pod that may be created is answered by a decision with its explanation. Any other question, and
	// a pod that a quota refuses, has an answer of its own form.
	var r result
	bar := newProgress(std.err, "")
	if s.ask == askPod && s.refused == nil {
		r, err = s.decide(&watch)
	} else {
		r, err = s.answered(bar.steps)
		watch.lap("deciding")
	}
	bar.end()
	if err != nil {
		return 0, err
	}

	// Warnings come before the answer, so that they stand above it on a terminal.
	notices(std.err, s)
	if opts.answer.timings {
		fmt.Fprintln(std.err, "whatif:", watch.String())
	}

	look, err := console.ScreenOf(std.out, opts.answer.color, os.Getenv)
	if err != nil {
		return 0, err
	}
	return s.judged(r.status()), write(console.Page{W: out, Screen: look}, opts, r)
}

// write writes an answer in the chosen form. check has made sure that HTML is asked for only where there is a
// page.
func write(out console.Page, opts *options, r result) error {
	switch opts.answer.format {
	case "json":
		return console.JSON(out, r.document())
	case "yaml":
		return console.YAML(out, r.document())
	case "html":
		if d, ok := r.(*decision); ok {
			return writeHTML(out, d)
		}
		return writeOverview(out, r.(*answeredQuestion))
	case "wide":
		out.Width = 0
		return r.text(out, everything)
	}
	return r.text(out, opts.limit())
}

// mostWarnings is the most warnings that are shown; the others are only counted. The warnings about a
// thoroughly broken dump would fill the screen.
const mostWarnings = 5

// notices reports the warnings about the dump, and the objects that were left out.
func notices(w io.Writer, s *scene) {
	warnings, dump := s.warnings, dumpOf(s)
	for _, p := range warnings[:min(len(warnings), mostWarnings)] {
		fmt.Fprintln(w, "whatif: warning:", screen.Safe(p.String()))
	}
	if more := len(warnings) - mostWarnings; more > 0 {
		fmt.Fprintf(w, "whatif: and %s more\n", console.Plural(more, "warning"))
	}
	if text := leftOut(&dump); text != "" {
		fmt.Fprintln(w, "whatif: left out:", screen.Safe(text))
	}
	if s.manifests != nil && len(s.manifests.others) > 0 {
		fmt.Fprintln(w, "whatif: left out of the manifests:", screen.Safe(strings.Join(kindsOf(s.manifests.others), ", ")))
	}
}

// leftOut lists the objects of the dump that take no part, by kind.
func leftOut(d *Dump) string {
	parts := kindsOf(d.Skipped)
	if d.Finished > 0 {
		parts = append(parts, console.Plural(d.Finished, "finished pod"))
	}
	return strings.Join(parts, ", ")
}
