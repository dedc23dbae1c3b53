package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// options is what the command line says, beside the flags of Beam.
type options struct {
	study, out      string
	dryRun, verbose bool
}

// parse reads the command line.
func parse(args []string) (*options, error) {
	o := &options{}
	fs := flag.CommandLine
	fs.StringVar(&o.study, "study", "", "the study's `FILE`, YAML or JSON; without it a small one that comes with the program")
	fs.StringVar(&o.out, "out", "", "the `FOLDER` for results (default results/NAME, NAME being the study's)")
	fs.BoolVar(&o.dryRun, "dry-run", false, "say how many runs there are and how long they take, measured on a few")
	fs.BoolVar(&o.verbose, "verbose", false, "show what Beam logs")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q; the study is named with -study", fs.Arg(0))
		complain(fs.Output(), err)
		return nil, err
	}
	beamlog.LogLevel = "error"
	if o.verbose {
		beamlog.LogLevel = "info"
	}
	return o, nil
}

// complain writes an error, each line of it by itself.
func complain(w io.Writer, err error) {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			complain(w, e)
		}
		return
	}
	fmt.Fprintln(w, "study:", strings.ReplaceAll(err.Error(), "\n", "\nstudy: "))
}
