package attempt_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// facts is what the judge knows of a version of a pod. It is comparable, so that the same version
// is one with the same facts.
type facts struct {
	uid, node, nominated, label, cpu string
	gated, ready, elsewhere, ended   bool
}

// priorityOfNews is the priority of every pod that news is about.
const priorityOfNews = 5

func (f facts) pod() *outrank.Pod {
	p := pod("news", priorityOfNews, f.cpu)
	p.UID, p.NodeName, p.NominatedNodeName, p.Ready = f.uid, f.node, f.nominated, f.ready
	p.Labels = map[string]string{"label": f.label}
	if f.gated {
		p.SchedulingGates = []string{"wait"}
	}
	if f.elsewhere {
		p.SchedulerName = "another"
	}
	if f.ended {
		p.Phase = outrank.PhaseSucceeded
	}
	return p
}

// heard is what kube-scheduler tells the pods that wait of one event of an informer: the word
// for it, "" for nothing, and whether only those are told who have the pod's priority or less.
type heard struct {
	what  string
	lower bool
}

// judge says what pods hear of the news about a pod: eventhandlers.go of v1.36.3 and v1.37.1 in
// words of its own, over plain facts. An informer of kube-scheduler does not deliver pods that have
// ended: it tells that such a pod is gone, once.
func judge(before, after *facts, groups bool) heard {
	if before != nil && before.ended {
		before = nil
	}
	if after != nil && after.ended {
		after = nil
	}
	switch {
	case before == nil && after == nil:
		return heard{}

	case before == nil && after.node != "":
		return heard{what: "placed"}
	case before == nil && groups && !after.elsewhere:
		return heard{what: "comes"}
	case before == nil:
		return heard{}

	case after == nil && before.node != "":
		return heard{what: "leaves"}
	case after == nil && before.nominated != "" && !before.elsewhere:
		return heard{what: "leaves", lower: true}
	case after == nil:
		return heard{}

	case before.node != "" && before.label != after.label:
		return heard{what: "is labelled"}
	case before.node != "" && before.cpu > after.cpu:
		return heard{what: "shrinks"}
	case before.node != "" && before.cpu < after.cpu:
		return heard{what: "grows"}
	case before.node != "":
		return heard{}
	case after.node != "":
		return heard{what: "placed"}
	case before.nominated != "" && before.nominated != after.nominated && !before.elsewhere:
		return heard{what: "leaves", lower: true}
	}
	return heard{}
}

// listeners has for each event the filters that wait for it (rules 5.4.21 to 5.4.32), against
// which a pod waits that requests cpu and no more. A filter of the caller's waits for all, and what
// a profile spreads is not known.
var listeners = map[string][]string{
	"comes":        {"Mine"},
	"placed":       {"Mine", "PodTopologySpread"},
	"is labelled":  {"Mine", "PodTopologySpread"},
	"shrinks":      {"Mine", "NodeResourcesFit"},
	"grows":        {"Mine"},
	"leaves":       {"Mine", "NodeResourcesFit", "PodTopologySpread"},
	"node comes":   {"Mine", "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread"},
	"node changes": {"Mine", "PodTopologySpread"},
	"node grows":   {"Mine", "NodeResourcesFit", "PodTopologySpread"},
	"node goes":    {"Mine", "PodTopologySpread"},
}

// audience is a loop before which pods wait: for each filter one that it turned down with a lower
// priority than that of the news, and one with a higher.
type audience struct {
	loop *attempt.Loop
	q    *queue.Queue
	at   time.Time
}

var audienceFilters = []string{"Mine", "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread"}

func newAudience(t require.TestingT, release outrank.Release) *audience {
	snap, err := engine.NewSnapshot(&outrank.Cluster{Release: release, Nodes: []*outrank.Node{node("n1", "4"), node("n2", "4")}})
	require.NoError(t, err)
	a := &audience{q: must(queue.New(queue.Config{Release: release})), at: now}
	a.loop, err = attempt.New(attempt.Config{
		Snapshot: snap, Queue: a.q, Execution: execution.Config{Actions: (&executiontest.Recorder{}).Actions()},
		Evaluator: must(engine.New(preemption.Config{Profile: preemption.Profile{Schedulers: []string{outrank.DefaultScheduler}}})),
	})
	require.NoError(t, err)
	a.sit(t)
	return a
}

func (a *audience) each(f func(filter string, p *outrank.Pod)) {
	for _, filter := range audienceFilters {
		f(filter, pod(filter+"/low", priorityOfNews-1, "1"))
		f(filter, pod(filter+"/high", priorityOfNews+1, "1"))
	}
}

// sit has all who wait turned down by their filter, also the pod that the news is about, which is
// no part of the audience.
func (a *audience) sit(t require.TestingT) {
	a.at = a.at.Add(time.Hour)
	a.each(func(_ string, p *outrank.Pod) {
		a.q.Remove(p)
		require.NoError(t, a.q.Add(p, a.at))
	})
	for {
		e, ok := a.q.TryPop(a.at)
		if !ok {
			return
		}
		name, _, seated := strings.Cut(e.Pod.Name, "/")
		if e.FailedFilters = []string{"NodeName"}; seated {
			e.FailedFilters = []string{name}
		}
		require.NoError(t, a.q.AddUnschedulableIfNotPresent(e, a.at))
	}
}

// left lists those who do not sit any more.
func (a *audience) left() []string {
	sits := map[string]bool{}
	for _, e := range a.q.Pending().Unschedulable {
		sits[e.Pod.Name] = true
	}
	gone := []string{}
	a.each(func(_ string, p *outrank.Pod) {
		if !sits[p.Name] {
			gone = append(gone, p.Name)
		}
	})
	return gone
}

// movedBy lists those whom the event moves, by the judge.
func (a *audience) movedBy(h heard) []string {
	moves := []string{}
	a.each(func(filter string, p *outrank.Pod) {
		if slices.Contains(listeners[h.what], filter) && (!h.lower || p.PriorityValue() <= priorityOfNews) {
			moves = append(moves, p.Name)
		}
	})
	return moves
}

// hears delivers an event and holds what moves to the judge.
func (a *audience) hears(t require.TestingT, old, new any, h heard, what string) {
	_, err := a.loop.Observe(old, new, a.at)
	require.NoError(t, err)
	require.Equal(t, a.movedBy(h), a.left(), "%s: %+v", what, h)
	a.sit(t)
}

// podOf is nil for no facts.
func podOf(f *facts) any {
	if f == nil {
		return nil
	}
	return f.pod()
}

// Whatever becomes of a pod, Observe moves those whom kube-scheduler moves, and nobody else.
func TestPropertyObserveMovesWhomTheReferenceMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		queued := must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))
		release := rapid.SampledFrom([]outrank.Release{outrank.V1_36, outrank.V1_37, queued}).Draw(t, "release")
		a, groups := newAudience(t, release), release == queued
		var is *facts
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			next := nextFacts(t, is)
			if is == nil && next == nil {
				continue
			}
			a.hears(t, podOf(is), podOf(next), judge(is, next, groups), fmt.Sprintf("%+v becomes %+v", is, next))
			is = next
		}
	})
}

// nextFacts draws what becomes of a pod.
func nextFacts(t *rapid.T, is *facts) *facts {
	bit := rapid.Bool()
	if is == nil {
		return &facts{
			uid: "one", cpu: "1", gated: bit.Draw(t, "gated"), elsewhere: bit.Draw(t, "elsewhere"),
			node:  rapid.SampledFrom([]string{"", "", "n1"}).Draw(t, "node"),
			ended: rapid.IntRange(0, 5).Draw(t, "ended") == 0,
		}
	}
	next := *is
	switch rapid.SampledFrom([]string{"nothing", "ready", "label", "cpu", "nomination", "gate", "node", "ends", "goes"}).Draw(t, "change") {
	case "ready":
		next.ready = !next.ready
	case "label":
		next.label += "x"
	case "cpu":
		next.cpu = map[string]string{"1": "2", "2": "1"}[next.cpu]
	case "nomination":
		if next.node == "" {
			next.nominated = rapid.SampledFrom([]string{"", "n1", "n2"}).Draw(t, "nominated")
		}
	case "gate":
		next.gated = false
	case "node":
		if next.node == "" {
			next.node, next.nominated = rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "node"), ""
		}
	case "ends":
		next.ended = true
	case "goes":
		return nil
	}
	return &next
}

// Whatever becomes of a node, likewise. A node that is cordoned helps nobody, one that is not any
// more may.
func TestObserveMovesByNodes(t *testing.T) {
	with := func(f func(n *outrank.Node)) *outrank.Node { n := node("n1", "4"); f(n); return n }
	plain, cordoned := node("n1", "4"), with(func(n *outrank.Node) { n.Unschedulable = true })
	for _, c := range []struct {
		what     string
		old, new any
		hears    string
	}{
		{"comes", nil, node("n3", "4"), "node comes"},
		{"goes", plain, nil, "node goes"},
		{"is cordoned", plain, cordoned, ""},
		{"is cordoned no longer", cordoned, plain, "node changes"},
		{"is cordoned and has less", plain, with(func(n *outrank.Node) { n.Unschedulable, n.Allocatable = true, nil }), "node changes"},
		{"changes in nothing", plain, node("n1", "4"), ""},
		{"changes in its images", plain, with(func(n *outrank.Node) { n.Images = []outrank.NodeImage{{Names: []string{"a"}}} }), ""},
		{"has another kubelet", plain, with(func(n *outrank.Node) { n.KubeletVersion = "v1.37.1" }), ""},
		{"follows another policy for groups", plain, with(func(n *outrank.Node) { n.StrictGroups = true }), ""},
		{"has more", plain, node("n1", "5"), "node grows"},
		{"has labels", plain, with(func(n *outrank.Node) { n.Labels = map[string]string{"a": "b"} }), "node changes"},
		{"has a taint", plain, with(func(n *outrank.Node) { n.Taints = []outrank.Taint{{Key: "a", Effect: outrank.NoSchedule}} }), "node changes"},
		{"declares a feature", plain, with(func(n *outrank.Node) { n.DeclaredFeatures = []string{"a"} }), "node changes"},
	} {
		newAudience(t, outrank.V1_37).hears(t, c.old, c.new, heard{what: c.hears}, c.what)
	}
}

// A pod that a filter of the caller's refuses is tried once, whatever the scheduler itself writes on
// it: its informer tells of that, and nothing else has changed.
func TestEchoesHaveNobodyTriedAgain(t *testing.T) {
	no := &preemption.Filter{Name: "Mine", Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
		return preemption.Status{Code: preemption.Unschedulable}
	}}
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4")}}))
	loop := must(attempt.New(attempt.Config{
		Snapshot: snap, Queue: must(queue.New(queue.Config{})), Execution: execution.Config{Actions: (&executiontest.Recorder{}).Actions()},
		Evaluator: must(engine.New(preemption.Config{Filters: []*preemption.Filter{no}})),
	}))
	p := pod("p", 1, "1")
	_, err := loop.Observe(nil, p, now)
	require.NoError(t, err)

	attempts := 0
	for range 10 {
		r, err := loop.Next(context.Background(), now)
		require.NoError(t, err)
		if r.Outcome == attempt.Idle {
			break
		}
		attempts++
		echo := *p
		_, err = loop.Observe(p, &echo, now)
		require.NoError(t, err)
		p = &echo
	}
	assert.Equal(t, 1, attempts)
}

// A preemptor waits for its victims. That its own nomination is read back has it not tried again,
// also where the failure path had fetched that version before the informer told of it.
func TestEchoOfANominationMovesNobody(t *testing.T) {
	s, _ := sides(t)
	for _, p := range []*outrank.Pod{on(pod("low", 0, "4"), "n1"), on(pod("full", 9, "3"), "n2"), pod("high", 9, "2")} {
		s.w.pods[p.Key()] = p
		s.observe(t, nil, p, now)
	}
	require.Contains(t, s.next(t, now), "preempting n1")
	require.NotEmpty(t, s.w.events)
	for _, e := range s.w.events {
		s.observe(t, e.old, e.new, now)
	}
	assert.Equal(t, queue.Parts[int]{Unschedulable: 1}, s.q.Counts())
	assert.Equal(t, "n1", s.q.Pending().Unschedulable[0].Pod.NominatedNodeName)
	assert.Equal(t, "idle", s.next(t, now))
}
