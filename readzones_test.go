package outrank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// A volume's zones are what its label says, parted by two underscores. Blanks
// around them are none of theirs.
func TestReadZones(t *testing.T) {
	for _, c := range []struct {
		label string
		want  []string // nil where the label says nothing
	}{
		{"a", []string{"a"}},
		{"a__b", []string{"a", "b"}},
		{"b__a__b", []string{"b", "a", "b"}},
		{" a __ b ", []string{"a", "b"}},
		{"a_b", []string{"a_b"}},
		{"a____b", nil},
		{"a__", nil},
		{"__a", nil},
		{"a__ ", nil},
		{"", nil},
		{" ", nil},
	} {
		for _, key := range []string{outrank.ZoneLabel, outrank.BetaRegionLabel} {
			text := fmt.Sprintf(`{"kind":"PersistentVolume","metadata":{"name":"v","labels":{%q:%q,"app":"x"}}}
				{"kind":"PersistentVolumeClaim","metadata":{"name":"c","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"v"}}`, key, c.label)
			cluster, err := outrank.ReadCluster(strings.NewReader(text))
			require.NoError(t, err)
			var want map[string][]string
			if c.want != nil {
				want = map[string][]string{key: c.want}
			}
			assert.Equal(t, want, cluster.Claims[0].Volume.Zones, "%s %q", key, c.label)
		}
	}
}
