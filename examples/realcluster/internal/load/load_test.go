package load

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// Each scheduler gets the same pods, and a burst does not have to push out pods of its own
// importance.
func TestBurstsAreTheSameForAll(t *testing.T) {
	a, b := burstPods(3, 1), burstPods(3, 1)
	assert.Equal(t, a, b)
	assert.NotEqual(t, a, burstPods(3, 2))
	asked := map[string]int{}
	for i, p := range named(a, "x") {
		asked[p.Spec.SchedulerName]++
		assert.Equal(t, "x", p.Labels[burstLabel])
		assert.NotEqual(t, p.Name, a[(i+1)%len(a)].Name)
	}
	assert.Equal(t, map[string]int{Profiles[0]: burstSize / 2, Profiles[1]: burstSize / 2}, asked)
}

func TestWorkloadsAskForMoreThanThereIs(t *testing.T) {
	var room, asked int64
	for _, n := range nodes() {
		room += n.Status.Allocatable.Cpu().MilliValue()
	}
	all, budgets := workloads(rand.New(rand.NewPCG(1, 0))), 0
	for _, w := range all {
		amounts := fill.Amounts(w.Requests...)
		asked += amounts.Cpu().MilliValue() * int64(w.Replicas)
		if w.Budget != nil {
			budgets++
		}
	}
	assert.Greater(t, asked, room)
	assert.Positive(t, budgets)
	assert.Len(t, objects(all), len(all)+budgets)
}

func TestChooseFaults(t *testing.T) {
	all, err := ChooseFaults("all")
	require.NoError(t, err)
	assert.Len(t, all, len(Faults()))
	for _, f := range all {
		assert.NotEqual(t, f.odd, f.strike != nil, f.Name)
	}
	none, err := ChooseFaults("")
	require.NoError(t, err)
	assert.Empty(t, none)
	some, err := ChooseFaults("odd-objects,scheduler-killed")
	require.NoError(t, err)
	assert.Equal(t, "scheduler-killed", some[1].Name)
	_, err = ChooseFaults("scheduler-killed,")
	assert.ErrorContains(t, err, `no fault ""`)
}

// A counter of a process that was started again counts from zero, one of a replica that
// stands by counts for nothing.
func TestMeter(t *testing.T) {
	at := func(cpu, posts, in, leads, resident float64) controlplane.Metrics {
		return controlplane.Metrics{
			"process_cpu_seconds_total": cpu, "process_resident_memory_bytes": resident, "go_goroutines": 7,
			extension + `_count{extension_point="PostFilter",profile="a"}`: posts,
			extension + `_sum{extension_point="PostFilter",profile="a"}`:   in,
			extension + `_sum{extension_point="Filter",profile="a"}`:       1000,
			`leader_election_master_status{name="kube-scheduler"}`:         leads,
		}
	}
	m := newMeter(nil)
	m.add("a", 1, at(10, 5, 1, 1, 100))
	m.add("b", 1, at(50, 0, 0, 0, 900))
	m.add("a", 1, at(14, 9, 2, 1, 200))
	m.add("b", 1, at(51, 0, 0, 0, 900))
	m.add("b", 1, at(54, 2, 1, 1, 300)) // b leads now
	m.add("a", 2, at(3, 0, 0, 0, 50))
	m.add("a", 2, at(5, 1, 0.5, 1, 400)) // a again, by another process
	m.add("a", 3, at(1, 1, 0.5, 1, 450))
	assert.Equal(t, usage{
		CPU: 10 * time.Second, PostFilters: 8, In: 3 * time.Second,
		First: size{Resident: 100, Goroutines: 7}, Last: size{Resident: 450, Goroutines: 7},
	}, m.usage)
}

// Objects that a mirror missed, kept too long or has in another version are reported.
func TestUnlike(t *testing.T) {
	pod := func(name, node string) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: node, Value: &corev1.Pod{}}
	}
	fresh := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n"}}, Pods: []*outrank.Pod{pod("a", "n"), pod("b", "n"), pod("c", "n")},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "p", DisruptionsAllowed: 1}}, Namespaces: []*outrank.Namespace{{Name: "x"}},
		Claims: []*outrank.VolumeClaim{{Name: "v"}},
	}
	assert.Empty(t, unlike(fresh, fresh))
	followed := &outrank.Cluster{
		Nodes: fresh.Nodes, Pods: []*outrank.Pod{pod("d", "n"), pod("b", "m"), pod("a", "n")},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "p"}}, Namespaces: fresh.Namespaces, Claims: fresh.Claims,
	}
	assert.Equal(t, []string{"budget /p has another DisruptionsAllowed: 0, not 1", "pod default/b has another NodeName: m, not n", "pod default/c was missed", "pod default/d is there no longer"}, unlike(followed, fresh))
}

// Objects that the API server refuses are counted, and created ones go again.
func TestOddObjectsComeAndGo(t *testing.T) {
	var running []*corev1.Pod
	for i := range 2 * len(oddStatuses) {
		running = append(running, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "batch", Name: string(rune('A' + i))},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
		})
	}
	client := fake.NewClientset()
	for _, p := range running {
		require.NoError(t, client.Tracker().Add(p))
	}
	o := &oddities{client: client}
	require.NoError(t, o.add(t.Context(), rand.New(rand.NewPCG(1, 1)), running))
	assert.Equal(t, len(oddStatuses)+len(oddNodeStatuses)+len(oddSpecs), o.taken+o.refused)
	assert.GreaterOrEqual(t, o.refused, len(oddNodeStatuses)) // there are no nodes here
	require.NoError(t, o.remove(t.Context()))
	left, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, left.Items, len(running)-len(oddStatuses))
}

// A loss, a double deletion and a mirror that differs are reported; of
// kube-scheduler only the mirror.
func TestWrong(t *testing.T) {
	b := func(scheduler, label string) *Burst {
		return &Burst{Scheduler: scheduler, Fault: "f", label: label, Unbound: 2, Report: audit.Report{Twice: []string{"a/x", "a/y"}}, Unlike: []string{"node n"}}
	}
	table := &Table{Bursts: []*Burst{b("stock", "s"), b("outrank", "o"), {Scheduler: "outrank", label: "well"}}}
	assert.Equal(t, []string{
		"s f: the mirror differs from a fresh list: node n", "o f: 2 pods got no node",
		"o f: deleted twice: a/x, a/y", "o f: the mirror differs from a fresh list: node n",
	}, table.Wrong("outrank"))
}

func TestTable(t *testing.T) {
	s := Slice{Scheduler: "stock", Time: 100 * time.Second, usage: usage{CPU: 9 * time.Second, PostFilters: 4, In: time.Second}}
	var waited []time.Duration
	for i := range 100 {
		waited = append(waited, time.Duration(100-i)*time.Second)
	}
	one := &Burst{Scheduler: "stock", Fault: "apiserver-away", Pods: 200, Unbound: 1, After: 30 * time.Second, Report: audit.Report{
		Bound: 250, Waited: waited, Victims: 20, AgainstBudget: 5, Twice: []string{"a/x"}, Writes: audit.Writes{StatusPatches: 3, Deletes: 21, Events: 4, Bindings: 250},
	}}
	s.add(one)
	s.add(one)
	table := &Table{Slices: []Slice{s, {Scheduler: "outrank", Faults: true, Time: time.Second}}, Bursts: []*Burst{one, {Scheduler: "outrank"}}}
	var b bytes.Buffer
	require.NoError(t, table.Write(&b))
	for _, line := range []string{
		"|  | stock | outrank, faults |", "| pods bound, a second | 500, 5.0 | 0, 0.0 |", "| time to bind, p50 | 50.0 s | 0.0 s |",
		"| time to bind, p99 | 99.0 s | 0.0 s |", "| PostFilter, mean of | 250.0 ms, 4 | 0.0 ms, 0 |", "| against a budget at 0 | 10, 25.0 % | 0, 0.0 % |",
		"| deletions | 42 | 0 |", "| pods of bursts, lost | 400, 2 | 0, 0 |", "| deleted twice, by one process and two | 2, 0 | 0, 0 |",
		"| apiserver-away | stock | 200 | 1 | 30.0 s | 20 | 5 | 1, 0 | 0 | 0 |",
	} {
		assert.Contains(t, b.String(), line+"\n")
	}
	assert.Equal(t, 1, strings.Count(b.String(), "| outrank |")+strings.Count(b.String(), "outrank, faults"))
}

func TestInsist(t *testing.T) {
	n := 0
	require.NoError(t, insist(t.Context(), func() error {
		if n++; n < 3 {
			return errors.New("busy")
		}
		return nil
	}))
	assert.Equal(t, 3, n)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorContains(t, insist(ended, func() error { return errors.New("busy") }), "busy")
}
