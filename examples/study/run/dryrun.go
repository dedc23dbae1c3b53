package run

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/progress"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// tried is the most cells of which a dry run makes one run.
const tried = 5

// dryRun estimates the work of a study. It makes one run of each of a few cells, spread over the grid, and
// keeps no results.
func dryRun(ctx context.Context, study *spec.Study, out io.Writer) error {
	cells := study.Cells()
	fmt.Fprintf(out, "%s: %d cells, %d seeds each, %d runs\n", study.Name, len(cells), study.Seeds.Count, study.Runs())

	n := min(tried, len(cells))
	total := 0.0
	for i := range n {
		cell := cells[i*(len(cells)-1)/max(1, n-1)]
		r, err := measure.Run(ctx, study, cell, study.Seeds.First)
		if err != nil {
			return err
		}
		if r.Error != "" {
			return fmt.Errorf("trace %s, seed %d: %s", cell.Trace, r.Seed, r.Error)
		}
		total += r.Seconds
	}

	// However many cores there are, the study takes at least as long as one run.
	each := total / float64(n)
	all := time.Duration(each * float64(study.Runs()) * 1e9)
	here := max(all/time.Duration(runtime.GOMAXPROCS(0)), time.Duration(each*1e9))
	_, err := fmt.Fprintf(out, "a run takes %.2g s on average, measured on %d; all of them about %s on one core, %s on the %d here\n",
		each, n, progress.Duration(all), progress.Duration(here), runtime.GOMAXPROCS(0))
	return err
}
