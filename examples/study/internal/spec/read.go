package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// file is a study as it is written. A value of the grid may be a string, a number or a boolean.
type file struct {
	Name, About, Compare string
	Traces               []Trace
	Grid                 map[string]json.RawMessage
	Seeds                Seeds
	Confidence           *float64
	Metrics              []string

	grid map[string][]string // Grid, parsed
}

// literal is a value as it is written.
type literal string

// UnmarshalJSON reads a string, a number or a boolean.
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

// Read reads a study in YAML or JSON. Relative paths in it are relative to folder. The error names all
// problems, one a line.
func Read(data []byte, folder string) (*Study, error) {
	if err := oneDocument(data); err != nil {
		return nil, err
	}
	asJSON, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, err
	}

	f, problems := decode(asJSON)
	s := f.study()
	for i := range s.Traces {
		s.Traces[i].resolve(folder)
	}

	// If a part could not be read, the other parts cannot be judged.
	if len(problems) == 0 {
		problems = s.problems()
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return s, nil
}

// decode reads the fields one by one, so that each can report its own problem.
func decode(asJSON []byte) (*file, []error) {
	f, fields := &file{Seeds: Seeds{First: 1, Count: 30}}, map[string]json.RawMessage{}
	if err := json.Unmarshal(asJSON, &fields); err != nil {
		return f, []error{fmt.Errorf("a study is an object: %w", err)}
	}

	into := map[string]any{
		"name": &f.Name, "about": &f.About, "traces": &f.Traces, "grid": &f.Grid, "seeds": &f.Seeds,
		"compare": &f.Compare, "confidence": &f.Confidence, "metrics": &f.Metrics,
	}

	var problems []error
	for _, name := range sortedKeys(fields) {
		to, ok := into[name]
		if !ok {
			problems = append(problems, fmt.Errorf("unknown field %q; there are %s", name, strings.Join(sortedKeys(into), ", ")))
			continue
		}

		d := json.NewDecoder(bytes.NewReader(fields[name]))
		d.DisallowUnknownFields()
		if err := d.Decode(to); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, plain(err)))
		}
	}
	return f, append(problems, f.readGrid()...)
}

// readGrid reads the axes one by one, so that each can report its own problem.
func (f *file) readGrid() []error {
	var problems []error
	f.grid = map[string][]string{}
	for _, name := range sortedKeys(f.Grid) {
		var values []literal
		if err := json.Unmarshal(f.Grid[name], &values); err != nil {
			problems = append(problems, fmt.Errorf("grid.%s: %w", name, plain(err)))
		}
		f.grid[name] = []string{}
		for _, v := range values {
			f.grid[name] = append(f.grid[name], string(v))
		}
	}
	return problems
}

// study returns the study with defaults filled in.
func (f *file) study() *Study {
	s := &Study{
		Name: f.Name, About: f.About, Traces: f.Traces, Grid: f.grid, Seeds: f.Seeds,
		Compare: f.Compare, Confidence: 0.95, Metrics: f.Metrics,
	}
	if s.Compare == "" {
		s.Compare = allAxes[0].Name
	}
	if f.Confidence != nil {
		s.Confidence = *f.Confidence
	}
	return s
}

// resolve makes paths independent of the working folder, and fills in a default.
func (t *Trace) resolve(folder string) {
	for _, p := range []*string{&t.Nodes, &t.Pods, &t.Dump} {
		if *p != "" && !filepath.IsAbs(*p) && !strings.Contains(*p, "://") {
			*p = join(folder, *p)
		}
	}
	if t.PodsPerNode == 0 {
		t.PodsPerNode = 110
	}
}

// join returns a path within a folder, which may be on another file system, such as gs://bucket/traces.
func join(folder, path string) string {
	if strings.Contains(folder, "://") {
		return strings.TrimSuffix(folder, "/") + "/" + filepath.ToSlash(path)
	}
	return filepath.Join(folder, path)
}
