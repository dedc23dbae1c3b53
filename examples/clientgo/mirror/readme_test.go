package mirror_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// The lines that the README shows, which are these.
func ExampleMirror_Preemptor() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	client, pending := fake.NewClientset(node("n1")), pod("web", "")
	m, _ := mirror.New(outrank.V1_37)
	factory := informers.NewSharedInformerFactory(client, 0)
	synced, _ := m.Follow(factory, mirror.Everything...)
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), synced...)
	evaluator, _ := engine.New(preemption.Config{})
	pod, _ := m.Preemptor(pending) // a *corev1.Pod that has no node yet
	plan, _ := evaluator.Preempt(ctx, m.Snapshot(), preemption.Request{Pod: pod, Now: time.Now()})
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
	// Output: nothing-helps  []
}

// The README shows lines that run: those of the example above.
func TestLinesOfTheReadme(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, rest, there := strings.Cut(string(page), "```go\n")
	require.True(t, there)
	lines, _, _ := strings.Cut(rest, "```")
	program, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	require.Contains(t, string(program), "\t"+strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n\t")+"\n")
}
