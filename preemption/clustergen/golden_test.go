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

// golden are the hashes of what each of the shapes gives. Users keep seeds of
// cases that failed, so that a change here is a change of the package's promise.
var golden = map[string]string{
	"resources": "5e1361854e8e87f3",
	"budgets":   "2f67081b0552065e",
	"nominated": "92371a5f437b3f39",
	"groups":    "c6eb024dfb36cc6d",
	"taints":    "95d7b3ee7a9157ea",
	"selectors": "d8d425a88c3533ef",
	"ports":     "4a9dbb9965bc6966",
	"affinity":  "cbe502b34a687392",
	"spread":    "a60a9d4cc660509f",
	"volumes":   "465cc52e74e9abc4",
	"features":  "d1e5a6fa42683984",
	"full":      "77076c120eae204d",
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
		{20, 30, 20, "1ee2f6e0fbce710a"},
		{1, 1, 1, "f9a2c194eda89374"},
		{300, 30, 100, "7e52f030b10e39c3"},
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
