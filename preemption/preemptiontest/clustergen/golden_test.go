package clustergen_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// goldenSeeds is how many seeds a recorded hash is taken over.
const goldenSeeds = 50

// golden are the hashes of each shape's clusters. Users keep seeds of failed
// cases, so a change here breaks the package's promise.
var golden = map[string]string{
	"resources": "0702184dd02b84ec",
	"budgets":   "344e13f82bf8755b",
	"nominated": "43c03f819c2d9d54",
	"groups":    "bd23e7a0549949de",
	"taints":    "285aab3f861c10b6",
	"selectors": "ae4e80289ef80774",
	"ports":     "d753132a85dc9c26",
	"affinity":  "c6046f7749d2d77c",
	"spread":    "c3f6ff0886a7c0f7",
	"volumes":   "447e655e0590c104",
	"features":  "f3c47b647a4b0467",
	"full":      "2b9b317b0eba60f7",
}

func TestSameSeedSameBytes(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			var all []any
			for seed := range uint64(goldenSeeds) {
				all = append(all, cluster(t, shape, seed), preemptor(t, shape, seed), preemptorGroup(t, shape, seed))
			}
			assert.Equal(t, golden[name], hash(all...))
		})
	}
}

func TestBenchmarkSameBytes(t *testing.T) {
	for _, b := range []struct {
		nodes, pods, budgets int
		want                 string
	}{
		{20, 30, 20, "91c64c344f0b581b"},
		{1, 1, 1, "6651af1941254e0c"},
		{300, 30, 100, "0bc1f34dfcca2ad4"},
	} {
		c, p, err := clustergen.Benchmark(b.nodes, b.pods, b.budgets)
		require.NoError(t, err)
		assert.Equal(t, b.want, hash(c, p), "%d nodes, %d pods each, %d budgets", b.nodes, b.pods, b.budgets)
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[string]uint64{}
	for seed := range uint64(200) {
		h := hash(cluster(t, clustergen.Shape{}, seed))
		other, again := seen[h]
		assert.False(t, again, "seeds %d and %d give the same cluster", seed, other)
		seen[h] = seed
	}
}

func TestConcurrentCallsAgree(t *testing.T) {
	want := text(cluster(t, clustergen.Full(), 7))
	got := make([]string, 8)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			c, err := clustergen.Cluster(clustergen.Full(), 7)
			if err == nil {
				got[i] = text(c)
			}
		})
	}
	all.Wait()
	for _, g := range got {
		assert.Equal(t, want, g)
	}
}
