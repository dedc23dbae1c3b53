package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of the cluster
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// owned names the controller of a pod.
func owned(kind, name string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.Owner = outrank.Owner{Kind: kind, Name: name} }
}

// chain is a cluster in which one eviction leads to another.
func chain() (*engine.Snapshot, *engine.Evaluator, *preemption.Plan) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{machine("n1"), machine("n2"), machine("n3")},
		Pods: []*outrank.Pod{
			running("web", "n1", 50, takes("cpu", "3"), owned("ReplicaSet", "web")), running("web-2", "n3", 60, takes("cpu", "3500m"), owned("ReplicaSet", "web")),
			running("agent", "n1", 10, takes("cpu", "1"), owned("DaemonSet", "agent")), running("core", "n2", 9000, takes("cpu", "1")),
			running("batch", "n2", 20, takes("cpu", "3"), owned("Job", "batch")), running("shell", "n3", 1, takes("cpu", "500m")),
		},
	}
	snap, err := engine.NewSnapshot(c)
	if err != nil {
		log.Fatal(err)
	}
	e, err := engine.New(preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	pod := &outrank.Pod{Namespace: "shop", Name: "urgent", Priority: outrank.Priority(1000), Containers: asking("cpu", "4")}
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
	if err != nil {
		log.Fatal(err)
	}
	return snap, e, plan
}

func ExampleReplacements() {
	snap, e, plan := chain()
	fates, err := explain.Replacements(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plan}, explain.Options{Depth: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("node", plan.Node)
	for i := range fates {
		fmt.Println(fates[i].Text())
	}
	// Output:
	// node n1
	// shop/web (priority 50) of ReplicaSet/web, which has 1 pod left (0 ready): a replacement pushes out 1 pod of node n2.
	//   shop/batch (priority 20) of Job/batch, which has 0 pods left: a replacement waits for room.
	// shop/agent (priority 10) of DaemonSet/agent, which has 0 pods left: a replacement waits for room on node n1.
}

// A replacement that is said to fit fits at its turn; one that is said to push others out
// fits once they are gone, and not before; one that waits fits nowhere.
func TestPropertyReplacementsAreTrue(t *testing.T) {
	for _, name := range plainShapes[:3] {
		t.Run(name, func(t *testing.T) {
			cleared := 0
			rapid.Check(t, func(t *rapid.T) {
				q := &question{T: t, cluster: gen.Cluster(shapes[name]).Draw(t, "cluster"), pod: gen.Preemptor(shapes[name]).Draw(t, "preemptor")}
				for i, p := range q.cluster.Pods {
					if i%4 > 0 {
						p.Owner = outrank.Owner{Kind: []string{"ReplicaSet", "DaemonSet"}[i%2], Name: fmt.Sprint(i % 3)}
					}
				}
				q.pod.Group = ""
				if name == "nominated" {
					q.waitInTheMiddle()
				}
				q.ask(preemption.Config{})
				if q.ex.Outcome != preemption.Preempts {
					return
				}
				depth := rapid.IntRange(0, 3).Draw(t, "depth")
				before, err := json.Marshal(q.snap.Cluster())
				require.NoError(t, err)
				scorer := func(*outrank.Pod) *score.Scorer { return &score.Scorer{} }
				options := explain.Options{Depth: depth}
				if rapid.Bool().Draw(t, "most allocated") {
					packs, err := score.New(score.Config{Weights: map[string]int64{preemption.NodeResourcesFit: 1}, Fit: score.Strategy{Type: score.MostAllocated}})
					require.NoError(t, err)
					scorer = func(p *outrank.Pod) *score.Scorer {
						if p.Owner.Kind == "DaemonSet" {
							return nil
						}
						return packs
					}
					options.Scorer = scorer
				}
				fates, err := explain.Replacements(context.Background(), explain.Question{Evaluator: q.eval, Snapshot: q.snap, Request: preemption.Request{Now: gen.Now}, Plan: plantest.Unexplained(q.ex)}, options)
				require.NoError(t, err)
				after, err := json.Marshal(q.snap.Cluster())
				require.NoError(t, err)
				require.Equal(t, string(before), string(after), "the snapshot is left alone")
				w := &walk{question: q, snap: q.snap.Clone(), scores: scorer}
				w.follow(fates, q.pod, plantest.Unexplained(q.ex), depth)
				cleared += w.cleared
			})
			assert.Equal(t, name == "nominated", cleared > 0, "nominations are cleared")
		})
	}
}

// waitInTheMiddle adds pods that are nominated to nodes, to which most replacements leave
// room and the preemptor does not. The room that victims leave beside the preemptor is too
// small for themselves, so that it takes smaller ones from elsewhere to see the difference.
func (q *question) waitInTheMiddle() {
	for i, n := range q.cluster.Nodes {
		for j := range rapid.IntRange(1, 3).Draw(q.T, "crumbs") {
			q.cluster.Pods = append(q.cluster.Pods, &outrank.Pod{
				Name: fmt.Sprint("crumb-", i, "-", j), Priority: outrank.Priority(int32(-10 * j)), NodeName: n.Name, Owner: outrank.Owner{Kind: "ReplicaSet", Name: "crumbs"},
				Containers: asking("cpu", rapid.SampledFrom([]string{"0", "1m", "50m", "200m", "500m"}).Draw(q.T, "crumb asks for")),
			})
		}
		if rapid.Bool().Draw(q.T, "somebody waits for "+n.Name) {
			q.cluster.Pods = append(q.cluster.Pods, &outrank.Pod{
				Name: fmt.Sprint("waits-", i), Priority: outrank.Priority(q.pod.PriorityValue() - 1), NominatedNodeName: n.Name,
				Containers: asking("cpu", rapid.SampledFrom([]string{"500m", "4"}).Draw(q.T, "asks for")),
			})
		}
	}
}

// walk carries out what is said, and asks at each step whether it can be.
type walk struct {
	*question
	snap   *engine.Snapshot
	scores func(*outrank.Pod) *score.Scorer
	made   int
	// cleared counts the nominations that were cleared.
	cleared int
}

// scorer is what decides between nodes for a pod.
func (w *walk) scorer(p *outrank.Pod) *score.Scorer {
	if s := w.scores(p); s != nil {
		return s
	}
	return &score.Scorer{}
}

// follow takes the victims away and the nominations that the plan clears, and puts the pod
// in their place.
func (w *walk) follow(fates []explain.Replacement, pod *outrank.Pod, plan *preemption.Plan, depth int) {
	originals := make([]*outrank.Pod, len(fates))
	for i, f := range fates {
		originals[i], _ = w.snap.Pod(f.Pod.Key)
		require.NoError(w, w.snap.RemovePod(f.Pod.Key))
	}
	w.clear(plan)
	w.place(pod, plan.Node)
	for i := range fates {
		w.again(&fates[i], originals[i], depth)
	}
}

// clear takes nominations away.
func (w *walk) clear(plan *preemption.Plan) {
	for _, p := range plan.ClearedNominations {
		require.Equal(w, plan.Node, w.snap.NominationOf(p.Key()))
		require.NoError(w, w.snap.Nominate(p.Key(), ""))
		w.cleared++
	}
}

func (w *walk) place(pod *outrank.Pod, node string) {
	placed := *pod
	placed.NodeName = ""
	status, err := w.eval.Check(w.snap, &placed, node)
	require.NoError(w, err)
	require.Equal(w, preemption.Success, status.Code, "%s on %s: %s", pod.Key(), node, status)
	placed.NodeName, placed.NominatedNodeName = node, ""
	require.NoError(w, errOf(w.snap.PutPod(&placed)))
}

func (w *walk) again(f *explain.Replacement, victim *outrank.Pod, depth int) {
	require.Equal(w, f.Fate == explain.Lost, victim.Owner == (outrank.Owner{}))
	atOnce := victim.Owner.Kind == "ReplicaSet" || victim.Owner.Kind == "ReplicationController" || victim.Owner.Kind == "Job"
	require.Equal(w, f.Fate == explain.Replaced, victim.Terminating() && atOnce, "%s is replaced already", f.Pod.Key)
	if f.Fate == explain.Lost || f.Fate == explain.Unknown || f.Fate == explain.Replaced {
		return
	}
	left, ready := 0, 0
	for p := range w.snap.Pods() {
		if w.snap.NodeOf(p.Key()) == "" || p.Owner != victim.Owner || p.NamespaceName() != victim.NamespaceName() || p.Terminating() {
			continue
		}
		left++
		if p.Ready {
			ready++
		}
	}
	require.Equal(w, []int{left, ready}, []int{f.Left, f.Ready}, "%s", f.Pod.Key)
	w.made++
	pod := *victim
	pod.Name, pod.UID, pod.NodeName, pod.NominatedNodeName = fmt.Sprintf("%s-replacement-%d", victim.Name, w.made), "", "", ""
	pod.StartTime, pod.DeletionTimestamp, pod.Phase = time.Time{}, time.Time{}, ""
	pod.AllocatedResources, pod.Actual, pod.Reported, pod.ResizeDeferred, pod.ResizeInfeasible = nil, nil, false, false, false
	pod.Containers = slices.Clone(pod.Containers)
	for i := range pod.Containers {
		pod.Containers[i].AllocatedResources, pod.Containers[i].Actual, pod.Containers[i].Reported = nil, nil, false
	}
	if f.Tied {
		pod.NodeName = f.Pod.Node
	}
	feasible, err := w.eval.Feasible(context.Background(), w.snap, &pod)
	require.NoError(w, err)
	require.Len(w, feasible, f.Fits)
	switch f.Fate {
	case explain.FitsNow:
		ranked, err := w.scorer(&pod).Rank(context.Background(), w.eval, w.snap, &pod)
		require.NoError(w, err)
		require.Equal(w, ranked.Choose(nil).Name, f.Node, "the node that the scores prefer")
		w.place(&pod, f.Node)
	case explain.PushesOut:
		plan, err := w.eval.Preempt(context.Background(), w.snap, preemption.Request{Pod: &pod, Now: gen.Now})
		require.NoError(w, err)
		require.Equal(w, plan.Node, f.Node)
		require.Len(w, f.Victims, len(plan.Victims))
		if depth > 0 {
			w.follow(f.Victims, &pod, plan, depth-1)
			return
		}
		for _, v := range f.Victims {
			require.Empty(w, v.Fate, "beyond the depth nothing is said")
			require.NoError(w, w.snap.RemovePod(v.Pod.Key))
		}
		w.clear(plan)
		w.place(&pod, f.Node)
	}
}

// The room of a pod that loses its nomination is free for replacements: a small one fits
// beside the preemptor.
func TestReplacementsAndClearedNominations(t *testing.T) {
	accelerated := machine("n1")
	accelerated.Allocatable = resource.MustList("cpu", "4", "pods", "10", "example.com/gpu", "1")
	waits := running("waits", "", 500)
	waits.NominatedNodeName = "n1"
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{accelerated, machine("n2")}, Pods: []*outrank.Pod{
		running("web", "n1", 50, takes("cpu", "4"), owned("ReplicaSet", "web")), waits,
		running("batch", "n2", 10, takes("cpu", "3600m")), running("crumb", "n2", 5, takes("cpu", "400m"), owned("ReplicaSet", "crumb")),
	}})
	require.NoError(t, err)
	e, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	pod := &outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000), Containers: asking("cpu", "3500m", "example.com/gpu", "1")}
	plan, err := e.Preempt(t.Context(), snap, preemption.Request{Pod: pod, Now: now})
	require.NoError(t, err)
	require.Equal(t, []*outrank.Pod{waits}, plan.ClearedNominations)
	fates, err := explain.Replacements(t.Context(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plan}, explain.Options{Depth: 1})
	require.NoError(t, err)
	require.Len(t, fates, 1)
	require.Len(t, fates[0].Victims, 2)
	assert.Equal(t, "shop/crumb (priority 5) of ReplicaSet/crumb, which has 0 pods left: a replacement fits now, on node n1, one of 1.", fates[0].Victims[1].Text())
}

func TestReplacementsOfNothing(t *testing.T) {
	snap, e, plan := chain()
	for _, p := range []*preemption.Plan{nil, {}} {
		_, err := explain.Replacements(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: p}, explain.Options{})
		require.ErrorIs(t, err, outrank.ErrInvalid)
	}
	stale, victim := snap.Clone(), *plan.Victims[0].Pod
	victim.UID = "first"
	was := *plan
	was.Victims = append([]preemption.Victim{{Pod: &victim}}, plan.Victims[1:]...)
	another := victim
	another.UID = "second"
	require.NoError(t, errOf(stale.PutPod(&another)))
	_, err := explain.Replacements(context.Background(), explain.Question{Evaluator: e, Snapshot: stale, Request: preemption.Request{Now: now}, Plan: &was}, explain.Options{Depth: 1})
	require.ErrorIs(t, err, preemption.ErrNotFound, "another pod has the victim's name")
	fates, err := explain.Replacements(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plan}, explain.Options{})
	require.NoError(t, err)
	text := ""
	for i := range fates {
		text += fates[i].Text() + "\n"
	}
	assert.LessOrEqual(t, strings.Count(text, "\n  "), len(fates)+2)
}

// A replacement goes where the scores of its scheduler prefer, which a profile may turn around; one whose
// preferences cannot be read waits, as in the scheduler.
func TestReplacementsGoByScores(t *testing.T) {
	batch := running("batch", "n1", 10, takes("cpu", "2"), owned("Job", "batch"))
	c := &outrank.Cluster{Nodes: []*outrank.Node{machine("n1"), machine("n2"), machine("n3")}, Pods: []*outrank.Pod{
		batch, running("big", "n1", 2000, takes("cpu", "2")), running("some", "n2", 2000, takes("cpu", "2")), running("less", "n3", 2000, takes("cpu", "1500m")),
	}}
	pod := &outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000), NodeSelector: map[string]string{"name": "n1"}, Containers: asking("cpu", "2")}
	c.Nodes[0].Labels = map[string]string{"name": "n1"}
	packs, err := score.New(score.Config{Fit: score.Strategy{Type: score.MostAllocated}, Weights: map[string]int64{preemption.NodeResourcesFit: 1}})
	require.NoError(t, err)
	goes := func(options explain.Options) explain.Replacement {
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		e, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		plan, err := e.Preempt(t.Context(), snap, preemption.Request{Pod: pod, Now: now})
		require.NoError(t, err)
		fates, err := explain.Replacements(t.Context(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plan}, options)
		require.NoError(t, err)
		require.Len(t, fates, 1)
		return fates[0]
	}
	assert.Equal(t, "n3", goes(explain.Options{}).Node)
	assert.Equal(t, "n3", goes(explain.Options{Scorer: func(*outrank.Pod) *score.Scorer { return nil }}).Node)
	assert.Equal(t, "n2", goes(explain.Options{Scorer: func(*outrank.Pod) *score.Scorer { return packs }}).Node)
	batch.Preferences = &outrank.Preferences{NodeAffinity: []outrank.PreferredSchedulingTerm{{Weight: 1, Preference: outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: "a", Operator: outrank.In, Values: []string{"-"}}}}}}}
	assert.Equal(t, explain.Waits, goes(explain.Options{}).Fate)
}

func TestReplacementsToNoDepth(t *testing.T) {
	snap, e, plan := chain()
	_, err := explain.Replacements(t.Context(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plan}, explain.Options{Depth: -1})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
