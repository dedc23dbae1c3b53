package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is the path of the library's module.
const module = "github.com/outrank-go/outrank"

// recorderFolder is the folder in which the overlay puts the recorder. The tree has no such folder.
const recorderFolder = "internal/conditionsrecorded"

// recordVariable is the environment variable with the name of the file to which evaluations are appended.
const recordVariable = "OUTRANK_CONDITIONS"

// recorder is the source of the package that the copies call. A decision keeps each evaluation once, in the
// first of its slots that is free, and writes it to the file then. An evaluation that finds no slot is lost,
// which can only make a condition look worse.
const recorder = `package conditionsrecorded

import (
	"fmt"
	"os"
	"sync/atomic"
)

var seen [%d][64]atomic.Uint64

type Evaluation uint64

func (e *Evaluation) Operand(at int, value bool) bool {
	*e |= bits(value) << (2 * at)
	return value
}

func (e *Evaluation) End(decision int, value bool) bool {
	record(decision, uint64(*e))
	return value
}

func Whole(decision int, value bool) bool {
	record(decision, uint64(bits(value)))
	return value
}

func bits(value bool) Evaluation {
	if value {
		return 3
	}
	return 2
}

func record(decision int, e uint64) {
	for i := range seen[decision] {
		slot := &seen[decision][i]
		if slot.Load() == 0 && slot.CompareAndSwap(0, e) {
			write(decision, e)
			return
		}
		if slot.Load() == e {
			return
		}
	}
}

func write(decision int, e uint64) {
	f, err := os.OpenFile(os.Getenv("` + recordVariable + `"), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "%%d %%d\n", decision, e)
		f.Close()
	}
	if err != nil {
		panic(err)
	}
}
`

// instrument writes copies that record their decisions to a folder, and returns the decisions by number and
// the overlay file that makes the go command use the copies.
func instrument(root string, files []string, dir string) (all []*decision, overlay string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, "", err
	}
	replace := map[string]string{}
	write := func(instead, text string) error {
		at := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(root, instead)] = at
		return os.WriteFile(at, []byte(text), 0o600)
	}

	for _, file := range files {
		source, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, "", err
		}
		decisions, text, err := recording(file, source, len(all))
		if err != nil {
			return nil, "", err
		}
		if len(decisions) == 0 {
			continue // an import that nothing uses could not be built
		}
		all = append(all, decisions...)
		if err := write(file, text); err != nil {
			return nil, "", err
		}
	}

	if err := write(recorderFolder+"/recorded.go", fmt.Sprintf(recorder, len(all))); err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return all, overlay, os.WriteFile(overlay, text, 0o600)
}

// recording returns the decisions of a file, and its source with calls that record them. No line is added,
// so that every message has the line of the file itself.
func recording(file string, source []byte, first int) ([]*decision, string, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	f := &finder{
		fset: fset, source: source, first: first, file: file,
		before: map[ast.Node]string{}, after: map[ast.Node]string{}, inside: map[ast.Node]bool{}, points: map[token.Pos]string{},
	}

	var added insertions
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var open []ast.Node
	ast.Inspect(parsed, func(n ast.Node) bool {
		if n == nil {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			added.add(at(last.End()), f.after[last])
			return true
		}
		if g, ok := n.(*ast.GenDecl); ok && g.Tok == token.CONST {
			return false // a constant cannot be made by a call, and decides at no time
		}
		f.visit(n)
		added.add(at(n.Pos()), f.before[n])
		open = append(open, n)
		return true
	})

	for p, text := range f.points {
		added.add(at(p), text)
	}
	added.add(at(parsed.Name.End()), fmt.Sprintf("; import conditionsRecorded %q", path.Join(module, recorderFolder)))
	return f.decisions, added.in(source), f.err
}

// insertion is a text that is added at an offset of a source.
type insertion struct {
	offset int
	text   string
}

// insertions are in the order in which those of one offset follow each other.
type insertions []insertion

func (all *insertions) add(offset int, text string) {
	if text != "" {
		*all = append(*all, insertion{offset, text})
	}
}

// in returns the source with everything added.
func (all insertions) in(source []byte) string {
	slices.SortStableFunc(all, func(a, b insertion) int { return a.offset - b.offset })
	var text strings.Builder
	done := 0
	for _, i := range all {
		text.Write(source[done:i.offset])
		text.WriteString(i.text)
		done = i.offset
	}
	text.Write(source[done:])
	return text.String()
}

// folderOf returns the folder of a file.
func folderOf(file string) string { return path.Dir(file) }
