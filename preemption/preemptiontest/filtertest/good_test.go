package filtertest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
)

func maintenance() *preemption.Filter {
	return &preemption.Filter{Name: "Maintenance", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
		if n.Labels["rack"] == "r1" {
			return preemption.UnschedulableAndUnresolvable.Because("node(s) under maintenance")
		}
		return preemption.Status{}
	}}
}

func TestGoodFilters(t *testing.T) {
	for _, good := range []struct {
		name    string
		filter  *preemption.Filter
		options filtertest.Options
	}{
		{"a rule about the node", maintenance(), filtertest.Options{Clusters: *clusters}},
		{"a quota", quota{limit: 2}.filter(), filtertest.Options{Clusters: *clusters}},
		{"a quota of none", quota{}.filter(), filtertest.Options{Clusters: 5}},
		{"shares of GPUs", gpuSharing{2}.filter(), filtertest.Options{Prepare: withGPUs, Clusters: *clusters}},
		{"shares of one GPU on large nodes", gpuSharing{1}.filter(), filtertest.Options{
			Prepare: withGPUs, Clusters: *clusters, Seed: 1 << 40, Shape: clustergen.Shape{Nodes: 6, PodsPerNode: 12, Nominated: 5},
		}},
		{"a tally", tallied(), filtertest.Options{Clusters: *clusters}},
		{"some pods refused", refusing(), filtertest.Options{Clusters: *clusters}},
		{"nothing to say", maintenance(), filtertest.Options{Clusters: 1, Shape: clustergen.Shape{Nodes: 1}, MayBeSilent: true}},
		{"a state that is tracked", busy{limit: 2}.filter(), filtertest.Options{Clusters: *clusters}},
		{"an error for some pods", failing(), filtertest.Options{Clusters: *clusters}},
	} {
		t.Run(good.name, func(t *testing.T) { assert.NoError(t, filtertest.Check(good.filter, good.options)) })
	}
}

// failing returns a filter with an error for pods without a label, which ends the attempt and
// is no violation.
func failing() *preemption.Filter {
	f := quota{limit: 2}.filter()
	start := f.Start
	f.Start = func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		if len(pod.Labels) == 0 {
			return nil, errNoLabels
		}
		return start(pod, view)
	}
	return f
}

var errNoLabels = errors.New("no labels")

// refusing returns a filter that refuses pods without a label everywhere.
func refusing() *preemption.Filter {
	f := quota{limit: 2}.filter()
	start := f.Start
	f.Start = func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		if len(pod.Labels) == 0 {
			return preemption.Refuse(preemption.Unschedulable.Because("no labels")), nil
		}
		return start(pod, view)
	}
	return f
}

func TestConcurrentChecks(t *testing.T) {
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			assert.NoError(t, filtertest.Check(quota{limit: 2}.filter(), filtertest.Options{Clusters: few()}))
		})
	}
}

func TestRefusedOptions(t *testing.T) {
	err := filtertest.Check(quota{}.filter(), filtertest.Options{Clusters: -1, Shape: clustergen.Shape{Nodes: -1}})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, "filter test options: Clusters: -1 is not between 0 and 1000000")
	require.ErrorContains(t, err, "filter test options: Shape: cluster shape: Nodes: -1 is not between 0 and 100000")
	require.ErrorIs(t, filtertest.Check(nil, filtertest.Options{}), outrank.ErrInvalid)
}

// A Prepare that does something else every time would look like a filter that
// changes its input.
func TestUnreliablePrepare(t *testing.T) {
	times := 0
	err := filtertest.Check(quota{}.filter(), filtertest.Options{Prepare: func(_ *outrank.Cluster, pod *outrank.Pod) {
		times++
		pod.UID = string(rune('a' + times))
	}})
	require.ErrorContains(t, err, "Prepare does not do the same to equal clusters")
	err = filtertest.Check(quota{}.filter(), filtertest.Options{Prepare: func(c *outrank.Cluster, _ *outrank.Pod) { c.Nodes[0].Name = "" }})
	require.ErrorContains(t, err, "after Prepare: node number 1: metadata.name: missing")
	err = filtertest.Check(quota{}.filter(), filtertest.Options{Prepare: func(_ *outrank.Cluster, pod *outrank.Pod) { pod.Name = "" }})
	require.ErrorContains(t, err, "after Prepare: pod without a name: metadata.name: missing")
}

// A filter is warned about that does not say which pods concern it; a rule about nodes and
// one that says so are not.
func TestWarnings(t *testing.T) {
	assert.Empty(t, filtertest.Warnings(nil))
	assert.Empty(t, filtertest.Warnings(maintenance()))
	assert.Empty(t, filtertest.Warnings(&preemption.Filter{Name: "Own", Key: func(*outrank.Pod) string { return "" }, Node: nil}))
	assert.Empty(t, filtertest.Warnings(busy{limit: 2}.filter()))
	unsaid := busy{limit: 2}.filter()
	unsaid.Concerns = nil
	assert.Len(t, filtertest.Warnings(unsaid), 1)
	assert.NoError(t, filtertest.Check(unsaid, filtertest.Options{Clusters: *clusters}), "a warning is no failure")
}
