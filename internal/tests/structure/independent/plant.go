package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// faultVariable is the environment variable that selects one of the planted faults by its name.
const faultVariable = "OUTRANK_FAULT"

// switchSource is a file that is added to each package with faults. All faults are built at once, and each
// run selects one of them, because building takes much longer than running.
const switchSource = `package %s

import "os"

var plantedFault = os.Getenv("` + faultVariable + `")

func plantedValue[T any](of string, planted, plain T) T {
	if plantedFault == of {
		return planted
	}
	return plain
}
`

// plantAll writes the sources of all functions with faults to a folder, and returns the overlay file that
// makes the go command use them.
func plantAll(calls *structure.Calls, entries []entry, dir string) (overlay string, err error) {
	byFile := map[string][]planting{}
	for _, e := range entries {
		u := calls.Unit(e.name)
		if u == nil {
			return "", fmt.Errorf("there is no %s to plant a fault in", e.name)
		}
		byFile[u.File] = append(byFile[u.File], planting{e.faults, u.Begin})
	}

	replace := map[string]string{}
	write := func(instead, text string) error {
		if replace[instead] == "" {
			replace[instead] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		}
		return os.WriteFile(replace[instead], []byte(text), 0o600)
	}

	for file, plantings := range byFile {
		pkg, text, err := plantInFile(file, plantings)
		if err != nil {
			return "", err
		}
		if err := write(file, text); err != nil {
			return "", err
		}
		if err := write(filepath.Join(filepath.Dir(file), "planted_fault.go"), fmt.Sprintf(switchSource, pkg)); err != nil {
			return "", err
		}
	}

	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// planting has the faults of one declaration, which begins at an offset of its file.
type planting struct {
	faults []fault
	begin  int
}

// replacement is a text that replaces a part of a file.
type replacement struct {
	begin, end int
	text       string
}

// plantInFile returns the source of a file with the faults, and the name of its package.
func plantInFile(file string, plantings []planting) (pkg, planted string, err error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return "", "", err
	}

	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var all []replacement
	ast.Inspect(parsed, func(n ast.Node) bool {
		for _, p := range plantings {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if at(n.Pos()) == p.begin {
					// The whole body is repeated once for each fault.
					begin, end := at(n.Body.Lbrace)+1, at(n.Body.Rbrace)
					all = append(all, replacement{begin, end, bodyWithFaults(p.faults, string(source[begin:end]), n.Type.Results != nil)})
				}

			case *ast.ValueSpec:
				if at(n.Pos()) == p.begin && len(n.Values) == 1 {
					// A variable has no statements. A call chooses its initial value.
					begin, end := at(n.Values[0].Pos()), at(n.Values[0].End())
					all = append(all, replacement{begin, end, valueWithFaults(p.faults, string(source[begin:end]))})
				}
			}
		}
		return true
	})

	if len(all) != len(plantings) {
		return "", "", fmt.Errorf("%s: %d of %d functions with faults have a place", file, len(all), len(plantings))
	}

	// c Changed from The last one is replaced first, so that the offsets of the others stay right.
	// Changed from the end, because offsets count from the beginning.
	slices.SortFunc(all, func(a, b replacement) int { return cmp.Compare(b.begin, a.begin) })
	text := string(source)
	for _, r := range all {
		text = text[:r.begin] + r.text + text[r.end:]
	}
	return parsed.Name.Name, text, nil
}

// bodyWithFaults puts a copy of the body with each fault in front of the plain one. A copy runs if its fault
// is selected.
func bodyWithFaults(faults []fault, body string, results bool) string {
	end := ""
	if !results {
		end = "return\n"
	}
	text := ""
	for _, f := range faults {
		text += fmt.Sprintf("\nif plantedFault == %q {%s\n%s}\n", f.name, strings.Replace(body, f.plain, f.planted, 1), end)
	}
	return text + body
}

// valueWithFaults returns an expression that chooses between the plain value of a variable and those with
// faults.
func valueWithFaults(faults []fault, value string) string {
	text := value
	for _, f := range faults {
		text = fmt.Sprintf("plantedValue(%q, %s, %s)", f.name, strings.Replace(value, f.plain, f.planted, 1), text)
	}
	return text
}
