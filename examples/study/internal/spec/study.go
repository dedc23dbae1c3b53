package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Study is a file with its defaults filled in.
type Study struct {
	Name       string              `json:"name"`
	About      string              `json:"about,omitempty"`
	Traces     []Trace             `json:"traces"`
	Grid       map[string][]string `json:"grid"`
	Seeds      Seeds               `json:"seeds"`
	Compare    string              `json:"compare"`
	Confidence float64             `json:"confidence"`
	// Metrics are those that the Markdown table and the pictures show; the other tables
	// have all.
	Metrics []string `json:"metrics,omitempty"`
}

// Trace is the source of nodes and pods. One of Sample, Nodes with Pods, Dump and
// Generate is set.
type Trace struct {
	Name        string `json:"name"`
	Sample      bool   `json:"sample,omitempty"`
	Nodes       string `json:"nodes,omitempty"`
	Pods        string `json:"pods,omitempty"`
	PodsPerNode int64  `json:"podsPerNode,omitempty"`
	// Every takes every so many-th node, as the file has them, and pod, as they come; 0 takes
	// all.
	Every    int       `json:"every,omitempty"`
	Dump     string    `json:"dump,omitempty"`
	Generate *Generate `json:"generate,omitempty"`
	// Source names the place of the files, for those who do not have them.
	Source string `json:"source,omitempty"`
	// Digest identifies the contents of the files; no study gives it.
	Digest string `json:"digest,omitempty"`
}

// Generate is a generated trace: pods of four classes that arrive evenly at random and
// run for exponentially distributed times. The same values give the same trace.
type Generate struct {
	// Nodes have 16 cores, 64 GiB and room for 110 pods each.
	Nodes int `json:"nodes"`
	Pods  int `json:"pods"`
	// Hours is the time in which all pods arrive, Minutes the mean time that one runs.
	Hours   float64 `json:"hours"`
	Minutes float64 `json:"minutes"`
	Seed    uint64  `json:"seed"`
	// GPUs is the number of GPUs of each node. Of pods then 60 in 100 ask for some: most for a
	// share of one, others for whole ones, and no pod for more than a node has.
	GPUs int `json:"gpus,omitempty"`
}

// Seeds are consecutive numbers.
type Seeds struct {
	First uint64 `json:"first"`
	Count int    `json:"count"`
}

// Bounds of a study.
const (
	MostRuns      = 1_000_000
	mostGenerated = 10_000_000
	mostText      = 256
	mostGPUs      = 16
)

// Cell is a trace with a value for every axis, in the order of [Axes].
type Cell struct {
	Trace  string   `json:"trace"`
	Values []string `json:"values"`
}

// Value is the cell's value on an axis; the trace on the axis "trace".
func (c *Cell) Value(axis string) string {
	if axis == TraceAxis {
		return c.Trace
	}
	if i := slices.IndexFunc(allAxes, func(a Axis) bool { return a.Name == axis }); i >= 0 {
		return c.Values[i]
	}
	return ""
}

// TraceAxis is the axis of traces, besides the axes of the grid.
const TraceAxis = "trace"

// With returns the cell that differs in one value.
func (c *Cell) With(axis, value string) Cell {
	out := Cell{Trace: c.Trace, Values: slices.Clone(c.Values)}
	if axis == TraceAxis {
		out.Trace = value
	}
	for i, a := range allAxes {
		if a.Name == axis {
			out.Values[i] = value
		}
	}
	return out
}

// String names the values that are not the defaults.
func (c *Cell) String() string {
	parts := []string{"trace " + c.Trace}
	for i, a := range allAxes {
		if c.Values[i] != a.Default {
			parts = append(parts, a.Name+" "+c.Values[i])
		}
	}
	return strings.Join(parts, ", ")
}

// Key identifies a cell; it is short and fit for a file name's hash.
func (c *Cell) Key() string { return c.Trace + "\x00" + strings.Join(c.Values, "\x00") }

// Cells are those of the study, in the order in which their values are written: the
// trace varies slowest, the last axis fastest.
func (s *Study) Cells() []Cell {
	var cells []Cell
	for _, t := range s.Traces {
		rows := []Cell{{Trace: t.Name}}
		for _, a := range allAxes {
			var next []Cell
			for _, row := range rows {
				for _, v := range s.values(a) {
					next = append(next, Cell{Trace: row.Trace, Values: append(slices.Clone(row.Values), v)})
				}
			}
			rows = next
		}
		cells = append(cells, rows...)
	}
	return cells
}

// values are those of an axis.
func (s *Study) values(a Axis) []string {
	if v := s.Grid[a.Name]; len(v) > 0 {
		return v
	}
	return []string{a.Default}
}

// Varied are the axes on which cells of the study differ, the trace first.
func (s *Study) Varied() []string {
	var names []string
	if len(s.Traces) > 1 {
		names = append(names, TraceAxis)
	}
	for _, a := range allAxes {
		if len(s.Grid[a.Name]) > 1 {
			names = append(names, a.Name)
		}
	}
	return names
}

// Base is the cell that another one is compared with, and whether that is another one.
func (s *Study) Base(c Cell) (Cell, bool) {
	first := s.first()
	if first == "" || c.Value(s.Compare) == first {
		return c, false
	}
	return c.With(s.Compare, first), true
}

// first is the first value of the axis that is compared by; empty if it has only one.
func (s *Study) first() string {
	if s.Compare == TraceAxis {
		if len(s.Traces) > 1 {
			return s.Traces[0].Name
		}
		return ""
	}
	if v := s.Grid[s.Compare]; len(v) > 1 {
		return v[0]
	}
	return ""
}

// Runs is the number of simulations of the study.
func (s *Study) Runs() int { return len(s.Cells()) * s.Seeds.Count }

// Trace returns the trace of a name.
func (s *Study) Trace(name string) (*Trace, error) {
	for i := range s.Traces {
		if s.Traces[i].Name == name {
			return &s.Traces[i], nil
		}
	}
	return nil, fmt.Errorf("the study has no trace %q", name)
}
