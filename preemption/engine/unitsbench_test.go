package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// benchedUnits are the clusters of BenchmarkUnits. Where they are grouped, a tenth of the
// pods are in groups of eight that leave whole.
var benchedUnits = []struct {
	name           string
	gates, grouped bool
	release        outrank.Release
	// own: the pods have another priority than their groups.
	own bool
}{
	{name: "v1.36", release: outrank.V1_36},
	{name: "v1.37", release: outrank.V1_37},
	{name: "gates", release: outrank.V1_37, gates: true},
	{name: "groups-without-gates", release: outrank.V1_37, grouped: true},
	{name: "groups", release: outrank.V1_37, gates: true, grouped: true},
	{name: "groups-other-priorities", release: outrank.V1_37, gates: true, grouped: true, own: true},
}

// BenchmarkUnits is one decision about a pod with a signature that was not asked for
// before, beside groups that leave whole.
func BenchmarkUnits(b *testing.B) {
	for i := range benchedUnits {
		of := &benchedUnits[i]
		b.Run(fmt.Sprintf("units=%s/nodes=5000", of.name), func(b *testing.B) {
			c, p := gen.Benchmark(5000, 30, 20)
			c.Release = of.release
			if of.gates {
				var err error
				c.Release, err = of.release.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true})
				require.NoError(b, err)
			}
			if of.grouped {
				groupSome(c, of.own)
			}
			snap, pods, e := newSnapshot(b, c), likes(p, 1000), newEvaluator(b, preemption.Config{})
			runtime.GC()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pods[i%len(pods)], Now: gen.Now})
				if err != nil || plan.Outcome != preemption.Preempts {
					b.Fatal(err, plan)
				}
			}
		})
	}
}

// groupSome puts a tenth of the pods in groups of eight, on as many nodes.
func groupSome(c *outrank.Cluster, own bool) {
	var group *outrank.PodGroup
	for i := 3; i < len(c.Pods); i += 10 {
		p := *c.Pods[i]
		if i/10%8 == 0 {
			group = &outrank.PodGroup{Name: fmt.Sprint("group", i), DisruptionMode: outrank.DisruptPodGroup, Priority: p.Priority, Namespace: p.Namespace}
			c.Groups = append(c.Groups, group)
		}
		if p.Group, p.Namespace = group.Name, group.Namespace; !own {
			p.Priority = group.Priority
		}
		p.Name = fmt.Sprint("member", i)
		c.Pods[i] = &p
	}
}
