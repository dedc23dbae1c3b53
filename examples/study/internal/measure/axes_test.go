package measure

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// figuresOf runs each cell of a grid once, on a generated cluster that is asked for more
// than it has.
func figuresOf(t *testing.T, grid string) []map[string]float64 {
	t.Helper()
	study, err := spec.Read([]byte("name: x\ntraces: [{name: g, generate: {nodes: 4, pods: 120, hours: 1, minutes: 40, seed: 3}}]\ngrid: "+grid), ".")
	require.NoError(t, err)
	var out []map[string]float64
	for _, c := range study.Cells() {
		r, err := Run(t.Context(), study, c, 1)
		require.NoError(t, err)
		require.Empty(t, r.Error, c.Values)
		require.Equal(t, 120.0, r.Figures["arrived"])
		out = append(out, r.Figures)
	}
	return out
}

// Budgets are violated where the reference may, and not where they are strict.
func TestBudgets(t *testing.T) {
	f := figuresOf(t, `{policy: [current, strict], earlyPop: [false], budgets: [none, "BE=100%,Burstable=90%"]}`)
	none, budgets, strict := f[0], f[1], f[3]
	assert.Zero(t, none["violations"])
	assert.Positive(t, budgets["violations"])
	assert.Zero(t, strict["violations"])
	assert.Less(t, strict["evictions"], budgets["evictions"])
}

// Quotas decide who is evicted, each style in its own way.
func TestQuotas(t *testing.T) {
	f := figuresOf(t, `{earlyPop: [false], quotas: [none, "Guaranteed=10,LS=20,Burstable=30,BE=40", "kueue:Guaranteed=10,LS=20,Burstable=30,BE=40", "yunikorn:Guaranteed=10,LS=20,Burstable=30,BE=40"]}`)
	seen := map[float64]bool{}
	for _, x := range f {
		assert.Equal(t, 120.0, x["finished"])
		seen[x["evictions"]*1e6+x["waitMean"]] = true
	}
	assert.Len(t, seen, 4)
	assert.Greater(t, f[1]["waitMean/2000"], f[0]["waitMean/2000"], "the highest priority waits for its quota")
}

// Exact plans have no regret. The others are compared as often as asked for, which changes
// nothing else.
func TestRegret(t *testing.T) {
	f := figuresOf(t, `{policy: [current, exact], earlyPop: [false], regret: [false, true, 3]}`)
	assert.NotContains(t, f[0], "regretPlans")
	assert.Positive(t, f[1]["regretPlans"])
	assert.LessOrEqual(t, f[1]["regretPlans"], 100.0)
	assert.Contains(t, f[2], "regretPlans")
	assert.NotContains(t, f[3], "regretPlans")
	for _, x := range f[4:] {
		assert.Zero(t, x["regretPlans"])
		assert.Zero(t, x["regretUnproven"])
		assert.Contains(t, x, "regretVictims")
	}
	for i := range 2 {
		plain := f[3*i]
		for _, x := range f[3*i+1 : 3*i+3] {
			maps.DeleteFunc(x, func(name string, _ float64) bool { return len(name) > 6 && name[:6] == "regret" })
			assert.Equal(t, plain, x)
		}
	}
}

// Kubelets make room for static pods, by class or in the order of the axis.
func TestKubelets(t *testing.T) {
	study, err := spec.Read([]byte(`
name: x
traces: [{name: sample, sample: true}]
grid: {kubelets: [false, true, order=priority, order=best], static: [none, "10000,30000"]}
`), ".")
	require.NoError(t, err)
	var evictions, lost []float64
	for _, c := range study.Cells() {
		r, err := Run(t.Context(), study, c, 1)
		require.NoError(t, err)
		require.Empty(t, r.Error)
		if c.Value("static") == "none" {
			assert.Zero(t, r.Figures["kubeletEvictions"])
			_, there := r.Figures["kubeletRejections"]
			assert.Equal(t, c.Value("kubelets") != "false", there)
			continue
		}
		assert.Greater(t, r.Figures["arrived"], 150.0)
		evictions, lost = append(evictions, r.Figures["kubeletEvictions"]), append(lost, r.Figures["lostCPUHours"])
	}
	assert.Equal(t, evictions[0], evictions[1], "static pods switch kubelets on")
	for _, n := range evictions {
		assert.Positive(t, n)
	}
	assert.NotEqual(t, lost[1], lost[2], "by priority first")
	assert.NotEqual(t, lost[1], lost[3], "the best set")
}

// A run ends when it is told to.
func TestUntil(t *testing.T) {
	f := figuresOf(t, `{earlyPop: [false], until: [end, 90m]}`)
	assert.Greater(t, f[0]["hours"], 1.5)
	assert.Equal(t, 1.5, f[1]["hours"])
	assert.Less(t, f[1]["finished"], f[0]["finished"])
}
