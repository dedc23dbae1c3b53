package kube_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"
)

// A pod's own grace period is read in seconds, written as it was read, and counts
// with the API server's rule about negative ones.
func TestGracePeriod(t *testing.T) {
	for _, c := range []struct {
		name, field string
		want        string // the written form
		period      time.Duration
	}{
		{"none", ``, ``, time.Minute},
		{"null", `"terminationGracePeriodSeconds":null`, ``, time.Minute},
		{"zero", `"terminationGracePeriodSeconds":0`, `"terminationGracePeriodSeconds":0`, 0},
		{"some", `"terminationGracePeriodSeconds":90`, `"terminationGracePeriodSeconds":90`, 90 * time.Second},
		{"negative", `"terminationGracePeriodSeconds":-7`, `"terminationGracePeriodSeconds":-7`, time.Second},
		{"beyond all durations", `"terminationGracePeriodSeconds":9223372036854775807`, `"terminationGracePeriodSeconds":9223372036`, 9223372036 * time.Second},
		{"below all durations", `"terminationGracePeriodSeconds":-9223372036854775808`, `"terminationGracePeriodSeconds":-9223372036`, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := kube.ReadPod(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{` + c.field + `}}`))
			require.NoError(t, err)
			assert.Equal(t, c.period, p.GracePeriod(time.Minute))
			require.NoError(t, p.Validate())
			text, err := p.MarshalJSON()
			require.NoError(t, err)
			if c.want == "" {
				assert.Nil(t, p.Grace)
				assert.NotContains(t, string(text), "terminationGracePeriodSeconds")
			} else {
				assert.Contains(t, string(text), c.want)
			}
			again, err := kube.ReadPod(bytes.NewReader(text))
			require.NoError(t, err)
			assert.Equal(t, p.Grace, again.Grace)
		})
	}
	_, err := kube.ReadPod(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"terminationGracePeriodSeconds":1.5}}`))
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "terminationGracePeriodSeconds")

	fraction := 1500 * time.Millisecond
	_, err = (&outrank.Pod{Name: "p", Grace: &fraction}).MarshalJSON()
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "pod default/p: spec.terminationGracePeriodSeconds: 1.5s is not in whole seconds")
}

// A dump was made after the latest creation of any object in it, whatever it reads of the
// object. Nothing that a node's clock has written counts (rule 26.2.4).
func TestAsOf(t *testing.T) {
	const early, late, ahead = "2026-01-01T00:00:00Z", "2026-01-02T03:04:05Z", "3026-01-01T00:00:00Z"
	object := func(kind, meta, rest string) string {
		return fmt.Sprintf(`{"kind":%q,"metadata":{"name":"x"%s}%s}`, kind, meta, rest)
	}
	created := func(at string) string { return `,"creationTimestamp":"` + at + `"` }
	for _, kind := range []string{
		"Pod", "Node", "PodDisruptionBudget", "PriorityClass", "Namespace", "PersistentVolumeClaim", "PersistentVolume", "StorageClass",
		"CSINode", "CSIDriver", "PodGroup", "CompositePodGroup", "Workload", "Event", "Deployment", "ResourceQuota", "Odd",
	} {
		c := readList(t, object("Node", `,"name":"n"`+created(early), "")+object(kind, created(late), ""))
		assert.Equal(t, late, c.AsOf.Format(time.RFC3339), kind)
		c = readList(t, object(kind, created(late), "")+object("Node", `,"name":"n"`+created(early), ""))
		assert.Equal(t, late, c.AsOf.Format(time.RFC3339), "%s, first", kind)
	}
	for _, text := range []string{
		object("Pod", created(late), `,"status":{"startTime":"`+ahead+`"}`),
		object("Pod", created(late), `,"status":{"phase":"Succeeded","startTime":"`+ahead+`"}`),
		object("Pod", created(late), `,"status":{"conditions":[{"type":"A","lastTransitionTime":"`+ahead+`","lastProbeTime":"`+ahead+`"}]}`),
		object("Pod", created(late)+`,"deletionTimestamp":"`+ahead+`"`, ``),
		object("Pod", created(late)+`,"managedFields":[{"time":"`+ahead+`"}]`, ``),
		object("Node", created(late), `,"status":{"conditions":[{"lastHeartbeatTime":"`+ahead+`","lastTransitionTime":"`+ahead+`"}]}`),
		object("Event", created(late), `,"lastTimestamp":"`+ahead+`"`),
		object("Odd", created(late), "") + object("Odd", `,"creationTimestamp":"noon"`, "") + object("Odd", `,"creationTimestamp":null`, ""),
	} {
		assert.Equal(t, late, readList(t, text).AsOf.Format(time.RFC3339), text)
	}
	assert.True(t, readList(t, object("Pod", "", `,"status":{"startTime":"`+ahead+`"}`)).AsOf.IsZero(), "no creation at all")
	for field, text := range map[string]string{
		"status.conditions[0].lastHeartbeatTime":  object("Node", "", `,"status":{"conditions":[{"lastHeartbeatTime":"noon"}]}`),
		"status.conditions[0].lastTransitionTime": object("Pod", "", `,"status":{"conditions":[{"lastTransitionTime":"noon"}]}`),
		"status.conditions[0].lastProbeTime":      object("Pod", "", `,"status":{"conditions":[{"lastProbeTime":"noon"}]}`),
		"metadata.creationTimestamp":              object("PriorityClass", created("noon"), ""),
	} {
		_, err := kube.ReadCluster(strings.NewReader(text))
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, field+`: "noon" is not a time`)
	}
}

// Workers read the pods of a large dump, of which any may be the last that was created.
func TestAsOfOfManyPods(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d","creationTimestamp":"2026-01-01T00:%02d:%02dZ"}}`, i, (i*7%3000)/60, i*7%3000%60)
	}
	assert.Equal(t, "2026-01-01T00:49:59Z", readList(t, b.String()).AsOf.Format(time.RFC3339))
}

// A kubelet may write any second into a status. API servers write such times with a year that
// has no four digits, and WriteCluster does likewise (rule 26.2.2).
func TestYearsOfAnyLength(t *testing.T) {
	for _, year := range []string{"-0001", "-0400", "10000", "292277026595", "-292277022398"} {
		at := year + "-12-31T10:00:00Z"
		c := readList(t, `{"kind":"Pod","metadata":{"name":"a","creationTimestamp":"`+at+`"},"spec":{"nodeName":"n"},
			"status":{"startTime":"`+at+`","conditions":[{"type":"Ready","lastProbeTime":"`+at+`","lastTransitionTime":"`+at+`"}]}}
			{"kind":"PodDisruptionBudget","metadata":{"name":"b"},"status":{"disruptedPods":{"a":"`+at+`"}}}
			{"kind":"Node","metadata":{"name":"n"},"status":{"conditions":[{"lastHeartbeatTime":"`+at+`"}]}}`)
		var b bytes.Buffer
		require.NoError(t, kube.WriteCluster(&b, c))
		require.Contains(t, b.String(), `"startTime":"`+at+`"`)
		require.Contains(t, b.String(), `"disruptedPods":{"a":"`+at+`"}`)
		again, err := kube.ReadCluster(&b)
		require.NoError(t, err)
		require.True(t, c.Pods[0].StartTime.Equal(again.Pods[0].StartTime))
		require.True(t, c.Budgets[0].DisruptedPods["a"].Equal(again.Budgets[0].DisruptedPods["a"]))
	}
}
