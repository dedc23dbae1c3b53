package plugin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// permit lets pods of low priority wait before they are bound.
type permit struct{}

func (permit) Name() string { return "Wait" }

func (permit) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	if *pod.Spec.Priority < 5 {
		return fwk.NewStatus(fwk.Wait), time.Minute
	}
	return nil, 0
}

// A victim that waits to be bound is rejected in memory, and the preemptor is tried again at
// once.
func TestVictimThatWaits(t *testing.T) {
	c := newCluster(t, node("n1", "4"))
	c.registry = runtime.Registry{"Wait": func(context.Context, apiruntime.Object, fwk.Handle) (fwk.Plugin, error) { return permit{}, nil }}
	c.profile.Plugins.MultiPoint.Enabled = append(c.profile.Plugins.MultiPoint.Enabled, configv1.Plugin{Name: "Wait"})
	c.run()
	c.create(pending("low", 1, "3"))
	c.eventually("waits", func() bool {
		waits := false
		c.scheduler.Profiles["default-scheduler"].IterateOverWaitingPods(func(fwk.WaitingPod) { waits = true })
		return waits
	})
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n1")
	// The next attempt may come before the scheduler has let go of the victim, which is then
	// deleted, as by the reference.
	if low := c.pod("low"); low != nil {
		assert.Empty(t, low.Spec.NodeName)
	}
	assert.Equal(t, "low Normal Preempted Preempting: Preempted by pod uid-high on node n1 (in kube-scheduler memory).", c.recorder.about("low Normal Preempted")[0])
}

// An extender with a part in preemption removes candidates.
func TestExtender(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked extenderv1.ExtenderPreemptionArgs
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&asked))
		assert.Equal(t, "high", asked.Pod.Name)
		left := map[string]*extenderv1.MetaVictims{}
		for node, victims := range asked.NodeNameToMetaVictims {
			assert.Len(t, victims.Pods, 1)
			if node != "n1" {
				left[node] = victims
			}
		}
		assert.NoError(t, json.NewEncoder(w).Encode(extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: left}))
	}))
	defer server.Close()
	c := newCluster(t, node("n1", "4"), node("n2", "4"), running("low", 1, "3", "n1", 0), running("mid", 5, "3", "n2", 0))
	c.extenders = []schedulerconfig.Extender{{URLPrefix: server.URL, PreemptVerb: "preempt", NodeCacheCapable: true, HTTPTimeout: metav1.Duration{Duration: time.Minute}}}
	c.run()
	c.create(pending("high", 10, "2"))
	c.isOn("high", "n2")
	assert.NotNil(t, c.pod("low"))
}

// Where a group is concerned, too, unknown filters are asked by the scheduler: only the pod
// that is in the way of the filter has to leave.
func TestGroupWithUnknownFilter(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	loud := func(pod *v1.Pod) *v1.Pod { pod.Labels = map[string]string{"loud": "yes"}; return pod }
	c := newCluster(t, gang("train", 10, 2), node("n1", "8"), node("n2", "8"),
		loud(running("a", 3, "1", "n1", 0)), running("b", 2, "1", "n1", 0), loud(running("c", 1, "1", "n2", 0)))
	c.with(func(pod *v1.Pod, on fwk.NodeInfo) *fwk.Status {
		for _, other := range on.GetPods() {
			if pod.Labels["loud"] != "" && other.GetPod().Labels["loud"] != "" && other.GetPod().UID != pod.UID {
				return fwk.NewStatus(fwk.Unschedulable, "too loud")
			}
		}
		return nil
	})
	c.run()
	c.create(loud(in("train", pending("t1", 10, "1"))), loud(in("train", pending("t2", 10, "1"))))
	for _, name := range []string{"t1", "t2"} {
		c.eventually(name+" has a node", func() bool { return c.pod(name).Spec.NodeName != "" })
	}
	assert.Nil(t, c.pod("a"))
	assert.NotNil(t, c.pod("b"))
	assert.Nil(t, c.pod("c"))
}
