package structure

import (
	"cmp"
	"maps"
	"slices"
)

// Circles returns the groups of files that refer to each other in a circle, and so can only
// be understood together, the largest first. Files in no circle are left out. Time is linear
// in the references.
func (p *Package) Circles() [][]string { return circlesOf(p.References()) }

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
