package outrank_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// The latest time that a dump names is when it was made: each of them counts.
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
		_, err := outrank.ReadCluster(strings.NewReader(text))
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, field+`: "noon" is not a time`)
	}
}
