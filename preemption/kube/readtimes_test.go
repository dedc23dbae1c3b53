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

// A dump was made at the latest time in it, of any kind.
func TestAsOf(t *testing.T) {
	const early, late = "2026-01-01T00:00:00Z", "2026-01-02T03:04:05Z"
	pod := func(meta, status string) string {
		return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p","creationTimestamp":%q%s},"status":{%s}}`, early, meta, status)
	}
	node := func(meta, status string) string {
		return fmt.Sprintf(`{"kind":"Node","metadata":{"name":"n"%s},"status":{%s}}`, meta, status)
	}
	for _, text := range []string{
		pod(`,"creationTimestamp":"`+late+`"`, ``),
		pod(``, `"startTime":"`+late+`"`),
		pod(``, `"conditions":[{"type":"A","lastTransitionTime":"`+early+`"},{"type":"B","lastTransitionTime":"`+late+`","lastProbeTime":null}]`),
		pod(``, `"conditions":[{"type":"A","lastProbeTime":"`+late+`"}]`),
		pod(``, `"phase":"Succeeded","startTime":"`+late+`"`),
		pod(`,"deletionTimestamp":"`+late+`"`, ``),
		pod(`,"deletionTimestamp":"2026-01-02T03:05:05Z","deletionGracePeriodSeconds":60`, ``),
		node(`,"creationTimestamp":"`+late+`"`, ``),
		node(``, `"conditions":[{"lastHeartbeatTime":"`+late+`","lastTransitionTime":"`+early+`"}]`),
		node(``, `"conditions":[{"lastHeartbeatTime":"`+early+`","lastTransitionTime":"`+late+`"}]`),
	} {
		c := readList(t, text+`{"kind":"Node","metadata":{"name":"other","creationTimestamp":"`+early+`"}}`)
		assert.Equal(t, late, c.AsOf.Format(time.RFC3339), text)
	}
	assert.True(t, readList(t, node("", "")).AsOf.IsZero(), "no time at all")
	c := readList(t, pod(`,"deletionTimestamp":"`+late+`","deletionGracePeriodSeconds":9223372036854775807`, ``))
	assert.Equal(t, late, c.AsOf.Format(time.RFC3339), "a grace that is none")
	for field, text := range map[string]string{
		"status.conditions[0].lastHeartbeatTime":  node("", `"conditions":[{"lastHeartbeatTime":"noon"}]`),
		"status.conditions[0].lastTransitionTime": pod("", `"conditions":[{"lastTransitionTime":"noon"}]`),
		"metadata.creationTimestamp":              pod(`,"creationTimestamp":"noon"`, ""),
	} {
		_, err := kube.ReadCluster(strings.NewReader(text))
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, field+`: "noon" is not a time`)
	}
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
