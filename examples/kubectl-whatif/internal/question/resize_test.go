package question_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// ask is a resize that is followed by hand: the pod has the amounts in force, and would have
// the others.
type ask struct {
	key            outrank.Key
	node           string
	inForce, would *outrank.Pod
	outcome        question.ResizeOutcome
}

// resize draws the resize of a pod that no change decides about; nil where there is none, or where
// no API server would take it.
func (s *stage) resize(of string, decided map[string]bool) question.Change {
	var running []*outrank.Pod
	for p := range s.snap.Pods() {
		plain := p.Resources == nil && len(p.Containers) > 0 && !p.ResizeDeferred && !p.ResizeInfeasible && !p.Reported && p.Actual == nil
		if _, there := s.snap.Node(s.snap.NodeOf(p.Key())); there && plain && !p.Terminating() && !decided[string(p.Key())] {
			running = append(running, p)
		}
	}
	if len(running) == 0 {
		return nil
	}
	p := rapid.SampledFrom(running).Draw(s.T, "resized")
	to := resource.List{}
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		had := p.Containers[0].Requests[name]
		if limit, limited := p.Containers[0].Limits[name]; !had.IsZero() && (!limited || limit.Cmp(had) == 0) && rapid.Bool().Draw(s.T, "changes") {
			to[name] = resource.NewMilli(had.MilliValue() * rapid.Int64Range(1, 8).Draw(s.T, "quarters") / 4)
		}
	}
	would := *p
	would.NodeName = s.snap.NodeOf(p.Key())
	would.Containers = slices.Clone(p.Containers)
	c := &would.Containers[0]
	c.Requests, c.Limits = c.Requests.Clone(), c.Limits.Clone()
	for name, q := range to {
		c.Requests[name] = q
		if _, limited := c.Limits[name]; limited {
			c.Limits[name] = q
		}
	}
	if len(to) == 0 || qos.Compute(outrank.DefaultRelease, p) != qos.Compute(outrank.DefaultRelease, &would) {
		return nil
	}
	was := p.Containers[0]
	if was.AllocatedResources != nil || was.Actual != nil || was.Reported {
		return nil
	}
	c.AllocatedResources, c.Actual = was.Requests, was.Requests
	would.Containers, would.InitContainers = told(would.Containers), told(would.InitContainers)
	decided[string(p.Key())] = true
	n, _ := s.snap.Node(would.NodeName)
	a := &ask{key: p.Key(), node: n.Name, inForce: p, would: &would, outcome: question.Deferred}
	waits := would
	waits.ResizeDeferred = true
	if all := would.Requests(); all[resource.CPU].Cmp(n.Allocatable[resource.CPU]) > 0 || all[resource.Memory].Cmp(n.Allocatable[resource.Memory]) > 0 || p.Static || p.Mirror {
		a.outcome, waits.ResizeDeferred, waits.ResizeInfeasible = question.NeverDone, false, true
	}
	require.NoError(s, errOf(s.snap.PutPod(&waits)))
	s.asks = append(s.asks, a)
	return &question.Resize{Of: of, Pod: p.Key(), Container: p.Containers[0].Name, Requests: to}
}

// told are containers of which a status says something.
func told(list []outrank.Container) []outrank.Container {
	list = slices.Clone(list)
	for i := range list {
		if list[i].AllocatedResources == nil {
			list[i].AllocatedResources = list[i].Requests.Max(nil)
		}
		if list[i].Actual == nil && !list[i].Reported {
			list[i].Actual = list[i].Requests.Max(nil)
		}
	}
	return list
}

// kubelets have every node try its deferred resizes, those of important pods first.
func (s *stage) kubelets() {
	order := slices.Clone(s.asks)
	slices.SortStableFunc(order, func(a, b *ask) int { return int(b.inForce.PriorityValue()) - int(a.inForce.PriorityValue()) })
	for _, a := range order {
		p, there := s.snap.Pod(a.key)
		switch {
		case a.outcome == question.Done:
			continue
		case !there || s.snap.NodeOf(a.key) != a.node || len(p.Containers[0].AllocatedResources) == 0:
			a.outcome = question.Moot
		}
		if a.outcome != question.Deferred {
			continue
		}
		n, _ := s.snap.Node(a.node)
		free := map[resource.Name]int64{resource.CPU: n.Allocatable.Amount(resource.CPU), resource.Memory: n.Allocatable.Amount(resource.Memory)}
		for _, other := range s.snap.PodsOn(a.node) {
			if other.Key() == a.key {
				continue
			}
			for _, b := range s.asks {
				if b.key == other.Key() && (b.outcome == question.Deferred || b.outcome == question.NeverDone) {
					other = b.inForce
				}
			}
			if other.ResizeDeferred {
				reported := *other
				reported.ResizeDeferred, reported.ResizeInfeasible = false, true
				reported.Containers, reported.InitContainers = told(other.Containers), told(other.InitContainers)
				other = &reported
			}
			for name := range free {
				free[name] -= other.RunningRequests(outrank.DefaultRelease).Amount(name)
			}
		}
		fits := true
		for name, left := range free {
			if want := a.would.Requests().Amount(name); want > 0 && want > left {
				fits = false
			}
		}
		if !fits {
			continue
		}
		done := *a.would
		done.Containers = slices.Clone(done.Containers)
		done.Containers[0].AllocatedResources, done.Containers[0].Actual = done.Containers[0].Requests, done.Containers[0].Requests
		require.NoError(s, errOf(s.snap.PutPod(&done)))
		a.outcome = question.Done
	}
}

func resize(of, pod, container, requests string) *question.Resize {
	return &question.Resize{Of: of, Pod: outrank.Key(pod), Container: container, Requests: resource.MustList("cpu", requests)}
}

// A resize that has no room is done once a pod leaves; with the gate others are pushed out for it.
func TestResizes(t *testing.T) {
	cluster := func() *outrank.Cluster {
		return &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{
			pod("web", "n1", 10, "1", owned("ReplicaSet", "web")), pod("batch", "n1", 1, "1", owned("ReplicaSet", "batch")), pod("waits", "", 5, "1"),
		}}
	}
	ctx := context.Background()
	after := func(s question.Setting, changes ...question.Change) *question.Aftermath {
		sc, err := question.NewScenario(ctx, s, changes...)
		require.NoError(t, err)
		a, err := sc.Aftermath()
		require.NoError(t, err)
		return a
	}
	offers := node("n1").Allocatable.Amount(resource.CPU) / 1000
	require.EqualValues(t, 4, offers, "what is said below follows from it")

	fits := after(set(t, cluster()), resize("r", "shop/web", "", "3"))
	assert.Equal(t, question.Done, fits.Resizes[0].Outcome)
	assert.Equal(t, "n2", fits.Moves[0].Node, "the first node has no room any more")

	late := after(set(t, cluster()), resize("r", "shop/web", "", "4"))
	assert.Equal(t, question.Deferred, late.Resizes[0].Outcome)
	assert.Equal(t, "The resize of shop/web on n1 from cpu 1 to cpu 4 is deferred: the node is short of cpu 1 until pods leave.", late.Resizes[0].String())
	assert.Equal(t, 1, late.Totals.Unresized)
	assert.Len(t, late.Moves, 1, "no scheduler tries it")

	freed := after(set(t, cluster()), resize("r", "shop/web", "", "4"), &question.DeletePods{Of: "d", Keys: []outrank.Key{"shop/batch"}})
	assert.Equal(t, question.Done, freed.Resizes[0].Outcome)
	assert.Equal(t, "n2", freed.Moves[1].Node)

	gated := cluster()
	release, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	require.NoError(t, err)
	gated.Release = release
	pushed := after(set(t, gated), resize("r", "shop/web", "", "4"))
	assert.Equal(t, question.Done, pushed.Resizes[0].Outcome)
	assert.Equal(t, question.Resizing, pushed.Moves[0].Origin)
	assert.Equal(t, outrank.Key("shop/batch"), pushed.Moves[0].Victims[0].Key)
	assert.Zero(t, pushed.Totals.Own, "nobody loses its place for a change")

	never := after(set(t, cluster()), resize("r", "shop/web", "", "5"))
	assert.Equal(t, "The resize of shop/web on n1 from cpu 1 to cpu 5 is never done: that is cpu 1 more than the node offers.", never.Resizes[0].String())

	static := cluster()
	static.Pods[0].Static = true
	assert.Equal(t, "The resize of shop/web on n1 from cpu 1 to cpu 2 is never done: the pod is static, and no node resizes these.", after(set(t, static), resize("r", "shop/web", "", "2")).Resizes[0].String())

	beside := cluster()
	beside.Pods[0].InitContainers = []outrank.Container{{Name: "proxy", Sidecar: true, Requests: resource.MustList("cpu", "1")}, {Name: "setup", Requests: resource.MustList("cpu", "1")}}
	proxied := after(set(t, beside), resize("r", "shop/web", "proxy", "2"))
	assert.Equal(t, question.Done, proxied.Resizes[0].Outcome)
	assert.Equal(t, "n2", proxied.Moves[0].Node, "1 and 2 of web, 1 of batch")

	gone := after(set(t, cluster()), resize("r", "shop/web", "", "4"), &question.RemoveNodes{Of: "n", Names: []string{"n1"}})
	assert.Equal(t, question.Moot, gone.Resizes[0].Outcome)
	assert.Equal(t, question.Placed, gone.Moves[0].Outcome, "recreated with the amounts of its template")

	leaving := cluster()
	leaving.Pods[1].DeletionTimestamp = time.Unix(1, 0)
	assert.Equal(t, question.Done, after(set(t, leaving), resize("r", "shop/web", "", "4")).Resizes[0].Outcome)

	// Both want three, of which one is in force: who is more important is first, and who waits counts
	// with what is in force.
	both := cluster()
	both.Pods[1].Containers[0].Requests = resource.MustList("cpu", "2")
	both.Pods = append(both.Pods, pod("third", "n1", 20, "1", owned("ReplicaSet", "third")))
	two := after(set(t, both), resize("a", "shop/web", "", "3"), resize("b", "shop/third", "", "3"), &question.DeletePods{Of: "d", Keys: []outrank.Key{"shop/batch"}})
	assert.Equal(t, question.Deferred, two.Resizes[0].Outcome)
	assert.Equal(t, question.Done, two.Resizes[1].Outcome)

	limited := set(t, cluster())
	limited.Limits.Quotas = []*quota.Quota{{Namespace: "shop", Name: "small", Hard: resource.MustList("requests.cpu", "4"), Used: resource.MustList("requests.cpu", "3")}}
	refused := after(limited, resize("r", "shop/web", "", "3"))
	assert.Equal(t, question.Refused, refused.Resizes[0].Outcome)
	assert.Equal(t, `pods "web" is forbidden: exceeded quota: small, requested: requests.cpu=2, used: requests.cpu=3, limited: requests.cpu=4`, refused.Resizes[0].Message)
	assert.Equal(t, question.Done, after(limited, resize("r", "shop/web", "", "2")).Resizes[0].Outcome)
}

// A resize that no API server takes is an error that names the pod.
func TestResizesThatCannotBe(t *testing.T) {
	guaranteed := pod("sure", "n1", 1, "1")
	guaranteed.Containers[0].Limits = guaranteed.Containers[0].Requests.Clone()
	capped := pod("capped", "n1", 1, "1")
	capped.Containers[0].Limits = resource.MustList("cpu", "2")
	none := pod("none", "n1", 1, "1")
	none.Containers[0].Requests = nil
	two := pod("two", "n1", 1, "500m")
	two.Containers[0].Name = "a"
	two.Containers = append(two.Containers, outrank.Container{Name: "b", Requests: resource.MustList("cpu", "500m")})
	leaving := pod("leaving", "n1", 1, "100m")
	leaving.DeletionTimestamp = time.Unix(1, 0)
	late := pod("late", "n1", 1, "100m")
	late.ResizeDeferred = true
	level := pod("level", "n1", 1, "100m")
	level.Resources = &resource.Requirements{Requests: resource.MustList("cpu", "1")}
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{pod("moves", "n2", 1, "1", owned("ReplicaSet", "moves")), late, level, guaranteed, capped, none, two, leaving, pod("waits", "", 1, "1"), pod("lost", "n9", 1, "1")}}
	s := set(t, c)
	ok := func(changes ...question.Change) []question.Resized {
		sc, err := question.NewScenario(context.Background(), s, changes...)
		require.NoError(t, err)
		return sc.Resizes()
	}
	assert.Equal(t, question.Done, ok(resize("r", "shop/sure", "", "500m"))[0].Outcome, "its limit goes with it")
	assert.Len(t, ok(resize("r", "shop/two", "a", "600m"), resize("q", "shop/two", "b", "600m")), 2)
	for _, tt := range []struct {
		says    string
		is      error
		changes []question.Change
	}{
		{"pod shop/capped: container main asks for cpu 3, above its limit of cpu 2", outrank.ErrInvalid, []question.Change{resize("r", "shop/capped", "", "3")}},
		{"pod shop/none would become Burstable, and is BestEffort", outrank.ErrInvalid, []question.Change{resize("r", "shop/none", "", "3")}},
		{"pod shop/two has several containers, of which one has to be named: a, b", outrank.ErrInvalid, []question.Change{resize("r", "shop/two", "", "3")}},
		{"pod shop/two has no container x", outrank.ErrInvalid, []question.Change{resize("r", "shop/two", "x", "3")}},
		{"pod shop/leaving is being deleted", outrank.ErrInvalid, []question.Change{resize("r", "shop/leaving", "", "3")}},
		{"pod shop/waits waits for a node", outrank.ErrInvalid, []question.Change{resize("r", "shop/waits", "", "3")}},
		{"pod shop/late waits for another resize", outrank.ErrInvalid, []question.Change{resize("r", "shop/late", "", "3")}},
		{"pod shop/level requests cpu as a whole", outrank.ErrInvalid, []question.Change{resize("r", "shop/level", "", "3")}},
		{"r resizes pod shop/moves, which node n2 took with it", question.ErrContradiction, []question.Change{&question.RemoveNodes{Of: "n", Names: []string{"n2"}}, resize("r", "shop/moves", "", "3")}},
		{"r resizes pod shop/new, which another change creates", question.ErrContradiction, []question.Change{
			&question.AddPods{Of: "a", Workload: question.Workload{Kind: "Pod", Namespace: "shop", Name: "new", Pod: pod("new", "", 1, "1"), Replicas: 1, Ordinal: -1}}, resize("r", "shop/new", "", "3"),
		}},
		{"pod shop/lost is on node n9, which the cluster does not have", outrank.ErrInvalid, []question.Change{resize("r", "shop/lost", "", "3")}},
		{"pod shop/nobody", preemption.ErrNotFound, []question.Change{resize("r", "shop/nobody", "", "3")}},
		{"no amount is named", outrank.ErrInvalid, []question.Change{&question.Resize{Of: "r", Pod: "shop/sure"}}},
		{"example.com/x is not resized in place", outrank.ErrInvalid, []question.Change{&question.Resize{Of: "r", Pod: "shop/sure", Requests: resource.MustList("example.com/x", "1")}}},
		{"r and q both decide about container shop/sure/", question.ErrContradiction, []question.Change{resize("r", "shop/sure", "", "3"), resize("q", "shop/sure", "", "3")}},
		{"r and d both decide about pod shop/capped", question.ErrContradiction, []question.Change{resize("r", "shop/capped", "", "2"), &question.DeletePods{Of: "d", Keys: []outrank.Key{"shop/capped"}}}},
	} {
		_, err := question.NewScenario(context.Background(), s, tt.changes...)
		require.ErrorIs(t, err, tt.is)
		assert.ErrorContains(t, err, tt.says)
	}
}
