// Command simulator reads a cluster and the pods that want to run on it, and
// says what they ask for together over time, against what there is:
//
//	simulator
//	simulator -nodes nodes.csv -pods pods.csv -load 2 -time-scale 0.1
//	simulator -o json -events arrivals.tsv -chart demand.svg
//
// Without -nodes and -pods it takes a small sample that comes with it. The form
// of the files is that of package workload.
//
// Same input, same flags, same bytes. The exit status is 0, or 2 for input that
// cannot be used.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/outrank-go/outrank/examples/simulator/report"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program but for the process around it.
func run(args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		printUsage(stdout)
		return 0
	}
	if err == nil {
		err = inspect(opts, stdout)
	}
	if err != nil {
		complain(stderr, err)
		return 2
	}
	return 0
}

// complain prints an error for a person, one problem a line.
func complain(w io.Writer, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(w, "simulator:", report.Safe(line))
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
