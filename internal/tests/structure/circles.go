package structure

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Circles returns the groups of files that refer to each other in a circle, and so can only be understood
// together. The largest comes first; files in no circle are left out. Time is linear in the number of
// references.
func (p *Package) Circles() [][]string { return circlesOf(p.References()) }

// Bounds for packages with at least Large lines: a circle has at most LargestCircle files, and at most one
// file in InCircles is in any circle.
const (
	Large         = 2000
	LargestCircle = 5
	InCircles     = 4
)

// Tangle says how far the files of a package are in circles.
type Tangle struct {
	// Largest is the number of files in the largest circle; it is 1 if there is none. Within counts the files
	// in any circle.
	Largest, Within int
}

// Tangle measures the circles of the package.
func (p *Package) Tangle() Tangle {
	t := Tangle{Largest: 1}
	for _, circle := range p.Circles() {
		t.Largest, t.Within = max(t.Largest, len(circle)), t.Within+len(circle)
	}
	return t
}

// Small reports whether a package with this number of files keeps within the bounds.
func (t Tangle) Small(files int) bool {
	return t.Largest <= LargestCircle && t.Within*InCircles <= files
}

// Lines counts the lines of the Go files in a folder, without tests.
func Lines(dir string) (lines int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		lines += strings.Count(string(text), "\n")
	}
	return lines, nil
}

// circlesOf finds the strongly connected components with more than one file, by Tarjan's algorithm. uses maps
// each file to the files that it refers to.
func circlesOf(uses map[string]map[string]string) [][]string {
	s := &search{uses: uses, index: map[string]int{}, low: map[string]int{}, on: map[string]bool{}}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if s.index[file] == 0 {
			s.visit(file)
		}
	}
	slices.SortStableFunc(s.circles, func(a, b []string) int { return cmp.Compare(len(b), len(a)) })
	return s.circles
}

// search is the state of one depth-first search over the files.
type search struct {
	uses map[string]map[string]string
	// index numbers the files in the order of discovery, from 1; 0 means that the file was not met yet. low
	// is the smallest index of a file on the stack that the file leads back to.
	index, low map[string]int
	stack      []string
	// on has the files that are on the stack.
	on      map[string]bool
	circles [][]string
}

// visit searches from a file that was not met yet.
func (s *search) visit(file string) {
	s.index[file] = len(s.index) + 1
	s.low[file] = s.index[file]
	s.stack, s.on[file] = append(s.stack, file), true

	for _, next := range slices.Sorted(maps.Keys(s.uses[file])) {
		switch {
		case s.index[next] == 0:
			s.visit(next)
			s.low[file] = min(s.low[file], s.low[next])
		case s.on[next]:
			s.low[file] = min(s.low[file], s.index[next])
		}
	}

	// Nothing above this file on the stack leads back below it, so these files are a component.
	if s.low[file] == s.index[file] {
		s.close(file)
	}
}

// close pops a component off the stack, down to the file by which it was entered. A single file is no circle.
func (s *search) close(file string) {
	at := slices.Index(s.stack, file)
	circle := slices.Sorted(slices.Values(s.stack[at:]))
	for _, member := range circle {
		s.on[member] = false
	}
	s.stack = s.stack[:at]
	if len(circle) > 1 {
		s.circles = append(s.circles, circle)
	}
}
