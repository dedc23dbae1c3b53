package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// concern is a cluster in which one filter alone keeps the preemptor from node
// a, which it would otherwise choose. without and withoutIt are a cluster and a
// preemptor that the filter does not concern.
type concern struct {
	c, without *outrank.Cluster
	asks       with
	withoutIt  with
}

// concerns has an entry for each descriptor.
var concerns = map[string]concern{
	preemption.NodeUnschedulable: {c: onA(func(n *outrank.Node) { n.Unschedulable = true }), without: yard()},
	preemption.NodeName:          {c: in36(yard()), asks: on("b")},
	preemption.TaintToleration: {
		c:       onA(func(n *outrank.Node) { n.Taints = []outrank.Taint{{Key: "k", Effect: outrank.NoExecute}} }),
		without: onA(func(n *outrank.Node) { n.Taints = []outrank.Taint{{Key: "k", Effect: outrank.PreferNoSchedule}} }),
	},
	preemption.NodeAffinity: {c: yard(), asks: chooses("kind", "b")},
	preemption.NodePorts: {
		c: yard(pod("holder", 1000, "0", on("a"), hostPort(80, "", ""))), asks: hostPort(80, "", ""), withoutIt: hostPort(81, "", ""),
	},
	preemption.DeferredPodScheduling: {
		c:       resizingOnA(func(n *outrank.Node) { n.DisableResizePreemption = []string{"someone"} }),
		without: resizingOnA(func(*outrank.Node) {}),
		asks:    resizing, withoutIt: resizing,
	},
	preemption.NodeResourcesFit: {c: yard(), asks: asking("cpu", "1500m"), withoutIt: asking("cpu", "500m")},
	preemption.VolumeRestrictions: {
		c: yard(pod("holder", 1000, "0", on("a"), has(disk("d")))), asks: has(disk("d")), withoutIt: has(disk("e")),
	},
	preemption.NodeVolumeLimits: {
		c: onA(func(n *outrank.Node) { n.AttachLimits = map[string]int64{"csi": 0} }), asks: has(csi("csi")), withoutIt: has(csi("other")),
	},
	preemption.VolumeBinding: {
		c: yard(), asks: has(outrank.Volume{Claim: "local", Node: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{byLabel("kind", outrank.In, "b")}}}),
	},
	preemption.VolumeZone: {
		c: yard(), asks: has(outrank.Volume{Claim: "zonal", Zones: map[string][]string{outrank.ZoneLabel: {"zb"}}}),
	},
	preemption.PodTopologySpread: {
		c:    yard(pod("like", 1000, "0", on("a"), tagged("app", "fa"))),
		asks: spread(outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "kind", LabelSelector: selects("fa")}),
	},
	preemption.InterPodAffinity: {
		c: yard(pod("hermit", 1000, "0", on("a"), apart("fa"))), without: yard(pod("hermit", 1000, "0", on("a"), apart("other"))),
	},
	preemption.NodeDeclaredFeatures: {
		c:    onB(func(n *outrank.Node) { n.DeclaredFeatures = []string{"UserNamespacesHostNetworkSupport"} }),
		asks: func(p *outrank.Pod) { p.HostNetwork, p.HostUsers = true, new(bool) },
	},
}

// resizing has the preemptor be on node a, with a resize that is deferred.
func resizing(p *outrank.Pod) { p.NodeName, p.ResizeDeferred = "a", true }

func resizingOnA(change func(*outrank.Node)) *outrank.Cluster {
	c := onA(change)
	c.Release, _ = outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	return c
}

func onA(change func(*outrank.Node)) *outrank.Cluster {
	c := yard()
	change(c.Nodes[0])
	return c
}

func onB(change func(*outrank.Node)) *outrank.Cluster {
	c := yard()
	change(c.Nodes[1])
	return c
}

func disk(id string) outrank.Volume {
	return outrank.Volume{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: id}}
}

func csi(driver string) outrank.Volume {
	return outrank.Volume{Claim: "c", Driver: driver, Handle: "h"}
}

// A filter in the list is seen by the search, by the cache, by the exhaustive
// search, by the explanation and by the book alike, and it decides.
func TestEveryDescriptorIsSeenEverywhere(t *testing.T) {
	for _, name := range builtInFilters() {
		t.Run(name, func(t *testing.T) {
			x, ok := concerns[name]
			require.True(t, ok, "no concern tells what %s is about", name)
			if x.asks == nil {
				x.asks = nothing
			}
			if x.withoutIt == nil {
				x.withoutIt = nothing
			}
			if x.without == nil {
				x.without = x.c
			}
			w := newWorld(t, x.c)
			got := w.agree(t, caller(x.asks), gen.Now)
			assert.NotEqual(t, "a", got.Node, "the filter keeps the preemptor from node a")
			free := newWorld(t, x.without).agree(t, caller(x.withoutIt), gen.Now)
			assert.Equal(t, "a", free.Node, "nothing else does")
			ex, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), w.snap, preemption.Request{Pod: caller(x.asks), Now: gen.Now})
			require.NoError(t, err)
			at := ex.Nodes[0]
			failed := at.Status
			if at.AfterRemoval != nil {
				failed = *at.AfterRemoval
			}
			assert.Equal(t, name, failed.Filter, "%+v", at)

			// Two preemptors take turns on one snapshot, so that what the cache
			// knows of one is there when the other is asked about.
			if x.without != x.c {
				return
			}
			for range 4 {
				assert.Equal(t, got, w.agree(t, caller(x.asks), gen.Now))
				assert.Equal(t, free, w.agree(t, caller(x.withoutIt), gen.Now))
			}
		})
	}
	assert.Len(t, concerns, len(builtInFilters()))
}

// The features that a node declares may change in a snapshot.
func TestDeclaredFeaturesFollowTheNode(t *testing.T) {
	w := newWorld(t, yard())
	p := caller(concerns[preemption.NodeDeclaredFeatures].asks)
	assert.Equal(t, preemption.NothingHelps, w.agree(t, p, gen.Now).Outcome)
	n := *w.c.Nodes[1]
	n.DeclaredFeatures = []string{"Other", "UserNamespacesHostNetworkSupport"}
	require.NoError(t, w.snap.PutNode(&n))
	w.c.Nodes[1] = &n
	assert.Equal(t, "b", w.agree(t, p, gen.Now).Node)
}
