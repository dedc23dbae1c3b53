package clustergen_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption/clustergen"
)

// goldenSeeds is how many seeds a recorded hash is taken over.
const goldenSeeds = 50

// golden are the hashes of each shape's clusters. Users keep seeds of failed
// cases, so a change here breaks the package's promise.
var golden = map[string]string{
	"resources": "c1b3209dd24699a4",
	"budgets":   "807b47ee737d6eb6",
	"nominated": "63a0465228adb6f6",
	"groups":    "d503b7911c3a5800",
	"taints":    "ca7b5822177f8e9c",
	"selectors": "ccdb9cab316a3bca",
	"ports":     "7e5c16c4691f89b5",
	"affinity":  "2531861f80d77d89",
	"spread":    "2985569baeca8eef",
	"volumes":   "53d1987b17970227",
	"features":  "09924cb183e999a9",
	"full":      "ebada5265c6a22d2",
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
