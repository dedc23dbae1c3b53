// Package run answers how a program of one's own runs studies. It is the whole command study,
// and the program may register further policies.
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

// Register makes a policy known to the studies of this process; call it before [Main]. A worker of a
// job server is the same program, and registers the policy as well. Each run calls the function once
// for a configuration that no other run uses; several runs may call it at once. The function must always
// return the same, or the same study would not have the same tables. The axes sample and quotas of a study
// change the configuration.
//
// It is an error if the name is empty, longer than 256 bytes, not printable or taken, if there is no
// function, or if [preemption.Config.Validate] refuses the configuration. Errors name the policy.
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

// errRunsFailed says that the study has ended, and that some of its runs failed.
var errRunsFailed = errors.New("runs failed; the others are in the tables")

// errPartFailed says the same of a part, which makes no tables.
var errPartFailed = errors.New("runs failed; they are tried again when the tables are made")

// run is the whole program without the process around it. It returns the exit status.
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
