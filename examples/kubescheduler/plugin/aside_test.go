package plugin_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
)

// odd gives a pod a value that no API server of this release lets in.
func odd(pod *v1.Pod) *v1.Pod {
	pod.Spec.Tolerations = []v1.Toleration{{Key: "a", Operator: "Near"}}
	return pod
}

// notUnderstood are the numbers of the metric by kind.
func (c *cluster) notUnderstood() map[string]float64 {
	registry := prometheus.NewRegistry()
	registry.MustRegister(c.collector)
	families, err := registry.Gather()
	require.NoError(c.t, err)
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() == "outrank_objects_not_understood" {
			for _, m := range f.GetMetric() {
				out[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
			}
		}
	}
	return out
}

// An object that is not understood keeps its node out of decisions and no other,
// and is reported once.
func TestNotUnderstood(t *testing.T) {
	bad := node("n3", "8")
	bad.Spec.Taints = []v1.Taint{{Key: "a", Effect: "Noschedule"}, {Key: "b", Effect: v1.TaintEffectNoSchedule}}
	c := newCluster(t, node("n1", "4"), node("n2", "4"), bad, odd(running("strange", 1, "1", "n1", 0)), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
	c.run()
	c.create(pending("high", 10, "2"), pending("huge", 10, "9"))
	c.isOn("high", "n2")
	require.NotNil(t, c.pod("low"))
	c.eventually("tried", func() bool { return len(c.recorder.about("huge Warning FailedScheduling")) > 0 })
	require.Equal(t, map[string]float64{"pod": 1, "node": 1}, c.notUnderstood())
	require.Len(t, lines(c.log, "Object not understood"), 2)
	require.Equal(t, []string{`strange Warning NotUnderstood Preempting: Left out of preemption: pod default/strange: spec.tolerations[0].operator: "Near" is none of Equal, Exists, Lt, Gt`},
		c.recorder.about("strange "))
	require.Len(t, c.recorder.about("n3 Warning NotUnderstood"), 1)
}

// With the argument whenNotUnderstood DefaultPreemption decides meanwhile.
func TestNotUnderstoodIsForDefaultPreemption(t *testing.T) {
	c := newCluster(t, node("n1", "4"), node("n2", "4"), odd(running("strange", 1, "1", "n1", 0)), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
	c.withArgs(`{"whenNotUnderstood": "DefaultPreemption"}`)
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n1")
	require.Nil(t, c.pod("low"))
	require.NotNil(t, c.pod("mid"))
	require.Empty(t, c.decided())
	require.Len(t, c.recorder.about("strange Warning NotUnderstood"), 1)
}
