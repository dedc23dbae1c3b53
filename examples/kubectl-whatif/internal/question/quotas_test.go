package question_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// quotasByHand measures anew for each pod that is to be created.
type quotasByHand struct {
	*rapid.T
	release outrank.Release
	quotas  []*quota.Quota
	beside  []resource.List // in use of each quota by pods that the dump does not have
	pods    map[outrank.Key]*outrank.Pod
}

func (h *quotasByHand) measure(q *quota.Quota) resource.List {
	var pods []quota.Pod
	for _, p := range h.pods {
		pods = append(pods, quota.Pod{Pod: p})
	}
	return q.Measure(h.release, pods)
}

// create reports whether a pod may be created, and does it.
func (h *quotasByHand) create(p *outrank.Pod) bool {
	var now []*quota.Quota
	for i, q := range h.quotas {
		one := *q
		one.Used = h.measure(q).Plus(h.beside[i])
		now = append(now, &one)
	}
	admission := quota.Admission{Release: h.release}
	v, err := admission.Admit(now, quota.Pod{Pod: p})
	require.NoError(h, err)
	if v.Reason == "" {
		h.pods[p.Key()] = p
	}
	return v.Reason == ""
}

// quotasFor draws quotas of all namespaces.
func (h *quotasByHand) quotasFor() {
	for i, namespace := range []string{"", "team-a", "team-b"} {
		for k := range rapid.IntRange(0, 2).Draw(h.T, "quotas") {
			q := &quota.Quota{Namespace: namespace, Name: fmt.Sprintf("q%d-%d", i, k)}
			if rapid.Bool().Draw(h.T, "of a class") {
				q.Scopes = []quota.Requirement{{Scope: quota.PriorityClass, Operator: outrank.In, Values: []string{rapid.SampledFrom([]string{"low", "high"}).Draw(h.T, "class")}}}
			}
			room := resource.MustList("pods", fmt.Sprint(rapid.IntRange(0, 3).Draw(h.T, "pods")))
			if rapid.Bool().Draw(h.T, "cpu") {
				room = room.Plus(resource.MustList("requests.cpu", fmt.Sprint(rapid.IntRange(0, 4).Draw(h.T, "more cpu"))))
			}
			q.Hard = room
			beside := resource.List{}
			for name := range room {
				beside[name] = resource.MustList("x", fmt.Sprint(rapid.IntRange(0, 2).Draw(h.T, "beside")))["x"]
			}
			used := h.measure(q)
			q.Used, q.Hard = used.Plus(beside), used.Plus(room)
			h.quotas, h.beside = append(h.quotas, q), append(h.beside, beside)
		}
	}
}

// The pods that are created are those that the quotas let through one after the other, each
// measured anew: those that leave have given their usage back, and the rest is counted.
func TestPropertyQuotasAreKept(t *testing.T) {
	refused, recreated, created := 0, 0, 0
	overShapes(t, func(t *rapid.T, s question.Setting) {
		h := &quotasByHand{T: t, release: s.Snapshot.Release(), pods: map[outrank.Key]*outrank.Pod{}}
		for p := range s.Snapshot.Pods() {
			h.pods[p.Key()] = p
		}
		h.quotasFor()
		s.Limits.Quotas = h.quotas
		var changes []question.Change
		want := 0
		deleted := map[outrank.Key]bool{}
		for i := range rapid.IntRange(1, 4).Draw(t, "changes") {
			of := fmt.Sprintf("change %d", i)
			if rapid.Bool().Draw(t, "new") {
				one, err := clustergen.Preemptor(clustergen.Shape{}, rapid.Uint64().Draw(t, "pod"))
				require.NoError(t, err)
				one.Group, one.NominatedNodeName = "", ""
				one.Namespace = rapid.SampledFrom([]string{"default", "team-a", "team-b"}).Draw(t, "namespace")
				one.PriorityClassName = rapid.SampledFrom([]string{"", "low", "high"}).Draw(t, "its class")
				w := question.Workload{Kind: "Deployment", Namespace: one.Namespace, Name: fmt.Sprintf("new-%d", i), Pod: one, Replicas: rapid.IntRange(1, 3).Draw(t, "replicas"), Ordinal: -1}
				changes = append(changes, &question.AddPods{Of: of, Workload: w})
				for k := range w.Replicas {
					made := *one
					made.Name, made.UID = fmt.Sprintf("new-%d-%d", i, k+1), ""
					if h.create(&made) {
						created++
					} else {
						want++
					}
				}
				continue
			}
			var running []*outrank.Pod
			for p := range s.Snapshot.Pods() {
				if s.Snapshot.NodeOf(p.Key()) != "" && !p.Terminating() && !deleted[p.Key()] {
					running = append(running, p)
				}
			}
			if len(running) == 0 {
				continue
			}
			p := rapid.SampledFrom(running).Draw(t, "deleted")
			deleted[p.Key()] = true
			changes = append(changes, &question.DeletePods{Of: of, Keys: []outrank.Key{p.Key()}})
			delete(h.pods, p.Key())
			_, stays := s.Snapshot.Node(s.Snapshot.NodeOf(p.Key()))
			ofNode := p.Owner.Kind == "Node" || p.Mirror || p.Static
			if p.Owner == (outrank.Owner{}) || ofNode && p.Owner.Kind != "DaemonSet" || p.Owner.Kind == "DaemonSet" && !stays {
				continue // nobody recreates it
			}
			if again := remadeByHand(p); h.create(again) {
				recreated++
			} else {
				want++
				refused++
			}
		}
		sc, err := question.NewScenario(context.Background(), s, changes...)
		require.NoError(t, err)
		got := 0
		for _, f := range sc.Forbidden() {
			got += f.Pods
			require.NotEmpty(t, f.Message)
		}
		require.Equal(t, want, got)
		there := 0
		for p := range sc.Snapshot().Pods() {
			require.Contains(t, h.pods, p.Key())
			there++
		}
		require.Len(t, h.pods, there)
		a, err := sc.Aftermath()
		require.NoError(t, err)
		require.GreaterOrEqual(t, a.Totals.Forbidden, want)
		for _, m := range a.Moves {
			if m.Origin == question.New || m.Origin == question.Deleted {
				require.Contains(t, h.pods, m.Pod.Key)
			}
		}
		again, err := sc.Aftermath()
		require.NoError(t, err)
		require.Equal(t, a, again)
	})
	require.Positive(t, refused)
	require.Positive(t, recreated)
	require.Positive(t, created)
}

// remadeByHand is a pod as its controller creates it.
func remadeByHand(p *outrank.Pod) *outrank.Pod {
	next := again(p)
	next.NodeName = ""
	return next
}

// A pod of a quota that is full already, as one that was lowered since, is not recreated; the drain
// waits for it in vain where a budget wants it.
func TestRecreatedPodsAreHeldToQuotas(t *testing.T) {
	web := func(name string) *outrank.Pod {
		return pod(name, "n1", 5, "1", owned("ReplicaSet", "web"), labelled("app", "web"))
	}
	two := outrank.IntOrPercent{Value: 2}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{web("a"), web("b"), web("c")},
		Budgets: []*outrank.PodDisruptionBudget{{
			Namespace: "shop", Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			MinAvailable: &two, DisruptionsAllowed: 1, CurrentHealthy: 3, DesiredHealthy: 2,
		}},
	}
	s := set(t, c)
	full := &quota.Quota{Namespace: "shop", Name: "lowered", Hard: resource.MustList("pods", "2"), Used: resource.MustList("pods", "3")}
	s.Limits.Quotas = []*quota.Quota{full}
	sc, err := question.NewScenario(context.Background(), s, &question.RemoveNodes{Of: "drain", Names: []string{"n1"}})
	require.NoError(t, err)
	a, err := sc.Aftermath()
	require.NoError(t, err)
	require.Len(t, a.Forbidden, 1)
	assert.Equal(t, quotas.Forbidden{
		Workload: "ReplicaSet/web", Namespace: "shop", Recreated: true, Pods: 1, Quota: "lowered",
		Message: `pods "a" is forbidden: exceeded quota: lowered, requested: pods=1, used: pods=2, limited: pods=2`,
	}, a.Forbidden[0])
	assert.Equal(t, 1, a.Totals.Forbidden)
	assert.True(t, a.Drains[0].Stuck, "the first to be evicted is not recreated, and the budget wants two")
	assert.Equal(t, 1, a.Drains[0].Evicted)
	assert.Equal(t, resource.MustList("pods", "3"), full.Used, "the caller's")
	var text bytes.Buffer
	require.NoError(t, a.WriteText(&text, 0))
	assert.Contains(t, text.String(), "1 pod of ReplicaSet/web is not recreated: pods \"a\" is forbidden")
	text.Reset()
	require.NoError(t, page.WriteOverview(&text, *a.Overview(s.Snapshot, nil)))
	assert.Contains(t, text.String(), "1 pod is not created")
}

// What a quota looks at beside the pod is asked, and a quota that is there already is an error.
func TestQuotasOfManifests(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1")}}
	late := &quota.Quota{Namespace: "shop", Name: "late", Scopes: []quota.Requirement{{Scope: quota.Terminating, Operator: outrank.Exists}}, Hard: resource.MustList("pods", "0")}
	w := question.Workload{Kind: "Job", Namespace: "shop", Name: "j", Pod: pod("j", "", 5, "1"), Replicas: 2, Ordinal: -1}
	for _, deadline := range []bool{false, true} {
		w.Deadline = deadline
		sc, err := question.NewScenario(context.Background(), set(t, c),
			&question.AddObjects{Of: "quotas", Objects: &outrank.Cluster{}, Quotas: []*quota.Quota{late}}, &question.AddPods{Of: "pods", Workload: w})
		require.NoError(t, err)
		assert.Len(t, sc.Forbidden(), map[bool]int{true: 1}[deadline])
		set := sc.Setting()
		set.Limits.Deadline = deadline
		r, err := question.AskReplicas(context.Background(), set, pod("k", "", 5, "1"), 3)
		require.NoError(t, err)
		assert.Equal(t, deadline, r.Forbidden != nil)
		assert.Equal(t, map[bool]int{false: 3}[deadline], r.Running)
	}
	s := set(t, c)
	s.Limits.Quotas = []*quota.Quota{late}
	_, err := question.NewScenario(context.Background(), s, &question.AddObjects{Of: "-f x", Objects: &outrank.Cluster{}, Quotas: []*quota.Quota{late}})
	assert.ErrorIs(t, err, question.ErrContradiction)
	assert.ErrorContains(t, err, "-f x brings resourcequota shop/late, which the cluster has already")
	s.Limits.Quotas = []*quota.Quota{{Namespace: "shop", Name: "odd", Scopes: []quota.Requirement{{Scope: "Odd", Operator: outrank.Exists}}, Hard: resource.MustList("pods", "1")}}
	_, err = question.NewScenario(context.Background(), s, &question.AddPods{Of: "pods", Workload: w})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "resourcequota shop/odd")
}

// A try that fails leaves the amounts in use as they were.
func TestTriesToEmptyGiveUsageBack(t *testing.T) {
	web := func(name, on string) *outrank.Pod { return pod(name, on, 5, "1", owned("ReplicaSet", "web")) }
	s := set(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{web("a", "n1"), web("b", "n2"), web("c", "n2")},
	})
	s.Limits.Quotas = []*quota.Quota{{Namespace: "shop", Name: "lowered", Hard: resource.MustList("pods", "2"), Used: resource.MustList("pods", "3")}}
	sc, err := question.NewScenario(context.Background(), s)
	require.NoError(t, err)
	e, err := sc.Emptying()
	require.NoError(t, err)
	for range 2 {
		r, err := e.Try([]string{"n1"})
		require.NoError(t, err)
		assert.False(t, r.Works())
	}
}
