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

// problems are all problems of a study.
func (s *Study) problems() []error {
	var ps []error
	add := func(format string, args ...any) { ps = append(ps, fmt.Errorf(format, args...)) }
	if s.Name == "" || len(s.Name) > mostText {
		add("name: it has between 1 and %d bytes", mostText)
	}
	if len(s.Traces) == 0 {
		add("traces: there is none")
	}
	seen := map[string]bool{}
	for i := range s.Traces {
		t := &s.Traces[i]
		at := fmt.Sprintf("traces[%d]", i)
		if t.Name == "" || len(t.Name) > mostText || seen[t.Name] {
			add("%s.name: %q is empty, too long or another trace's name", at, t.Name)
		}
		seen[t.Name] = true
		for _, p := range t.problems() {
			add("%s%s", at, p)
		}
	}
	ps = append(ps, s.gridProblems()...)
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
	if len(ps) > 0 {
		return ps
	}
	if s.tooMany() {
		add("grid: more than %d runs", MostRuns)
		return ps
	}
	return s.cellProblems()
}

// mostCells is the most senseless cells that are named.
const mostCells = 5

// cellProblems are values that make sense by themselves, and not together.
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

// tooMany counts without expanding.
func (s *Study) tooMany() bool {
	runs := float64(len(s.Traces)) * float64(s.Seeds.Count)
	for _, a := range allAxes {
		runs *= float64(len(s.values(a)))
	}
	return runs > MostRuns
}

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
		for i, v := range values {
			if slices.Contains(values[:i], v) {
				ps = append(ps, fmt.Errorf("grid.%s[%d]: %s is there twice", a.Name, i, v))
			}
			if err := a.check(v); err != nil {
				ps = append(ps, fmt.Errorf("grid.%s[%d]: %s: %w", a.Name, i, v, err))
			}
		}
	}
	ps = append(ps, s.dumpProblems()...)
	if s.Compare != TraceAxis && !known(s.Compare) {
		ps = append(ps, fmt.Errorf("compare: there is no axis %q; there are %s, %s", s.Compare, TraceAxis, axisNames()))
	}
	return ps
}

// ofPods are the axes about pods to come, which a dump has none of.
var ofPods = []string{"classes", "load", "timeScale", "static", "budgets", "gpus"}

// dumpProblems are axes without a meaning for a dump.
func (s *Study) dumpProblems() []error {
	var ps []error
	for i := range s.Traces {
		for _, name := range ofPods {
			if _, given := s.Grid[name]; given && s.Traces[i].Dump != "" {
				ps = append(ps, fmt.Errorf("grid.%s: traces[%d] is a dump, with pods and budgets of its own", name, i))
			}
		}
	}
	return ps
}

// check reports a value that means nothing.
func (a Axis) check(v string) error {
	if len(v) > mostText {
		return fmt.Errorf("it has more than %d bytes", mostText)
	}
	c := Cell{Values: make([]string, len(allAxes))}
	for i, x := range allAxes {
		if c.Values[i] = x.Default; x.Name == a.Name {
			c.Values[i] = v
		}
	}
	s, err := c.Setting()
	if err != nil {
		return errors.Unwrap(err)
	}
	return s.check()
}

// check reports values that mean nothing together.
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
	decides.Victims, decides.Ranks, decides.Extenders = preemption.Exact{}, nil, nil // the best plan is found by the ranks that bound it
	if err := decides.Validate(); err != nil {
		return fmt.Errorf("regret: %w", err)
	}
	return nil
}

func axisNames() string {
	var out []string
	for _, a := range allAxes {
		out = append(out, a.Name)
	}
	return strings.Join(out, ", ")
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// problems are the problems of a trace, each behind the name of its field.
func (t *Trace) problems() []string {
	var ps []string
	ways := 0
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
	if g := t.Generate; g != nil {
		if g.GPUs < 0 || g.GPUs > mostGPUs {
			ps = append(ps, fmt.Sprintf(".generate: gpus are between 0 and %d", mostGPUs))
		}
		if g.Nodes < 1 || g.Nodes > mostGenerated || g.Pods < 1 || g.Pods > mostGenerated {
			ps = append(ps, fmt.Sprintf(".generate: nodes and pods are between 1 and %d", mostGenerated))
		}
		if !(g.Hours > 0 && g.Hours <= 1e6) || !(g.Minutes > 0 && g.Minutes <= 1e6) {
			ps = append(ps, ".generate: hours and minutes are above 0 and no more than a million")
		}
	}
	return ps
}
