package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/outrank-go/outrank/examples/realcluster/internal/trial"
)

// options is what the command line says.
type options struct {
	trials    int
	seed      uint64
	kinds     []trial.Kind
	scheduler string
	keep      bool
	dir       string
}

// The schedulers.
const (
	stock   = "stock"
	outrank = "outrank"
)

func parse(args []string) (*options, error) {
	o, kinds := &options{}, ""
	fs := flagSet(o, &kinds)
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if o.trials < 0 {
		return nil, errors.New("-trials: a number of trials cannot be negative")
	}
	if o.scheduler != stock && o.scheduler != outrank {
		return nil, fmt.Errorf("-scheduler %s: there are %s and %s", o.scheduler, stock, outrank)
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

func flagSet(o *options, kinds *string) *flag.FlagSet {
	fs := flag.NewFlagSet("realcluster", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.IntVar(&o.trials, "trials", 100, "how many `times` a pod is created; the kinds take turns in random order")
	fs.Uint64Var(&o.seed, "seed", 1, "the `number` that everything random comes from")
	fs.StringVar(kinds, "kinds", "", "only these `kinds` of trials, separated by commas (default: all)")
	fs.StringVar(&o.scheduler, "scheduler", stock, "`which` scheduler runs: stock, or outrank for the plugin in place of DefaultPreemption")
	fs.BoolVar(&o.keep, "keep", false, "leave the cluster up after the trials, until Ctrl-C")
	fs.StringVar(&o.dir, "dir", "", "a `folder` for programs that were built, and for runs (default: in the user's cache)")
	return fs
}

// usage is the text of -h.
func usage() string {
	var b strings.Builder
	b.WriteString("realcluster: does a real control plane do what was foretold?\n\nusage: go run . [flags]\n\n")
	kinds := ""
	fs := flagSet(&options{}, &kinds)
	fs.SetOutput(&b)
	fs.PrintDefaults()
	b.WriteString("\nThe kinds:\n")
	for _, k := range trial.Kinds() {
		fmt.Fprintf(&b, "  %-21s %s\n", k.Name, k.About)
	}
	return b.String()
}
