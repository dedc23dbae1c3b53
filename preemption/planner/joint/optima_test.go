package joint_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

var (
	models = flag.String("models", "", "TestOptima writes its instances there, as models for a solver")
	every  = flag.Bool("all", false, "TestOptima takes every instance, not only small ones, and logs times")
)

// optimum is what a solver of mixed integer programs found for an instance of [waiting] with pods
// of priority 0 as possible victims: the least number of victims, and what is proven of it.
// The two differ where it ended at its limit of time, and Best is 0 where it found no plan by then.
type optimum struct {
	Nodes, Pods, Best, Bound int
}

// Joint plans have the fewest victims, or nearly so, and the bound says so. The recorded figures are
// of CBC 2.10.8 on the models that -models writes, 150 s of CPU for each. With -v -all the log
// is a table.
func TestOptima(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "optima.json"))
	require.NoError(t, err)
	var optima []optimum
	require.NoError(t, json.Unmarshal(text, &optima))
	require.GreaterOrEqual(t, len(optima), 30)
	var table strings.Builder
	table.WriteString("| nodes / pods | one by one | joint | optimum | bound |\n|---|---|---|---|---|\n")
	large := seeded.Sample(200, 1000)
	for _, o := range optima {
		if !*every && o.Nodes*o.Pods > large {
			continue
		}
		snap, pods := waiting(t, o.Nodes, o.Pods, 0)
		if *models != "" {
			writeModel(t, snap, pods, filepath.Join(*models, fmt.Sprintf("%d_%d.lp", o.Nodes, o.Pods)))
		}
		eval, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		start := time.Now()
		plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: pods, Now: clustergen.Now()})
		require.NoError(t, err)
		took := ""
		if *every {
			took = fmt.Sprintf(" (%.1f s)", time.Since(start).Seconds())
		}
		bound := plan.Certificate.Bound.Victims
		known := fmt.Sprint(o.Best)
		switch {
		case o.Best == 0:
			known = fmt.Sprintf("%d at least, no plan found", o.Bound)
		case o.Bound < o.Best:
			known = fmt.Sprintf("%d to %d", o.Bound, o.Best)
		}
		fmt.Fprintf(&table, "| %d / %d | %d | %d%s | %s | %d |\n", o.Nodes, o.Pods, plan.OneByOne.Victims, plan.Total.Victims, took, known, bound)
		require.Zero(t, plan.Total.TopPriority)
		if o.Best > 0 {
			assert.LessOrEqual(t, float64(plan.Total.Victims), 1.03*float64(o.Best), "%+v", o)
			assert.GreaterOrEqual(t, plan.Total.Victims, o.Bound, "%+v", o)
			assert.LessOrEqual(t, bound, o.Best, "%+v", o)
			assert.GreaterOrEqual(t, float64(bound), 0.95*float64(o.Best), "%+v", o)
		}
	}
	t.Logf("victims of joint plans\n%s", table.String())
}

// writeModel writes an instance as a mixed integer program: how many pods of each kind a node
// takes, and who leaves it.
func writeModel(t require.TestingT, snap *engine.Snapshot, pods []*outrank.Pod, path string) {
	rows := []resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage, resource.Pods}
	amount := func(of resource.List, r resource.Name) int64 {
		if r == resource.CPU {
			return of.Amount(r)
		}
		return of.Amount(r) >> 20 // all are whole mebibytes
	}
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	w := bufio.NewWriter(file)
	defer w.Flush()
	var kinds []*outrank.Pod
	counts := map[int64]int{}
	for _, p := range pods {
		cpu := p.Requests().Amount(resource.CPU)
		if counts[cpu]++; counts[cpu] == 1 {
			kinds = append(kinds, p)
		}
	}
	var rules, numbers, choices strings.Builder
	takes := make([]strings.Builder, len(kinds))
	fmt.Fprint(w, "Minimize\n victims:")
	n := 0
	for node := range snap.Nodes() {
		var leavers []*outrank.Pod
		for _, p := range snap.PodsOn(node.Name) {
			if p.PriorityValue() == 0 {
				fmt.Fprintf(w, " + y%d_%d\n", n, len(leavers))
				fmt.Fprintf(&choices, " y%d_%d\n", n, len(leavers))
				leavers = append(leavers, p)
			}
		}
		for r, name := range rows {
			of := func(p *outrank.Pod) int64 {
				if name == resource.Pods {
					return 1
				}
				return amount(p.Requests(), name)
			}
			fmt.Fprintf(&rules, " r%d_%d:", n, r)
			for k, p := range kinds {
				fmt.Fprintf(&rules, " + %d x%d_%d", of(p), n, k)
			}
			for v, p := range leavers {
				fmt.Fprintf(&rules, " - %d y%d_%d", of(p), n, v)
			}
			free := node.Allocatable.Amount(name) - snap.Used(node.Name, name)
			if name != resource.CPU && name != resource.Pods {
				free >>= 20
			}
			fmt.Fprintf(&rules, " <= %d\n", free)
		}
		for k := range kinds {
			fmt.Fprintf(&takes[k], " + x%d_%d\n", n, k)
			fmt.Fprintf(&numbers, " x%d_%d\n", n, k)
		}
		n++
	}
	for k, p := range kinds {
		fmt.Fprintf(&rules, " k%d:%s >= %d\n", k, takes[k].String(), counts[p.Requests().Amount(resource.CPU)])
	}
	fmt.Fprintf(w, "Subject To\n%sGeneral\n%sBinary\n%sEnd\n", rules.String(), numbers.String(), choices.String())
}
