package engine_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// openbPods are the pods of the trace in its order, with priorities by class or all alike.
func openbPods(b *testing.B, dir string, mapped bool) []*outrank.Pod {
	b.Helper()
	priorities := map[string]int32{"Guaranteed": 2000, "LS": 1000, "Burstable": 100}
	var pods []*outrank.Pod
	for _, row := range csvOf(b, filepath.Join(dir, "openb_pod_list_default.csv")) {
		p := &outrank.Pod{Name: row[0], Priority: outrank.Priority(0), Containers: []outrank.Container{{Name: "c", Requests: openbList(b, row[1], row[2], row[3])}}}
		if mapped {
			p.Priority = outrank.Priority(priorities[row[6]])
		}
		pods = append(pods, p)
	}
	return pods
}

func openbList(b *testing.B, cpu, memory, gpus string) resource.List {
	l := resource.List{resource.CPU: resource.MustParse(cpu + "m"), resource.Memory: resource.MustParse(memory + "Mi")}
	if n, err := strconv.Atoi(gpus); err == nil && n > 0 {
		l["alibabacloud.com/gpu"] = resource.MustParse(gpus)
	}
	return l
}

func csvOf(b *testing.B, name string) [][]string {
	f, err := os.Open(name)
	require.NoError(b, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(b, err)
	return rows[1:]
}

// openbCluster has the nodes of the trace, filled with its pods: each is put on the first
// node of a random order that takes it, over and over until a whole turn of them finds less
// than a hundred places.
func openbCluster(b *testing.B, dir string, mapped bool) *engine.Snapshot {
	b.Helper()
	c := &outrank.Cluster{}
	for _, row := range csvOf(b, filepath.Join(dir, "openb_node_list_all_node.csv")) {
		l := openbList(b, row[1], row[2], row[3])
		l[resource.Pods] = resource.MustParse("110")
		c.Nodes = append(c.Nodes, &outrank.Node{Name: row[0], Allocatable: l, Labels: map[string]string{"kubernetes.io/hostname": row[0]}})
	}
	r := rand.New(rand.NewPCG(16, 1))
	pods := openbPods(b, dir, mapped)
	free := make([][3]int64, len(c.Nodes))
	names := [...]resource.Name{resource.CPU, resource.Memory, "alibabacloud.com/gpu"}
	for i, n := range c.Nodes {
		for k, name := range names {
			free[i][k] = n.Allocatable.Amount(name)
		}
	}
	for turn, placed := 0, 100; placed >= 100; turn++ {
		placed = 0
		for _, i := range r.Perm(len(pods)) {
			p := *pods[i]
			var asks [3]int64
			for k, name := range names {
				asks[k] = p.Containers[0].Requests.Amount(name)
			}
			for try, at := 0, r.IntN(len(free)); try < len(free); try, at = try+1, (at+1)%len(free) {
				if free[at][0] < asks[0] || free[at][1] < asks[1] || free[at][2] < asks[2] {
					continue
				}
				for k := range asks {
					free[at][k] -= asks[k]
				}
				p.Name = fmt.Sprintf("%s-%d", p.Name, turn)
				p.NodeName, p.StartTime = c.Nodes[at].Name, gen.Now.Add(-time.Duration(r.IntN(1e6))*time.Second)
				c.Pods = append(c.Pods, &p)
				placed++
				break
			}
		}
	}
	return newSnapshot(b, c)
}

// BenchmarkExactOpenb compares exact victims with the faithful ones on the openb trace, in the
// folder that OPENB names: how often and by how much they are better.
func BenchmarkExactOpenb(b *testing.B) {
	dir := os.Getenv("OPENB")
	if dir == "" {
		b.Skip("OPENB does not name the folder of the trace")
	}
	for _, mapped := range []bool{false, true} {
		name := map[bool]string{false: "flat", true: "mapped"}[mapped]
		snap := openbCluster(b, dir, mapped)
		b.Logf("%s: %d nodes", name, snap.NumNodes())
		for _, kind := range []string{"usual", "pinned", "large", "large-pinned"} {
			b.Run(name+"/"+kind, func(b *testing.B) { compareOnOpenb(b, snap, openbPods(b, dir, mapped), kind) })
		}
	}
}

// openbAsker returns the i-th preemptor of a kind: a pod of the trace that has an eighth of
// its share more than a node mostly has free, or one of half a node; pinned to a node, or not.
func openbAsker(snap *engine.Snapshot, pods []*outrank.Pod, kind string, i int) *outrank.Pod {
	r := rand.New(rand.NewPCG(uint64(i), 2))
	p := *pods[r.IntN(len(pods))]
	p.Name, p.Priority = fmt.Sprint("new-", i), outrank.Priority(5000)
	var nodes []*outrank.Node
	for n := range snap.Nodes() {
		nodes = append(nodes, n)
	}
	n := nodes[r.IntN(len(nodes))]
	if kind == "large" || kind == "large-pinned" {
		share := 0.25 + r.Float64()/2
		l := resource.List{}
		for _, name := range []resource.Name{resource.CPU, resource.Memory, "alibabacloud.com/gpu"} {
			if v := int64(float64(n.Allocatable.Amount(name)) * share); v > 0 {
				l[name] = amountOf(name, v)
			}
		}
		p.Containers = []outrank.Container{{Name: "c", Requests: l}}
	}
	if kind == "pinned" || kind == "large-pinned" {
		p.NodeSelector = map[string]string{"kubernetes.io/hostname": n.Name}
	}
	return &p
}

func compareOnOpenb(b *testing.B, snap *engine.Snapshot, pods []*outrank.Pod, kind string) {
	const askers = 500
	usual, exact := newEvaluator(b, preemption.Config{}), newEvaluator(b, preemption.Config{Victims: preemption.Exact{}})
	for b.Loop() {
		preempted, better, optimal, victims, exactVictims := 0, 0, 0, 0, 0
		most := 0
		var steps []int
		var times, usualTimes []time.Duration
		by := map[string]int{}
		for i := range askers {
			p := openbAsker(snap, pods, kind, i)
			begin := time.Now()
			plan, err := usual.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			took := time.Since(begin)
			require.NoError(b, err)
			if plan.Outcome != preemption.Preempts {
				continue
			}
			begin = time.Now()
			best, err := exact.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			times, usualTimes = append(times, time.Since(begin)), append(usualTimes, took)
			require.NoError(b, err)
			preempted++
			order, rank := best.Score.Compare(plan.Score, nil)
			if order > 0 {
				b.Fatalf("worse: %v %v", best, plan)
			}
			if order < 0 {
				better++
				by[rank]++
			}
			if best.ClusterCertificate.Optimal {
				optimal++
			}
			most = max(most, plan.Score.Victims-best.Score.Victims)
			victims, exactVictims = victims+plan.Score.Victims, exactVictims+best.Score.Victims
			steps = append(steps, best.Certificate.Steps)
		}
		slices.Sort(steps)
		slices.Sort(times)
		slices.Sort(usualTimes)
		b.Logf("%s: %d preempted, better %d (%v), optimal %d, victims %d -> %d (most %d fewer), steps p50 %d p99 %d most %d, exact p50 %v p99 %v, faithful p50 %v",
			kind, preempted, better, by, optimal, victims, exactVictims, most, steps[len(steps)/2], steps[len(steps)*99/100], steps[len(steps)-1],
			times[len(times)/2], times[len(times)*99/100], usualTimes[len(usualTimes)/2])
	}
}
