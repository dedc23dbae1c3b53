package structure

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// DrawComments draws n comments of the Go files below a folder, without tests. The text by, such as the hash
// of a commit, decides which ones, so that nobody chooses them.
func DrawComments(root string, n int, by string) ([]Finding, error) {
	return draw(root, n, by, func(fset *token.FileSet, file *ast.File) (found []Finding) {
		for _, group := range file.Comments {
			if text := strings.TrimSpace(group.Text()); text != "" {
				found = append(found, Finding{fset.Position(group.Pos()).String(), text})
			}
		}
		return found
	})
}

// DrawFunctions draws n functions with more than over lines in their bodies, in the same way.
func DrawFunctions(root string, n, over int, by string) ([]Finding, error) {
	return draw(root, n, by, func(fset *token.FileSet, file *ast.File) (found []Finding) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			if lines := fset.Position(f.Body.Rbrace).Line - fset.Position(f.Body.Lbrace).Line - 1; lines > over {
				found = append(found, Finding{fset.Position(f.Pos()).String(), fmt.Sprintf("%s has %d lines", methodName(f), lines)})
			}
		}
		return found
	})
}

// draw draws n of the findings in all files. A finding is numbered by a hash of by, its file and its text;
// those with the smallest numbers are drawn. So a draw does not depend on line numbers, nor on what else is
// in a file.
func draw(root string, n int, by string, find func(*token.FileSet, *ast.File) []Finding) ([]Finding, error) {
	type numbered struct {
		number [sha256.Size]byte
		Finding
	}
	var all []numbered

	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err

		// Hidden folders are left out, except for the one with the checks of the repository.
		case d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}

		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		for _, f := range find(fset, file) {
			all = append(all, numbered{sha256.Sum256([]byte(by + "\n" + filepath.ToSlash(name) + "\n" + f.Text)), f})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	slices.SortFunc(all, func(a, b numbered) int { return slices.Compare(a.number[:], b.number[:]) })
	var drawn []Finding
	for _, one := range all[:min(n, len(all))] {
		drawn = append(drawn, one.Finding)
	}
	return drawn, nil
}
