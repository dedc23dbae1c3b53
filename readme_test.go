package outrank_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func asking(pairs ...string) []outrank.Container {
	return []outrank.Container{{Requests: resource.MustList(pairs...)}}
}

func Example() {
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "110")}},
		Pods: []*outrank.Pod{
			{Name: "batch", NodeName: "n1", Priority: outrank.Priority(10), Containers: asking("cpu", "1500m")},
			{Name: "web", NodeName: "n1", Priority: outrank.Priority(100), Containers: asking("cpu", "500m")},
		},
	}
	snap, err := preemption.NewSnapshot(cluster) // or outrank.ReadCluster(file) first
	if err != nil {
		log.Fatal(err)
	}
	eval, err := preemption.NewEvaluator(preemption.Config{}) // the zero value: what kube-scheduler does, every node
	if err != nil {
		log.Fatal(err)
	}
	urgent := &outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000), Containers: asking("cpu", "1")}
	plan, err := eval.Preempt(context.Background(), snap, urgent, time.Now())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)

	mark := snap.Mark() // what if?
	if err := snap.Apply(plan); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(snap.PodsOn("n1")), "pod left on n1")
	fmt.Println(snap.Undo(mark), len(snap.PodsOn("n1")), "pods again")
	// Output:
	// preempt n1 [default/batch]
	// 1 pod left on n1
	// <nil> 2 pods again
}

// The example of the README is the one that runs.
func TestReadmeExample(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "readme_test.go", source, parser.ParseComments)
	require.NoError(t, err)
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != "Example" {
			continue
		}
		text := string(source[fset.Position(f.Body.Lbrace).Offset+2 : fset.Position(f.Body.Rbrace).Offset])
		code, output, found := strings.Cut(text, "\t// Output:\n")
		require.True(t, found)
		code = strings.ReplaceAll(strings.TrimPrefix(code, "\t"), "\n\t", "\n")
		output = strings.ReplaceAll(output, "\t// ", "")
		assert.Contains(t, string(readme), "```go\n"+code+"```\n")
		assert.Contains(t, string(readme), "```\n"+output+"```\n")
	}
}
