package proof_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/proof"
	"github.com/outrank-go/outrank/internal/proof/dafny"
)

// onlyInTheModel lists the definitions that have no counterpart of their name in the book, by file.
var onlyInTheModel = map[string][]string{
	// Lists and comparisons, for which Go has packages.
	"words.dfy": {"setOf", "only", "compareInts", "or", "noDuplicates"},
	// A loop is a function that calls itself, and what theorems speak of has a name.
	"attempt.dfy":    {"sitesFrom", "runsOn", "waitsFor", "valid", "differByName", "sound"},
	"fits.dfy":       {"held", "monotone", "roomFor"},
	"units.dfy":      {"insert", "sorted"},
	"budgets.dfy":    {"chargeOne", "untouched"},
	"victims.dfy":    {"withViolated", "leaving", "roomWithout"},
	"candidates.dfy": {"ascending", "numbered", "foundOn"},
	"ranks.dfy":      {"bestFrom", "compareBy", "violations", "prioritySum", "highest", "earliest", "better", "isBest"},
	"preempt.dfy":    {"mayLeave"},
	"kubelet.dfy":    {"short", "holds", "tiersOf", "tierOf", "compareDistance", "compareReals", "beyond", "sane", "justified"},
}

// A reader of the book finds the model of a function by its name, and the other way round.
func TestModelHasTheNamesOfTheBook(t *testing.T) {
	book, kubelet := names(t, "../../preemption"), names(t, "../../kubeletadmit")
	files, err := proof.Files()
	require.NoError(t, err)
	for _, f := range files {
		names := book
		if f.Name == "kubelet.dfy" {
			names = kubelet
		}
		for _, name := range definitions(f) {
			own := names[name] || names[strings.ToUpper(name[:1])+name[1:]]
			listed := slices.Contains(onlyInTheModel[f.Name], name)
			assert.NotEqual(t, own, listed, "%s: %s has a counterpart of its name in the book, or is listed, and not both", f.Name, name)
		}
	}
}

// The book says at a function which theorem is about it.
func TestBookNamesTheTheorems(t *testing.T) {
	theorem := regexp.MustCompile(`(?m)^// Theorem: (?:.*\n//)*.*\nlemma (?:\{[^}]*\} )?(\w+)`)
	comments := comments(t, "../../preemption") + comments(t, "../../kubeletadmit")
	files, err := proof.Files()
	require.NoError(t, err)
	found := 0
	for _, f := range files {
		for _, match := range theorem.FindAllStringSubmatch(f.Text, -1) {
			found++
			says := regexp.MustCompile(`internal/proof/` + regexp.QuoteMeta(f.Name) + `(?:[^/]|\n)*\b` + match[1] + `\b`)
			assert.Regexp(t, says, comments, "no comment of the book names %s of %s", match[1], f.Name)
		}
	}
	assert.Equal(t, 15, found, "theorems")
}

// definitions lists the functions and predicates of a file.
func definitions(f dafny.File) (names []string) {
	for _, match := range regexp.MustCompile(`(?m)^(?:function|predicate) (\w+)`).FindAllStringSubmatch(f.Text, -1) {
		names = append(names, match[1])
	}
	return names
}

// names has the functions, types and variables of a package.
func names(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, file := range parsed(t, dir) {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				found[d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						found[s.Name.Name] = true
					case *ast.ValueSpec:
						found[s.Names[0].Name] = true
					}
				}
			}
		}
	}
	return found
}

// comments has the comments of all declarations of a package.
func comments(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	for _, file := range parsed(t, dir) {
		for _, c := range file.Comments {
			text.WriteString(c.Text() + "/\n") // no match goes from one comment into the next
		}
	}
	return text.String()
}

// parsed reads the code of a package, without its tests.
func parsed(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	require.NotEmpty(t, files)
	return files
}
