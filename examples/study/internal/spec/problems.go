package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/study/internal/metric"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// problems lists all problems of a study.
func (s *Study) problems() []error {
	var ps []error
	if s.Name == "" || len(s.Name) > mostText {
		ps = append(ps, fmt.Errorf("name: it has between 1 and %d bytes", mostText))
	}
	ps = append(ps, s.traceProblems()...)
	ps = append(ps, s.gridProblems()...)
	ps = append(ps, s.figureProblems()...)
	if len(ps) > 0 {
		return ps
	}

	// Only a study whose parts are valid is expanded, and only if it is not too large.
	if s.tooMany() {
		return []error{fmt.Errorf("grid: more than %d runs", MostRuns)}
	}
	return s.cellProblems()
}

// traceProblems lists the problems of the traces.
func (s *Study) traceProblems() []error {
	var ps []error
	if len(s.Traces) == 0 {
		ps = append(ps, errors.New("traces: there is none"))
	}

	seen := map[string]bool{}
	for i := range s.Traces {
		t := &s.Traces[i]
		at := fmt.Sprintf("traces[%d]", i)
		if t.Name == "" || len(t.Name) > mostText || seen[t.Name] {
			ps = append(ps, fmt.Errorf("%s.name: %q is empty, too long or another trace's name", at, t.Name))
		}
		seen[t.Name] = true
		for _, p := range t.problems() {
			ps = append(ps, fmt.Errorf("%s%s", at, p))
		}
	}
	return ps
}

// figureProblems lists the problems of the fields that determine the figures: seeds, confidence, metrics.
func (s *Study) figureProblems() []error {
	var ps []error
	add := func(format string, args ...any) { ps = append(ps, fmt.Errorf(format, args...)) }
	if s.Seeds.Count < 1 || s.Seeds.Count > MostRuns || s.Seeds.First < 1 || s.Seeds.First > math.MaxInt64 {
		add("seeds: {first: %d, count: %d}: the count is between 1 and %d, the first above 0 and below 2^63", s.Seeds.First, s.Seeds.Count, MostRuns)
	}
	if !(s.Confidence > 0.5 && s.Confidence < 1) {
		add("confidence: %v is not between 0.5 and 1", s.Confidence)
	}

	for i, name := range s.Metrics {
		if !metric.Known(name) {
			add("metrics[%d]: there is no metric %q; there are %s", i, name, strings.Join(metric.Names(), ", "))
		}
		if slices.Contains(s.Metrics[:i], name) {
			add("metrics[%d]: %s is there twice", i, name)
		}
	}
	return ps
}

// mostCells is the most invalid cells that are named.
const mostCells = 5

// cellProblems lists the cells whose values are valid on their own, but not together.
func (s *Study) cellProblems() []error {
	var ps []error
	for _, c := range s.Cells() {
		set, err := c.Setting()
		if err == nil {
			err = set.check()
		}
		if err != nil {
			ps = append(ps, fmt.Errorf("grid: %s: %w", c.String(), err))
		}
		if len(ps) == mostCells {
			return append(ps, errors.New("grid: perhaps more of this kind"))
		}
	}
	return ps
}

// tooMany reports whether a study has too many runs. It counts them without expanding the grid.
func (s *Study) tooMany() bool {
	runs := float64(len(s.Traces)) * float64(s.Seeds.Count)
	for _, a := range allAxes {
		runs *= float64(len(s.values(a)))
	}
	return runs > MostRuns
}

// gridProblems lists the problems of the grid and of the compared axis.
func (s *Study) gridProblems() []error {
	var ps []error
	known := func(name string) bool {
		return slices.ContainsFunc(allAxes, func(a Axis) bool { return a.Name == name })
	}
	for _, name := range sortedKeys(s.Grid) {
		if !known(name) {
			ps = append(ps, fmt.Errorf("grid.%s: there is no such axis; there are %s", name, axisNames()))
		}
	}

	for _, a := range allAxes {
		values, given := s.Grid[a.Name]
		if given && len(values) == 0 {
			ps = append(ps, fmt.Errorf("grid.%s: the list is empty", a.Name))
		}
		ps = append(ps, a.problems(values)...)
	}
	ps = append(ps, s.dumpProblems()...)

	if s.Compare != TraceAxis && !known(s.Compare) {
		ps = append(ps, fmt.Errorf("compare: there is no axis %q; there are %s, %s", s.Compare, TraceAxis, axisNames()))
	}
	return ps
}

// problems lists the problems of the values of an axis.
func (a Axis) problems(values []string) []error {
	var ps []error
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			ps = append(ps, fmt.Errorf("grid.%s[%d]: %s is there twice", a.Name, i, v))
		}
		if err := a.check(v); err != nil {
			ps = append(ps, fmt.Errorf("grid.%s[%d]: %s: %w", a.Name, i, v, err))
		}
	}
	return ps
}

// podAxes are the axes about arriving pods, which a dump does not have.
var podAxes = []string{"classes", "load", "timeScale", "static", "budgets", "gpus"}

// dumpProblems lists the axes that do not apply to a dump.
func (s *Study) dumpProblems() []error {
	var ps []error
	for i := range s.Traces {
		for _, name := range podAxes {
			if _, given := s.Grid[name]; given && s.Traces[i].Dump != "" {
				ps = append(ps, fmt.Errorf("grid.%s: traces[%d] is a dump, with pods and budgets of its own", name, i))
			}
		}
	}
	return ps
}

// check refuses a value that is invalid even if all other values are the defaults.
func (a Axis) check(v string) error {
	if len(v) > mostText {
		return fmt.Errorf("it has more than %d bytes", mostText)
	}

	c := Cell{Values: make([]string, len(allAxes))}
	for i, x := range allAxes {
		c.Values[i] = x.Default
		if x.Name == a.Name {
			c.Values[i] = v
		}
	}
	s, err := c.Setting()
	if err != nil {
		return errors.Unwrap(err)
	}
	return s.check()
}

// check refuses values that are invalid in combination.
func (s *Setting) check() error {
	if s.Devices && s.Sim.Kubelets != nil {
		return errors.New("gpus: devices and kubelets do not go together")
	}

	decides := s.Preemption
	if s.Quotas != nil {
		some := []*outrank.Node{{Name: "some", Allocatable: resource.MustList("cpu", "1")}}
		if err := s.Quotas.Use(&decides, some); err != nil {
			return err
		}
	}
	if err := errors.Join(decides.Validate(), s.Shape.Validate(), s.Sim.Validate()); err != nil || s.Regret == 0 {
		return err
	}

	// The best plan is found by an exact search, whose bounds need the default ranks.
	decides.Victims = preemption.Exact{}
	decides.Ranks, decides.Extenders = nil, nil
	if err := decides.Validate(); err != nil {
		return fmt.Errorf("regret: %w", err)
	}
	return nil
}

// axisNames lists the axes of the grid.
func axisNames() string {
	var out []string
	for _, a := range allAxes {
		out = append(out, a.Name)
	}
	return strings.Join(out, ", ")
}

// sortedKeys returns the sorted keys of a map.
func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// problems lists the problems of a trace. Each begins with the name of its field.
func (t *Trace) problems() []string {
	var ps []string
	ways := 0 // the number of ways in which nodes and pods are given
	for _, given := range []bool{t.Sample, t.Nodes != "" || t.Pods != "", t.Dump != "", t.Generate != nil} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		ps = append(ps, ": one of sample, nodes with pods, dump and generate is given")
	case (t.Nodes == "") != (t.Pods == ""):
		ps = append(ps, ": nodes and pods belong together")
	}

	if len(t.Source) > 1024 {
		ps = append(ps, ".source: it has more than 1024 bytes")
	}
	if t.PodsPerNode < 1 || t.PodsPerNode > 1_000_000 {
		ps = append(ps, fmt.Sprintf(".podsPerNode: %d is not between 1 and 1000000", t.PodsPerNode))
	}
	if t.Every < 0 || t.Every > 1_000_000 || t.Every > 0 && t.Nodes == "" {
		ps = append(ps, fmt.Sprintf(".every: %d: it is between 1 and 1000000, and for nodes with pods", t.Every))
	}
	if t.Generate != nil {
		ps = append(ps, t.Generate.problems()...)
	}
	return ps
}

// problems lists the problems of a generated trace.
func (g *Generate) problems() []string {
	var ps []string
	if g.GPUs < 0 || g.GPUs > mostGPUs {
		ps = append(ps, fmt.Sprintf(".generate: gpus are between 0 and %d", mostGPUs))
	}
	if g.Nodes < 1 || g.Nodes > mostGenerated || g.Pods < 1 || g.Pods > mostGenerated {
		ps = append(ps, fmt.Sprintf(".generate: nodes and pods are between 1 and %d", mostGenerated))
	}
	if !(g.Hours > 0 && g.Hours <= 1e6) || !(g.Minutes > 0 && g.Minutes <= 1e6) {
		ps = append(ps, ".generate: hours and minutes are above 0 and no more than a million")
	}
	return ps
}
