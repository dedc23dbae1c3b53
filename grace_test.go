package outrank_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// A pod's own grace period is read in seconds, written as it was read, and counts
// with the API server's rule about negative ones.
func TestGracePeriod(t *testing.T) {
	for _, c := range []struct {
		name, field string
		want        string // as it is written
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
			p, err := outrank.ReadPod(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{` + c.field + `}}`))
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
			again, err := outrank.ReadPod(bytes.NewReader(text))
			require.NoError(t, err)
			assert.Equal(t, p.Grace, again.Grace)
		})
	}
	_, err := outrank.ReadPod(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"terminationGracePeriodSeconds":1.5}}`))
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "terminationGracePeriodSeconds")

	fraction := 1500 * time.Millisecond
	_, err = (&outrank.Pod{Name: "p", Grace: &fraction}).MarshalJSON()
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "pod default/p: spec.terminationGracePeriodSeconds: 1.5s is not in whole seconds")
}

func ExamplePod_GracePeriod() {
	own := 5 * time.Second
	fmt.Println((&outrank.Pod{Name: "quick", Grace: &own}).GracePeriod(outrank.DefaultGracePeriod))
	fmt.Println((&outrank.Pod{Name: "silent"}).GracePeriod(outrank.DefaultGracePeriod))
	// Output:
	// 5s
	// 30s
}
