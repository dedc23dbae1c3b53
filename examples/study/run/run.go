// Package run answers how other programs run studies. It is the whole command study, and a program that calls
// it can register additional policies.
//
//	func main() {
//		if err := run.Register("cheapest", cheapest); err != nil {
//			log.Fatal(err)
//		}
//		run.Main()
//	}
//
// examples/study/own is such a program. A study names the policy as it names any other, on
// the axis policy. Results are found again by that name: after a change to a policy new results
// belong into another folder.
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

// Register makes a policy known to the studies of this process. Call it before [Main]. A worker of a job server
// is the same program, and registers the policy as well. Each run calls the function once for a configuration
// that no other run uses; several runs may call it concurrently. The function must always return the same, or
// the same study would not yield the same tables. The axes sample and quotas of a study change the
// configuration.
//
// It is an error if the name is empty, longer than 256 bytes, not printable or taken, if the
// function is nil, or if [preemption.Config.Validate] refuses the configuration. Errors name the policy.
func Register(name string, policy func() preemption.Config) error {
	return spec.Register(name, policy)
}

// Main is the command study: it reads the command line, runs a study and ends the process.
func Main() {
	opts, err := parse(os.Args[1:])
	beam.Init() // in a worker's process, Init does not return
	if err != nil {
		os.Exit(2) // parsing has printed the error
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the process
	status := run(ctx, opts, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// errRunsFailed is the error of a study that has ended with some failed runs.
var errRunsFailed = errors.New("runs failed; the others are in the tables")

// errPartFailed is the error of a part with some failed runs. A part makes no tables.
var errPartFailed = errors.New("runs failed; they are tried again when the tables are made")

// run is the whole program apart from the process around it. It returns the exit status.
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
