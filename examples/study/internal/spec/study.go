package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Study is a study file with its defaults filled in.
type Study struct {
	Name       string              `json:"name"`
	About      string              `json:"about,omitempty"`
	Traces     []Trace             `json:"traces"`
	Grid       map[string][]string `json:"grid"`
	Seeds      Seeds               `json:"seeds"`
	Compare    string              `json:"compare"`
	Confidence float64             `json:"confidence"`
	// Metrics are the metrics that the Markdown table and the pictures show. The other tables have all metrics.
	Metrics []string `json:"metrics,omitempty"`
}

// Trace is the source of nodes and pods. One of Sample, Nodes together with Pods, Dump and Generate is set.
type Trace struct {
	Name        string `json:"name"`
	Sample      bool   `json:"sample,omitempty"`
	Nodes       string `json:"nodes,omitempty"`
	Pods        string `json:"pods,omitempty"`
	PodsPerNode int64  `json:"podsPerNode,omitempty"`
	// Every is n if only every n-th node and pod is taken: nodes in the order of the file, pods in the order of
	// their arrival. 0 takes all.
	Every    int       `json:"every,omitempty"`
	Dump     string    `json:"dump,omitempty"`
	Generate *Generate `json:"generate,omitempty"`
	// Source says where to get the files.
	Source string `json:"source,omitempty"`
	// Digest identifies the contents of the files. The program computes it; a study file does not contain it.
	Digest string `json:"digest,omitempty"`
}

// Generate describes a generated trace: pods of four classes that arrive uniformly at random and run for
// exponentially distributed times. The same values give the same trace.
type Generate struct {
	// Nodes have 16 cores, 64 GiB and room for 110 pods each.
	Nodes int `json:"nodes"`
	Pods  int `json:"pods"`
	// Hours is the time within which all pods arrive, and Minutes the mean time that a pod runs.
	Hours   float64 `json:"hours"`
	Minutes float64 `json:"minutes"`
	Seed    uint64  `json:"seed"`
	// GPUs is the number of GPUs of each node. If it is not 0, 60 of 100 pods ask for GPUs: half of these for a
	// share of one, half for whole ones, and no pod for more than a node has.
	GPUs int `json:"gpus,omitempty"`
}

// Seeds are Count consecutive numbers from First on.
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

// Cell is a trace with a value for each axis, in the order of [Axes].
type Cell struct {
	Trace  string   `json:"trace"`
	Values []string `json:"values"`
}

// Value returns the cell's value on an axis. On [TraceAxis] that is the name of the trace.
func (c *Cell) Value(axis string) string {
	if axis == TraceAxis {
		return c.Trace
	}
	if i := slices.IndexFunc(allAxes, func(a Axis) bool { return a.Name == axis }); i >= 0 {
		return c.Values[i]
	}
	return ""
}

// TraceAxis is the axis of traces. It is not part of the grid.
const TraceAxis = "trace"

// With returns a cell that differs from c in one value.
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

// String names the trace and the values that are not the defaults.
func (c *Cell) String() string {
	parts := []string{"trace " + c.Trace}
	for i, a := range allAxes {
		if c.Values[i] != a.Default {
			parts = append(parts, a.Name+" "+c.Values[i])
		}
	}
	return strings.Join(parts, ", ")
}

// Key returns a string that is unique to the cell's values.
func (c *Cell) Key() string { return c.Trace + "\x00" + strings.Join(c.Values, "\x00") }

// Cells returns the cells of the study in the order in which their values are written: the trace varies
// slowest, and the last axis fastest.
func (s *Study) Cells() []Cell {
	var cells []Cell
	for _, t := range s.Traces {
		// Each axis turns every cell so far into one cell for each of its values.
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

// values returns the values of an axis.
func (s *Study) values(a Axis) []string {
	if v := s.Grid[a.Name]; len(v) > 0 {
		return v
	}
	return []string{a.Default}
}

// Varied returns the axes in which cells of the study differ, beginning with the trace.
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

// Base returns the cell with which c is compared. It is not ok if that would be c itself.
func (s *Study) Base(c Cell) (Cell, bool) {
	first := s.first()
	if first == "" || c.Value(s.Compare) == first {
		return c, false
	}
	return c.With(s.Compare, first), true
}

// first returns the first value of the compared axis. It is empty if the axis has only one value.
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

// Runs returns the number of simulations of the study.
func (s *Study) Runs() int { return len(s.Cells()) * s.Seeds.Count }

// Trace returns the trace with a name.
func (s *Study) Trace(name string) (*Trace, error) {
	for i := range s.Traces {
		if s.Traces[i].Name == name {
			return &s.Traces[i], nil
		}
	}
	return nil, fmt.Errorf("the study has no trace %q", name)
}
