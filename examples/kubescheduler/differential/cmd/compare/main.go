// Compare measures kube-scheduler's own code and outrank in one run, on the benchmark
// clusters of outrank, and prints a table:
//
//	go run ./differential/cmd/compare
//	go run ./differential/cmd/compare -nodes 100,1000 -times 5
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/current"
)

func main() {
	nodes := flag.String("nodes", "100,1000,5000,15000", "numbers of nodes, with 30 pods each")
	times := flag.Int("times", 5, "decisions of kube-scheduler; outrank makes 1,000")
	flag.Parse()
	if err := run(*nodes, *times); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(nodes string, times int) error {
	differential.Quiet()
	var all []differential.Measurement
	for _, text := range strings.Split(nodes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || times < 1 {
			return fmt.Errorf("-nodes %q -times %d: want numbers above 0", nodes, times)
		}
		for _, budgets := range []int{0, 20} {
			ms, err := current.Harness.Measure(n, budgets, times)
			if err != nil {
				return err
			}
			all = append(all, ms...)
		}
	}
	differential.WriteMeasurements(os.Stdout, all)
	return nil
}
