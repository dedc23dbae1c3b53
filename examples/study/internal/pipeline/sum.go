package pipeline

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/tables"
)

// accumulator has the results of a cell so far. The same runs yield the same cell, in whatever order they come.
type accumulator struct {
	// Runs has the results without their waits, as JSON.
	Runs [][]byte
	// Waits has sketches of the waits in all results, by priority.
	Waits map[int32][]byte
	// Faults says why results could not be read.
	Faults []string
}

// sumFn combines the results of a cell.
type sumFn struct{}

// CreateAccumulator returns an accumulator without runs.
func (*sumFn) CreateAccumulator() accumulator { return accumulator{Waits: map[int32][]byte{}} }

// AddInput adds a result.
func (f *sumFn) AddInput(a accumulator, result []byte) accumulator {
	var r measure.Result
	if err := json.Unmarshal(result, &r); err != nil {
		a.Faults = append(a.Faults, err.Error())
		return a
	}
	waits := r.Waits
	r.Waits = nil
	text, err := json.Marshal(r)
	if err != nil {
		a.Faults = append(a.Faults, err.Error())
		return a
	}
	a.Runs = append(a.Runs, text)
	a.merge(waits)
	return a
}

// MergeAccumulators adds the results of b to a.
func (f *sumFn) MergeAccumulators(a, b accumulator) accumulator {
	a.Runs = append(a.Runs, b.Runs...)
	a.Faults = append(a.Faults, b.Faults...)
	a.merge(b.Waits)
	return a
}

// merge adds sketches of waits.
func (a *accumulator) merge(waits map[int32][]byte) {
	if a.Waits == nil {
		a.Waits = map[int32][]byte{}
	}
	for priority, bytes := range waits {
		sketch := measure.NewSketch()
		for _, part := range [][]byte{a.Waits[priority], bytes} {
			if len(part) == 0 {
				continue
			}
			if err := sketch.Merge(part); err != nil {
				a.Faults = append(a.Faults, err.Error())
			}
		}
		a.Waits[priority] = sketch.Bytes()
	}
}

// ExtractOutput returns the cell as JSON of a [tables.Cell], its runs in the order of their seeds.
func (f *sumFn) ExtractOutput(a accumulator) []byte {
	c := tables.Cell{Waits: a.Waits, Faults: slices.Sorted(slices.Values(a.Faults))}
	for _, text := range a.Runs {
		var r measure.Result
		if err := json.Unmarshal(text, &r); err != nil {
			c.Faults = append(c.Faults, err.Error())
			continue
		}
		c.Cell = r.Cell
		c.Runs = append(c.Runs, tables.Run{Seed: r.Seed, Error: r.Error, Figures: r.Figures, Seconds: r.Seconds, Attempts: r.Attempts})
	}
	slices.SortFunc(c.Runs, func(a, b tables.Run) int { return cmp.Compare(a.Seed, b.Seed) })
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // figures are finite, because they were read from JSON
	}
	return text
}
