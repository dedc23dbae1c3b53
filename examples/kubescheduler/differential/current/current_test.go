package current

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

var (
	cases = flag.Int("cases", 900, "number of random cases")
	seed  = flag.Uint64("seed", 1, "seed of the first case")
	kinds = flag.String("kinds", "", "kinds of cases, separated by commas; all where empty")
	keep  = flag.String("keep", "", "folder for cases that differ, as lists that whatif reads")
	most  = flag.Int("most", 1, "number of cases that may differ before the test ends")
)

// The reference and outrank agree on random clusters.
func TestDifferential(t *testing.T) {
	differential.Quiet()
	sweep := differential.Sweep{Cases: *cases, Seed: *seed, Failure: func(c *differential.Case, r *differential.Result) bool {
		t.Errorf("kind %s, seed %d differs; repeat with -kinds %s -seed %d -cases 1:\n%s", c.Kind, c.Seed, c.Kind, c.Seed, strings.Join(r.Differences, "\n"))
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Error(err)
		}
		if *keep != "" {
			name := filepath.Join(*keep, fmt.Sprintf("%s-%d.json", c.Kind, c.Seed))
			if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
				t.Error(err)
			}
		} else {
			t.Logf("the smallest case:\n%s", text.String())
		}
		*most--
		return *most > 0
	}}
	if *kinds != "" {
		sweep.Kinds = strings.Split(*kinds, ",")
	}
	counts, err := Harness.Sweep(sweep)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	differential.WriteCounts(&table, counts)
	t.Logf("\n%s", table.String())
}
