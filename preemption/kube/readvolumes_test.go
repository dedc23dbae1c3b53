package kube_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/hostile"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
)

// storageDump are the objects of a small cluster with volumes.
var storageDump = []string{
	`{"kind":"Node","metadata":{"name":"n1"}}`,
	`{"kind":"Node","metadata":{"name":"n2"}}`,
	`{"kind":"CSINode","metadata":{"name":"n1"},"spec":{"drivers":[
		{"name":"ebs.csi.aws.com","nodeID":"i-1","allocatable":{"count":25}},
		{"name":"nfs.csi.k8s.io","nodeID":"n1"}]}}`,
	`{"kind":"CSINode","metadata":{"name":"gone"},"spec":{"drivers":null}}`,
	`{"kind":"Pod","metadata":{"name":"db-0","namespace":"shop"},"spec":{"nodeName":"n1","volumes":[
		{"name":"token","projected":{"sources":[]}},
		{"name":"data","persistentVolumeClaim":{"claimName":"data-db-0"}},
		{"name":"tmp","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"]}}}},
		{"name":"new","persistentVolumeClaim":{"claimName":"unbound"}},
		{"name":"odd","persistentVolumeClaim":{"claimName":"not-in-the-dump"}}]}}`,
	`{"kind":"Pod","metadata":{"name":"db-0"},"spec":{"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-db-0"}}]}}`,
	`{"kind":"PersistentVolumeClaim","metadata":{"name":"data-db-0","namespace":"shop","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
		"spec":{"accessModes":["ReadWriteOncePod"],"volumeName":"pv-1"}}`,
	`{"kind":"PersistentVolumeClaim","metadata":{"name":"db-0-tmp","namespace":"shop","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
		"spec":{"accessModes":["ReadWriteOnce"],"volumeName":"pv-2"}}`,
	`{"kind":"PersistentVolumeClaim","metadata":{"name":"unbound","namespace":"shop"},"spec":{"accessModes":["ReadWriteOncePod"]}}`,
	`{"kind":"PersistentVolume","metadata":{"name":"pv-1","labels":{
			"topology.kubernetes.io/zone":"a__b","failure-domain.beta.kubernetes.io/region":"r","app":"x",
			"topology.kubernetes.io/region":"r__"}},
		"spec":{"csi":{"driver":"ebs.csi.aws.com","volumeHandle":"vol-1"},"nodeAffinity":{"required":{"nodeSelectorTerms":[
			{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}}`,
	`{"kind":"PersistentVolume","metadata":{"name":"pv-2"},"spec":{"local":{"path":"/x"}}}`,
}

func TestReadVolumes(t *testing.T) {
	data := outrank.Volume{
		Claim: "data-db-0", OncePod: true, Driver: "ebs.csi.aws.com", Handle: "vol-1",
		Node: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchExpressions: []outrank.NodeRequirement{{Key: "zone", Operator: outrank.In, Values: []string{"a"}}},
		}}},
		// A label with an empty value counts as missing.
		Zones: map[string][]string{outrank.ZoneLabel: {"a", "b"}, outrank.BetaRegionLabel: {"r"}},
	}
	want := []outrank.Volume{data, {Claim: "db-0-tmp", Ephemeral: true}, {Claim: "unbound", State: outrank.ClaimUnbound, OncePod: true}, {Claim: "not-in-the-dump"}}
	// The order of the objects makes no difference.
	for seed := range 20 {
		objects := append([]string(nil), storageDump...)
		rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
		c, err := kube.ReadCluster(strings.NewReader(strings.Join(objects, "\n")))
		require.NoError(t, err)
		assert.Empty(t, c.Skipped)
		assert.Len(t, c.Claims, 3)
		if diff := testdiff.Diff(want, c.Pod("shop", "db-0").Volumes); diff != "" {
			t.Errorf("volumes (-want +got):\n%s", diff)
		}
		assert.Equal(t, []outrank.Volume{{Claim: "data-db-0"}}, c.Pod("default", "db-0").Volumes, "a claim of another namespace")
		for _, n := range c.Nodes {
			want := map[string]map[string]int64{"n1": {"ebs.csi.aws.com": 25}}[n.Name]
			assert.Equal(t, want, n.AttachLimits, "%s: a driver without a count has no limit", n.Name)
		}
	}
}

func TestReadDisks(t *testing.T) {
	p, err := kube.ReadPod(strings.NewReader(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[
		{"name":"a","gcePersistentDisk":{"pdName":"pd","partition":1,"readOnly":true}},
		{"name":"b","awsElasticBlockStore":{"volumeID":"vol"}},
		{"name":"c","iscsi":{"targetPortal":"10.0.0.1:3260","iqn":"iqn.x","lun":0}},
		{"name":"d","rbd":{"monitors":["m1","m2"],"image":"i","readOnly":true}},
		{"name":"e","rbd":{"monitors":["m1"],"pool":"p","image":"i"}},
		{"name":"f","emptyDir":{}},{"name":"g","configMap":{"name":"cm"}},{"name":"h","csi":{"driver":"inline"}}]}}`))
	require.NoError(t, err)
	want := []outrank.Volume{
		{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "pd", ReadOnly: true}},
		{Disk: outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "vol"}},
		{Disk: outrank.Disk{Kind: outrank.ISCSI, ID: "iqn.x"}},
		{Disk: outrank.Disk{Kind: outrank.RBD, ID: "rbd/i", Monitors: []string{"m1", "m2"}, ReadOnly: true}},
		{Disk: outrank.Disk{Kind: outrank.RBD, ID: "p/i", Monitors: []string{"m1"}}},
	}
	if diff := testdiff.Diff(want, p.Volumes); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
}

func TestReadVolumesListsEveryProblem(t *testing.T) {
	_, err := kube.ReadCluster(strings.NewReader(`
		{"kind":"Node","metadata":{"name":"n"}}
		{"kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","allocatable":{"count":-1}}]}}
		{"kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","allocatable":{"count":-1}}]}}
		{"kind":"CSINode","metadata":{}}
		{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}},{"name":"w","iscsi":7}]}}
		{"kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"volumeName":"v"}}
		{"kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"accessModes":"all"}}
		{"kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Near"}]}]}}}}
		{"kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Near"}]}]}}}}
	`))
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, strings.Split(`csinode n: metadata.name: there are two of this name
csinode (document 4): metadata.name: missing
pod default/p: spec.volumes[1].iscsi: the number 7 stands where an object belongs
persistentvolumeclaim default/c: spec.accessModes: the string "all" stands where an array belongs
persistentvolume v: metadata.name: there are two of this name
node n: (csinode).spec.drivers[d].allocatable.count: -1 is negative
persistentvolumeclaim default/c: spec.(volume).nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0]: "Near" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt
persistentvolumeclaim default/c: metadata.name: there are two of this name`, "\n"), strings.Split(err.Error(), "\n"))
}

// Each kind of disk is read with and without its flag readOnly.
func TestReadOnlyDisks(t *testing.T) {
	for _, c := range []struct {
		text string // %s stands for the flag
		want outrank.Disk
	}{
		{`"gcePersistentDisk":{"pdName":"d"%s}`, outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "d"}},
		{`"awsElasticBlockStore":{"volumeID":"d"%s}`, outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "d"}},
		{`"iscsi":{"iqn":"d"%s}`, outrank.Disk{Kind: outrank.ISCSI, ID: "d"}},
		{`"rbd":{"monitors":["m"],"image":"d"%s}`, outrank.Disk{Kind: outrank.RBD, ID: "rbd/d", Monitors: []string{"m"}}},
		{`"rbd":{"monitors":["m"],"pool":"p","image":"d"%s}`, outrank.Disk{Kind: outrank.RBD, ID: "p/d", Monitors: []string{"m"}}},
	} {
		for flag, readOnly := range map[string]bool{"": false, `,"readOnly":false`: false, `,"readOnly":true`: true} {
			text := fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v",`+c.text+`}]}}`, flag)
			pod, err := kube.ReadPod(strings.NewReader(text))
			require.NoError(t, err, text)
			c.want.ReadOnly = readOnly
			assert.Equal(t, []outrank.Volume{{Disk: c.want}}, pod.Volumes, text)
		}
	}
}

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
		c, err := kube.ReadCluster(strings.NewReader(items(test.more...)))
		require.NoError(t, err, test.name)
		assert.Equal(t, test.want, [2][]string{c.Nodes[0].MissingDrivers, c.Nodes[1].MissingDrivers}, test.name)
		assert.Empty(t, c.Skipped, test.name)
		assert.Equal(t, "v1.37.1", c.Nodes[0].KubeletVersion)
	}
	_, err := kube.ReadCluster(strings.NewReader(items(driver("b", required), driver("b", `{}`))))
	require.ErrorContains(t, err, "csidriver b: metadata.name: there are two of this name")
	require.ErrorContains(t, (&outrank.Node{Name: "n", MissingDrivers: []string{""}}).Validate(), "a driver without a name")
	err = kube.WriteCluster(new(strings.Builder), &outrank.Cluster{Nodes: []*outrank.Node{{
		Name: "n", MissingDrivers: []string{"d"}, AttachLimits: map[string]int64{"d": 1},
	}}})
	require.ErrorContains(t, err, "the driver is among those that are missing")
}

// Lists of missing drivers are no longer than the input: the number of required
// drivers is bounded, and nodes share their lists.
func TestManyRequiredDrivers(t *testing.T) {
	text := func(drivers int) string {
		return `{"kind":"CSINode","metadata":{"name":"n"}}` + hostile.Written(hostile.InList(hostile.RequiredDriver), drivers) + hostile.Written(hostile.InList(`{"kind":"Node","metadata":{"name":"n%d"}}`), 2)
	}
	c, err := kube.ReadCluster(strings.NewReader(text(100)))
	require.NoError(t, err)
	require.Len(t, c.Nodes[0].MissingDrivers, 100)
	assert.Same(t, &c.Nodes[0].MissingDrivers[0], &c.Nodes[1].MissingDrivers[0])
	var written strings.Builder
	require.NoError(t, kube.WriteCluster(&written, c))
	again, err := kube.ReadCluster(strings.NewReader(written.String()))
	require.NoError(t, err)
	assert.Equal(t, c.Nodes, again.Nodes)

	_, err = kube.ReadCluster(strings.NewReader(text(101)))
	require.ErrorContains(t, err, "csidriver d99: spec.preventPodSchedulingIfMissing: there are 101 such drivers, and 100 are the most")
	c.Nodes[1].MissingDrivers = []string{"another"}
	err = kube.WriteCluster(new(strings.Builder), c)
	require.ErrorContains(t, err, "cluster: Nodes: 101 drivers are missing on nodes, and no more than 100 are read back")
}

// A volume's zones are the values of its label, separated by two underscores.
// Blanks around them do not count.
func TestReadZones(t *testing.T) {
	for _, c := range []struct {
		label string
		want  []string // nil where the label counts as missing
	}{
		{"a", []string{"a"}},
		{"a__b", []string{"a", "b"}},
		{"b__a__b", []string{"b", "a", "b"}},
		{" a __ b ", []string{"a", "b"}},
		{"a_b", []string{"a_b"}},
		{"a____b", nil},
		{"a__", nil},
		{"__a", nil},
		{"a__ ", nil},
		{"", nil},
		{" ", nil},
	} {
		for _, key := range []string{outrank.ZoneLabel, outrank.BetaRegionLabel} {
			text := fmt.Sprintf(`{"kind":"PersistentVolume","metadata":{"name":"v","labels":{%q:%q,"app":"x"}}}
				{"kind":"PersistentVolumeClaim","metadata":{"name":"c","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"v"}}`, key, c.label)
			cluster, err := kube.ReadCluster(strings.NewReader(text))
			require.NoError(t, err)
			var want map[string][]string
			if c.want != nil {
				want = map[string][]string{key: c.want}
			}
			assert.Equal(t, want, cluster.Claims[0].Volume.Zones, "%s %q", key, c.label)
		}
	}
}
