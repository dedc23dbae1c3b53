package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/manifest"
)

func TestMoment(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-01-02T03:04:05Z"`:           "2026-01-02 03:04:05 +0000 UTC",
		`"2026-01-02T03:04:05.5+01:00"`:    "2026-01-02 02:04:05.5 +0000 UTC",
		`"2026\u002d01\u002d02T03:04:05Z"`: "2026-01-02 03:04:05 +0000 UTC",
		`null`:                             "0001-01-01 00:00:00 +0000 UTC",
		`""`:                               "0001-01-01 00:00:00 +0000 UTC",
	} {
		var m manifest.Moment
		assert.NoError(t, m.UnmarshalJSON([]byte(text)))
		assert.Empty(t, m.Bad, text)
		assert.Equal(t, want, m.UTC().String(), text)
	}
	for text, want := range map[string]string{`"noon"`: "noon", `7`: "7", `{}`: "{}", `"2026-13-02T03:04:05Z"`: "2026-13-02T03:04:05Z"} {
		m := manifest.Moment{Bad: "old"}
		assert.NoError(t, m.UnmarshalJSON([]byte(text)))
		assert.Equal(t, want, m.Bad)
		assert.True(t, m.IsZero(), text)
	}
}
