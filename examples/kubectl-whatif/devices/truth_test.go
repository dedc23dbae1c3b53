package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// changed is a dump without pods, and with claims given back.
func changed(t *testing.T, dump string, gone, free []outrank.Key) string {
	t.Helper()
	var l struct{ Items []object }
	require.NoError(t, json.Unmarshal([]byte(dump), &l))
	var items []object
	for _, o := range l.Items {
		meta := o["metadata"].(object)
		namespace, _ := meta["namespace"].(string)
		key := outrank.NewKey(namespace, meta["name"].(string))
		switch {
		case o["kind"] == "Pod" && slices.Contains(gone, key):
			continue
		case o["kind"] == "ResourceClaim" && slices.Contains(free, key):
			delete(o, "status")
		}
		items = append(items, o)
	}
	return list(items...)
}

// assertTrue holds the sentences of an answer to what happens: with the victims gone and their claims
// given back the pod fits on the node, as the release decides; and where it says that nobody leaves,
// nobody does.
func assertTrue(t *testing.T, dump string, args []string, doc *told) {
	t.Helper()
	for name, w := range map[string]toldWay{"release": doc.Answer.Release, "proposed": doc.Answer.Proposed} {
		if w.Outcome != "preempt" {
			assert.Empty(t, w.Victims, name)
			assert.Empty(t, w.Node, name)
			continue
		}
		var gone, free []outrank.Key
		for _, v := range w.Victims {
			gone, free = append(gone, v.Key), append(free, v.Frees...)
		}
		after := answered(t, changed(t, dump, gone, free), args...)
		if assert.Equal(t, "fits", after.Answer.Release.Outcome, "%s: %s", name, w.Says) {
			for _, c := range after.Answer.Release.TurnedDown {
				assert.NotContains(t, c.Names, w.Node, "%s: %s", name, w.Says)
			}
		}
		if len(free) > 0 && name == "proposed" {
			assertNamed(t, doc, w)
			before := answered(t, changed(t, dump, gone, nil), args...)
			for _, c := range before.Answer.Release.TurnedDown {
				if c.Filter == "DynamicResources" && slices.Contains(c.Names, w.Node) {
					return
				}
			}
			// The devices were free on the node already, and somebody leaves for something else.
			assert.Equal(t, "preempt", doc.Answer.Release.Outcome, "%s: %v were given back for nothing", w.Says, free)
		}
	}
}

// assertNamed holds what is said about the devices of the chosen node to the answer above it: the claims that the
// victims free are named there, and with them given back the pod's claims can be allocated.
func assertNamed(t *testing.T, doc *told, w toldWay) {
	t.Helper()
	for _, short := range doc.Answer.Shortages {
		if short.Node != w.Node || !short.Short {
			continue
		}
		assert.True(t, short.Enough, "%s: %v", w.Says, short)
		for _, v := range w.Victims {
			for _, free := range v.Frees {
				assert.True(t, slices.ContainsFunc(short.Held, func(h held) bool { return h.Claim == free && slices.Contains(h.Pods, v.Key) }), "%s: %s is not named", w.Says, free)
			}
		}
	}
}
