package plugin_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

// filter is a filter that this module does not know.
type filter func(pod *v1.Pod, node fwk.NodeInfo) *fwk.Status

func (filter) Name() string { return "Mine" }

func (f filter) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	return f(pod, node)
}

// with puts the filter into the profile.
func (c *cluster) with(f filter) {
	c.registry = runtime.Registry{"Mine": func(context.Context, apiruntime.Object, fwk.Handle) (fwk.Plugin, error) { return f, nil }}
	c.profile.Plugins.MultiPoint.Enabled = append(c.profile.Plugins.MultiPoint.Enabled, configv1.Plugin{Name: "Mine"})
}

// A node that a filter turns down for good is no candidate, though this module
// does not know the filter: the scheduler's filters' answers count.
func TestStatusesOfUnknownFilters(t *testing.T) {
	c := newCluster(t, node("n1", "4"), node("n2", "4"), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
	c.with(func(_ *v1.Pod, on fwk.NodeInfo) *fwk.Status {
		if on.Node().Name == "n1" {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "not here")
		}
		return nil
	})
	c.profile.Plugins.Filter = configv1.PluginSet{Enabled: []configv1.Plugin{{Name: "Mine"}}} // the first
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n2")
	assert.NotNil(t, c.pod("low"))
}

// In dry runs an unknown filter is asked by the scheduler: here, one that wants to be alone
// with its kind. The pod that is more important stays, because it is in nobody's way.
func TestUnknownFiltersInDryRuns(t *testing.T) {
	loud := func(pod *v1.Pod) *v1.Pod { pod.Labels = map[string]string{"loud": "yes"}; return pod }
	c := newCluster(t, node("n1", "8"), loud(running("a", 3, "1", "n1", 0)), running("b", 2, "1", "n1", 0), loud(running("c", 1, "1", "n1", 0)))
	c.with(func(pod *v1.Pod, on fwk.NodeInfo) *fwk.Status {
		for _, other := range on.GetPods() {
			if pod.Labels["loud"] != "" && other.GetPod().Labels["loud"] != "" && other.GetPod().UID != pod.UID {
				return fwk.NewStatus(fwk.Unschedulable, "too loud")
			}
		}
		return nil
	})
	c.run()
	c.create(loud(pending("high", 10, "1")))
	c.isOn("high", "n1")
	assert.Nil(t, c.pod("a"))
	assert.NotNil(t, c.pod("b"))
	assert.Nil(t, c.pod("c"))
}

// A filter that is off in the profile is off in dry runs.
func TestFiltersThatAreOff(t *testing.T) {
	for _, off := range []bool{false, true} {
		tainted := node("n1", "4")
		tainted.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
		c := newCluster(t, tainted, node("n2", "4"), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
		want := "n2"
		if off {
			c.profile.Plugins.MultiPoint.Disabled = append(c.profile.Plugins.MultiPoint.Disabled, configv1.Plugin{Name: "TaintToleration"})
			want = "n1"
		}
		c.run()
		c.create(pending("high", 10, "2"))
		c.isOn("high", want)
	}
}

// Budgets count: the plan goes where none is violated, and names violated ones.
func TestBudgets(t *testing.T) {
	guarded := running("low", 1, "3", "n1", 0)
	guarded.Labels = map[string]string{"app": "db"}
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db", UID: "b"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: guarded.Labels}},
	}
	c := newCluster(t, budget, node("n1", "4"), node("n2", "4"), guarded, running("mid", 5, "3", "n2", 0))
	c.withArgs(`{"planEvents": true}`)
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n2")
	c.create(pending("next", 10, "4"))
	c.isOn("next", "n1")
	assert.Equal(t, []string{"next Normal PreemptionPlanned Preempting: Node n1 has room without a pod of priority 1, 1 against a disruption budget: default/low"}, c.recorder.about("next Normal PreemptionPlanned"))
	assert.EqualValues(t, 1, c.collector.Counts.Values().Violations["pod"])
}

// A pod that was nominated to the node and is less important looks for another place.
func TestClearsLowerNominations(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	c.api.PrependReactor("delete", "pods", c.graceful)
	c.run()
	c.create(pending("mid", 5, "3"))
	c.eventually("nominated", func() bool { return c.pod("mid").Status.NominatedNodeName == "n1" })
	c.create(running("low2", 1, "1", "n1", 3))
	c.create(pending("high", 10, "4"))
	c.eventually("nominated", func() bool { return c.pod("high").Status.NominatedNodeName == "n1" })
	c.eventually("cleared", func() bool { return c.pod("mid").Status.NominatedNodeName == "" })
}

// The reference's arguments are checked as it checks them.
func TestArgs(t *testing.T) {
	for text, want := range map[string]string{
		`{"minCandidateNodesPercentage":101}`:                             "Outrank: args: minCandidateNodesPercentage: 101 is not between 0 and 100",
		`{"minCandidateNodesAbsolute":-1}`:                                "Outrank: args: minCandidateNodesAbsolute: -1 is negative",
		`{"minCandidateNodesPercentage":0,"minCandidateNodesAbsolute":0}`: "Outrank: args: minCandidateNodesPercentage and minCandidateNodesAbsolute: both are 0",
		`{"minCandidateNodesPercentage":"x"}`:                             "cannot unmarshal string",
		`{"workers":-1}`:                                                  "Outrank: args: workers: -1 is not between 0 and 1024",
	} {
		c := newCluster(t)
		_, err := plugin.New(t.Context(), &apiruntime.Unknown{Raw: []byte(text), ContentType: apiruntime.ContentTypeJSON}, &handle{c: c})
		require.ErrorContains(t, err, want)
	}
}

// With the reference's arguments the search is its sample: here one candidate, the first
// node, though another has a less important victim.
func TestSample(t *testing.T) {
	c := newCluster(t, node("n1", "4"), node("n2", "4"), running("mid", 5, "3", "n1", 0), running("low", 1, "3", "n2", 0))
	c.withArgs(`{"minCandidateNodesPercentage":1,"minCandidateNodesAbsolute":1}`)
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n1")
}

// The seed decides, with the preemptor's name, at which of the nodes where preemption may help the
// search begins: for default/high with 2 at the second. A percentage of 0 leaves the absolute number.
func TestSampleBegins(t *testing.T) {
	for seed, want := range map[int]string{0: "n1", 1: "n1", 2: "n2"} {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			never := node("n0", "1") // no room, whoever leaves
			c := newCluster(t, never, node("n1", "4"), node("n2", "4"), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
			c.withArgs(fmt.Sprintf(`{"minCandidateNodesPercentage":0,"minCandidateNodesAbsolute":1,"seed":%d}`, seed))
			c.run()
			c.create(pending("high", 10, "2"))
			c.isOn("high", want)
		})
	}
}
