package outrank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// kinds adds an object of each kind, called x, to a cluster.
var kinds = []struct {
	name string
	add  func(c *outrank.Cluster)
}{
	{"node x", func(c *outrank.Cluster) { c.Nodes = append(c.Nodes, &outrank.Node{Name: "x"}) }},
	{"pod default/x", func(c *outrank.Cluster) { c.Pods = append(c.Pods, &outrank.Pod{Name: "x"}) }},
	{"poddisruptionbudget default/x", func(c *outrank.Cluster) {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: "x"})
	}},
	{"priorityclass x", func(c *outrank.Cluster) { c.Classes = append(c.Classes, &outrank.PriorityClass{Name: "x"}) }},
	{"namespace x", func(c *outrank.Cluster) { c.Namespaces = append(c.Namespaces, &outrank.Namespace{Name: "x"}) }},
	{"persistentvolumeclaim default/x", func(c *outrank.Cluster) {
		c.Claims = append(c.Claims, &outrank.VolumeClaim{Name: "x"})
	}},
	{"podgroup default/x", func(c *outrank.Cluster) { c.Groups = append(c.Groups, &outrank.PodGroup{Name: "x"}) }},
	{"compositepodgroup default/x", func(c *outrank.Cluster) {
		c.Composites = append(c.Composites, &outrank.CompositePodGroup{Name: "x"})
	}},
	{"workload default/x", func(c *outrank.Cluster) { c.Workloads = append(c.Workloads, &outrank.Workload{Name: "x"}) }},
}

// Names need to differ among the objects of one kind alone.
func TestSameName(t *testing.T) {
	all := &outrank.Cluster{}
	for _, kind := range kinds {
		kind.add(all)
	}
	require.NoError(t, all.Validate(), "objects of different kinds may share a name")
	for _, kind := range kinds {
		c := *all
		kind.add(&c)
		err := c.Validate()
		require.ErrorIs(t, err, outrank.ErrInvalid, kind.name)
		assert.Equal(t, kind.name+": metadata.name: there are two of this name", err.Error())
	}
}

// An empty namespace is "default", also where another object spells it out.
func TestSameNameInNamespaces(t *testing.T) {
	c := &outrank.Cluster{Pods: []*outrank.Pod{{Name: "x"}, {Name: "x", Namespace: "ops"}}}
	require.NoError(t, c.Validate())
	c.Pods = append(c.Pods, &outrank.Pod{Name: "x", Namespace: "default"})
	require.EqualError(t, c.Validate(), "pod default/x: metadata.name: there are two of this name")
}
