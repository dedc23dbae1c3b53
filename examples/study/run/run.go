// Package run answers how a program of one's own runs studies: it is the whole command study,
// with policies that the program registers beside those that are there.
//
//	func main() {
//		if err := run.Register("cheapest", cheapest); err != nil {
//			log.Fatal(err)
//		}
//		run.Main()
//	}
//
// examples/study/own is such a program. A study names the policy as it names any other, on
// the axis policy. Results are found by that name: after a change to a policy they belong
// into another folder.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/preemption"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
)

// Register makes a policy known to the studies of this process, before [Main]. A worker of a
// job server is the same program, and registers it as well. Each run calls the function once
// for a configuration of its own, which no other run uses; several runs may call it at once. For
// the same study to have the same tables, what it returns depends on nothing else. The axes
// sample and quotas of a study change the configuration.
//
// Errors: a name that is empty, longer than 256 bytes, not printable or taken, no function,
// and a configuration that [preemption.Config.Validate] turns down; each names the policy.
func Register(name string, policy func() preemption.Config) error {
	return spec.Register(name, policy)
}

// Main is the command study: it reads the command line, runs a study and ends the process.
func Main() {
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
	if opts.version {
		fmt.Fprintln(stdout, stamp.Here().Line("study"))
		return 0
	}
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
