package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// The very object that a snapshot holds may come again. Where it was changed in place, in
// whatever the snapshot counts, it is refused and nothing else is different; else it counts
// as what it is now, whatever was asked before.
func TestPropertyPodsChangedInPlace(t *testing.T) {
	t.Parallel()
	refused, taken := map[string]bool{}, map[string]bool{}
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		there := slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool { return p.Finished() })
		if len(there) == 0 {
			return
		}
		held := rapid.SampledFrom(there).Draw(t, "held")
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(inPlace))).Draw(t, "field")
		field := inPlace[name]
		if field.before != nil {
			field.before(held)
		}
		sharesClaims := *p
		sharesClaims.Volumes = append(onceByClaim(held), p.Volumes...)
		asked := []*outrank.Pod{p, &sharesClaims}
		snap := newSnapshot(t, c)
		again := func(p *outrank.Pod) error { return errOf(snap.PutPod(p)) }
		want := preempted(t, newSnapshot(t, c), asked...)
		for range rapid.IntRange(0, 2).Draw(t, "questions before") {
			require.Equal(t, want, preempted(t, snap, asked...))
		}
		require.NoError(t, again(held))
		require.Equal(t, want, preempted(t, snap, asked...), "it was not changed")
		before, was := standings(snap), *held
		field.change(held)
		require.NoError(t, held.Validate())
		switch err := again(held); {
		case err == nil:
			require.False(t, held.NodeName != "" && field.counted, name)
			require.Equal(t, preempted(t, newSnapshot(t, c), asked...), preempted(t, snap, asked...), name)
			taken[name] = true
		default:
			require.ErrorIs(t, err, preemption.ErrState, name)
			require.ErrorContains(t, err, string(held.Key()))
			require.Equal(t, before, standings(snap))
			changed := *held
			*held = was
			require.NoError(t, again(&changed), "a copy")
			stands, _ := snap.Pod(held.Key()) // held itself, where the copy lacks a deletion and so is older
			require.True(t, stands == &changed || stands == held && name == "deletion")
			c.Pods[slices.Index(c.Pods, held)] = stands
			require.Equal(t, preempted(t, newSnapshot(t, c), asked...), preempted(t, snap, asked...), name)
			refused[name] = true
		}
	})
	for name, field := range inPlace {
		assert.True(t, !field.counted || refused[name], "%s: never refused", name)
		assert.True(t, field.counted || taken[name] || refused[name], "%s: never changed", name)
	}
}

// onceByClaim returns the claims of a pod as volumes that allow a single pod.
func onceByClaim(p *outrank.Pod) []outrank.Volume {
	var once []outrank.Volume
	for _, v := range p.Volumes {
		if v.Claim != "" && !v.Ephemeral {
			once = append(once, outrank.Volume{Claim: v.Claim, OncePod: true})
		}
	}
	return once
}

// changeInPlace is a change of an object that a snapshot may hold.
type changeInPlace struct {
	before func(*outrank.Pod) // makes the object one that the change means something to
	change func(*outrank.Pod)
	// counted: a snapshot counts the field of each pod on a node, and so refuses the object.
	counted bool
}

var inPlace = map[string]changeInPlace{
	"priority": {counted: true, change: func(p *outrank.Pod) { p.Priority = outrank.Priority(p.PriorityValue() + 1) }},
	"labels":   {counted: true, change: func(p *outrank.Pod) { p.Labels = map[string]string{"changed": "in place"} }},
	"overhead": {counted: true, change: func(p *outrank.Pod) { p.Overhead = p.Overhead.Plus(resource.MustList("cpu", "77")) }},
	"requests": {change: func(p *outrank.Pod) {
		p.Containers = []outrank.Container{{Name: "another", Requests: resource.MustList("cpu", "333m", "memory", "5Mi")}}
	}},
	"start": {counted: true, change: func(p *outrank.Pod) { p.StartTime = gen.Now.AddDate(-1, 0, 0) }},
	"deletion": {counted: true, change: func(p *outrank.Pod) {
		if p.Terminating() {
			p.DeletionTimestamp = time.Time{}
		} else {
			p.DeletionTimestamp = gen.Now
		}
	}},
	"another claim": {counted: true, change: func(p *outrank.Pod) { p.Volumes = []outrank.Volume{{Claim: "another"}} }},
	"claim gone":    {before: holdsClaim, counted: true, change: func(p *outrank.Pod) { p.Volumes = nil }},
	"disk for claim": {before: holdsClaim, counted: true, change: func(p *outrank.Pod) {
		p.Volumes = []outrank.Volume{{Driver: "disk.example.com", Handle: "h1"}}
	}},
	"claim of its own": {before: holdsClaim, counted: true, change: func(p *outrank.Pod) {
		p.Volumes = []outrank.Volume{{Claim: "held", OncePod: true, Ephemeral: true}}
	}},
	"claim twice": {before: holdsClaim, counted: true, change: func(p *outrank.Pod) { p.Volumes = append(slices.Clone(p.Volumes), p.Volumes...) }},
	"disk": {before: func(p *outrank.Pod) { p.Volumes = nil }, change: func(p *outrank.Pod) {
		p.Volumes = []outrank.Volume{{Driver: "disk.example.com", Handle: "h1"}}
	}},
	"port": {before: holdsPort, counted: true, change: func(p *outrank.Pod) {
		p.Containers = []outrank.Container{{Name: "c", Requests: p.Containers[0].Requests}}
	}},
	"another port": {before: holdsPort, change: func(p *outrank.Pod) {
		c := p.Containers[0]
		c.Ports = []outrank.Port{{HostPort: 443}}
		p.Containers = []outrank.Container{c}
	}},
	"repels": {counted: true, change: func(p *outrank.Pod) { repel(p, "another") }},
	"repels nobody": {before: func(p *outrank.Pod) { repel(p, "zone") }, counted: true, change: func(p *outrank.Pod) {
		p.Affinity.PodAntiAffinity = nil
	}},
	"group": {before: func(p *outrank.Pod) { p.Group = "" }, counted: true, change: func(p *outrank.Pod) { p.Group = "g0" }},
	"gates": {change: func(p *outrank.Pod) {
		if p.NodeName == "" {
			p.SchedulingGates = []string{"wait"}
		}
	}},
	"scheduler": {change: func(p *outrank.Pod) { p.SchedulerName = "second" }},
	"uid":       {change: func(p *outrank.Pod) { p.UID = "another" }},
	"reason":    {change: func(p *outrank.Pod) { p.DisruptionReason = outrank.PreemptionByScheduler }},
}

func holdsClaim(p *outrank.Pod) { p.Volumes = []outrank.Volume{{Claim: "held", OncePod: true}} }

func holdsPort(p *outrank.Pod) {
	p.InitContainers = nil
	p.Containers = []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "100m"), Ports: []outrank.Port{{HostPort: 80}}}}
}

func repel(p *outrank.Pod, topology string) {
	p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{}, TopologyKey: topology}}
}

// preempted returns the answers about pods, in the order in which they are asked about.
func preempted(t *rapid.T, snap *engine.Snapshot, pods ...*outrank.Pod) string {
	var out strings.Builder
	for _, p := range pods {
		plan, err := newEvaluator(t, preemption.Config{}).Preempt(t.Context(), snap, preemption.Request{Pod: p, Now: gen.Now})
		fmt.Fprintln(&out, asJSON(plan), err)
	}
	return out.String()
}

// An object that concerns a tracker only since it was changed in place is refused: the
// tracker was not told of it.
func TestPodConcernsAFilterSinceItWasChanged(t *testing.T) {
	held := pod("held", 9, "1", on("n1"))
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4", "a")}, Pods: []*outrank.Pod{held}})
	concerned := false
	snap.Tracked(&preemption.Tracker{Concerns: func(*outrank.Pod) bool { return concerned }, New: podTracker.New})
	require.NoError(t, errOf(snap.PutPod(held)))
	concerned = true
	require.ErrorIs(t, errOf(snap.PutPod(held)), preemption.ErrState)
	concerned = false
	require.NoError(t, errOf(snap.PutPod(held)))
}
