package run

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// options are the settings of the command line, without Beam's own flags.
type options struct {
	study, data, out string
	atOnce           int
	part             part
	dryRun, verbose  bool
	version          bool
}

// parse reads the command line.
func parse(args []string) (*options, error) {
	o := &options{}
	fs := flag.CommandLine
	fs.StringVar(&o.study, "study", "", "the study's `FILE`, YAML or JSON; without it a small one that comes with the program")
	fs.StringVar(&o.data, "data", "", "the `FOLDER` that relative paths of traces count from (default: that of the study's file)")
	fs.StringVar(&o.out, "out", "", "the `FOLDER` for results (default results/NAME, NAME being the study's)")
	fs.IntVar(&o.atOnce, "at-once", 0, "how many runs a worker makes at a time, which bounds its memory (default: as many as it may use cores)")
	fs.Var(&o.part, "part", "make part `K/N` of the runs and no tables: N processes with the same -out, the last of which is followed by one without -part")
	fs.BoolVar(&o.dryRun, "dry-run", false, "say how many runs there are and how long they take, measured on a few")
	fs.BoolVar(&o.version, "version", false, "say which version this is")
	fs.BoolVar(&o.verbose, "verbose", false, "show what Beam logs")

	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q; the study is named with -study", fs.Arg(0))
		complain(fs.Output(), err)
		return nil, err
	}
	if o.atOnce < 0 {
		err := fmt.Errorf("-at-once %d: it is a number of runs", o.atOnce)
		complain(fs.Output(), err)
		return nil, err
	}

	beamlog.LogLevel = "error"
	if o.verbose {
		beamlog.LogLevel = "info"
	}
	return o, nil
}

// part is part k of n parts of the runs. The zero part has all runs.
type part struct{ k, n int }

// String returns the part as it is written, k/n.
func (p *part) String() string {
	if p.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.k, p.n)
}

// Set parses k/n.
func (p *part) Set(text string) error {
	k, n, _ := strings.Cut(text, "/")
	var errK, errN error
	p.k, errK = strconv.Atoi(k)
	p.n, errN = strconv.Atoi(n)
	if errK != nil || errN != nil || p.k < 1 || p.k > p.n || p.n > spec.MostRuns {
		return errors.New("it is like 1/2, the first of two parts")
	}
	return nil
}

// complain writes an error. An error that joins several is written one a line.
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
