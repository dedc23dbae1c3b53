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

// useSample checks the name of --sample. It sets the flags of the sample's own question, unless the given flags
// ask another question.
func (o *options) useSample(flags *pflag.FlagSet) error {
	if !o.set["sample"] {
		return nil
	}
	s, ok := samples.Named(o.sample)
	if !ok {
		return unknownSample(o.sample)
	}

	// Another cluster beside the sample is a contradiction.
	for _, name := range []string{"cluster", "live", "context", "kubeconfig"} {
		if o.set[name] {
			return fmt.Errorf("--sample is a cluster that comes with the program, and --%s names another; use one of them", name)
		}
	}

	// A sample with rules of its own release asks by these, unless a flag names others.
	if s.Release != "" && !o.set["release"] {
		// Setting a flag of pflag does not record that it was given, and which question is asked depends on
		// that.
		if err := flags.Set("release", s.Release); err != nil {
			return err
		}
		o.set["release"] = true
	}

	// Some flags of the sample cannot be combined with the flags given.
	if o.sampleAsked = !o.asksAnother(); !o.sampleAsked {
		return nil
	}

	for _, f := range s.Flags {
		if o.set["trace"] && f.Name != "exact" {
			// A trace has the steps of the plain answer, so that the sample's own question is not asked.
			o.sampleAsked = false
			continue
		}
		if f.Name == "exact" && o.answer.format == "html" {
			// The page draws the plain answer, and has no place for the best decision beside it.
			continue
		}
		if err := flags.Set(f.Name, f.Value); err != nil {
			return err
		}
		o.set[f.Name] = true
	}
	return nil
}

// unknownSample returns the error about a sample that does not exist. It offers samples with similar names, or
// all of them.
func unknownSample(sample string) error {
	near := slices.DeleteFunc(samples.Names(), func(name string) bool { return spelling.Distance(sample, name) > 2 })
	if sample == "" || len(near) == 0 {
		near = samples.Names()
	}
	return fmt.Errorf("--sample %s: there is no such sample%s; --sample %s describes them", sample, suggest("; there is ", near), listSamples)
}

// asksAnother reports whether the given flags ask a question, name a pod or make changes.
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

// completedSamples offers the samples to the shell, each with a line of description.
func completedSamples() (out []cobra.Completion) {
	for _, s := range samples.All() {
		out = append(out, cobra.CompletionWithDesc(s.Name, s.Line))
	}
	return append(out, cobra.CompletionWithDesc(listSamples, "all of them, with a line of prose each"))
}

// writeEnd ends an answer about a sample. It says what the answer shows, and which command to try next.
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
