package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outrank-go/outrank/examples/internal/spelling"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/samples"
)

// listSamples is the value of --sample that lists all of them.
const listSamples = "list"

// useSample checks the name of --sample, and sets the flags of the sample's own question unless the
// flags given ask another one.
func (o *options) useSample(flags *pflag.FlagSet) error {
	if !o.set["sample"] {
		return nil
	}
	s, ok := samples.Named(o.sample)
	if !ok {
		return unknownSample(o.sample)
	}

	for _, name := range []string{"cluster", "live", "context", "kubeconfig"} {
		if o.set[name] {
			return fmt.Errorf("--sample is a cluster that comes with the program, and --%s names another; use one of them", name)
		}
	}

	if s.Release != "" && !o.set["release"] {
		// Setting a flag of pflag does not note that it was given, which the questions ask.
		if err := flags.Set("release", s.Release); err != nil {
			return err
		}
		o.set["release"] = true
	}

	// Some flags of the sample do not go with those that are given.
	if o.sampleAsked = !o.asksAnother(); !o.sampleAsked {
		return nil
	}
	for _, f := range s.Flags {
		if o.set["trace"] && f.Name != "exact" {
			// The steps are those of the plain answer, so that the sample's question is not asked.
			o.sampleAsked = false
			continue
		}
		if f.Name == "exact" && o.answer.format == "html" {
			// The page draws the plain answer, and has no place for the best one beside it.
			continue
		}
		if err := flags.Set(f.Name, f.Value); err != nil {
			return err
		}
		o.set[f.Name] = true
	}
	return nil
}

// unknownSample is the error about a sample that does not exist. It offers those with names like it, or
// all of them.
func unknownSample(sample string) error {
	near := slices.DeleteFunc(samples.Names(), func(name string) bool { return spelling.Distance(sample, name) > 2 })
	if sample == "" || len(near) == 0 {
		near = samples.Names()
	}
	return fmt.Errorf("--sample %s: there is no such sample%s; --sample %s describes them", sample, suggest("; there is ", near), listSamples)
}

// asksAnother reports whether the flags ask a question of their own, name a pod or make changes.
func (o *options) asksAnother() bool {
	flags := []string{"pending", "exact", "replacements"}
	for _, a := range inquiries {
		flags = append(flags, a.flags...)
	}
	return o.described() || len(o.changes) > 0 || slices.ContainsFunc(flags, func(name string) bool { return o.set[name] })
}

// list writes the samples with a line about each.
func list(w io.Writer, color string) error {
	look, err := console.ScreenOf(w, color, os.Getenv)
	if err != nil {
		return err
	}

	p := console.Page{W: w, Screen: look}
	p.Line("Samples, each with a question that is asked already:")

	t := console.Table{Rigid: map[int]bool{1: true}}
	t.Head("SAMPLE", "WHAT IT IS ABOUT")
	for _, s := range samples.All() {
		t.Add(s.Name, s.Line)
	}
	t.Print(p)

	p.Line("\n%s --sample NAME asks, and says what one sees; any flag goes with it.", displayName)
	return nil
}

// completedSamples offers the samples to the shell, each with a line about it.
func completedSamples() (out []cobra.Completion) {
	for _, s := range samples.All() {
		out = append(out, cobra.CompletionWithDesc(s.Name, s.Line))
	}
	return append(out, cobra.CompletionWithDesc(listSamples, "all of them, with a line of prose each"))
}

// writeEnd ends an answer about a sample: it says what the answer shows, and names the next steps.
func writeEnd(p console.Page, o *options) {
	if !o.sampled() {
		return
	}
	s, ok := samples.Named(o.sample)
	if !ok || !o.sampleAsked {
		p.Line("\nThis was %s. To ask about your own, run kubectl whatif -h.", sampleSource(o.sample))
		return
	}

	p.Line("\nWhat the sample %s shows: %s", s.Name, s.Line)
	width := 100
	if p.Width > 0 {
		width = min(width, p.Width)
	}
	for _, line := range console.Wrap(s.About, max(20, width-2)) {
		p.Line("  %s", line)
	}

	p.Line("\nMore samples: --sample %s. To ask about your own cluster: kubectl whatif -h.", listSamples)
}
