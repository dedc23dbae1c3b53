package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/trace"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Regret is that of the plans that were compared, not of all.
func TestFiguresOfRegret(t *testing.T) {
	figures := map[string]float64{}
	w := watch{plans: 6, compared: 2, worse: 1, unproven: 2, beyond: map[string]int64{
		preemption.ByViolations.Name: 3, preemption.ByVictims.Name: 5,
	}}
	w.note(figures)
	assert.Equal(t, map[string]float64{
		"regretPlans": 50, "regretUnproven": 100, "regretViolations": 150, "regretVictims": 250,
	}, figures)
}

// The usage of the last sample lasts to the end.
func TestUseUpToTheEnd(t *testing.T) {
	u := use{resources: []resource.Name{resource.CPU}}
	u.sample(chart.Sample{Levels: []chart.Level{{Used: 1, Capacity: 4}}})
	u.sample(chart.Sample{Time: 10 * time.Second, Levels: []chart.Level{{Used: 3, Capacity: 4}}})
	mean, ok := u.mean(resource.CPU, 20*time.Second)
	assert.True(t, ok)
	assert.InDelta(t, 0.5, mean, 1e-12)
}

// Hours are hours, and the mean wait is that of pods, not of priorities.
func TestFiguresOfLossesAndWaits(t *testing.T) {
	r, of := &Result{}, &sim.Result{}
	of.Simulated, of.Lost = 7200, report.Lost{PodSeconds: 5400, CPUHours: 3}
	of.Waits = []report.Wait{{Priority: 1, Pods: 1, Mean: 10}, {Priority: 2, Pods: 3, Mean: 20}}
	r.note(of, new(watch))
	assert.Equal(t, 2.0, r.Figures["hours"])
	assert.Equal(t, 1.5, r.Figures["lostPodHours"])
	assert.Equal(t, 3.0, r.Figures["lostCPUHours"])
	assert.Equal(t, 17.5, r.Figures["waitMean"])
}

// followed makes the simulation of the only cell of a grid, and runs it.
func followed(t *testing.T, grid string, seed uint64) (*watch, *spec.Setting, *trace.Trace) {
	t.Helper()
	study, err := spec.Read([]byte("name: x\ntraces: [{name: g, generate: {nodes: 4, pods: 120, hours: 1, minutes: 40, seed: 3}}]\ngrid: "+grid), ".")
	require.NoError(t, err)
	cell := study.Cells()[0]
	of, err := study.Trace(cell.Trace)
	require.NoError(t, err)
	setting, err := cell.Setting()
	require.NoError(t, err)
	loaded, err := trace.Load(t.Context(), of, setting.Classes)
	require.NoError(t, err)
	w := &watch{regret: setting.Regret}
	s, err := prepare(loaded, setting, seed, w)
	require.NoError(t, err)
	w.use.resources = s.Resources()
	_, err = s.Run(t.Context())
	require.NoError(t, err)
	return w, setting, loaded
}

// Of every three plans the first is compared.
func TestEveryThirdPlanIsCompared(t *testing.T) {
	w, _, _ := followed(t, "{earlyPop: [false], regret: [3]}", 1)
	require.NotZero(t, w.plans%3, "the last ones tell where counting begins")
	assert.Equal(t, (w.plans+2)/3, w.compared)
}

// Runs share a trace: labels for the budgets of one are not there for another.
func TestTracesAreLeftAlone(t *testing.T) {
	_, _, loaded := followed(t, `{earlyPop: [false], budgets: ["BE=50%"]}`, 1)
	for _, x := range loaded.Items {
		require.Empty(t, x.Pod.Labels)
	}
	assert.Empty(t, loaded.Cluster.Budgets)
	assert.Equal(t, outrank.Release(0), loaded.Cluster.Release)
}
