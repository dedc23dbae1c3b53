package plugin_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// extendedBy gives the scheduler an extender with this answer to each question about
// candidates; nil for a failure.
func (c *cluster) extendedBy(ignorable bool, answer func(extenderv1.ExtenderPreemptionArgs) map[string]*extenderv1.MetaVictims) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked extenderv1.ExtenderPreemptionArgs
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || answer == nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: answer(asked)})
	}))
	c.t.Cleanup(server.Close)
	c.extenders = append(c.extenders, schedulerconfig.Extender{
		URLPrefix: server.URL, PreemptVerb: "preempt", NodeCacheCapable: true, Ignorable: ignorable, HTTPTimeout: metav1.Duration{Duration: time.Minute},
	})
}

// servers are the addresses of extenders.
var servers = regexp.MustCompile(`http://[0-9.:]+`)

// declined is the message to a pod that asks for room on n1, where it is
// nominated, and its fate.
type declined struct {
	Reason, Text, Nominated, On string
	Low                         bool
}

func (c *cluster) declines() declined {
	c.run()
	pod := pending("high", 10, "2")
	pod.Status.NominatedNodeName = "n1"
	c.create(pod)
	var of declined
	c.eventually("told", func() bool {
		pod := c.pod("high")
		of = declined{Nominated: pod.Status.NominatedNodeName, On: pod.Spec.NodeName, Low: c.pod("low") != nil}
		for _, condition := range pod.Status.Conditions {
			of.Reason, of.Text = condition.Reason, servers.ReplaceAllString(condition.Message, "http://here")
		}
		return of.Text != "" || of.On != ""
	})
	return of
}

// Where preemption fails, or extenders leave nothing, the plugin does the same as
// DefaultPreemption.
func TestDeclinesAsTheDefault(t *testing.T) {
	node2 := func(asked extenderv1.ExtenderPreemptionArgs) map[string]*extenderv1.MetaVictims {
		return map[string]*extenderv1.MetaVictims{"n2": {Pods: []*extenderv1.MetaPod{{UID: "uid-big"}}}}
	}
	nothing := func(extenderv1.ExtenderPreemptionArgs) map[string]*extenderv1.MetaVictims { return nil }
	nobody := func(extenderv1.ExtenderPreemptionArgs) map[string]*extenderv1.MetaVictims {
		return map[string]*extenderv1.MetaVictims{"n1": {}}
	}
	stranger := func(extenderv1.ExtenderPreemptionArgs) map[string]*extenderv1.MetaVictims {
		return map[string]*extenderv1.MetaVictims{"n1": {Pods: []*extenderv1.MetaPod{{UID: "uid-big"}}}}
	}
	// contrary takes the pod on a node only once a pod has come or gone there.
	contrary := func() filter {
		var first sync.Map
		return func(pod *v1.Pod, on fwk.NodeInfo) *fwk.Status {
			if was, _ := first.LoadOrStore(on.Node().Name, on.GetGeneration()); pod.Name != "high" || was != on.GetGeneration() {
				return nil
			}
			return fwk.NewStatus(fwk.Unschedulable, "not as things are")
		}
	}
	// broken turns the pod down until a pod has come or gone there, and breaks then.
	broken := func() filter {
		says := contrary()
		return func(pod *v1.Pod, on fwk.NodeInfo) *fwk.Status {
			if s := says(pod, on); s != nil || pod.Name != "high" {
				return s
			}
			return fwk.AsStatus(errors.New("out of order"))
		}
	}
	const refused = "0/2 nodes are available: 2 Insufficient cpu. preemption: "
	for _, test := range []struct {
		name   string
		cpus   string // of each node, of which 3 are taken
		change func(*cluster)
		text   string
		on     string // the nomination after all, n1 unless given
	}{
		{"an extender leaves nothing", "4", func(c *cluster) { c.extendedBy(false, nothing) }, refused + "no candidate node for preemption", ""},
		{"one that may fail, with a node without victims", "4", func(c *cluster) { c.extendedBy(true, nobody) }, refused + "no candidate node for preemption", ""},
		{"a node without victims", "4", func(c *cluster) { c.extendedBy(false, nobody) }, refused + `expected at least one victim pod on node "n1"`, ""},
		{"an extender fails", "4", func(c *cluster) { c.extendedBy(false, nil) }, refused + "failed preempt with extender at URL http://here/preempt, code 500", ""},
		{"a victim of another node", "4", func(c *cluster) { c.extendedBy(false, stranger) },
			refused + "extender: http://here claims to preempt pod (UID: &{uid-big}) on node: n1, but the pod is not found on that node", ""},
		{"a node that it was not asked about", "4", func(c *cluster) { c.extendedBy(false, node2) }, refused + "found a potential placement for pod on node n2, preempting 1 victims", "n2"},
		{"a filter contradicts itself, and elsewhere there is no victim", "8", func(c *cluster) { c.with(contrary()) },
			"0/2 nodes are available: 2 not as things are. preemption: " + `expected at least one victim pod on node "n1"`, ""},
		{"a filter breaks in the dry run", "8", func(c *cluster) { c.with(broken()) },
			"0/2 nodes are available: 2 not as things are. preemption: " + `running "Mine" filter plugin: out of order`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := declined{Reason: v1.PodReasonUnschedulable, Text: test.text, Nominated: cmp.Or(test.on, "n1"), Low: true}
			for _, mine := range []bool{false, true} {
				c := newCluster(t, node("n1", test.cpus), node("n2", test.cpus), running("low", 1, "3", "n1", 0), running("big", 20, "3", "n2", 0))
				if !mine {
					c.profile.Plugins = &configv1.Plugins{}
				}
				c.api.PrependReactor("delete", "pods", c.graceful)
				test.change(c)
				assert.Equal(t, want, c.declines(), "Outrank: %v", mine)
			}
		})
	}
}
