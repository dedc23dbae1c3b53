package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// These environment variables select a mutant, by its number from 1, and name the file that the numbers of
// functions with mutants are written to when they run first.
const (
	mutantVariable = "OUTRANK_MUTANT"
	metVariable    = "OUTRANK_MUTANTS_MET"
)

// switchSource is a file that is added to each package with mutants.
const switchSource = `package %s

import (
	"os"
	"strconv"
	"sync"
)

// plantedMutant is the number of the mutant that runs: 0 for none, -1 to write down which ones would.
var plantedMutant, _ = strconv.Atoi(os.Getenv("` + mutantVariable + `"))

var plantedMet sync.Map

func meetsMutant(n int) bool {
	if _, met := plantedMet.LoadOrStore(n, true); met {
		return false
	}
	file, err := os.OpenFile(os.Getenv("` + metVariable + `"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if _, err := file.WriteString(strconv.Itoa(n) + "\n"); err != nil {
		panic(err)
	}
	return false
}
`

// plant writes the files with mutants to a folder, and returns the overlay that makes the go command use
// them. A mutant has the number of its place in the list, from 1.
//
// The body of a function is there once for each of its mutants, and then as it is, so that mutants may be
// inside each other.
func plant(mutants []*mutant, texts sources, dir string) (overlay string, err error) {
	byFile := map[string][]replacement{}
	folders := map[string]string{}
	for i, m := range mutants {
		source := texts[m.function.File]
		byFile[m.function.File] = append(byFile[m.function.File], copyOfBody(source, m, i+1))
		folders[filepath.Dir(m.function.File)] = m.pkg.Name
	}

	replace := map[string]string{}
	write := func(instead, text string) error {
		replace[instead] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		return os.WriteFile(replace[instead], []byte(text), 0o600)
	}
	for file, copies := range byFile {
		if err := write(file, replaced(texts[file], copies)); err != nil {
			return "", err
		}
	}
	for folder, name := range folders {
		if err := write(filepath.Join(folder, "planted_mutants.go"), fmt.Sprintf(switchSource, name)); err != nil {
			return "", err
		}
	}

	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, []byte(text), 0o600)
}

// replacement is a text in place of a range of a file.
type replacement struct {
	begin, end int
	text       string
}

// replaced returns a text with replacements, of which none is inside another. Several at one position stand
// one after the other.
func replaced(text string, all []replacement) string {
	slices.SortStableFunc(all, func(a, b replacement) int { return cmp.Compare(a.begin, b.begin) })
	var out strings.Builder
	at := 0
	for _, r := range all {
		out.WriteString(text[at:r.begin])
		out.WriteString(r.text)
		at = r.end
	}
	out.WriteString(text[at:])
	return out.String()
}

// copyOfBody inserts a copy of the function's body with the mutant, which runs if the mutant is selected.
func copyOfBody(source string, m *mutant, number int) replacement {
	offset := m.offsets()
	begin, end := offset.begin+1, offset.end-1
	change := replacement{m.begin - begin, m.end - begin, m.text}

	// A label counts for the whole function, so that the copy has labels of its own.
	var changes []replacement
	for _, label := range offset.labels {
		name := source[label.begin:label.end]
		own := fmt.Sprintf("%s_%d", name, number)
		if label.end <= m.begin || label.begin >= m.end {
			changes = append(changes, replacement{label.begin - begin, label.end - begin, own})
			continue
		}
		change.text = strings.ReplaceAll(change.text, name, own)
	}
	changes = append(changes, change)

	back := ""
	if !m.function.Results {
		back = "\nreturn\n"
	}
	body := replaced(source[begin:end], changes)
	return replacement{begin, begin, fmt.Sprintf("\nif plantedMutant == %d || plantedMutant < 0 && meetsMutant(%d) {%s%s\n}\n", number, number, body, back)}
}

// span is a range of a file.
type span struct{ begin, end int }

// bodySpan is the range of a body with its braces, and those of the labels in it.
type bodySpan struct {
	span
	labels []span
}

// offsets returns where the body of the mutant's function is.
func (m *mutant) offsets() bodySpan {
	at := func(n ast.Node) span { return span{m.pkg.Offset(n.Pos()), m.pkg.Offset(n.End())} }
	s := bodySpan{span: at(m.function.Body)}
	ast.Inspect(m.function.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			s.labels = append(s.labels, at(n.Label))
		case *ast.BranchStmt:
			if n.Label != nil {
				s.labels = append(s.labels, at(n.Label))
			}
		}
		return true
	})
	return s
}
