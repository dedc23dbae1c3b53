package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// podTracker keeps the number of pods of every node, and tracking is a filter that looks it up.
var (
	podTracker = &preemption.Tracker{New: func() preemption.ClusterState { return podCounts{} }}
	tracking   = &preemption.Filter{Name: "Tracking", Concerns: anyPod, Start: func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		_ = view.Tracked(podTracker).Clone()
		return nil, nil
	}}
)

func anyPod(*outrank.Pod) bool { return true }

type podCounts map[string]int

func (c podCounts) Add(_ *outrank.Pod, n *outrank.Node)    { c[n.Name]++ }
func (c podCounts) Remove(_ *outrank.Pod, n *outrank.Node) { c[n.Name]-- }
func (c podCounts) Clone() preemption.ClusterState         { return maps.Clone(c) }

// readers are what calls at once read: one snapshot and evaluator, pods to ask about, and
// plans that were made of an equal snapshot.
type readers struct {
	e, across *engine.Evaluator // by the configuration, and for victims on several nodes
	snap      *engine.Snapshot
	near, far *outrank.Pod // there is room with pods of one node gone, or of two
	gang      []*outrank.Pod
	plan      *preemption.Plan
	groupPlan *preemption.GroupPlan
}

func (r *readers) request() preemption.Request {
	return preemption.Request{Pod: r.near, Now: gen.Now}
}

func newReaders(t testing.TB, config preemption.Config) *readers {
	host := func(p *outrank.Pod) { p.Containers[0].Ports = []outrank.Port{{HostPort: 80}} }
	claim := func(p *outrank.Pod) { p.Volumes = []outrank.Volume{{Claim: "data"}} }
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true, "TopologyAwareWorkloadScheduling": true})
	require.NoError(t, err)
	c := &outrank.Cluster{
		Release: release,
		Nodes:   []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "a"), node("n3", "2", "b"), node("n4", "2", "c")},
		Pods: []*outrank.Pod{
			pod("low-1", 1, "1", on("n1"), app("y"), host), pod("low-2", 2, "2", on("n1"), app("y"), memory("1Gi")),
			pod("far-1", 1, "1", on("n2"), app("x")), pod("far-2", 3, "2", on("n2"), app("z"), claim),
			pod("b-1", 4, "2", on("n3"), app("y"), apart("w"), in("g")), pod("c-1", 100, "2", on("n4"), app("z"), in("h")),
			pod("waits", 5, "1", app("y")), pod("idle", 5, "1"),
		},
		Budgets:    []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("y"), DisruptionsAllowed: 1}},
		Groups:     []*outrank.PodGroup{{Name: "g", Parent: "top"}, {Name: "h"}},
		Composites: []*outrank.CompositePodGroup{{Name: "top"}},
		Namespaces: []*outrank.Namespace{{Name: "default", Labels: map[string]string{"env": "prod"}}},
	}
	c.Pods[6].NominatedNodeName = "n2"
	c.Nodes[1].Unschedulable = true
	r := &readers{
		e: newEvaluator(t, config).Parallel(2), across: newEvaluator(t, preemption.Config{Victims: preemption.Across{}, Filters: config.Filters}), snap: newSnapshot(t, c),
		near: pod("near", 9, "2", app("y"), host, spread(outrank.TopologySpreadConstraint{WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: selects("y")})),
		far:  pod("far", 9, "1", app("p"), apart("x"), memory("0")),
	}
	for i := range 2 {
		r.gang = append(r.gang, pod(fmt.Sprint("gang-", i), 9, "2"))
	}
	r.far.NodeName, r.far.NodeSelector = "", nil
	return r
}

// text is an answer as a text that says all of it.
func text(v any, err error) string {
	if err != nil {
		return err.Error()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if v, ok := v.(fmt.Stringer); ok { // what has no text prints its addresses
		return string(b) + " " + v.String()
	}
	return string(b)
}

func allOf[T any](seq iter.Seq[T]) string { return text(slices.Collect(seq), nil) }

// reading has the calls of which any number may run at once, and changers those that
// change the snapshot. Mark is one of these: what follows is recorded.
var reading = map[string]func(r *readers) string{
	"Snapshot.Budgets": func(r *readers) string { return allOf(r.snap.Budgets()) },
	"Snapshot.Cluster": func(r *readers) string { return text(r.snap.Cluster(), nil) },
	"Snapshot.Composite": func(r *readers) string {
		g, ok := r.snap.Composite("default/top")
		return text(g, nil) + fmt.Sprint(ok)
	},
	"Snapshot.Composites": func(r *readers) string { return allOf(r.snap.Composites()) },
	"Snapshot.Group":      func(r *readers) string { g, ok := r.snap.Group("default/g"); return text(g, nil) + fmt.Sprint(ok) },
	"Snapshot.Groups":     func(r *readers) string { return allOf(r.snap.Groups()) },
	"Snapshot.Namespaces": func(r *readers) string { return allOf(r.snap.Namespaces()) },
	"Snapshot.Node":       func(r *readers) string { n, ok := r.snap.Node("n1"); return text(n, nil) + fmt.Sprint(ok) },
	"Snapshot.NodeOf":     func(r *readers) string { return r.snap.NodeOf("default/low-1") },
	"Snapshot.Nodes":      func(r *readers) string { return allOf(r.snap.Nodes()) },
	"Snapshot.LeavesWith": func(r *readers) string {
		p, _ := r.snap.Pod("default/waits")
		group, composite := r.snap.LeavesWith(p)
		return fmt.Sprint(group, composite)
	},
	"Snapshot.Nominated": func(r *readers) string {
		out := ""
		for p, node := range r.snap.Nominated() {
			out += text(p, nil) + node
		}
		return out
	},
	"Snapshot.CountsAs": func(r *readers) string {
		p, _ := r.snap.Pod("default/b-1")
		return fmt.Sprint(r.snap.CountsAs(p))
	},
	"Snapshot.NominatedTo":  func(r *readers) string { return text(r.snap.NominatedTo("n2"), nil) },
	"Snapshot.NominationOf": func(r *readers) string { return r.snap.NominationOf("default/waits") },
	"Snapshot.NumNodes":     func(r *readers) string { return fmt.Sprint(r.snap.NumNodes()) },
	"Snapshot.Pod":          func(r *readers) string { p, ok := r.snap.Pod("default/low-1"); return text(p, nil) + fmt.Sprint(ok) },
	"Snapshot.Pods":         func(r *readers) string { return allOf(r.snap.Pods()) },
	"Snapshot.PodsOn":       func(r *readers) string { return text(r.snap.PodsOn("n1"), nil) },
	"Snapshot.Release":      func(r *readers) string { return r.snap.Release().String() },
	"Snapshot.Revision":     func(r *readers) string { return fmt.Sprint(r.snap.Revision()) },
	"Snapshot.Within": func(r *readers) string {
		return text(r.snap.Within(context.Background()).Tracked(podTracker).Clone(), nil)
	},
	"Snapshot.Tracked": func(r *readers) string { return text(r.snap.Tracked(podTracker).Clone(), nil) },
	"Snapshot.Scratch": func(r *readers) string {
		v := r.snap.Scratch()
		m := v.Mark()
		err := cmp.Or(v.RemovePod("default/low-1"), v.Undo(m), v.RemovePod("default/low-1"))
		return text(v.Cluster(), err)
	},
	"Snapshot.Used": func(r *readers) string { return fmt.Sprint(r.snap.Used("n1", resource.CPU)) },

	"Evaluator.Candidates": func(r *readers) string {
		out := ""
		for k, err := range r.e.Candidates(context.Background(), r.snap, r.request()) {
			out += text(k, err)
		}
		return out
	},
	"Evaluator.Check": func(r *readers) string { return text(r.e.Check(r.snap, r.near, "n1")) },
	"Evaluator.Config": func(r *readers) string {
		c := r.e.Config()
		return fmt.Sprint(c.Victims, c.Budgets, c.Ranks, c.Profile.Off)
	},
	"Evaluator.Parallel": func(r *readers) string {
		return text(r.e.Parallel(2).Preempt(context.Background(), r.snap, r.request()))
	},
	"Evaluator.ExplainNode": func(r *readers) string {
		report, err := r.e.ExplainNode(context.Background(), r.snap, r.request(), "n1")
		return text(report, err) + text(report.Candidate, err)
	},
	"Evaluator.Explain":  func(r *readers) string { return text(r.e.Explain(context.Background(), r.snap, r.request())) },
	"Evaluator.Feasible": func(r *readers) string { return text(r.e.Feasible(context.Background(), r.snap, r.near)) },
	"Evaluator.Filters":  func(r *readers) string { return text(r.e.Filters(r.snap.Release()), nil) },
	"Evaluator.PreemptGroup": func(r *readers) string {
		return text(r.e.PreemptGroup(context.Background(), r.snap, preemption.GroupRequest{Pods: r.gang, Now: gen.Now}))
	},
	"Evaluator.LookAt": func(r *readers) string {
		lookAt, err := r.e.LookAt(r.snap, r.request())
		if err != nil {
			return err.Error()
		}
		view, err := lookAt("n1")
		if err != nil {
			return err.Error()
		}
		low := slices.DeleteFunc(view.Possible(), func(p *outrank.Pod) bool { return p.Name != "low-1" })
		return text(view.Check(low...), nil) + text(view.Possible(), nil) + text(view.Violated(view.Possible()...), nil) + fmt.Sprint(view.Short(resource.CPU))
	},
	"Evaluator.Preempt": func(r *readers) string {
		return text(r.e.Preempt(context.Background(), r.snap, r.request())) + text(r.across.Preempt(context.Background(), r.snap, preemption.Request{Pod: r.far, Now: gen.Now}))
	},
	"Evaluator.Verify": func(r *readers) string {
		return text(nil, r.e.Verify(context.Background(), r.snap, r.plan)) + text(nil, r.e.Verify(context.Background(), r.snap, r.groupPlan))
	},
}

var changers = []string{
	"Snapshot.Apply", "Snapshot.Bind",
	"Snapshot.Clone", "Snapshot.RemoveBudget", "Snapshot.Follow", "Snapshot.Keep", "Snapshot.Mark", "Snapshot.Nominate", "Snapshot.PutBudget",
	"Snapshot.PutComposite", "Snapshot.PutGroup", "Snapshot.PutNamespace", "Snapshot.PutNode", "Snapshot.PutPod",
	"Snapshot.RemoveComposite", "Snapshot.RemoveGroup", "Snapshot.RemoveNamespace", "Snapshot.RemoveNode", "Snapshot.RemovePod",
	"Snapshot.Undo",
}

// Every method of a snapshot and an evaluator reads or changes.
func TestEveryCallReadsOrChanges(t *testing.T) {
	var methods []string
	for _, v := range []any{&engine.Snapshot{}, &engine.Evaluator{}} {
		of := reflect.TypeOf(v)
		for i := range of.NumMethod() {
			methods = append(methods, of.Elem().Name()+"."+of.Method(i).Name)
		}
	}
	known := slices.Concat(slices.Collect(maps.Keys(reading)), changers)
	assert.ElementsMatch(t, methods, known)
}

// Any two reading calls answer at once what each answers alone. What they may not do, the
// race detector says: each runs several times, because a snapshot fills in some of what it
// knows when it is asked for the first or second time.
func TestReadingCallsAtOnce(t *testing.T) {
	configs := map[string]preemption.Config{
		"as kube-scheduler": {Filters: []*preemption.Filter{tracking}},
		"by other rules": {
			Ranks:   []preemption.Rank{byLastDigit},
			Victims: preemption.Exact{},
			Filters: []*preemption.Filter{tracking},
		},
	}
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		t.Run(name, func(t *testing.T) { readAtOnce(t, configs[name]) })
	}
}

func readAtOnce(t *testing.T, config preemption.Config) {
	first := newReaders(t, config)
	plan, err := first.e.Preempt(context.Background(), first.snap, preemption.Request{Pod: first.near, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, preemption.Preempts, plan.Outcome)
	across, err := first.across.Preempt(context.Background(), first.snap, preemption.Request{Pod: first.far, Now: gen.Now})
	require.NoError(t, err)
	require.NotNil(t, across.ClusterCertificate, across.String())
	groupPlan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), first.snap, preemption.GroupRequest{Pods: first.gang, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, preemption.Preempts, groupPlan.Outcome)
	cluster := first.snap.Cluster()
	fresh := func() *readers {
		r := *first
		r.snap, r.plan, r.groupPlan = newSnapshot(t, cluster), plan, groupPlan
		return &r
	}
	names, alone := slices.Sorted(maps.Keys(reading)), map[string]string{}
	for _, name := range names {
		alone[name] = reading[name](fresh())
	}
	for i, name := range names {
		for _, other := range names[i:] {
			r := fresh()
			var group sync.WaitGroup
			for _, call := range []string{name, other} {
				group.Go(func() {
					for range 3 {
						assert.Equal(t, alone[call], reading[call](r), "%s beside %s", name, other)
					}
				})
			}
			group.Wait()
		}
	}
}
