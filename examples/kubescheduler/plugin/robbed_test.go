package plugin_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	ktesting "k8s.io/client-go/testing"
)

// A pod that another scheduler robs of its room evicts one pod after the other. Its
// preemptions are small; the metrics have their sum.
func TestVictimsOfARobbedPod(t *testing.T) {
	const robberies = 3
	c := newCluster(t, node("n1", "4"), running("low-0", 1, "3", "n1", 0))
	var robbed atomic.Int32
	c.api.PrependReactor("delete", "pods", func(action ktesting.Action) (bool, runtime.Object, error) {
		if n := robbed.Add(1); n <= robberies { // before the victim is gone, so that no attempt finds room
			pod := running(fmt.Sprintf("low-%d", n), 1, "3", "n1", 0)
			return false, nil, c.api.Tracker().Add(pod)
		}
		return false, nil, nil
	})
	c.run()
	c.create(pending("high", 10, "2"))
	most := func() float64 { return c.metric("outrank_waiting_preemptor_victims_max")[0].GetGauge().GetValue() }
	c.eventually("robbed", func() bool { return most() > 1 || robbed.Load() > robberies })
	c.isOn("high", "n1")
	c.eventually("counted", func() bool { return c.metric("outrank_preemptor_victims")[0].GetHistogram().GetSampleCount() == 1 })
	require.Zero(t, most())
	require.InDelta(t, robberies+1, c.metric("outrank_preemptor_victims")[0].GetHistogram().GetSampleSum(), 0)
	for _, d := range c.decided() {
		require.LessOrEqual(t, len(d.Plan.Victims), 1)
	}
}
