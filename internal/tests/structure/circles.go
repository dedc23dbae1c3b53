package structure

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Circles returns the groups of files that refer to each other in a circle, and so can only
// be understood together, the largest first. Files in no circle are left out. Time is linear
// in the references.
func (p *Package) Circles() [][]string { return circlesOf(p.References()) }

// Bounds of the circles of a large package: from so many lines on, the most files
// of a circle, and the largest part of all files that are in one.
const (
	Large         = 2000
	LargestCircle = 5
	InCircles     = 4 // one file in so many
)

// Tangle measures the circles of a package's files.
type Tangle struct {
	// Largest is the number of files of the largest circle, 1 where there is none. Within
	// counts the files that are in any.
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

// Small reports whether a package of so many files keeps to the bounds.
func (t Tangle) Small(files int) bool {
	return t.Largest <= LargestCircle && t.Within*InCircles <= files
}

// Lines counts the lines of the Go files of a folder outside tests.
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

// circlesOf finds the strongly connected components of more than one file (Tarjan).
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

// search is one walk over the files.
type search struct {
	uses map[string]map[string]string
	// index numbers the files as they are met, from 1; low is the least index that a file
	// leads back to.
	index, low map[string]int
	stack      []string
	on         map[string]bool // on the stack
	circles    [][]string
}

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
	if s.low[file] == s.index[file] {
		s.close(file)
	}
}

// close takes a component off the stack, down to the file that it was entered by.
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
