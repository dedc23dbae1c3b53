package kube

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/internal/tests/seeded"
)

// drawObject draws an object of a dump, some of them with mistakes.
func drawObject(t *rapid.T) string {
	name := rapid.StringMatching(`[a-c]{0,2}`).Draw(t, "name")
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return fmt.Sprintf(`{"kind":"Node","metadata":{"name":%q},"status":{"allocatable":{"cpu":"4"}}}`, name)
	case 1:
		return fmt.Sprintf(`{"kind":"PersistentVolumeClaim","metadata":{"name":%q},"spec":{"volumeName":%q}}`, name, name)
	case 2:
		return rapid.SampledFrom([]string{"null", "7", `{"kind":"Secret"}`, `{}`, `{"kind":"Pod"}`, `{"kind":"Pod","spec":7}`}).Draw(t, "odd")
	}
	field := rapid.SampledFrom([]string{
		`"priority":5`, `"priority":"x"`, `"containers":[{"name":"c","resources":{"requests":{"cpu":"1x"}}}]`, `"nodeName":"a"`, `"schedulerName":"\u0041"`,
	}).Draw(t, "field")
	status := rapid.SampledFrom([]string{
		`"phase":"Running"`, `"phase":"Succeeded"`, `"startTime":"2026-01-10T12:00:0` + fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "second")) + `Z"`, `"startTime":"soon"`,
	}).Draw(t, "status")
	return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":%q,"labels":{"app":%q}},"spec":{%s},"status":{%s}}`, name, name, field, status)
}

// The size of batches and the number of workers change nothing: not the cluster,
// not the order of its objects, not the messages.
func TestPropertyCrewReadsAlike(t *testing.T) {
	given := 0
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.SliceOfN(rapid.Custom(drawObject), 0, 60).Draw(t, "objects")
		text := `{"kind":"List","items":[` + strings.Join(objects, ",") + `]}`
		if rapid.IntRange(0, 5).Draw(t, "ends") == 0 {
			text = text[:len(text)-rapid.IntRange(1, min(40, len(text)-1)).Draw(t, "cut")]
		}
		one := newReader()
		wantErr := manifest.Each(strings.NewReader(text), one.item)
		for _, full := range []int{1, 500, 3000, batchText} {
			c := &crew{rd: newReader(), full: full}
			err := manifest.Each(strings.NewReader(text), c.add)
			c.addAll()
			c.stop()
			given += c.begun
			require.Equal(t, wantErr, err)
			require.Equal(t, one.problems, c.rd.problems, "batches of %d bytes", full)
			require.Equal(t, one.more, c.rd.more)
			require.Equal(t, one.cluster, c.rd.cluster)
			require.Equal(t, one.storage, c.rd.storage)
		}
	})
	assert.Greater(t, given, 5*seeded.Checks(), "workers have read hardly anything")
}

// A panic in a worker reaches the caller, who can recover it.
func TestPanicOfAWorkerReachesTheCaller(t *testing.T) {
	c := &crew{rd: newReader(), full: 1 << 20}
	defer c.stop()
	require.NoError(t, c.add(manifest.Item{Kind: kindPod, Raw: []byte(`{}`)}))
	c.open.items[0].to = 1000 // beyond the text
	c.hand()
	assert.Panics(t, c.addAll)
}
