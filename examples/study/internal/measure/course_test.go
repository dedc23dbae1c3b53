package measure

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/trace"
	"github.com/outrank-go/outrank/resource"
)

// told is what the events of a run say.
type told struct {
	arrived, ended map[string]time.Duration // by the pod of the trace
	bound          map[string]time.Duration // by pod
	evicted        map[string]bool
	lost           float64 // core seconds
}

func (o *told) observe(e sim.Event) {
	if e.Pod == nil {
		return
	}
	first, _, _ := strings.Cut(e.Pod.Name, "-r")
	switch e.Kind {
	case sim.Arrived:
		if _, known := o.arrived[first]; !known {
			o.arrived[first] = e.Time
		}
	case sim.Bound:
		o.bound[e.Pod.Name] = e.Time
	case sim.Evicted:
		o.evicted[e.Pod.Name] = true
	case sim.Ended:
		o.ended[first] = e.Time
	case sim.Left:
		if o.evicted[e.Pod.Name] {
			o.lost += (e.Time - o.bound[e.Pod.Name]).Seconds() * float64(e.Pod.RunningRequests(outrank.DefaultRelease).Amount(resource.CPU)) / 1000
		}
	}
}

// What the course derives is what the events say, which are too many to follow in a study: of
// all policies, queues, orders and graces, to the end of the run and cut off, and with GPUs
// as devices, of which no pod is ever put where it has no room.
func TestCourseIsThatOfTheEvents(t *testing.T) {
	for _, grid := range []string{
		`{}`, `{until: [70m]}`, `{queue: [fifo], earlyPop: [false]}`, `{order: [async], grace: [0s]}`, `{grace: [10m], until: [2h]}`,
		`{policy: [v1.13]}`, `{policy: [simplified], score: [most]}`, `{policy: [exact], cycle: [10ms]}`,
		`{policy: [strict], budgets: ["BE=50%"]}`, `{quotas: ["kueue:Guaranteed=10,LS=20,Burstable=30,BE=40"], earlyPop: [false]}`,
		`{gpus: [devices], cycle: [100ms]}`, `{gpus: [devices], cycle: [1s], policy: [exact], grace: [5m], until: [90m]}`,
	} {
		t.Run(grid, func(t *testing.T) {
			study, err := spec.Read(fmt.Appendf(nil, "name: x\ntraces: [{name: g, generate: {nodes: 4, pods: 120, hours: 1, minutes: 40, seed: 3, gpus: 4}}]\ngrid: %s", grid), ".")
			require.NoError(t, err)
			setting, err := study.Cells()[0].Setting()
			require.NoError(t, err)
			loaded, err := trace.Load(t.Context(), &study.Traces[0], setting.Classes)
			require.NoError(t, err)
			o := &told{map[string]time.Duration{}, map[string]time.Duration{}, map[string]time.Duration{}, map[string]bool{}, 0}
			setting.Sim.Observe = o.observe
			w := &watch{}
			s, err := prepare(loaded, setting, 5, w)
			require.NoError(t, err)
			w.use.resources = s.Resources()
			of, err := s.Run(t.Context())
			require.NoError(t, err)
			r := &Result{}
			r.note(of, w)
			f := r.Figures

			require.NotEmpty(t, o.evicted)
			require.Equal(t, of.Pods.Finished, len(o.ended))
			completion, slowdown, squares := 0.0, 0.0, 0.0
			for _, x := range loaded.Items {
				if end, ok := o.ended[x.Pod.Name]; ok {
					took := (end - o.arrived[x.Pod.Name]).Seconds()
					times := max(1, took/max(10, x.Duration.Seconds()))
					completion, slowdown, squares = completion+took, slowdown+times, squares+times*times
				}
			}
			n := float64(len(o.ended))
			assert.InEpsilon(t, completion/n, f["completionMean"], 1e-9)
			assert.InEpsilon(t, slowdown/n, f["slowdownMean"], 1e-9)
			assert.InEpsilon(t, slowdown*slowdown/n/squares, f["fairness"], 1e-9)
			assert.InDelta(t, o.lost/3600, f["lostCPUHours"], 1e-6)
			assert.InDelta(t, f["useCPU"]-o.lost/(4*16*of.Simulated)*100, f["goodputCPU"], 1e-6)
			for _, name := range []string{"useCPU", "useGPU"} {
				sum := 0.0
				for _, priority := range []string{"2000", "1000", "100", "0"} {
					sum += f[name+"/"+priority]
				}
				assert.InDelta(t, f[name], sum, 1e-6, name)
			}
			assert.Greater(t, f["useGPU"], f["goodputGPU"])
			assert.False(t, math.IsNaN(f["fragmentation"]))
			assert.Greater(t, f["fragmentation"], 40.0, "of what two pods in five do not ask for, all is a fragment for them")
			assert.LessOrEqual(t, f["fragmentation"], 100.0)
			if setting.Devices {
				assert.Zero(t, f["gpuMisfits"])
			} else {
				assert.Positive(t, f["gpuMisfits"])
			}
		})
	}
}

// Kubelets evict past the plans, and pods of a dump have no end: there the figures are left out.
func TestNoCourse(t *testing.T) {
	f := figuresOf(t, `{kubelets: [true, false]}`)
	assert.NotContains(t, f[0], "completionMean")
	assert.Contains(t, f[1], "completionMean")
	assert.NotContains(t, f[1], "fragmentation", "without GPUs")
	assert.NotContains(t, f[1], "gpuMisfits")
}
