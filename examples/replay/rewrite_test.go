package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
)

// TestWrittenCasesDecideAlike writes the cluster of every recorded case, reads
// it again, and wants it equal and every decision the same.
func TestWrittenCasesDecideAlike(t *testing.T) {
	for _, profile := range append(slices.Clone(profiles), "groups-composite") {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			for i, line := range lines(t, "testdata/"+profile+".cases.jsonl.gz") {
				if i%*every != 0 {
					continue
				}
				var c Case
				require.NoError(t, json.Unmarshal(line, &c))
				require.NoError(t, c.setGates(), c.ID)
				// A dump leaves finished pods out, and they count nowhere.
				c.Pods = slices.DeleteFunc(c.Pods, (*outrank.Pod).Finished)
				again := c
				rewrite(t, &again)
				same(t, c.ID+": written and read", c, again)
				now := c.latest().Add(time.Second)
				same(t, c.ID+": decided", c.decide(now), again.decide(now))
			}
		})
	}
}

// same compares in detail only values that differ at first sight.
func same(t *testing.T, what string, want, got any) {
	if reflect.DeepEqual(want, got) {
		return
	}
	if diff := testdiff.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// rewrite replaces the objects of a case by themselves, written and read again.
func rewrite(t *testing.T, c *Case) {
	var text bytes.Buffer
	require.NoError(t, kube.WriteCluster(&text, &outrank.Cluster{
		Nodes: c.Nodes, Pods: c.Pods, Budgets: c.PDBs, Namespaces: c.Namespaces, Classes: c.PriorityClasses,
		Groups: c.Groups, Composites: c.Composites,
	}), c.ID)
	read, err := kube.ReadCluster(&text)
	require.NoError(t, err, c.ID)
	c.Nodes, c.Pods, c.PDBs, c.Namespaces, c.PriorityClasses = read.Nodes, read.Pods, read.Budgets, read.Namespaces, read.Classes
	c.Groups, c.Composites = read.Groups, read.Composites
	if c.Preemptor != nil {
		text, err := json.Marshal(c.Preemptor)
		require.NoError(t, err, c.ID)
		c.Preemptor = new(outrank.Pod)
		require.NoError(t, json.Unmarshal(text, c.Preemptor), c.ID)
	}
}
