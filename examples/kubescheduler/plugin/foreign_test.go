package plugin_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
	"github.com/outrank-go/outrank/preemption"
)

// plug puts a plugin of others into the profile.
func (c *cluster) plug(p fwk.Plugin) {
	if c.registry == nil {
		c.registry = runtime.Registry{}
	}
	c.registry[p.Name()] = func(context.Context, apiruntime.Object, fwk.Handle) (fwk.Plugin, error) { return p, nil }
	c.profile.Plugins.MultiPoint.Enabled = append(c.profile.Plugins.MultiPoint.Enabled, configv1.Plugin{Name: p.Name()})
}

// handedOver counts the decisions that DefaultPreemption made, by preemptor and reason.
func (c *cluster) handedOver() map[string]float64 {
	out := map[string]float64{}
	for _, m := range c.metric("outrank_decisions_handed_over_total") {
		labels := map[string]string{}
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		out[labels["preemptor"]+" "+labels["because"]] = m.GetCounter().GetValue()
	}
	return out
}

// seats lets two seats be taken on a node: by pods with the label taken, and by those that are
// reserved and not on the node yet.
type seats struct {
	mu       sync.Mutex
	reserved map[string]map[string]bool // by node
}

func (*seats) Name() string { return "Seats" }

func (s *seats) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, on fwk.NodeInfo) *fwk.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pod.Labels["seat"] == "" {
		return nil
	}
	n := len(s.reserved[on.Node().Name])
	for _, other := range on.GetPods() {
		if other.GetPod().Labels["taken"] != "" {
			n++
		}
	}
	if n >= 2 {
		return fwk.NewStatus(fwk.Unschedulable, "no seat")
	}
	return nil
}

func (s *seats) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pod.Labels["seat"] == "" {
		return nil
	}
	if s.reserved[node] == nil {
		s.reserved[node] = map[string]bool{}
	}
	s.reserved[node][pod.Name] = true
	return nil
}

func (s *seats) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.reserved[node], pod.Name)
}

// A plugin that reserves is asked to while victims are put back for a group: with the first member's
// seat reserved there is none for the second as long as v1 stays. Without v2 there would be room for
// both, and no seat.
func TestGroupReserves(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	label := func(key string, pod *v1.Pod) *v1.Pod { pod.Labels = map[string]string{key: "yes"}; return pod }
	c := newCluster(t, gang("train", 100, 2), node("n1", "3"), label("taken", running("v1", 15, "1", "n1", 0)), running("v2", 10, "1", "n1", 0))
	c.plug(&seats{reserved: map[string]map[string]bool{}})
	c.run()
	c.create(label("seat", in("train", pending("t1", 100, "1"))), label("seat", in("train", pending("t2", 100, "1"))))
	c.isOn("t1", "n1")
	c.isOn("t2", "n1")
	assert.Nil(t, c.pod("v1"))
	assert.NotNil(t, c.pod("v2"))
	assert.Equal(t, map[string]float64{"podgroup filters": 1}, c.handedOver())

	decided := c.decided()
	require.Len(t, decided, 1)
	assert.Equal(t, plugin.ForFilters, decided[0].HandedOver)
	assert.Equal(t, preemption.Preempts, decided[0].Group.Outcome)
	require.Len(t, decided[0].Group.Victims, 1)
	assert.Equal(t, "v1", decided[0].Group.Victims[0].Pod.Name)
	assert.Len(t, decided[0].Group.Nominations, 2)
}

// once is a filter that passes a node with the given pods a single time after a victim was removed:
// asked again about the same, it says no.
type once struct {
	mu    sync.Mutex
	asked map[string]int
}

func (*once) Name() string { return "Once" }

func (o *once) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, on fwk.NodeInfo) *fwk.Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	if pod.Name != "high" {
		return nil
	}
	var here []string
	for _, other := range on.GetPods() {
		here = append(here, other.GetPod().Name)
	}
	key := on.Node().Name + " " + strings.Join(here, " ")
	o.asked[key]++
	if len(here) == 0 && o.asked[key] == 2 {
		return fwk.NewStatus(fwk.Unschedulable, "asked already")
	}
	return nil
}

// A filter that counts is asked as often as by DefaultPreemption: no node is asked about twice.
func TestFilterThatCounts(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	c.plug(&once{asked: map[string]int{}})
	c.run()
	c.create(pending("high", 10, "2"))
	c.eventually("preempted", func() bool { return c.pod("low") == nil })
	assert.Equal(t, "high Warning FailedScheduling Scheduling: 0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 1 victims",
		c.recorder.about("high Warning FailedScheduling")[0])

	d := c.decided()[0]
	require.NoError(t, d.Err)
	assert.Equal(t, []any{plugin.ForFilters, preemption.Preempts, "n1", "low"}, []any{d.HandedOver, d.Plan.Outcome, d.Plan.Node, d.Plan.Victims[0].Pod.Name})
	assert.EqualValues(t, 1, d.Plan.TurnedDown[0].Nodes)
	assert.NotZero(t, c.handedOver()["pod filters"])
}

// clings is a plugin at PreFilter alone that lets a pod not be removed, and skips some preemptors.
type clings struct{ to, skips string }

func (clings) Name() string { return "Clings" }

func (p clings) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if pod.Name == p.skips {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return nil, nil
}

func (p clings) PreFilterExtensions() fwk.PreFilterExtensions { return p }

func (clings) AddPod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	return nil
}

func (p clings) RemovePod(_ context.Context, _ fwk.CycleState, _ *v1.Pod, removed fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	if removed.GetPod().Name == p.to {
		return fwk.AsStatus(errors.New("it clings"))
	}
	return nil
}

// A plugin without a filter has a say in dry runs, unless it skipped the pod.
func TestPreFilterThatFails(t *testing.T) {
	for _, test := range []struct{ skips, on string }{{"", "n2"}, {"high", "n1"}} {
		c := newCluster(t, node("n1", "4"), node("n2", "4"), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
		c.plug(clings{to: "low", skips: test.skips})
		c.run()
		c.create(pending("high", 10, "2"))
		c.isOn("high", test.on)
		assert.Equal(t, test.skips == "", c.handedOver()["pod filters"] == 1, test.on)
		assert.Equal(t, preemption.Preempts, c.decided()[0].Plan.Outcome)
	}
}

// The hooks of DefaultPreemption say which pods may leave, and which of them leave last.
func TestHooks(t *testing.T) {
	objects := []apiruntime.Object{node("n1", "4"), node("n2", "4"), running("a", 1, "2", "n1", 0), running("b", 2, "2", "n1", 0), running("c", 5, "4", "n2", 0)}
	t.Run("eligible", func(t *testing.T) {
		c := newCluster(t, objects...)
		c.options.IsEligiblePod = notOn("n1")
		c.run()
		c.create(pending("high", 10, "2"))
		c.isOn("high", "n2")
		assert.NotNil(t, c.pod("a"))
		assert.NotZero(t, c.handedOver()["pod hooks"])
	})
	t.Run("importance", func(t *testing.T) {
		c := newCluster(t, objects...)
		c.options.MoreImportantVictim = lowFirst
		c.run()
		c.create(pending("high", 10, "2"))
		c.isOn("high", "n1")
		assert.NotNil(t, c.pod("a"), "the less important one is more important to the hook")
		assert.Nil(t, c.pod("b"))
	})
	t.Run("devices", func(t *testing.T) {
		_, err := plugin.Factory(plugin.Options{IsEligiblePod: notOn("n1")})(t.Context(), &apiruntime.Unknown{Raw: []byte(`{"draPreemption": true}`), ContentType: apiruntime.ContentTypeJSON}, &handle{c: newCluster(t)})
		require.EqualError(t, err, "Outrank: args: draPreemption: DefaultPreemption decides because of hooks, which does not preempt for devices")
	})
}

// With a gate about amounts that only the scheduler knows, DefaultPreemption makes every decision.
func TestGateThatIsHandedOver(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.DRANodeAllocatableResources, true)
	c := newCluster(t, node("n1", "4"), node("n2", "4"), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n1")
	assert.NotZero(t, c.handedOver()["pod gates"])
	assert.Len(t, lines(c.log, "Decisions are handed over"), 1)
}

// A preemption that was handed over is carried out as any other: it keeps the pod out of the queue, is counted once, and
// is told in an event that is asked for.
func TestHandedOverIsCarriedOut(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	c.with(func(*v1.Pod, fwk.NodeInfo) *fwk.Status { return nil })
	c.withArgs(`{"planEvents": true}`)
	begun, release := c.holdDeletions()
	c.run()
	high := pending("high", 10, "2")
	c.create(high)
	<-begun
	assert.Equal(t, "waiting for the preemption for this pod to be finished", c.plugin.PreEnqueue(t.Context(), high).Message())
	release()
	c.isOn("high", "n1")
	assert.Equal(t, []string{"high Normal PreemptionPlanned Preempting: Node n1 has room without a pod of priority 1: default/low"}, c.recorder.about("high Normal PreemptionPlanned"))
	assert.Equal(t, map[string]uint64{"preempt": 1}, c.outcomes())
	values := c.collector.Counts.Values()
	assert.EqualValues(t, 1, values.PreemptionAttempts)
	assert.EqualValues(t, 1, values.PreemptionVictims.Sum)
}

// Where a plan is carried out at once, less important pods lose their nomination even if all victims are
// leaving already.
func TestClearsNominationsAtOnce(t *testing.T) {
	for _, handedOver := range []bool{false, true} {
		victim := running("low", 1, "3", "n1", 0)
		victim.DeletionTimestamp, victim.Finalizers = new(metav1.NewTime(start)), []string{"example.com/slow"}
		c := newCluster(t, node("n1", "4"), victim)
		if handedOver {
			c.with(func(*v1.Pod, fwk.NodeInfo) *fwk.Status { return nil })
		}
		c.options.Synchronous = new(true)
		c.run()
		c.create(pending("mid", 5, "3"))
		c.nominated("mid", "n1")
		c.create(pending("high", 10, "3"))
		c.nominated("high", "n1")
		c.nominated("mid", "")
	}
}
