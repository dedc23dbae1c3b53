package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// mutated are the folders whose packages get mutants: the book, the engine, and what they stand on. An
// ending of /... stands for the folders below as well.
var mutated = []string{"preemption", "preemption/engine/...", "kubeletadmit", "pdb", "priority", "resource"}

// stock has the packages that mutants are drawn from.
type stock struct {
	root  string
	texts sources
	all   []*mutant
}

// readStock finds all mutants of some packages of a module, package by package in the order of their names.
func readStock(root string, patterns []string) (*stock, error) {
	folders, err := foldersOf(root, patterns)
	if err != nil {
		return nil, err
	}
	s, reader := &stock{root: root, texts: sources{}}, structure.NewReader()
	for _, folder := range folders {
		if err := s.add(reader, folder); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add adds the mutants of the package in a folder, if there is one.
func (s *stock) add(reader *structure.Reader, folder string) error {
	pkg, err := reader.Read(filepath.Join(s.root, folder))
	if err != nil || pkg == nil {
		return err
	}
	found, err := findIn(pkg, folder, s.texts)
	s.all = append(s.all, found...)
	return err
}

// foldersOf returns the folders that some patterns mean, sorted. A pattern that means none is an error.
func foldersOf(root string, patterns []string) (folders []string, err error) {
	all, err := structure.Folders(root)
	if err != nil {
		return nil, err
	}
	for _, pattern := range patterns {
		name, below := strings.CutSuffix(pattern, "/...")
		n := len(folders)
		for _, folder := range all {
			if folder == name || below && strings.HasPrefix(folder, name+"/") {
				folders = append(folders, folder)
			}
		}
		if len(folders) == n {
			return nil, fmt.Errorf("there is no folder %s", pattern)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), nil
}

// draw returns n of the mutants that the compiler accepts, by a seed. A larger n returns the same ones first.
func (s *stock) draw(from []*mutant, n int, seed uint64) []*mutant {
	from = slices.Clone(from)
	chance := rand.New(rand.NewPCG(seed, 0))
	chance.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })

	var drawn []*mutant
	for _, m := range from {
		if len(drawn) == n {
			break
		}
		if s.accepted(m) {
			drawn = append(drawn, m)
		}
	}
	return drawn
}

// accepted reports whether the compiler accepts a mutant.
func (s *stock) accepted(m *mutant) bool {
	source := s.texts[m.function.File]
	return m.pkg.Accepts(m.function.File, source[:m.begin]+m.text+source[m.end:]) == nil
}

// at lists the mutants at a place: a file, FILE:LINE or FILE:LINE:COLUMN.
func (s *stock) at(place string) (found []*mutant) {
	for _, m := range s.all {
		if strings.HasPrefix(m.place()+":", place+":") && s.accepted(m) {
			found = append(found, m)
		}
	}
	return found
}

// about lists the mutants in files.
func (s *stock) about(files []string) (found []*mutant) {
	for _, m := range s.all {
		if slices.Contains(files, m.file) {
			found = append(found, m)
		}
	}
	return found
}
