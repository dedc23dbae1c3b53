package outrank_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/outrank-go/outrank"

// rooms lists the packages that each package may import, by folder; "." is the
// root. A room with a trailing slash covers everything below it.
var rooms = map[string][]string{
	"resource": {},
	".":        {"resource", "internal/apis", "internal/release"},
	"priority": {".", "internal/release"},
	"qos":      {".", "resource", "internal/release"},
	"pdb":      {".", "internal/release"},
	// The words of a decision, and the rules as one reads them.
	"preemption":                   {".", "resource", "internal/prose", "preemption/internal/rank", "preemption/internal/refusing", "internal/document", "internal/fit", "internal/lifecycle", "internal/release"},
	"internal/prose":               {".", "resource"},
	"preemption/internal/rank":     {"."},
	"preemption/internal/bounded":  {"preemption"},
	"preemption/internal/refusing": {},
	// The engine, and its rooms, the lowest first.
	"preemption/engine":                  {".", "resource", "priority", "pdb", "preemption", "preemption/internal/", "preemption/engine/internal/", "internal/"},
	"preemption/engine/internal/state":   {".", "resource", "pdb", "preemption", "preemption/internal/", "internal/"},
	"preemption/engine/internal/filters": {".", "resource", "preemption", "preemption/internal/", "preemption/engine/internal/state", "internal/"},
	"preemption/engine/internal/dryrun":  {".", "resource", "pdb", "preemption", "preemption/internal/", "preemption/engine/internal/filters", "preemption/engine/internal/state", "internal/"},
	"preemption/engine/internal/across":  {".", "preemption", "preemption/internal/", "preemption/engine/internal/dryrun", "preemption/engine/internal/filters", "preemption/engine/internal/state"},
	"preemption/engine/internal/groups":  {".", "preemption", "preemption/internal/", "preemption/engine/internal/dryrun", "preemption/engine/internal/filters", "preemption/engine/internal/search", "preemption/engine/internal/state", "internal/"},
	"preemption/engine/internal/verify":  {".", "preemption", "preemption/engine/internal/across", "preemption/engine/internal/dryrun", "preemption/engine/internal/filters", "preemption/engine/internal/state"},
	"preemption/engine/internal/search":  {".", "resource", "pdb", "preemption", "preemption/internal/", "preemption/engine/internal/dryrun", "preemption/engine/internal/filters", "preemption/engine/internal/state", "internal/"},
	"kubeletadmit":                       {".", "resource", "priority", "qos", "internal/"},
	// JSON of dumps, manifests and objects, as plain types and back.
	"preemption/kube": {".", "resource", "internal/work", "internal/apis", "internal/manifest"},
	// The pods that wait.
	"preemption/scheduler/queue": {".", "priority", "internal/filter", "internal/release"},
	// Quotas: how many pods of a class may be created.
	"preemption/planner/quota": {".", "resource", "qos", "internal/manifest"},
	// What happens after a decision. Deciding imports none of it.
	"preemption/scheduler/execution": {".", "resource", "priority", "preemption/scheduler/queue", "pdb", "preemption", "preemption/engine", "internal/"},
	"preemption/planner/history":     {".", "resource", "priority", "pdb", "preemption", "preemption/engine", "internal/"},
	// What is counted of it.
	"preemption/scheduler/execution/metrics": {".", "preemption/scheduler/queue", "preemption", "preemption/scheduler/execution", "internal/filter", "internal/release"},
	// One attempt of a scheduler, made of these, and counted.
	"preemption/scheduler/attempt": {".", "preemption/scheduler/queue", "preemption", "preemption/engine", "preemption/scheduler/execution", "preemption/scheduler/execution/metrics", "preemption/scheduler/score", "internal/prose"},
	// The reasons of a decision, in words made from data.
	"preemption/explain": {".", "resource", "priority", "preemption", "preemption/engine", "preemption/internal/bounded", "preemption/internal/rank", "preemption/scheduler/score", "internal/document", "internal/filter", "internal/fit", "internal/manifest", "internal/prose", "internal/lifecycle", "internal/release"},
	// Several preemptors at once.
	"preemption/planner/joint": {".", "resource", "priority", "pdb", "preemption", "preemption/engine", "preemption/internal/bounded", "preemption/internal/rank", "internal/document", "internal/fit", "internal/packing", "internal/prose", "internal/lifecycle"},
	// The reasons of an admission by the kubelet.
	"kubeletadmit/explain": {".", "resource", "qos", "kubeletadmit", "internal/document", "internal/fit", "internal/prose"},
	// A scheduler's configuration file, as a configuration here.
	"preemption/scheduler/config": {".", "resource", "preemption", "preemption/engine", "preemption/scheduler/score", "internal/release"},
	// Where a pod that fits goes.
	"preemption/scheduler/score": {".", "resource", "preemption", "preemption/engine", "internal/filter", "internal/fit", "internal/work", "internal/release"},
	// Stands in for the cluster in tests and simulators.
	"preemption/preemptiontest/executiontest": {".", "preemption/scheduler/queue", "preemption", "preemption/engine", "preemption/scheduler/execution"},
	// Preemption between tenants of a shared cluster.
	"preemption/planner/tenancy": {".", "resource", "preemption", "preemption/engine"},
	// Clusters to try things on, and checks of a filter's contract.
	"preemption/preemptiontest/clustergen": {".", "resource", "internal/tests/clusters", "internal/tests/draw", "internal/filter"},
	"preemption/preemptiontest/filtertest": {".", "resource", "preemption", "preemption/engine", "preemption/preemptiontest/clustergen"},
	// Parts shared by several rooms; downwards only.
	"internal/lifecycle": {"."},
	"internal/manifest":  {"resource"},
	"internal/fit":       {".", "resource"},
	"internal/document":  {".", "internal/manifest"},
	// The kubelet's choice of pods in the plainest words, which kubeletadmit is held to.
	"internal/tests/plainkubelet": {".", "resource", "qos"},
	"internal/tests/draw":         {"."},
	"internal/tests/clusters":     {".", "resource", "internal/tests/draw", "internal/filter"},
	"internal/tests/gen":          {".", "resource", "internal/tests/clusters", "internal/tests/draw", "internal/filter", "preemption/preemptiontest/clustergen"},
	"internal/release":            {},
	"internal/apis":               {},
	"internal/filter":             {".", "resource", "internal/tests/draw", "internal/fit", "internal/release"},
	"internal/tests/hostile":      {".", "resource"},
	"internal/work":               {},
	"internal/exact":              {},
	"internal/packing":            {},
	"internal/tests/plantest":     {".", "preemption"},
	"internal/tests/invariants":   {".", "resource", "internal/tests/scenario", "internal/tests/seeded", "kubeletadmit", "preemption"},
	"internal/tests/schedules":    {".", "resource", "preemption", "preemption/engine", "preemption/scheduler/attempt", "preemption/scheduler/execution", "preemption/scheduler/queue"},
	"internal/tests/rules":        {},

	// What always holds of a decision, proven; and the definitions that are proven, carried out.
	"internal/proof":       {"internal/proof/dafny"},
	"internal/proof/check": {"internal/proof", "internal/proof/dafny"},
	"internal/proof/dafny": {},

	"internal/tests/scenario": {".", "resource", "internal/filter"},
}

// testTools are the only internal packages that reach outside the standard
// library. No library code imports them.
var testTools = map[string]bool{"internal/tests/gen": true, "internal/tests/invariants": true, "internal/tests/plantest": true, "internal/tests/plainkubelet": true, "internal/tests/scenario": true, "internal/tests/testdiff": true}

// supports are packages for users' tests, from the standard library alone. In
// this module only tests, tools for tests and supports import them.
var supports = map[string]bool{
	"preemption/preemptiontest/clustergen": true, "preemption/preemptiontest/filtertest": true, "preemption/preemptiontest/executiontest": true,
}

type listed struct {
	ImportPath     string
	GoFiles        []string
	IgnoredGoFiles []string
	Imports        []string
	TestImports    []string
	XTestImports   []string
	Module         *struct{ Path string }
	Standard       bool
}

// packages returns the packages of the module. No test changes them, so that they are listed once.
func packages(t *testing.T) []listed {
	t.Helper()
	all, err := listOnce()
	require.NoError(t, err)
	return all
}

var listOnce = sync.OnceValues(func() (all []listed, err error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,GoFiles,IgnoredGoFiles,Imports,TestImports,XTestImports,Module,Standard", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		if err := dec.Decode(&p); err != nil {
			if err == io.EOF {
				return all, nil
			}
			return nil, err
		}
		all = append(all, p)
	}
})

func TestImportGraph(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		room := roomOf(p.ImportPath)
		seen[room] = true
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				standard := !strings.Contains(strings.Split(imported, "/")[0], ".")
				assert.True(t, standard || testTools[room], "%s imports %s, which is not the standard library", room, imported)
				continue
			}
			assert.True(t, mayImport(room, roomOf(imported)), "%s imports %s", room, roomOf(imported))
		}
	}
	for room := range rooms {
		assert.True(t, seen[room], "no package %s", room)
	}
}

func roomOf(importPath string) string {
	room := strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	if room == "" {
		return "."
	}
	return room
}

func mayImport(room, imported string) bool {
	if strings.HasPrefix(room, "examples/") {
		return !strings.HasPrefix(imported, "internal/")
	}
	if testTools[imported] {
		return testTools[room]
	}
	if supports[imported] && !supports[room] && !testTools[room] {
		return false
	}
	return slices.ContainsFunc(rooms[room], func(allowed string) bool {
		return imported == allowed || strings.HasSuffix(allowed, "/") && strings.HasPrefix(imported, allowed)
	})
}

// What v1.0 does not freeze says so in its comment, and nothing else does.
func TestTiers(t *testing.T) {
	text, err := os.ReadFile(".github/frozen.txt")
	require.NoError(t, err)
	frozen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			frozen[strings.TrimSpace(line)] = true
		}
	}

	for path, d := range readDocumented(t) {
		if strings.Contains(path+"/", "/internal/") || strings.HasPrefix(path, module+"/examples/") {
			continue
		}
		assert.NotEqual(t, frozen[path], strings.Contains(d.doc.Doc, "\n\nExperimental: "), "%s: frozen, or experimental by its comment?", path)
		delete(frozen, path)
	}
	assert.Empty(t, frozen, "listed, and no package")
}

func TestTopLevel(t *testing.T) {
	allowed := []string{
		"resource", "priority", "qos", "pdb", "preemption", "kubeletadmit", "internal", "examples",
		"go.mod", "go.sum", "LICENSE", "README.md",
		"dist", // what .ci/dist makes; git ignores it
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		ok := strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".go") || slices.Contains(allowed, e.Name())
		assert.True(t, ok, "%s does not belong at the top level", e.Name())
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, name := range undocumented(file) {
			t.Errorf("%s: %s has no comment", path, name)
		}
		return nil
	})
	require.NoError(t, err)
}

// undocumented lists the exported names of a file that have no comment; one of
// a group will do for constants and variables.
func undocumented(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				names = append(names, undocumentedSpec(d, spec)...)
			}
		}
	}
	return names
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
			return []string{s.Name.Name}
		}
	case *ast.ValueSpec:
		if d.Doc == nil && s.Doc == nil && s.Comment == nil && s.Names[0].IsExported() {
			return []string{s.Names[0].Name}
		}
	}
	return nil
}

// exportedReceiver reports whether a function can be reached from outside.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	name, ok := t.(*ast.Ident)
	return ok && name.IsExported()
}

// What a workflow runs is named by a commit, which nobody can move.
func TestWorkflowsArePinned(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if _, action, found := strings.Cut(strings.TrimSpace(line), "uses: "); found {
				assert.Regexp(t, pinned, action, file)
			}
		}
	}
}

// The README says which version of Go each module needs.
func TestReadmeNamesGoVersions(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	line := regexp.MustCompile(`Go (1\.\d+) or later, the modules below examples (1\.\d+);`).FindSubmatch(readme)
	require.NotNil(t, line)
	needs := regexp.MustCompile(`(?m)^go (1\.\d+)`)
	for pattern, want := range map[string][]byte{"go.mod": line[1], "examples/*/go.mod": line[2], "examples/*/*/go.mod": line[2], "internal/tests/*/go.mod": line[1]} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(needs.FindSubmatch(text)[1]), file)
		}
	}
}
