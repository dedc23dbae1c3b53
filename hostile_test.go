package outrank_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// wrongAllOver are inputs that are wrong, or large, all over. Each is made of one
// part, repeated.
var wrongAllOver = map[string]string{
	"nulls":            "null",
	"not objects":      "[7]",
	"no kind":          "{}",
	"no name":          `{"kind":"Pod"}`,
	"bad quantities":   `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"containers":[{"resources":{"requests":{"cpu":"x"}}}]}}`,
	"names twice":      `{"kind":"Pod","metadata":{"name":"p"}}`,
	"bad selectors":    `{"kind":"PodDisruptionBudget","metadata":{"name":"b%d"},"spec":{"selector":{"matchExpressions":[{"key":"-","operator":"?"}]}}}`,
	"unknown kinds":    `{"kind":"Other","metadata":{"name":"o%d"}}`,
	"finished":         `{"kind":"Pod","metadata":{"name":"p%d"},"status":{"phase":"Failed"}}`,
	"missing claims":   `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"c%d"}}]}}`,
	"many containers":  `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"containers":[{},{},{},{},{},{},{},{}]}}`,
	"escapes in names": `{"kind":"Pod","metadata":{"name":"\u0070%d"}}`,
}

func dumpOf(part string, times int) string {
	var b strings.Builder
	b.WriteString(`{"kind":"List","items":[`)
	for i := range times {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(part, "%d", fmt.Sprint(i)))
	}
	b.WriteString("]}")
	return b.String()
}

// Whatever is wrong with a dump, reading it keeps no more than some times its
// own size, and a bounded number of problems.
func TestHostileInput(t *testing.T) {
	for name, part := range wrongAllOver {
		t.Run(name, func(t *testing.T) {
			text := dumpOf(part, 1<<20/len(part))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c, err := outrank.ReadCluster(strings.NewReader(text))
			runtime.GC()
			runtime.ReadMemStats(&after)
			kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
			assert.Less(t, kept, int64(20*len(text)), "bytes kept of %d", len(text))
			var invalid *outrank.InputError
			if err != nil {
				require.ErrorAs(t, err, &invalid)
				assert.LessOrEqual(t, len(invalid.Problems), 1000)
			}
			runtime.KeepAlive(c)
		})
	}
}

// What is not kept is counted.
func TestMoreProblems(t *testing.T) {
	_, err := outrank.ReadCluster(strings.NewReader(dumpOf("null", 1234)))
	var invalid *outrank.InputError
	require.ErrorAs(t, err, &invalid)
	assert.Len(t, invalid.Problems, 1000)
	assert.Equal(t, 234, invalid.More)
	assert.True(t, strings.HasSuffix(err.Error(), "\nand 234 more problems"))
}
