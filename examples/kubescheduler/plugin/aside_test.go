package plugin_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
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
	out := map[string]float64{}
	for _, m := range c.metric("outrank_objects_not_understood") {
		out[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
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
	require.NotZero(t, c.outcomes()["handed over"])
	require.NotEmpty(t, lines(c.log, "DefaultPreemption decides"))
}

// So does it about a preemptor that is not understood, for which there is an error without
// the argument.
func TestPreemptorThatIsNotUnderstood(t *testing.T) {
	for _, test := range []struct{ args, outcome string }{{`{}`, "error"}, {`{"whenNotUnderstood": "DefaultPreemption"}`, "handed over"}} {
		t.Run(test.outcome, func(t *testing.T) {
			c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
			c.withArgs(test.args)
			c.run()
			c.create(odd(pending("high", 10, "2")))
			c.eventually(test.outcome, func() bool { return c.outcomes()[test.outcome] > 0 })
			if test.outcome == "error" {
				require.NotNil(t, c.pod("low"))
				return
			}
			c.isOn("high", "n1")
			require.Nil(t, c.pod("low"))
			require.Zero(t, c.outcomes()["error"])
		})
	}
}

// outcomes counts the decisions by outcome.
func (c *cluster) outcomes() map[string]uint64 {
	out := map[string]uint64{}
	for _, m := range c.metric("outrank_decision_duration_seconds") {
		for _, l := range m.GetLabel() {
			if l.GetName() == "outcome" {
				out[l.GetValue()] += m.GetHistogram().GetSampleCount()
			}
		}
	}
	return out
}

// metric has the values of a metric of the collector.
func (c *cluster) metric(name string) []*dto.Metric {
	registry := prometheus.NewRegistry()
	registry.MustRegister(c.collector)
	families, err := registry.Gather()
	require.NoError(c.t, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()
		}
	}
	return nil
}
