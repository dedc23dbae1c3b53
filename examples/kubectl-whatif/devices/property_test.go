package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
)

var (
	cases = flag.Uint64("cases", 200, "how many clusters are drawn")
	seed  = flag.Uint64("seed", 1, "the first of them")
)

// drawn is a small cluster: devices on up to three nodes, claims in every state, pods that hold,
// share and lack them, cpu that may be short, too, and a pod that waits.
func drawn(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 30))
	chance := func(of int) bool { return r.IntN(of) == 0 }
	var items []object
	if !chance(20) {
		items = append(items, class("gpus"))
	}
	if chance(4) {
		items = append(items, class("none", func(s object) { s["selectors"] = []object{{"cel": object{"expression": `device.driver == "none"`}}} }))
	}
	if chance(12) {
		items = append(items, class("broken", func(s object) {
			s["selectors"] = []object{{"cel": object{"expression": `device.attributes["x"].y > 1`}}}
		}))
	}
	request := func() object {
		name := []string{"gpus", "gpus", "gpus", "gpus", "gpus", "none", "broken"}[r.IntN(7)]
		switch n := r.IntN(8); {
		case n == 0:
			return exactly(name, 0)
		case n == 1 && chance(2):
			return exactly(name, 1, func(e object) { e["adminAccess"] = true })
		case n == 2:
			return object{"name": "r", "firstAvailable": []object{{"name": "x", "deviceClassName": name, "allocationMode": "ExactCount", "count": 2}, {"name": "y", "deviceClassName": "gpus", "allocationMode": "ExactCount", "count": 1}}}
		}
		return exactly(name, 1+r.IntN(2))
	}
	claims := 0
	for n := range 1 + r.IntN(3) {
		name := fmt.Sprintf("n%d", n)
		items = append(items, node(name))
		devices := r.IntN(4)
		var edits []func(object)
		if chance(15) {
			edits = append(edits, func(s object) { s["pool"].(object)["resourceSliceCount"] = 2 })
		}
		if !chance(10) {
			items = append(items, slice(name, devices, edits...))
		}
		var pods []string
		own := map[string][]string{}
		for range r.IntN(5) {
			pods = append(pods, fmt.Sprintf("%s-p%d", name, len(pods)))
		}
		for d := 0; d < devices; {
			if chance(5) {
				d++
				continue
			}
			c := fmt.Sprintf("c%d", claims)
			claims++
			held := fmt.Sprint(d)
			if d++; d < devices && chance(3) {
				held += " " + fmt.Sprint(d)
				d++
			}
			var by []string
			for range 1 + r.IntN(2) {
				if len(pods) > 0 {
					p := pods[r.IntN(len(pods))]
					if !strings.Contains(strings.Join(by, " "), p) {
						by, own[p] = append(by, p), append(own[p], c)
					}
				}
			}
			if chance(12) {
				by = append(by, "elsewhere")
			}
			items = append(items, claim(c, exactly("gpus", len(strings.Fields(held))), holds(name, held, by...)))
		}
		for _, p := range pods {
			items = append(items, heavy(pod(p, name, r.IntN(12), own[p]...), fmt.Sprint(r.IntN(4))))
		}
	}
	var mine []string
	for range r.IntN(3) {
		c := fmt.Sprintf("mine%d", len(mine))
		mine = append(mine, c)
		switch {
		case chance(15): // is missing
		case chance(12):
			items = append(items, claim(c, request(), deleted))
		default:
			items = append(items, claim(c, request()))
		}
	}
	p := heavy(pod("mine", "", 10, mine...), fmt.Sprint(1+r.IntN(4)))
	if chance(15) {
		spec(p)["preemptionPolicy"] = "Never"
	}
	return list(append(items, p)...)
}

// Both answers are those of the library, from a dump that is read in one go, and what is said is true;
// no pod stays pending without a reason, and no claim goes without a word.
func TestBothWaysAreTheLibrarys(t *testing.T) {
	seen := map[string]int{}
	for s := *seed; s < *seed+*cases; s++ {
		dump := drawn(s)
		status, _, stderr := ask(dump, "--cluster", "-", "--pending", "mine")
		if status != 0 { // the library says so, too, or there is nothing to go by
			cluster, err := kube.ReadCluster(strings.NewReader(dump))
			require.NoError(t, err)
			objects, err := devices.Read(strings.NewReader(dump))
			require.NoError(t, err)
			assert.True(t, len(objects.Claims)+len(objects.Slices)+len(objects.Classes) == 0 && len(cluster.Pod("", "mine").ResourceClaims) > 0, "seed %d: %s", s, stderr)
			seen["refused"]++
			continue
		}
		doc := answered(t, dump, "--pending", "mine")
		for i, w := range []toldWay{doc.Answer.Release, doc.Answer.Proposed} {
			plan := planOf(t, dump, i == 1)
			var victims, told []outrank.Key
			for _, v := range plan.Victims {
				victims = append(victims, v.Pod.Key())
			}
			for _, v := range w.Victims {
				told = append(told, v.Key)
			}
			seen[w.Outcome]++
			if name := failing(plan); name != "" { // kube-scheduler ends the attempt there, whatever the others say
				seen["error"]++
				require.Equal(t, "nothing-helps", w.Outcome, "seed %d", s)
				require.Contains(t, w.Says, "ends the attempt in an error, because the plugin for claims fails on node", "seed %d", s)
				require.Contains(t, w.Says, name, "seed %d", s)
				continue
			}
			require.Equal(t, plan.Node, w.Node, "seed %d", s)
			require.Equal(t, victims, told, "seed %d", s)
			require.Equal(t, string(plan.Outcome), w.Outcome, "seed %d", s)
			if w.Outcome == "nothing-helps" || w.Outcome == "not-eligible" {
				require.Contains(t, w.Says, "nobody leaves, and the pod stays pending", "seed %d", s)
				require.NotEmpty(t, w.TurnedDown, "seed %d", s)
				for _, c := range w.TurnedDown {
					require.NotEmpty(t, c.Reasons, "seed %d", s)
				}
			}
		}
		if doc.Answer.Release.Outcome != doc.Answer.Proposed.Outcome {
			seen["differ"]++
		}
		text := doc.caveats()
		for _, name := range strings.Fields(wantsOf(dump)) {
			found := false
			for _, c := range doc.Pod.Claims {
				found = found || c.Name == "default/"+name
			}
			require.True(t, found, "seed %d: claim %s\n%s", s, name, text)
		}
		if !strings.Contains(dump, `"pod-elsewhere"`) {
			require.NotContains(t, text, "elsewhere")
		} else {
			require.Contains(t, text, "for elsewhere", "seed %d", s)
		}
		assertTrue(t, dump, []string{"--pending", "mine"}, doc)
		if t.Failed() {
			t.Fatalf("seed %d", s)
		}
	}
	t.Log(seen)
	if *cases >= 200 {
		for _, outcome := range []string{"preempt", "nothing-helps", "fits", "not-eligible", "differ", "error"} {
			assert.Positive(t, seen[outcome], outcome)
		}
	}
}

// wantsOf are the names of the claims of the pod in question.
func wantsOf(dump string) string {
	cluster, _ := kube.ReadCluster(strings.NewReader(dump))
	var out []string
	for i := range cluster.Pod("", "mine").ResourceClaims {
		out = append(out, fmt.Sprintf("mine%d", i))
	}
	return strings.Join(out, " ")
}

// failing is a node on which the plugin for claims fails before any pod leaves; empty for none.
func failing(plan *preemption.Plan) string {
	for _, n := range plan.Nodes {
		if n.Status.Code == preemption.Contradiction && n.Status.Filter == devices.Name {
			return n.Node
		}
	}
	return ""
}

// planOf is the library's plan.
func planOf(t *testing.T, dump string, proposed bool) *preemption.Plan {
	t.Helper()
	cluster, err := kube.ReadCluster(strings.NewReader(dump))
	require.NoError(t, err)
	objects, err := devices.Read(strings.NewReader(dump))
	require.NoError(t, err)
	filter, err := devices.New(objects, devices.Config{DRAPreemption: proposed})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(filter.Cluster(cluster))
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}, Eligibility: preemption.Eligibility{Refuse: filter.Refuse}})
	require.NoError(t, err)
	plan, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: cluster.Pod("", "mine"), Now: cluster.AsOf})
	require.NoError(t, err)
	return plan
}
