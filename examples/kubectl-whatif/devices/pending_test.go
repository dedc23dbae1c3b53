package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// turnOf is the turn of a pod in a few words: the way, the node, who leaves and what comes free.
func turnOf(t *turn) string {
	words := []string{t.Outcome, t.Node}
	for _, v := range t.Victims {
		words = append(words, "-"+string(v))
	}
	for _, c := range t.Frees {
		words = append(words, "+"+string(c))
	}
	for _, g := range t.Devices {
		words = append(words, g.Devices...)
	}
	return strings.ReplaceAll(strings.Join(words, " "), "default/", "")
}

// Pods that wait take turns: each finds the devices that those before it left.
func TestAllPending(t *testing.T) {
	waiting := func(name string, priority, devices int) []object {
		return []object{claim(name, exactly("gpus", devices)), pod(name, "", priority, name)}
	}
	base := taken(nil)[:13]
	for _, tt := range []struct {
		name string
		dump string
		want [][2]string // the release, and the proposal
		also string      // of the text
	}{
		{"one after the other, by priority", with(base, append(waiting("second", 10, 2), waiting("first", 20, 2)...)...),
			[][2]string{{"waits ", "pushes-out n1 -b -a +b +a gpu/n1/0 gpu/n1/1"}, {"waits ", "pushes-out n2 -d -c +d +c gpu/n2/0 gpu/n2/1"}},
			"Of 2 pending pods 2 would fare differently with DRAPreemption."},
		{"the third finds nobody", with(base, append(append(waiting("x", 10, 2), waiting("y", 10, 2)...), waiting("z", 10, 2)...)...),
			[][2]string{{"waits ", "pushes-out n1 -b -a +b +a gpu/n1/0 gpu/n1/1"}, {"waits ", "pushes-out n2 -d -c +d +c gpu/n2/0 gpu/n2/1"}, {"waits ", "waits "}}, ""},
		{"free devices are taken", with([]object{node("n1"), class("gpus"), slice("n1", 3)}, append(waiting("x", 10, 2), waiting("y", 9, 2)...)...),
			[][2]string{{"placed n1 gpu/n1/0 gpu/n1/1", "placed n1 gpu/n1/0 gpu/n1/1"}, {"waits ", "waits "}}, "1 node: cannot allocate all claims"},
		{"two share a claim", with([]object{node("n1"), node("n2"), class("gpus"), slice("n1", 1), slice("n2", 1), claim("s", exactly("gpus", 1)), pod("x", "", 10, "s"), pod("y", "", 9, "s")}),
			[][2]string{{"placed n1 gpu/n1/0", "placed n1 gpu/n1/0"}, {"placed n1", "placed n1"}}, ""},
		{"what a claim held beyond that is free for the next", with([]object{node("n1"), class("gpus"), slice("n1", 2), claim("a", exactly("gpus", 2), holds("n1", "0 1", "a")), pod("a", "n1", 1, "a")}, append(waiting("x", 10, 1), waiting("y", 9, 1)...)...),
			[][2]string{{"waits ", "pushes-out n1 -a +a gpu/n1/0"}, {"waits ", "placed n1 gpu/n1/1"}}, ""},
		{"a claim stays with its other consumer", with([]object{node("n1"), class("gpus"), slice("n1", 1), claim("s", exactly("gpus", 1), holds("n1", "0", "s1", "s2")), heavy(pod("s1", "n1", 1, "s"), "5"), pod("s2", "n1", 50, "s"), heavy(pod("x", "", 10), "5")}, waiting("y", 9, 1)...),
			[][2]string{{"pushes-out n1 -s1", "pushes-out n1 -s1"}, {"waits ", "waits "}}, ""},
		{"a claim stays with a consumer that came before", with([]object{node("n1"), class("gpus"), slice("n1", 1), claim("s", exactly("gpus", 1), holds("n1", "0", "v")), heavy(pod("v", "n1", 1, "s"), "5"), pod("x", "", 20, "s"), heavy(pod("y", "", 10), "5")}, waiting("z", 9, 1)...),
			[][2]string{{"placed n1", "placed n1"}, {"pushes-out n1 -v", "pushes-out n1 -v"}, {"waits ", "waits "}}, ""},
		{"one has claims that nobody can read", with([]object{node("n1"), class("gpus"), slice("n1", 1)}, claim("x", object{"name": "r", "exactly": object{"deviceClassName": ""}}), pod("x", "", 10, "x"), claim("y", exactly("gpus", 1)), pod("y", "", 9, "y")),
			[][2]string{{"waits ", "waits "}, {"placed n1 gpu/n1/0", "placed n1 gpu/n1/0"}}, "resourceclaim default/x: spec.devices.requests: request r: unsupported request type"},
		{"nobody waits", with(base), nil, "No pod is pending."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := answered(t, tt.dump)
			require.Equal(t, "pending", doc.Question)
			var got [][2]string
			for i := range doc.Turns {
				got = append(got, [2]string{turnOf(&doc.Turns[i].Release), turnOf(&doc.Turns[i].Proposed)})
			}
			assert.Equal(t, tt.want, got)
			_, text, _ := ask(tt.dump, "--cluster", "-", "--pending", "all")
			assert.Contains(t, flat(text), tt.also)
			// The same, one pod at a time: with those of the turns before gone and in their places.
			dump := tt.dump
			for i := range doc.Turns {
				one := &doc.Turns[i]
				if i > 0 || one.Proposed.Outcome == waits {
					continue
				}
				_, name := one.Pod.Split()
				alone := answered(t, dump, "--pending", name)
				assert.Equal(t, map[string]string{placed: "fits", pushesOut: "preempt"}[one.Proposed.Outcome], alone.Answer.Proposed.Outcome)
				var frees []outrank.Key
				for _, v := range alone.Answer.Proposed.Victims {
					frees = append(frees, v.Frees...)
				}
				assert.ElementsMatch(t, one.Proposed.Frees, frees)
			}
		})
	}
	for args, want := range map[string]int{"": exitStays, "--pending first": exitStays, "--pending all --exit-status": exitStays} {
		status, _, _ := ask(with(base, waiting("first", 20, 2)...), append(strings.Fields(args), "--cluster", "-", "--exit-status")...)
		assert.Equal(t, want, status, args)
	}
	status, _, _ := ask(with([]object{node("n1"), class("gpus"), slice("n1", 3)}, waiting("x", 10, 2)...), "--cluster", "-", "--exit-status")
	assert.Equal(t, exitFits, status)
	status, _, _ = ask(with([]object{node("n1"), class("gpus"), slice("n1", 3), heavy(pod("low", "n1", 1), "8")}, waiting("x", 10, 2)...), "--cluster", "-", "--exit-status")
	assert.Equal(t, exitEvicts, status)
}

// Pods that take no turn are named, and claims that were not made.
func TestPendingCaveats(t *testing.T) {
	gated := pod("gated", "", 5, "mine")
	spec(gated)["schedulingGates"] = []object{{"name": "g"}}
	byTemplate := pod("later", "", 10)
	spec(byTemplate)["resourceClaims"] = []object{{"name": "gpu", "resourceClaimTemplateName": "gpus"}}
	template := object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": object{"name": "gpus", "namespace": "default"},
		"spec": object{"spec": object{"devices": object{"requests": []object{exactly("gpus", 1)}}}}}
	doc := answered(t, with(taken(exactly("gpus", 1)), gated, byTemplate, template))
	assert.Contains(t, doc.caveats(), "the dump has pods that wait and take no turn, for their scheduling gates or because they are being deleted: default/gated")
	assert.Contains(t, doc.caveats(), "they count as made from their templates: default/later-gpu")
	assert.Len(t, doc.Turns, 2)
}
