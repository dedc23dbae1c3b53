// Judge compares answers of kube-scheduler v1.36 about claims for devices with outrank's answers. The filter for
// devices needs modules of v1.37, so the two cannot be in one process: the tests of module v136 write cases with
// the reference's answers, and read the differences.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/outrank-go/outrank"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/current"
)

func main() {
	if err := judge(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// judge reads cases with the reference's answers, and writes the differences of each.
func judge(r io.Reader, w io.Writer) error {
	differential.Quiet()
	h := &differential.Harness{Release: outrank.V1_36, Convert: current.Convert, Filter: current.FilterOf(outrank.V1_36), Failed: current.Failed}
	in, out := json.NewDecoder(r), json.NewEncoder(w)
	for {
		var q differential.Judged
		if err := in.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		found, err := h.Judge(q.Case, q.Answer)
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", q.Case.Kind, q.Case.Seed, err)
		}
		if err := out.Encode(found.Differences); err != nil {
			return err
		}
	}
}
