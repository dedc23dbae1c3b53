package outrank_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutExamples is a file with a pattern and a reason in each line.
const withoutExamples = ".github/no-example.txt"

// doorOf maps a package of words to the package that users import for all of its
// names. Examples stand there.
var doorOf = map[string]string{"preemption": "preemption/engine"}

// Every exported function and method is called in an example that runs and
// whose output is compared, or [withoutExamples] gives the reason why not.
func TestExamples(t *testing.T) {
	reasons := readReasons(t)
	used := map[string]bool{}
	for dir := range rooms {
		if strings.HasPrefix(dir, "internal/") || strings.Contains(dir, "/internal/") {
			continue
		}
		shown := inExamples(t, dir)
		if door := doorOf[dir]; door != "" {
			maps.Copy(shown, inExamples(t, door))
		}
		for _, name := range exportedFunctions(t, dir) {
			full := path.Join(dir, name)
			pattern := matching(reasons, full)
			used[pattern] = true
			isShown := shown[name] || shown[name[strings.LastIndex(name, ".")+1:]]
			if !isShown && pattern == "" {
				t.Errorf("%s is in no example of its package, and not in %s", full, withoutExamples)
			}
			if isShown && pattern == full {
				t.Errorf("%s is in an example, and in %s as well", full, withoutExamples)
			}
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(reasons)) {
		assert.True(t, used[pattern], "%s: %s is nothing that is exported", withoutExamples, pattern)
	}
}

// readReasons returns the reason for each pattern.
func readReasons(t *testing.T) map[string]string {
	text, err := os.ReadFile(withoutExamples)
	require.NoError(t, err)
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, reason, _ := strings.Cut(line, " ")
		require.NotEmpty(t, strings.TrimSpace(reason), "%s: a reason for %s", withoutExamples, pattern)
		require.NotContains(t, reasons, pattern)
		reasons[pattern] = reason
	}
	return reasons
}

// matching returns the pattern that says why a function needs no example: its
// own line, or "*.NAME" for every method of this name.
func matching(reasons map[string]string, full string) string {
	for _, pattern := range []string{full, "*" + full[strings.LastIndex(full, "."):]} {
		if reasons[pattern] != "" {
			return pattern
		}
	}
	return ""
}

// exportedFunctions lists functions as ".Name" and methods as "Type.Name".
func exportedFunctions(t *testing.T, dir string) []string {
	var names []string
	for _, file := range parsed(t, dir, false) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || !exportedReceiver(f) {
				continue
			}
			receiver := ""
			if f.Recv != nil {
				ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && receiver == "" {
						receiver = id.Name
					}
					return true
				})
			}
			names = append(names, receiver+"."+f.Name.Name)
		}
	}
	return names
}

// inExamples returns the names that a package's examples with compared output
// select, and the names of the examples, in the form of exportedFunctions. It
// does not look at types, so a method counts as shown where another type's
// method of the same name is.
func inExamples(t *testing.T, dir string) map[string]bool {
	shown := map[string]bool{}
	for _, file := range parsed(t, dir, true) {
		compared := func(f *ast.FuncDecl) bool {
			return slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
				text := strings.ToLower(c.Text())
				return f.Body.Pos() < c.Pos() && c.End() < f.Body.End() && (strings.HasPrefix(text, "output:") || strings.HasPrefix(text, "unordered output:"))
			})
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Example") || !compared(f) {
				continue
			}
			subject := strings.Split(strings.TrimPrefix(f.Name.Name, "Example"), "_")
			if len(subject) > 1 {
				shown[subject[0]+"."+subject[1]] = true
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					shown[s.Sel.Name] = true
				}
				return true
			})
		}
	}
	return shown
}

func parsed(t *testing.T, dir string, tests bool) []*ast.File {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	return files
}
