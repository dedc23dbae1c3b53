// Command simulator runs a cluster on virtual time: pods arrive, are scheduled, preempt others, end and are
// recreated, and a summary says how it went.
//
//	simulator
//	simulator -nodes nodes.csv -pods pods.csv -load 5 -time-scale 0.0001
//	simulator -o json -events events.tsv -chart run.svg
//	simulator -static 6000,8192
//	simulator -fragments gpu -score profile
//	simulator -inspect
//
// Without -nodes and -pods it uses a small sample that comes with it. Package workload describes the form of
// the files, package sim the rules, and package metrics what -metrics adds to the summary. With -inspect
// nothing is run: the answer is what the pods request together over time, compared with the capacity.
//
// The same input and the same flags give the same bytes; only the progress on standard error reads the clock.
// All files are opened before the run, and a file that is read cannot be written as well, whatever its name.
// The summary is written even if another output fails. The exit status is 0, or 2 if an input cannot be used
// or an output cannot be written. If interrupted, the program writes what was simulated until then, and the
// status is 1; a second interrupt ends it at once.
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
	"github.com/outrank-go/outrank/examples/internal/stamp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the whole program except for the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		printUsage(stdout)
		return 0
	}
	if err == nil && opts.version {
		fmt.Fprintln(stdout, stamp.Here().Line("simulator"))
		return 0
	}
	if err == nil {
		err = answer(ctx, opts, stdout, stderr)
	}
	if err == nil {
		return 0
	}

	complain(stderr, err)
	if errors.Is(err, context.Canceled) {
		return 1
	}
	return 2
}

// answer opens the files, reads the input, and runs the command.
func answer(ctx context.Context, opts *options, stdout, stderr io.Writer) error {
	f, err := orInterrupted(ctx, beforeAll, func() (*files, error) { return openFiles(opts, stdout) })
	if f != nil {
		defer f.close()
	}
	if err != nil {
		return err
	}

	in, err := orInterrupted(ctx, beforeAll, func() (*input, error) { return load(ctx, opts, f) })
	if err != nil {
		return err
	}
	if opts.inspect {
		return in.inspect(ctx, opts, f, stdout)
	}
	return simulate(ctx, &runner{opts: opts, files: f, in: in}, stdout, stderr)
}

// complain prints an error, one problem on a line.
func complain(w io.Writer, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(w, "simulator:", screen.Safe(line))
	}
}

// inspect writes the description of the input. If one output fails, the others are still written.
func (in *input) inspect(ctx context.Context, opts *options, f *files, stdout io.Writer) error {
	s, err := orInterrupted(ctx, withoutEnd, func() (*inputSummary, error) { return in.summary(), nil })
	if err != nil {
		return err
	}

	eventsErr := f.events.fill(func(w io.Writer) error { return in.writeArrivals(ctx, w) })
	if errors.Is(eventsErr, context.Canceled) {
		return withoutEnd
	}
	summaryErr := writeWhole(stdout, opts, s.writeText, s.writeJSON)
	chartErr := f.chart.fill(func(w io.Writer) error { return in.drawDemand(opts, w) })
	return errors.Join(eventsErr, summaryErr, chartErr)
}

// writeWhole writes an answer all at once, so that an error never leaves half of it.
func writeWhole(stdout io.Writer, opts *options, text, json func(io.Writer) error) error {
	write := text
	if opts.format == "json" {
		write = json
	}
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return err
	}
	_, err := out.WriteTo(stdout)
	return err
}
