// Package tables answers what a study has found: estimates for each cell and metric,
// differences between cells on equal seeds, quantiles of all waits, and which runs failed.
// Nothing in the tables depends on the machine or on the order in which runs ended.
package tables

import (
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/metric"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/stats"
)

// Cell is a cell with all its runs, in the order of their seeds.
type Cell struct {
	Cell spec.Cell `json:"cell"`
	Runs []Run     `json:"runs"`
	// Waits are sketches of the waits in all runs, by priority.
	Waits map[int32][]byte `json:"waits"`
	// Faults says why results could not be read, which is a fault of the program.
	Faults []string `json:"faults,omitempty"`
}

// Run is a run of a cell.
type Run struct {
	Seed     uint64             `json:"seed"`
	Error    string             `json:"error,omitempty"`
	Figures  map[string]float64 `json:"figures,omitempty"`
	Seconds  float64            `json:"seconds"`
	Attempts uint64             `json:"attempts"`
}

// Result is the result of a whole study.
type Result struct {
	Study    *spec.Study `json:"study"`
	Rows     []Row       `json:"rows"`
	Waits    []WaitRow   `json:"waits"`
	Failures []Failure   `json:"failures"`
	// Speed is the speed of this machine. It is not part of the files that are compared.
	Speed Speed `json:"-"`
}

// Row has the estimate of one metric in one cell.
type Row struct {
	Cell   spec.Cell `json:"cell"`
	Metric string    `json:"metric"`
	// Runs counts the runs that have the metric.
	Runs int `json:"runs"`
	stats.Estimate
	stats.Spread
	// Difference is the mean difference to the cell with which this one is compared, on equal seeds. It is nil
	// for that cell itself.
	Difference *Difference `json:"difference,omitempty"`
}

// Difference is an estimate over pairs of runs, by the paired t.
type Difference struct {
	Pairs int `json:"pairs"`
	stats.Estimate
	// Chance is the probability of such a mean if there is no difference. It is nil for a single pair, from
	// which nothing follows.
	Chance *float64 `json:"chance,omitempty"`
	// Holm is Chance with Holm's correction over all differences in the Markdown table. It is nil for any other
	// difference.
	Holm *float64 `json:"holm,omitempty"`
}

// WaitRow has the waits of the pods of one priority in all runs of a cell, in seconds. Their relative error is
// at most [measure.Accuracy].
type WaitRow struct {
	Cell     spec.Cell `json:"cell"`
	Priority int32     `json:"priority"`
	Pods     int64     `json:"pods"`
	Median   float64   `json:"median"`
	P90      float64   `json:"p90"`
	P99      float64   `json:"p99"`
}

// Failure is a run that failed, or a cell whose waits could not be read.
type Failure struct {
	Cell  spec.Cell `json:"cell"`
	Seed  uint64    `json:"seed"`
	Error string    `json:"error"`
}

// Speed sums up the runs, their durations and their attempts.
type Speed struct {
	Runs     int
	Seconds  float64
	Attempts uint64
}

// Of computes a study's result from its cells, which may be in any order.
func Of(study *spec.Study, cells []Cell) *Result {
	byKey := map[string]*Cell{}
	for i := range cells {
		byKey[cells[i].Cell.Key()] = &cells[i]
	}

	r := &Result{Study: portable(study), Rows: []Row{}, Waits: []WaitRow{}, Failures: []Failure{}}
	// The result is in the order of the study, in whatever order the cells came.
	for _, at := range study.Cells() {
		c := byKey[at.Key()]
		if c == nil {
			r.Failures = append(r.Failures, Failure{Cell: at, Error: "no run of this cell came to an end"})
			continue
		}
		r.add(c, byKey)
	}
	r.correct()
	return r
}

// family returns the differences in the Markdown table that have a chance.
func (r *Result) family() []*Difference {
	var all []*Difference
	shown := r.Shown()
	for _, row := range r.Rows {
		if d := row.Difference; d != nil && d.Chance != nil && slices.Contains(shown, row.Metric) {
			all = append(all, d)
		}
	}
	return all
}

// correct adjusts the chances of the family by Holm's correction.
func (r *Result) correct() {
	family := r.family()
	chances := make([]float64, len(family))
	for i, d := range family {
		chances[i] = *d.Chance
	}
	for i, adjusted := range stats.Holm(chances) {
		family[i].Holm = &adjusted
	}
}

// survives reports whether a difference is significant after the correction.
func (r *Result) survives(d *Difference) bool { return d.Holm != nil && *d.Holm < 1-r.Study.Confidence }

// portable returns the study without paths of this machine.
func portable(study *spec.Study) *spec.Study {
	out := *study
	out.Traces = slices.Clone(study.Traces)
	for i := range out.Traces {
		t := &out.Traces[i]
		for _, p := range []*string{&t.Nodes, &t.Pods, &t.Dump} {
			*p = (*p)[strings.LastIndexAny(*p, `/\\`)+1:]
		}
	}
	return &out
}

// add adds one cell: a row for each metric that one of its runs has, its waits, and its failures.
func (r *Result) add(c *Cell, byKey map[string]*Cell) {
	var base *Cell
	if key, ok := r.Study.Base(c.Cell); ok {
		base = byKey[key.Key()]
	}
	names := r.addRuns(c)
	metric.Sort(names)
	for _, name := range names {
		r.Rows = append(r.Rows, r.row(c, base, name))
	}
	r.addWaits(c)
}

// addRuns counts the runs of a cell and adds their failures. It returns the metrics that the runs have.
func (r *Result) addRuns(c *Cell) []string {
	names := map[string]bool{}
	for _, run := range c.Runs {
		for name := range run.Figures {
			names[name] = true
		}
		if run.Error != "" {
			r.Failures = append(r.Failures, Failure{c.Cell, run.Seed, run.Error})
		}

		r.Speed.Runs++
		r.Speed.Seconds += run.Seconds
		r.Speed.Attempts += run.Attempts
	}
	for _, fault := range c.Faults {
		r.Failures = append(r.Failures, Failure{Cell: c.Cell, Error: fault})
	}
	return slices.Collect(maps.Keys(names))
}

// addWaits adds the waits of a cell, beginning with the highest priority.
func (r *Result) addWaits(c *Cell) {
	for _, priority := range slices.Backward(slices.Sorted(maps.Keys(c.Waits))) {
		sketch := measure.NewSketch()
		if err := sketch.Merge(c.Waits[priority]); err != nil {
			r.Failures = append(r.Failures, Failure{Cell: c.Cell, Error: err.Error()})
			continue
		}
		r.Waits = append(r.Waits, WaitRow{c.Cell, priority, sketch.Count(), sketch.Quantile(0.5), sketch.Quantile(0.9), sketch.Quantile(0.99)})
	}
}

// row estimates one metric of a cell.
func (r *Result) row(c, base *Cell, named string) Row {
	var values []float64
	for _, run := range c.Runs {
		if v, ok := run.Figures[named]; ok {
			values = append(values, v)
		}
	}
	row := Row{
		Cell: c.Cell, Metric: named, Runs: len(values), Spread: stats.SpreadOf(values),
		Estimate: stats.Interval(values, r.Study.Confidence),
	}
	if base == nil {
		return row
	}

	// Runs with equal seeds have the same random input, so that their differences vary less than the runs.
	if pairs := differences(c, base, named); len(pairs) > 0 {
		row.Difference = &Difference{Pairs: len(pairs), Estimate: stats.Interval(pairs, r.Study.Confidence)}
		if len(pairs) > 1 {
			chance := stats.Chance(pairs)
			row.Difference.Chance = &chance
		}
	}
	return row
}

// differences returns the differences of a metric to another cell, each between two runs with equal seeds.
func differences(c, base *Cell, named string) []float64 {
	bySeed := map[uint64]float64{}
	for _, run := range base.Runs {
		if v, ok := run.Figures[named]; ok {
			bySeed[run.Seed] = v
		}
	}

	var out []float64
	for _, run := range c.Runs {
		v, ok := run.Figures[named]
		if w, both := bySeed[run.Seed]; ok && both {
			out = append(out, v-w)
		}
	}
	return out
}

// withoutRuns returns the metrics that the study wants to show and no run has, such as the waits of a priority
// that no pod has.
func (r *Result) withoutRuns() []string {
	shown := r.Shown()
	return slices.DeleteFunc(slices.Clone(r.Study.Metrics), func(name string) bool { return slices.Contains(shown, name) })
}

// Shown returns the metrics of the Markdown table and of the pictures: those that the study names, or a few
// that matter to most studies. It leaves out metrics that no run has.
func (r *Result) Shown() []string {
	has := map[string]bool{}
	for _, row := range r.Rows {
		has[row.Metric] = true
	}

	wanted := r.Study.Metrics
	if len(wanted) == 0 {
		wanted = []string{"evictions", "lostCPUHours", "useCPU", "waitMean"}
		var waits []string
		for name := range has {
			if len(name) > 9 && name[:9] == "waitMean/" {
				waits = append(waits, name)
			}
		}
		metric.Sort(waits)
		wanted = append(wanted, waits...)
	}

	var out []string
	for _, name := range wanted {
		if has[name] {
			out = append(out, name)
		}
	}
	return out
}
