package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// file is a study as it is written. A value of the grid may be a text, a number or a
// truth value.
type file struct {
	Name       string               `json:"name"`
	About      string               `json:"about"`
	Traces     []Trace              `json:"traces"`
	Grid       map[string][]literal `json:"grid"`
	Seeds      *Seeds               `json:"seeds"`
	Compare    string               `json:"compare"`
	Confidence *float64             `json:"confidence"`
	Resamples  *int                 `json:"resamples"`
	Metrics    []string             `json:"metrics"`
}

// literal is a value as it is written.
type literal string

// UnmarshalJSON reads a text, a number or a truth value.
func (l *literal) UnmarshalJSON(data []byte) error {
	switch {
	case len(data) > 0 && data[0] == '"':
		return json.Unmarshal(data, (*string)(l))
	case bytes.Equal(data, []byte("null")) || len(data) > 0 && (data[0] == '{' || data[0] == '['):
		return fmt.Errorf("%s is no single value", data)
	}
	*l = literal(data)
	return nil
}

// Read reads a study in YAML or JSON. Relative paths in it count from a folder. The error
// names everything that is wrong, a line each.
func Read(data []byte, folder string) (*Study, error) {
	asJSON, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, err
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(asJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	s := f.study()
	for i := range s.Traces {
		s.Traces[i].resolve(folder)
	}
	if err := errors.Join(s.problems()...); err != nil {
		return nil, err
	}
	return s, nil
}

// study fills in the defaults.
func (f *file) study() *Study {
	s := &Study{
		Name: f.Name, About: f.About, Traces: f.Traces, Grid: map[string][]string{}, Seeds: Seeds{First: 1, Count: 10},
		Compare: f.Compare, Confidence: 0.95, Resamples: 2000, Metrics: f.Metrics,
	}
	for name, values := range f.Grid {
		s.Grid[name] = []string{}
		for _, v := range values {
			s.Grid[name] = append(s.Grid[name], string(v))
		}
	}
	if f.Seeds != nil {
		s.Seeds = *f.Seeds
	}
	if s.Compare == "" {
		s.Compare = allAxes[0].Name
	}
	if f.Confidence != nil {
		s.Confidence = *f.Confidence
	}
	if f.Resamples != nil {
		s.Resamples = *f.Resamples
	}
	return s
}

// resolve makes paths independent of the folder, and fills in a default.
func (t *Trace) resolve(folder string) {
	for _, p := range []*string{&t.Nodes, &t.Pods, &t.Dump} {
		if *p != "" && !filepath.IsAbs(*p) && !strings.Contains(*p, "://") {
			*p = filepath.Join(folder, *p)
		}
	}
	if t.PodsPerNode == 0 {
		t.PodsPerNode = 110
	}
}

// problems are all that is wrong with a study.
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
	if s.Seeds.Count < 1 || s.Seeds.Count > MostRuns || s.Seeds.First > math.MaxInt64 {
		add("seeds: {first: %d, count: %d}: the count is between 1 and %d, the first below 2^63", s.Seeds.First, s.Seeds.Count, MostRuns)
	}
	if !(s.Confidence > 0.5 && s.Confidence < 1) {
		add("confidence: %v is not between 0.5 and 1", s.Confidence)
	}
	if s.Resamples < 100 || s.Resamples > mostResamples {
		add("resamples: %d is not between 100 and %d", s.Resamples, mostResamples)
	}
	if len(ps) == 0 && s.tooMany() {
		add("grid: more than %d runs", MostRuns)
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
	if s.Compare != TraceAxis && !known(s.Compare) {
		ps = append(ps, fmt.Errorf("compare: there is no axis %q; there are %s, %s", s.Compare, TraceAxis, axisNames()))
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
	return errors.Join(s.Preemption.Validate(), s.Shape.Validate())
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

// problems are what is wrong with a trace, each behind the name of its field.
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
	if t.PodsPerNode < 1 || t.PodsPerNode > 1_000_000 {
		ps = append(ps, fmt.Sprintf(".podsPerNode: %d is not between 1 and 1000000", t.PodsPerNode))
	}
	if g := t.Generate; g != nil {
		if g.Nodes < 1 || g.Nodes > mostGenerated || g.Pods < 1 || g.Pods > mostGenerated {
			ps = append(ps, fmt.Sprintf(".generate: nodes and pods are between 1 and %d", mostGenerated))
		}
		if !(g.Hours > 0 && g.Hours <= 1e6) || !(g.Minutes > 0 && g.Minutes <= 1e6) {
			ps = append(ps, ".generate: hours and minutes are above 0 and no more than a million")
		}
	}
	return ps
}
