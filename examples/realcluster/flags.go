package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/realcluster/internal/load"
	"github.com/outrank-go/outrank/examples/realcluster/internal/trial"
)

// options are the settings of the command line.
type options struct {
	trials    int
	seed      uint64
	kinds     []trial.Kind
	scheduler string
	keep      bool
	dir       string
	load      time.Duration // duration of a run under load; 0 asks for trials
	faults    []load.Fault
	chart     bool
	devices   bool
}

// The schedulers that the flag -scheduler names.
const (
	stock   = "stock"
	outrank = "outrank"
	both    = "both"
)

// parse reads the command line, checks it, and sets the defaults that depend on other flags.
func parse(args []string) (*options, error) {
	o, kinds, faults := &options{}, "", ""
	fs := flagSet(o, &kinds, &faults)
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err := o.chooseRun(kinds, faults); err != nil {
		return nil, err
	}

	if err := o.chooseScheduler(); err != nil {
		return nil, err
	}
	var err error
	if o.kinds, err = trial.Choose(kinds); err != nil {
		return nil, fmt.Errorf("-kinds: %w", err)
	}

	if o.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("-dir is needed: %w", err)
		}
		o.dir = filepath.Join(cache, "outrank-realcluster")
	}
	return o, nil
}

// chooseRun checks that the flags ask for only one kind of run: trials, load, the chart or devices. The trials
// about devices always run with the plugin.
func (o *options) chooseRun(kinds, faults string) (err error) {
	if o.trials < 0 {
		return errors.New("-trials: a number of trials cannot be negative")
	}
	if o.load < 0 {
		return errors.New("-load: a duration cannot be negative")
	}

	if o.faults, err = load.ChooseFaults(faults); err != nil {
		return fmt.Errorf("-faults: %w", err)
	}
	if o.load == 0 && len(o.faults) > 0 {
		return errors.New("-faults: they come under -load")
	}

	if o.chart && (o.load > 0 || o.scheduler != "") {
		return errors.New("-chart: it is for trials, and runs the cluster's scheduler beside that of the chart")
	}
	if o.devices {
		if o.chart || o.load > 0 || o.scheduler != "" || kinds != "" {
			return errors.New("-devices: its trials are of their own kind, with the plugin, and in a cluster of their own")
		}
		o.scheduler = outrank
	}
	return nil
}

// chooseScheduler checks the scheduler. The default is the stock scheduler in trials, and both under load.
func (o *options) chooseScheduler() error {
	switch {
	case o.scheduler == "" && o.load > 0:
		o.scheduler = both
	case o.scheduler == "":
		o.scheduler = stock
	case o.scheduler == both && o.load == 0:
		return fmt.Errorf("-scheduler %s: both are under -load alone", both)
	case o.scheduler != stock && o.scheduler != outrank && o.scheduler != both:
		return fmt.Errorf("-scheduler %s: there are %s, %s and %s", o.scheduler, stock, outrank, both)
	}
	return nil
}

func flagSet(o *options, kinds, faults *string) *flag.FlagSet {
	fs := flag.NewFlagSet("realcluster", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.IntVar(&o.trials, "trials", 100, "how many `times` a pod is created; the kinds take turns in random order")
	fs.Uint64Var(&o.seed, "seed", 1, "the `number` that everything random comes from")
	fs.StringVar(kinds, "kinds", "", "only these `kinds` of trials, separated by commas (default: all)")
	fs.StringVar(&o.scheduler, "scheduler", "", "`which` scheduler runs: stock, outrank for the plugin in place of DefaultPreemption, or both in turn under load (default: stock; under load both)")
	fs.DurationVar(&o.load, "load", 0, "put the schedulers under load for this `time` altogether, in place of trials")
	fs.StringVar(faults, "faults", "", "these `faults` strike in the second half of the load, one after the other, separated by commas, or all")
	fs.BoolVar(&o.chart, "chart", false, "install the chart of the plugin, run the trials with it, and upgrade it and take it back during a burst each; this takes Linux and root")
	fs.BoolVar(&o.devices, "devices", false, "try preemption for devices that pods claim, as KEP-5690 proposes: a driver that publishes devices is made up, everything else about claims is real")
	fs.BoolVar(&o.keep, "keep", false, "leave the cluster up after the trials, until Ctrl-C")
	fs.StringVar(&o.dir, "dir", "", "a `folder` for programs that were built, and for runs (default: in the user's cache)")
	return fs
}

// usage returns the text of -h.
func usage() string {
	var b strings.Builder
	b.WriteString("realcluster: does a real control plane do what was foretold?\n\nusage: go run . [flags]\n\n")
	kinds, faults := "", ""
	fs := flagSet(&options{}, &kinds, &faults)
	fs.SetOutput(&b)
	fs.PrintDefaults()
	b.WriteString("\nThe kinds:\n")
	for _, k := range trial.Kinds() {
		fmt.Fprintf(&b, "  %-21s %s\n", k.Name, k.About)
	}
	b.WriteString("\nThe faults:\n")
	for _, f := range load.Faults() {
		fmt.Fprintf(&b, "  %-21s %s\n", f.Name, f.About)
	}
	return b.String()
}
