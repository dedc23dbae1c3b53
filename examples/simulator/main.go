// Command simulator runs a cluster on virtual time: pods arrive, are scheduled,
// push others out, end and are recreated, and a summary says how it went.
//
//	simulator
//	simulator -nodes nodes.csv -pods pods.csv -load 5 -time-scale 0.0001
//	simulator -o json -events events.tsv -chart run.svg
//	simulator -inspect
//
// Without -nodes and -pods it takes a small sample that comes with it. The form
// of the files is that of package workload, the rules are those of package sim.
// With -inspect nothing is run: the answer is what the pods ask for together over
// time, against what there is.
//
// Same input, same flags, same bytes; only the line of progress, on a terminal,
// looks at the clock. The exit status is 0, or 2 for input that cannot be used.
// Interrupted, it writes what was simulated until then, and the status is 1.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		printUsage(stdout)
		return 0
	}
	if err == nil && opts.inspect {
		err = inspect(opts, stdout)
	} else if err == nil {
		err = simulate(ctx, opts, stdout, stderr)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "simulator: interrupted; this is what was simulated until then")
		return 1
	}
	complain(stderr, err)
	return 2
}

// complain prints an error for a person, one problem a line.
func complain(w io.Writer, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(w, "simulator:", screen.Safe(line))
	}
}

// inspect reads the input and writes what there is to say about it.
func inspect(opts *options, stdout io.Writer) error {
	in, err := load(opts)
	if err != nil {
		return err
	}
	if err := toFile(opts.events, stdout, in.writeArrivals); err != nil {
		return err
	}
	if err := toFile(opts.chart, stdout, in.drawDemand); err != nil {
		return err
	}
	s := in.summary()
	// All at once, so that an error leaves no half answer.
	var out bytes.Buffer
	if opts.format == "json" {
		err = s.writeJSON(&out)
	} else {
		s.writeText(&out)
	}
	if err != nil {
		return err
	}
	_, err = out.WriteTo(stdout)
	return err
}
