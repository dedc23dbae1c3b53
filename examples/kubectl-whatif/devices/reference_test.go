package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Two pods hold the halves of a card and leave for a pod that wants the whole of it. The devices say the same as the
// answer above them: who holds the card, whose leaving frees it, and that this is enough.
func TestPartitionsAreTold(t *testing.T) {
	dump := read(t, "testdata/partition.json")
	doc := answered(t, dump, "--pending", "ml/mine")
	require.Equal(t, "preempt", doc.Answer.Proposed.Outcome)
	require.Equal(t, []given{{Claim: "ml/mine", Devices: []string{"gpu.example.com/a1/whole"}}}, doc.Answer.Proposed.Devices)
	_, text, _ := ask(dump, "--cluster", "-", "--pending", "ml/mine")
	text = flat(text)
	assert.Contains(t, text, "node a1 has 1 device for the claims of pod ml/mine, 0 untouched; the claims cannot be allocated")
	for half, pod := range map[string]string{"k0": "low0", "k1": "low1"} {
		assert.Contains(t, text, fmt.Sprintf("claim ml/%s holds gpu.example.com/a1/p%s (shares counters with a device that matches) and comes free once ml/%s is gone", half, half[1:], pod))
	}
	assert.Contains(t, text, "with all of these that come free given back, the claims can be allocated")

	require.Len(t, doc.Answer.Shortages, 1)
	assert.True(t, doc.Answer.Shortages[0].Enough)
	assert.Equal(t, held{Claim: "ml/k0", Devices: []string{}, Sharing: []string{"gpu.example.com/a1/p0"}, Pods: []outrank.Key{"ml/low0"}}, doc.Answer.Shortages[0].Held[0])
}

// The pod wants all devices of a node, and of one kind. On a1 they are of two kinds, which is an error of the plugin:
// kube-scheduler ends the attempt there, and the pod gets no place though a2 would take it.
func TestAttemptEndsInAnError(t *testing.T) {
	const failure = `running "DynamicResources" filter plugin: claim ml/mine, request g: cannot add device gpu.example.com/a1/d1 because a claim constraint would not be satisfied`
	const says = "nobody leaves, and the pod stays pending: kube-scheduler ends the attempt in an error, because the plugin for claims fails on node a1, although 1 node takes the pod: " + failure + "."
	dump := read(t, "testdata/all_match.json")
	doc := answered(t, dump, "--pending", "ml/mine", "--exact")
	assert.Equal(t, "v1.37: "+says, doc.Answer.Release.Says)
	assert.Equal(t, "With DRAPreemption: "+says, doc.Answer.Proposed.Says)
	for _, w := range []toldWay{doc.Answer.Release, doc.Answer.Proposed} {
		assert.Equal(t, "nothing-helps", w.Outcome)
		assert.Empty(t, w.Node)
		assert.Nil(t, w.Exact, "there is no decision to compare")
		assert.Equal(t, &failed{[]string{"a1"}, []string{failure}, true}, w.Failed)
	}
	status, text, _ := ask(dump, "--cluster", "-", "--pending", "ml/mine", "--exit-status")
	assert.Equal(t, exitStays, status)
	assert.NotContains(t, text, "nobody has to leave")

	_, text, _ = ask(dump, "--cluster", "-", "--pending", "all")
	assert.Contains(t, flat(text), "ml/mine 100 waits waits v1.37: kube-scheduler ends the attempt in an error, because the plugin for claims fails on node a1")
	_, text, _ = ask(dump, "--cluster", "-", "--pending", "ml/mine", "-o", "html")
	assert.NotContains(t, text, "Nothing to do: it starts on", "the page draws no decision that is not made")
}

// Where so many nodes take the pod that kube-scheduler does not look at all of them, it depends on where it begins
// whether it comes to the one on which the plugin fails: both are told.
func TestAttemptMayEndInAnError(t *testing.T) {
	for nodes, certain := range map[int]bool{101: true, 102: false} { // of these one fails, and 100 are enough
		var items []object
		for i := range nodes {
			name := fmt.Sprint("n", i)
			items = append(items, node(name), slice(name, 2, func(s object) {
				for j, d := range s["devices"].([]object) {
					kind := 0
					if i == 0 {
						kind = j
					}
					d["attributes"] = object{"kind": object{"int": kind}}
				}
			}))
		}
		mine := claim("mine", exactly("gpus", 0))
		mine["spec"].(object)["devices"].(object)["constraints"] = []object{{"requests": []string{"r"}, "matchAttribute": "gpu/kind"}}
		dump := list(append(items, class("gpus"), mine, pod("mine", "", 10, "mine"))...)

		for _, pending := range []string{"mine", "all"} {
			status, text, _ := ask(dump, "--cluster", "-", "--pending", pending, "--exit-status")
			text = flat(text)
			if certain {
				assert.Equal(t, exitStays, status)
				assert.Contains(t, text, "kube-scheduler ends the attempt in an error, because the plugin for claims fails on node n0, although 100 nodes take the pod")
				continue
			}
			assert.Equal(t, exitFits, status)
			assert.Contains(t, text, "kube-scheduler may or may not come to node n0, where the plugin for claims fails; if it does, it ends the attempt in an error")
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}
