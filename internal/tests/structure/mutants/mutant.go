package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// mutant is a change of one function.
type mutant struct {
	// file is the path of the file within the module, and line and column are where the change is.
	file         string
	line, column int
	// operator names the kind of change.
	operator string
	// begin and end are the offsets in the file of what text replaces.
	begin, end int
	text       string

	// topic is what it was drawn about, or nil.
	topic    *topic
	pkg      *structure.Package
	function structure.Function
	key
}

// key identifies a mutant in a way that stays right when lines move.
type key struct {
	// folder is that of the package, within the module.
	folder, function string
	// plain and changed are the changed lines without and with the change, with single spaces.
	plain, changed string
	// nth counts the mutants of one function with the same lines, from 1.
	nth int
}

// place returns where the mutant is, as the flag -only takes it.
func (m *mutant) place() string { return fmt.Sprintf("%s:%d:%d", m.file, m.line, m.column) }

// String returns the function and the number of the key, as the list of equivalent mutants begins an entry.
func (k key) String() string {
	if k.nth > 1 {
		return fmt.Sprintf("%s %s %d", k.folder, k.function, k.nth)
	}
	return k.folder + " " + k.function
}

// sources has the texts of files that were read.
type sources map[string]string

// read returns the text of a file.
func (s sources) read(path string) (string, error) {
	if text, ok := s[path]; ok {
		return text, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	s[path] = string(text)
	return s[path], nil
}

// linesAround returns the lines of the source that contain a range, and the same lines with another text in
// place of the range, both with single spaces.
func linesAround(source string, begin, end int, text string) (plain, changed string) {
	from := strings.LastIndexByte(source[:begin], '\n') + 1
	to := len(source)
	if n := strings.IndexByte(source[end:], '\n'); n >= 0 {
		to = end + n
	}
	return squeezed(source[from:to]), squeezed(source[from:begin] + text + source[end:to])
}

// squeezed returns a text with single spaces in place of all other white space.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// numbered gives mutants with the same lines of the same function their numbers. They have to be in the order
// of the source.
func numbered(mutants []*mutant) {
	seen := map[key]int{}
	for _, m := range mutants {
		seen[m.key]++
		m.nth = seen[m.key]
	}
}

// different drops mutants that make the same change as one before them.
func different(mutants []*mutant) []*mutant {
	type change struct {
		begin, end int
		text       string
	}
	seen := map[change]bool{}
	return slices.DeleteFunc(mutants, func(m *mutant) bool {
		c := change{m.begin, m.end, m.text}
		again := seen[c]
		seen[c] = true
		return again
	})
}
