package outrank_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/hostile"
)

// A driver that has to be on a node is missing where the node's CSINode does not list
// it, or where the node has none (rule 7.9.9).
func TestReadMissingDrivers(t *testing.T) {
	items := func(more ...string) string {
		return `{"kind": "List", "apiVersion": "v1", "items": [` + strings.Join(append([]string{
			`{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "with"}, "status": {"nodeInfo": {"kubeletVersion": "v1.37.1"}}}`,
			`{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "without"}}`,
		}, more...), ",") + `]}`
	}
	driver := func(name, spec string) string {
		return `{"kind": "CSIDriver", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "` + name + `"}, "spec": ` + spec + `}`
	}
	node := func(name string) string {
		return `{"kind": "CSINode", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "` + name + `"}, "spec": {"drivers": [{"name": "b"}]}}`
	}
	const required = `{"preventPodSchedulingIfMissing": true}`
	for _, test := range []struct {
		name string
		more []string
		want [2][]string
	}{
		{"listed or not", []string{driver("b", required), driver("a", required), driver("c", `{}`), node("with")}, [2][]string{{"a"}, {"a", "b"}}},
		{"not required", []string{driver("b", `{}`), node("with")}, [2][]string{}},
		{"no CSINode at all: the input does not say", []string{driver("b", required)}, [2][]string{}},
	} {
		c, err := outrank.ReadCluster(strings.NewReader(items(test.more...)))
		require.NoError(t, err, test.name)
		assert.Equal(t, test.want, [2][]string{c.Nodes[0].MissingDrivers, c.Nodes[1].MissingDrivers}, test.name)
		assert.Empty(t, c.Skipped, test.name)
		assert.Equal(t, "v1.37.1", c.Nodes[0].KubeletVersion)
	}
	_, err := outrank.ReadCluster(strings.NewReader(items(driver("b", required), driver("b", `{}`))))
	require.ErrorContains(t, err, "csidriver b: metadata.name: there are two of this name")
	require.ErrorContains(t, (&outrank.Node{Name: "n", MissingDrivers: []string{""}}).Validate(), "a driver without a name")
	err = outrank.WriteCluster(new(strings.Builder), &outrank.Cluster{Nodes: []*outrank.Node{{
		Name: "n", MissingDrivers: []string{"d"}, AttachLimits: map[string]int64{"d": 1},
	}}})
	require.ErrorContains(t, err, "the driver is among those that are missing")
}

// Lists of missing drivers are no longer than the input: there may be so many drivers
// that have to be there, and nodes share their lists.
func TestManyRequiredDrivers(t *testing.T) {
	text := func(drivers int) string {
		return `{"kind":"CSINode","metadata":{"name":"n"}}` + hostile.Written(hostile.InList(hostile.RequiredDriver), drivers) + hostile.Written(hostile.InList(`{"kind":"Node","metadata":{"name":"n%d"}}`), 2)
	}
	c, err := outrank.ReadCluster(strings.NewReader(text(100)))
	require.NoError(t, err)
	require.Len(t, c.Nodes[0].MissingDrivers, 100)
	assert.Same(t, &c.Nodes[0].MissingDrivers[0], &c.Nodes[1].MissingDrivers[0])
	var written strings.Builder
	require.NoError(t, outrank.WriteCluster(&written, c))
	again, err := outrank.ReadCluster(strings.NewReader(written.String()))
	require.NoError(t, err)
	assert.Equal(t, c.Nodes, again.Nodes)

	_, err = outrank.ReadCluster(strings.NewReader(text(101)))
	require.ErrorContains(t, err, "csidriver d99: spec.preventPodSchedulingIfMissing: there are 101 such drivers, and 100 are the most")
	c.Nodes[1].MissingDrivers = []string{"another"}
	err = outrank.WriteCluster(new(strings.Builder), c)
	require.ErrorContains(t, err, "cluster: Nodes: 101 drivers are missing on nodes, and no more than 100 are read back")
}
