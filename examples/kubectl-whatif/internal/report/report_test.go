package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/drawn"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/report"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

func TestMain(m *testing.M) { seeded.Run(m, 60) }

func made(t require.TestingT, set question.Setting) *report.Report {
	s, err := question.NewScenario(context.Background(), set)
	require.NoError(t, err)
	r, err := report.Make(context.Background(), s)
	require.NoError(t, err)
	return r
}

func overShapes(t *testing.T, property func(t *rapid.T, set question.Setting)) {
	for name, shape := range drawn.Shapes() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, drawn.Setting(t, drawn.Cluster(t, shape))) })
		})
	}
}

// A person sees that it goes on in every part of a report: the turns of waiting pods, the remedies, the drains, and
// the pods that could be pushed out.
func TestProgressOfEveryPart(t *testing.T) {
	f, err := os.Open("../../sample/cluster.json")
	require.NoError(t, err)
	defer f.Close()
	c, err := kube.ReadCluster(f)
	require.NoError(t, err)
	set := drawn.Setting(t, c)
	s, err := question.NewScenario(context.Background(), set)
	require.NoError(t, err)
	ends := map[int]bool{}
	s.Watch(func(done, total int) {
		if done == total {
			ends[total] = true
		}
	})
	r, err := report.Make(context.Background(), s)
	require.NoError(t, err)
	for part, total := range map[string]int{
		"turns": len(r.Waiting.Turns), "remedies": len(r.Remedies.List), "drains": 2 * r.Drains.Nodes, "reach": len(set.Cluster.Pods),
	} {
		require.Positive(t, total, part)
		assert.True(t, ends[total], "%s: %v", part, ends)
	}
}

// The reach of each class is counted by hand, and the fate of each pod tried on a cluster that
// is read without it.
func TestPropertyReachIsTrue(t *testing.T) {
	found := map[string]int{}
	overShapes(t, func(t *rapid.T, set question.Setting) {
		r := made(t, set)
		fates := map[outrank.Key]string{}
		known := map[string]string{}
		var running []*outrank.Pod
		for _, p := range set.Cluster.Pods {
			node := set.Snapshot.NodeOf(p.Key())
			if !runs(set.Snapshot, p) {
				continue
			}
			running = append(running, p)
			owner := p.NamespaceName() + "/" + p.Owner.String()
			switch {
			case p.Owner.Kind == "DaemonSet" || p.Mirror || p.Static:
				fates[p.Key()] = "tied"
			case p.Owner == (outrank.Owner{}):
				fates[p.Key()] = "lost"
			default:
				if known[owner] == "" {
					known[owner] = "no room"
					without := *set.Cluster
					without.Pods = slices.DeleteFunc(slices.Clone(set.Cluster.Pods), func(o *outrank.Pod) bool { return o == p })
					snap, err := engine.NewSnapshot(&without)
					require.NoError(t, err)
					again := *p
					again.NodeName, again.NominatedNodeName, again.UID = "", "", ""
					again.AllocatedResources, again.Actual, again.Reported, again.ResizeDeferred = nil, nil, false, false
					again.Containers = slices.Clone(p.Containers)
					for i := range again.Containers {
						again.Containers[i].AllocatedResources, again.Containers[i].Actual, again.Containers[i].Reported = nil, nil, false
					}
					again.InitContainers = slices.Clone(p.InitContainers)
					for i := range again.InitContainers {
						again.InitContainers[i].AllocatedResources, again.InitContainers[i].Actual, again.InitContainers[i].Reported = nil, nil, false
					}
					nodes, err := set.Evaluator.Feasible(context.Background(), snap, &again)
					require.NoError(t, err)
					for _, n := range nodes {
						if n.Name != node {
							known[owner] = "elsewhere"
						}
					}
					if p.Scheduler() != outrank.DefaultScheduler {
						known[owner] = "unknown"
					}
				}
				fates[p.Key()] = known[owner]
			}
			found[fates[p.Key()]]++
		}
		require.Equal(t, len(known), r.Fates.Tried+unknownOwners(known))
		for _, reach := range r.Reach {
			want := map[string]map[string]int{}
			all := map[string]int{}
			for _, p := range running {
				if p.PriorityValue() < reach.Value {
					if want[p.NamespaceName()] == nil {
						want[p.NamespaceName()] = map[string]int{}
					}
					want[p.NamespaceName()][fates[p.Key()]]++
					all[fates[p.Key()]]++
				}
			}
			counted(t, all, reach.Count)
			require.Len(t, reach.Namespaces, len(want))
			for _, n := range reach.Namespaces {
				counted(t, want[n.Namespace], n.Count)
			}
		}
	})
	for _, fate := range []string{"tied", "lost", "elsewhere", "no room"} {
		assert.Positive(t, found[fate], "%s was never drawn", fate)
	}
}

// runs reports whether a pod of the cluster is on a node, and nobody deletes it.
func runs(snap *engine.Snapshot, p *outrank.Pod) bool {
	known, there := snap.Pod(p.Key())
	_, node := snap.Node(snap.NodeOf(p.Key()))
	return there && known == p && node && !p.Terminating()
}

func unknownOwners(known map[string]string) (n int) {
	for _, fate := range known {
		if fate == "unknown" {
			n++
		}
	}
	return n
}

func counted(t *rapid.T, want map[string]int, is report.Count) {
	got := map[string]int{"elsewhere": is.Elsewhere, "no room": is.NoRoom, "lost": is.Lost, "tied": is.Tied, "unknown": is.Unknown}
	maps.DeleteFunc(got, func(_ string, n int) bool { return n == 0 })
	require.Equal(t, want, got)
	sum := 0
	for _, n := range want {
		sum += n
	}
	require.Equal(t, sum, is.Pods)
}

// A pod within reach of a class can be made to leave by a pod of the class, and one beyond
// cannot.
func TestPropertyReachCanBeHad(t *testing.T) {
	pushed, spared := 0, 0
	overShapes(t, func(t *rapid.T, set question.Setting) {
		var running []*outrank.Pod
		for _, p := range set.Cluster.Pods {
			if runs(set.Snapshot, p) {
				running = append(running, p)
			}
		}
		if len(running) == 0 {
			return
		}
		p := *rapid.SampledFrom(running).Draw(t, "pod")
		labels := maps.Clone(p.Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		labels["told-apart"] = "yes"
		p.Labels = labels
		node := set.Snapshot.NodeOf(p.Key())
		p.NodeName = node
		snap := set.Snapshot.Clone()
		require.NoError(t, errOf(snap.PutPod(&p)))
		n, _ := snap.Node(node)
		bare := *n
		bare.Labels = maps.Clone(n.Labels)
		if bare.Labels == nil {
			bare.Labels = map[string]string{}
		}
		bare.Labels["kubernetes.io/hostname"] = node
		require.NoError(t, snap.PutNode(&bare))
		for _, reach := range made(t, set).Reach {
			asker := &outrank.Pod{
				Namespace: p.NamespaceName(), Name: "asker", Priority: outrank.Priority(reach.Value),
				Tolerations: []outrank.Toleration{{Operator: outrank.TolerationExists}},
				Affinity: outrank.Affinity{
					NodeAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
						MatchFields: []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.In, Values: []string{node}}},
					}}},
					PodAntiAffinity: []outrank.PodAffinityTerm{{
						LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"told-apart": "yes"}}, TopologyKey: "kubernetes.io/hostname",
					}},
				},
			}
			plan, err := set.Evaluator.Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: set.Now})
			require.NoError(t, err)
			left := slices.ContainsFunc(plan.Victims, func(v preemption.Victim) bool { return v.Pod.Key() == p.Key() })
			switch {
			case p.PriorityValue() >= reach.Value:
				require.False(t, left)
				spared++
			case plan.Outcome == preemption.Preempts:
				require.True(t, left)
				pushed++
			}
		}
	})
	assert.Positive(t, pushed)
	assert.Positive(t, spared)
}

// What is on one node is most of what a pod finds there: a pod that asks for so much fits on a
// node that has a place for one, and a pod that asks for more fits on none.
func TestPropertyRoomIsTrue(t *testing.T) {
	tight := 0
	overShapes(t, func(t *rapid.T, set question.Setting) {
		r := made(t, set)
		for i := range r.Headroom {
			h := &r.Headroom[i]
			if h.Resource == resource.Pods {
				continue
			}
			// The pods that the class may push out are gone.
			snap := set.Snapshot.Clone()
			for p := range set.Snapshot.Pods() {
				if snap.NodeOf(p.Key()) != "" && h.Class != "" && p.PriorityValue() < h.Value {
					require.NoError(t, snap.RemovePod(p.Key()))
				} else if snap.NominationOf(p.Key()) != "" {
					require.NoError(t, snap.Nominate(p.Key(), ""))
				}
			}
			places, sum := "", int64(0)
			for n := range snap.Nodes() {
				if n.Unschedulable {
					continue
				}
				free := n.Allocatable.Amount(h.Resource) - snap.Used(n.Name, h.Resource)
				sum += max(0, free)
				if most := resource.Amount(h.Resource, h.OnOne); free == most && snap.Used(n.Name, resource.Pods) < n.Allocatable.Amount(resource.Pods) {
					places = n.Name
				}
			}
			require.Equal(t, sum, resource.Amount(h.Resource, h.Free), "%s of %s", h.Resource, h.Class)
			asker := func(more int64) *outrank.Pod {
				return &outrank.Pod{
					Name: "asker", Priority: outrank.Priority(h.Value),
					Tolerations: []outrank.Toleration{{Operator: outrank.TolerationExists}},
					Containers:  []outrank.Container{{Requests: resource.List{h.Resource: amount.Quantity(h.Resource, resource.Amount(h.Resource, h.OnOne)+more)}}},
				}
			}
			nodes, err := set.Evaluator.Feasible(context.Background(), snap, asker(1))
			require.NoError(t, err)
			for _, n := range nodes {
				require.True(t, n.Unschedulable, "%s of %s", h.Resource, h.Class)
			}
			if places != "" && !h.OnOne.IsZero() && slack(snap, h) {
				status, err := set.Evaluator.Check(snap, asker(0), places)
				require.NoError(t, err)
				require.NotEqual(t, preemption.NodeResourcesFit, status.Filter, "%s of %s", h.Resource, h.Class)
				tight++
			}
		}
	})
	assert.Positive(t, tight)
}

// slack reports whether no node has more of another resource taken than it offers.
func slack(snap *engine.Snapshot, h *report.Headroom) bool {
	for n := range snap.Nodes() {
		for name := range n.Allocatable {
			if name != h.Resource && snap.Used(n.Name, name) > n.Allocatable.Amount(name) {
				return false
			}
		}
	}
	return true
}

// A remedy works: a node more takes the pod, room that comes free is had once everybody has
// taken turns, and where nothing helps neither of these does.
func TestPropertyRemediesHelp(t *testing.T) {
	kinds := map[report.Kind]int{}
	overShapes(t, func(t *rapid.T, set question.Setting) {
		r := made(t, set)
		s, err := question.NewScenario(context.Background(), set)
		require.NoError(t, err)
		settled, err := s.Settled()
		require.NoError(t, err)
		asked := 0
		for _, one := range r.Remedies.List {
			kinds[one.Kind]++
			asked += one.Pods
			snap := settled.Snapshot().Clone()
			pod, ok := snap.Pod(one.Pod)
			require.True(t, ok)
			require.NotEmpty(t, one.Text)
			more := func(like *outrank.Node) bool {
				another := *like
				another.Name, another.Unschedulable = "another", false
				another.Taints = slices.DeleteFunc(slices.Clone(like.Taints), func(t outrank.Taint) bool { return len(t.Key) > 19 && t.Key[:19] == "node.kubernetes.io/" })
				if another.Labels = maps.Clone(like.Labels); another.Labels["kubernetes.io/hostname"] != "" {
					another.Labels["kubernetes.io/hostname"] = "another"
				}
				with := snap.Clone()
				require.NoError(t, with.PutNode(&another))
				status, err := set.Evaluator.Check(with, pod, "another")
				require.NoError(t, err)
				return status.Code == preemption.Success
			}
			fits := func() bool {
				nodes, err := set.Evaluator.Feasible(context.Background(), snap, pod)
				require.NoError(t, err)
				return len(nodes) > 0
			}
			switch one.Kind {
			case report.Wait:
				if snap.NodeOf(one.Pod) == "" { // for those that leave already
					for p := range settled.Snapshot().Pods() {
						if p.Terminating() && snap.NodeOf(p.Key()) != "" {
							require.NoError(t, snap.RemovePod(p.Key()))
						}
					}
					require.True(t, fits())
				}
			case report.MoreNodes:
				require.False(t, fits())
				like, ok := snap.Node(one.Node)
				require.True(t, ok)
				require.True(t, more(like))
			case report.Priority:
				require.Empty(t, snap.NodeOf(one.Pod))
			case report.None:
				require.False(t, fits())
				for n := range settled.Snapshot().Nodes() {
					require.False(t, more(n))
				}
			}
		}
		require.Equal(t, r.Waiting.Totals.Waits+inVain(r.Waiting)-unasked(r.Waiting), asked+r.Remedies.NotAsked)
	})
	for _, kind := range []report.Kind{report.Wait, report.Change, report.MoreNodes, report.Priority} {
		assert.Positive(t, kinds[kind], "%s was never drawn", kind)
	}
}

func inVain(p *question.Pending) (n int) {
	for i := range p.Turns {
		if p.Turns[i].InVain != nil {
			n++
		}
	}
	return n
}

// unasked counts what a group adds to its turn.
func unasked(p *question.Pending) (n int) {
	for i := range p.Turns {
		if p.Turns[i].Group && p.Turns[i].Outcome == question.Waits {
			n -= len(p.Turns[i].Members) - 1
		}
	}
	return n
}

// A report compared with itself has not changed, one compared with another changes there and
// back, and the same cluster has the same report.
func TestPropertyComparisonIsTrue(t *testing.T) {
	worse := 0
	overShapes(t, func(t *rapid.T, set question.Setting) {
		was := made(t, set)
		again, err := json.Marshal(made(t, set))
		require.NoError(t, err)
		text, err := json.Marshal(was)
		require.NoError(t, err)
		require.JSONEq(t, string(text), string(again))
		require.Empty(t, report.Compare("itself", was, was).Changes)
		s, err := question.NewScenario(context.Background(), set, &question.PutClasses{Of: "change", Classes: []*outrank.PriorityClass{{Name: "new", Value: 700}}})
		require.NoError(t, err)
		for n := range set.Snapshot.Nodes() {
			require.NoError(t, s.Apply(&question.AddNodes{Of: "change", Nodes: s.NodesLike(n, 1)}))
			break
		}
		is, err := report.Make(context.Background(), s)
		require.NoError(t, err)
		there, back := report.Compare("before", was, is), report.Compare("after", is, was)
		require.NotEmpty(t, there.Changes)
		require.Equal(t, swapped(there), swapped(&report.Comparison{Changes: reversed(back)}))
		worse += there.Stays() + there.Leaves() + back.Stays() + back.Leaves()
		var out bytes.Buffer
		require.NoError(t, there.WriteText(&out, 0))
		require.NoError(t, is.WriteText(&out, 3))
		page := there.Overview(s.Snapshot(), nil)
		require.NotEmpty(t, page.Tables)
		for _, one := range is.Remedies.List[:min(5, len(is.Remedies.List))] {
			if one.Kind != report.None {
				require.True(t, slices.ContainsFunc(page.Todo, func(text string) bool { return strings.Contains(text, one.Text) }))
			}
		}
	})
	assert.Positive(t, worse)
}

func reversed(c *report.Comparison) (out []report.Difference) {
	for _, d := range c.Changes {
		d.Before, d.After = d.After, d.Before
		out = append(out, d)
	}
	return out
}

func swapped(c *report.Comparison) (out []string) {
	for _, d := range c.Changes {
		out = append(out, fmt.Sprint(d.Section, d.Object, d.Before, "->", d.After))
	}
	slices.Sort(out)
	return out
}

// Each rule about classes finds what it is about.
func TestFindings(t *testing.T) {
	class := func(name string, value int32) *outrank.PriorityClass {
		return &outrank.PriorityClass{Name: name, Value: value}
	}
	pod := func(namespace, name, class string, priority int32) *outrank.Pod {
		return &outrank.Pod{Namespace: namespace, Name: name, PriorityClassName: class, Priority: outrank.Priority(priority)}
	}
	never, first, second := class("never", 5), class("first", 20), class("second", 10)
	never.PreemptionPolicy = outrank.PreemptNever
	first.GlobalDefault, second.GlobalDefault = true, true
	used := pod("default", "used", "never", 5)
	for _, tt := range []struct {
		name    string
		classes []*outrank.PriorityClass
		pods    []*outrank.Pod
		want    []report.Finding
	}{
		{"nothing is odd", []*outrank.PriorityClass{first}, []*outrank.Pod{pod("default", "a", "first", 20)}, []report.Finding{}},
		{"a dump without classes", nil, []*outrank.Pod{pod("default", "a", "gone", 7)}, []report.Finding{}},
		{"two defaults", []*outrank.PriorityClass{first, second}, []*outrank.Pod{pod("default", "a", "", 10)}, []report.Finding{
			{Wrong: true, Rule: report.SeveralDefaults, Text: "first, second are all the default; the one with the lowest value counts, second"},
		}},
		{"no default, unused, no gap", []*outrank.PriorityClass{class("a", 11), class("b", 10)}, []*outrank.Pod{pod("default", "x", "b", 10)}, []report.Finding{
			{Rule: report.NoDefault, Text: "no class is the default: pods that name none have priority 0"},
			{Rule: report.NoGap, Class: "b", Text: "a is only 1 above: no class fits between"},
			{Rule: report.Unused, Class: "a", Text: "no pod names it"},
		}},
		{"the same value", []*outrank.PriorityClass{first, class("twin", 20)}, []*outrank.Pod{pod("default", "x", "twin", 20)}, []report.Finding{
			{Rule: report.SameValue, Class: "twin", Text: "first has the same value, 20: neither pushes out the other's pods"},
		}},
		{"never, below the default", []*outrank.PriorityClass{first, never}, []*outrank.Pod{used}, []report.Finding{
			{Rule: report.HighDefault, Class: "first", Text: "it is the default, and above never: pods that name no class can push out theirs"},
			{Rule: report.NeverPreempts, Class: "never", Text: "its pods wait in front of others and push nobody out"},
		}},
		{"pods", []*outrank.PriorityClass{first}, []*outrank.Pod{
			pod("default", "b", "gone", 7), pod("default", "a", "gone", 8), pod("default", "c", "", 9), pod("default", "d", "first", 19),
			pod("default", "e", "system-node-critical", 2000001000), pod("kube-system", "f", "system-node-critical", 2000001000), pod("default", "g", "", 20), pod("default", "h", "", 0),
		}, []report.Finding{
			{Wrong: true, Rule: report.UnknownClass, Class: "gone", Text: "2 pods name it, and the dump does not hold it", Pods: 2, Example: "default/a"},
			{Rule: report.NoClass, Text: "1 pod names no class and has priority 9, which no class gives", Pods: 1, Example: "default/c"},
			{Rule: report.OldValue, Class: "first", Text: "1 pod has another priority than it gives now, 20", Pods: 1, Example: "default/d"},
			{Rule: report.SystemOutside, Class: "system-node-critical", Text: "1 pod has it outside kube-system", Pods: 1, Example: "default/e"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &outrank.Cluster{Classes: tt.classes, Pods: tt.pods, Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "4", "pods", "10")}}}
			assert.Equal(t, tt.want, made(t, drawn.Setting(t, c)).Findings)
		})
	}
}

// An error of the writer is returned, and a cancelled context ends the report.
func TestErrors(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "4", "pods", "10")}}}
	set := drawn.Setting(t, c)
	r := made(t, set)
	full := errors.New("the disk is full")
	require.ErrorIs(t, r.WriteText(broken{full}, 0), full)
	require.ErrorIs(t, report.Compare("before", r, r).WriteText(broken{full}, 0), full)
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	c.Pods = append(c.Pods, &outrank.Pod{Name: "p"})
	set = drawn.Setting(t, c)
	s, err := question.NewScenario(ctx, set)
	require.NoError(t, err)
	_, err = report.Make(ctx, s)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

type broken struct{ error }

func (b broken) Write([]byte) (int, error) { return 0, b.error }

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
