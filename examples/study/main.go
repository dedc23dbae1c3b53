// Command study runs thousands of simulations, on one machine or many, and says with which
// confidence they differ.
//
//	go run .                                  a small study of the simulator's sample
//	go run . -study studies/exact.yaml        another one
//	go run . -study FILE -dry-run             how many runs, and how long they would take
//	go run . -study FILE --runner=universal --endpoint=HOST:PORT    on a job server
//
// A study is a file; package spec says what is in it. Its results come into a folder
// (-out; results/NAME if it is not given): a file for every run as it ends, and in the end
// tables (table.md, figures.csv, waits.csv, failures.csv, study.json) and a picture for
// each metric. A study that was interrupted goes on from the runs that are there. The same
// study gives the same tables, whatever the number of workers or their order.
//
// The exit status is 0, 1 if runs failed or the study was interrupted, and 2 for input
// that cannot be used.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
)

func main() {
	opts, err := parse(os.Args[1:])
	beam.Init() // a worker's process ends here
	if err != nil {
		os.Exit(2) // the flags have said why
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the next one ends the process
	status := run(ctx, opts, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// errRunsFailed: the study came to its end, and some of its runs did not.
var errRunsFailed = errors.New("runs failed; the others are in the tables")

// errPartFailed is the same where there are no tables yet.
var errPartFailed = errors.New("runs failed; they are tried again when the tables are made")

// run is the whole program but for the process around it.
func run(ctx context.Context, opts *options, stdout, stderr io.Writer) int {
	err := work(ctx, opts, stdout, stderr)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errRunsFailed), errors.Is(err, errPartFailed):
		complain(stderr, err)
		return 1
	case ctx.Err() != nil && opts.dryRun:
		complain(stderr, errors.New("interrupted; a dry run keeps nothing"))
		return 1
	case ctx.Err() != nil:
		complain(stderr, errors.New("interrupted; the same command goes on from the runs that are there"))
		return 1
	}
	complain(stderr, err)
	return 2
}
