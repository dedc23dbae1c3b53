package kube_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

const everyField = `{
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "name": "web-1", "namespace": "shop", "uid": "u1", "labels": {"app": "web"},
    "annotations": {"kubernetes.io/config.source": "file", "kubernetes.io/config.mirror": "", "other": "x"},
    "deletionTimestamp": "2026-01-10T13:00:00Z",
    "ownerReferences": [{"kind": "Node", "name": "no"}, {"kind": "ReplicaSet", "name": "web", "controller": true}]
  },
  "spec": {
    "nodeName": "n1", "priority": -5, "hostNetwork": true, "hostUsers": false, "priorityClassName": "low", "preemptionPolicy": "Never",
    "nodeSelector": {"disk": "ssd"}, "terminationGracePeriodSeconds": 0,
    "overhead": {"cpu": "50m"},
    "resources": {"requests": {"cpu": 2}, "limits": {"memory": "1Gi"}},
    "containers": [
      {"name": "a", "resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "1"}},
       "ports": [{"containerPort": 80, "hostPort": 8080, "hostIP": "10.0.0.1", "protocol": "UDP"}]},
      {"name": "b", "restartPolicyRules": [{"action": "Restart"}, {"action": "RestartAllContainers"}],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}, {"name": "w", "bindMountOptions": ["noexec"]}]}
    ],
    "initContainers": [{"name": "side", "restartPolicy": "Always", "resources": {"requests": {"memory": "1Mi"}}}],
    "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "value": ""}],
    "affinity": {
      "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "gen", "operator": "Gt", "values": ["3"]}],
         "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}},
      "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone", "namespaces": ["data"], "matchLabelKeys": ["rev"]}]},
      "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}, "topologyKey": "host",
         "namespaceSelector": {}, "mismatchLabelKeys": ["rev"]}]}
    },
    "topologySpreadConstraints": [{"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 3,
      "labelSelector": {"matchLabels": {"app": "web"}}, "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor", "matchLabelKeys": ["rev"]}]
  },
  "status": {
    "phase": "Running", "startTime": "2026-01-10T12:00:00Z", "nominatedNodeName": "n2", "qosClass": "Burstable",
    "conditions": [
      {"type": "Ready", "status": "True"},
      {"type": "PodResizePending", "status": "True", "reason": "Infeasible"},
      {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"},
      {"type": "DisruptionTarget", "status": "True", "reason": "Other"}
    ],
    "containerStatuses": [
      {"name": "b", "resources": {}},
      {"name": "a", "allocatedResources": {"cpu": "200m"}, "resources": {"requests": {"cpu": "150m"}}}
    ],
    "initContainerStatuses": [{"name": "side", "allocatedResources": {"cpu": "1"}}]
  }
}`

func TestReadPodReadsEveryField(t *testing.T) {
	got, err := kube.ReadPod(strings.NewReader(everyField))
	require.NoError(t, err)
	want := &outrank.Pod{
		Name: "web-1", Namespace: "shop", UID: "u1",
		Labels: map[string]string{"app": "web"}, Owner: outrank.Owner{Kind: "ReplicaSet", Name: "web"},
		NodeName: "n1", NominatedNodeName: "n2", HostNetwork: true, HostUsers: new(bool), Grace: new(time.Duration),
		Priority: outrank.Priority(-5), PriorityClassName: "low", PreemptionPolicy: outrank.PreemptNever,
		Containers: []outrank.Container{
			{
				Name: "a", Requests: resource.MustList("cpu", "100m"), Limits: resource.MustList("cpu", "1"),
				Ports:              []outrank.Port{{HostPort: 8080, HostIP: "10.0.0.1", Protocol: "UDP"}},
				AllocatedResources: resource.MustList("cpu", "200m"), Actual: resource.MustList("cpu", "150m"),
			},
			{Name: "b", Reported: true, RestartsAll: true, BindMountOptions: true},
		},
		InitContainers: []outrank.Container{{Name: "side", Sidecar: true, Requests: resource.MustList("memory", "1Mi"), AllocatedResources: resource.MustList("cpu", "1")}},
		Resources: &resource.Requirements{
			Requests: resource.MustList("cpu", "2"), Limits: resource.MustList("memory", "1Gi"),
		},
		Overhead: resource.MustList("cpu", "50m"), ResizeInfeasible: true,
		NodeSelector: map[string]string{"disk": "ssd"},
		Affinity: outrank.Affinity{
			NodeAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
				MatchExpressions: []outrank.NodeRequirement{{Key: "gen", Operator: outrank.Gt, Values: []string{"3"}}},
				MatchFields:      []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{"n1"}}},
			}}},
			PodAffinity: []outrank.PodAffinityTerm{{
				LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
				Namespaces:    []string{"data"}, TopologyKey: "zone", MatchLabelKeys: []string{"rev"},
			}},
			PodAntiAffinity: []outrank.PodAffinityTerm{{
				LabelSelector:     &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.Exists}}},
				NamespaceSelector: &outrank.LabelSelector{}, TopologyKey: "host", MismatchLabelKeys: []string{"rev"},
			}},
		},
		Tolerations: []outrank.Toleration{{Key: "k", Operator: outrank.TolerationExists, Effect: outrank.NoExecute}},
		TopologySpreadConstraints: []outrank.TopologySpreadConstraint{{
			MaxSkew: 2, TopologyKey: "zone", WhenUnsatisfiable: outrank.DoNotSchedule, MinDomains: 3,
			LabelSelector:      &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			NodeAffinityPolicy: outrank.NodeIgnore, NodeTaintsPolicy: outrank.NodeHonor, MatchLabelKeys: []string{"rev"},
		}},
		StartTime:         time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC),
		DeletionTimestamp: time.Date(2026, 1, 10, 13, 0, 0, 0, time.UTC),
		DisruptionReason:  outrank.PreemptionByScheduler,
		Ready:             true, QOSClass: outrank.Burstable, Static: true, Mirror: true, Phase: outrank.PhaseRunning,
	}
	if diff := testdiff.Diff(want, got); diff != "" {
		t.Errorf("ReadPod (-want +got):\n%s", diff)
	}
}

const list = `{"apiVersion": "v1", "items": [
  {"kind": "Node", "metadata": {"name": "n1", "labels": {"zone": "a"}}, "spec": {"unschedulable": true, "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
   "status": {"declaredFeatures": ["F"], "allocatable": {"cpu": "4", "pods": "110"}, "capacity": {"cpu": "bad but of no interest"}}},
  {"kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}, "spec": {"nodeName": "n1", "containers": [{"name": "c"}]}},
  {"kind": "Pod", "metadata": {"name": "done", "namespace": "shop"}, "status": {"phase": "Succeeded"}},
  {"kind": "Pod", "metadata": {"name": "failed", "namespace": "shop"}, "status": {"phase": "Failed"}},
  {"kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "shop"}, "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "x"}}},
   "status": {"disruptionsAllowed": 2, "disruptedPods": {"p": "2026-01-10T12:00:00Z"}}},
  {"kind": "PodDisruptionBudget", "metadata": {"name": "c"}, "spec": {"maxUnavailable": 1}},
  {"kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}}},
  {"kind": "Service", "metadata": {"name": "t"}, "spec": 7},
  {"kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "t"}}}
], "kind": "List", "metadata": {"resourceVersion": ""}}`

func readList(t *testing.T, text string) *outrank.Cluster {
	t.Helper()
	c, err := kube.ReadCluster(strings.NewReader(text))
	require.NoError(t, err)
	return c
}

func wantList() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{{
			Name: "n1", Labels: map[string]string{"zone": "a"}, Unschedulable: true,
			DeclaredFeatures: []string{"F"}, Allocatable: resource.MustList("cpu", "4", "pods", "110"),
			Taints: []outrank.Taint{{Key: "k", Value: "v", Effect: outrank.NoSchedule}},
		}},
		Pods: []*outrank.Pod{{Name: "p", Namespace: "shop", NodeName: "n1", Containers: []outrank.Container{{Name: "c"}}}},
		Budgets: []*outrank.PodDisruptionBudget{
			{
				Name: "b", Namespace: "shop", DisruptionsAllowed: 2,
				Selector:      &outrank.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
				MinAvailable:  &outrank.IntOrPercent{Value: 50, Percent: true},
				DisruptedPods: map[string]time.Time{"p": time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)},
			},
			{Name: "c", MaxUnavailable: &outrank.IntOrPercent{Value: 1}},
		},
		Namespaces: []*outrank.Namespace{{Name: "shop", Labels: map[string]string{"team": "t"}}},
		Skipped:    map[string]int{"Service": 2},
		Finished:   2,
	}
}

func TestReadCluster(t *testing.T) {
	if diff := testdiff.Diff(wantList(), readList(t, list)); diff != "" {
		t.Errorf("ReadCluster (-want +got):\n%s", diff)
	}
}

// Objects come in several forms, which make no difference to the result.
func TestReadClusterForms(t *testing.T) {
	class := `{"kind":"PriorityClass","metadata":{"name":"high"},"value":1000,"globalDefault":true,"preemptionPolicy":"Never","description":"d"}`
	want := readList(t, class)
	require.Equal(t, []*outrank.PriorityClass{{
		Name: "high", Value: 1000, GlobalDefault: true, PreemptionPolicy: outrank.PreemptNever, Description: "d",
	}}, want.Classes)
	for name, text := range map[string]string{
		"byte order mark":             "\xEF\xBB\xBF" + class,
		"white space around":          "\n\t " + class + " \r\n",
		"in a list":                   `{"kind":"List","items":[` + class + `]}`,
		"kind of the list comes last": `{"items":[` + class + `],"kind":"List"}`,
		"typed list, untyped items":   `{"kind":"PriorityClassList","items":[` + strings.Replace(class, `"kind":"PriorityClass",`, "", 1) + `]}`,
		"kind after everything":       `{"metadata":{"name":"high"},"value":1000,"globalDefault":true,"preemptionPolicy":"Never","description":"d","kind":"PriorityClass"}`,
		"after an empty list":         `{"kind":"List","items":[]}{"kind":"List","items":null}` + class,
		"escapes and odd brackets":    strings.Replace(class, `"d"`, `"d","x":{"a":"}]\\\"{","b":[[],{}]}`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if diff := testdiff.Diff(want, readList(t, text)); diff != "" {
				t.Errorf("ReadCluster(%s) (-want +got):\n%s", text, diff)
			}
		})
	}
}

// jq -s turns the lists of several kinds into a list of lists.
// Whatever is counted as skipped is handed over, in the order of the input, large or small, and
// nothing else is; the cluster is the same.
func TestReadClusterWith(t *testing.T) {
	large := strings.Repeat("x", 100<<10)
	text := `{"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "a"}}, {"kind": "Odd", "n": 1}, {"kind": "Odd", "n": 2, "of": "` + large + `"},
		{"kind": "Service", "n": 3}, {"kind": "PodGroup", "apiVersion": "other/v1", "n": 4}, {"kind": "Node", "metadata": {"name": "n"}}]}
		{"kind": "RareList", "items": [{"n": 5}, {"n": 6}]}`
	var got []string
	c, err := kube.ReadClusterWith(strings.NewReader(text), func(kind string, text []byte) {
		got = append(got, kind+" "+strings.ReplaceAll(string(text), large, "LARGE"))
	})
	require.NoError(t, err)
	assert.Equal(t, []string{
		`Odd {"kind": "Odd", "n": 1}`, `Odd {"kind": "Odd", "n": 2, "of": "LARGE"}`, `Service {"kind": "Service", "n": 3}`,
		`PodGroup {"kind": "PodGroup", "apiVersion": "other/v1", "n": 4}`, `Rare {"n": 5}`, `Rare {"n": 6}`,
	}, got)
	want := readList(t, text)
	assert.Empty(t, cmp.Diff(want, c))
	n := 0
	for _, of := range c.Skipped {
		n += of
	}
	assert.Len(t, got, n)
}

func TestReadClusterListsInLists(t *testing.T) {
	want, err := kube.ReadCluster(strings.NewReader(list))
	require.NoError(t, err)
	in := func(text string) string { return `{"kind":"List","items":[` + text + `]}` }
	got, err := kube.ReadCluster(strings.NewReader(in(in("") + "," + in(list))))
	require.NoError(t, err)
	assert.Empty(t, testdiff.Diff(want, got))

	c, err := kube.ReadCluster(strings.NewReader(in(`{"kind":"NodeList","items":[{"metadata":{"name":"n"}}]},{"kind":"BlackList"},{"kind":"NodeList","items":null}`)))
	require.NoError(t, err)
	assert.Len(t, c.Nodes, 1)
	assert.Equal(t, map[string]int{"BlackList": 1}, c.Skipped, "a kind that ends like a list")

	_, err = kube.ReadCluster(strings.NewReader(in(in(`{"kind":"Pod","metadata":{}}`))))
	assert.ErrorContains(t, err, "pod (items[0].items[0]): metadata.name: missing")
	deep := "{}"
	for range 12 {
		deep = in(deep)
	}
	_, err = kube.ReadCluster(strings.NewReader(deep))
	assert.ErrorContains(t, err, "items: lists stand in lists more than 10 deep")
}

// The sizes of reads, and where a buffer ends, make no difference to the result.
func TestReadClusterInPieces(t *testing.T) {
	padded := strings.Replace(list, `"apiVersion": "v1"`, `"pad": "`+strings.Repeat(`x\"`, 300_000)+`"`, 1)
	for name, r := range map[string]io.Reader{
		"byte by byte":  iotest.OneByteReader(strings.NewReader(list)),
		"in halves":     iotest.HalfReader(strings.NewReader(list)),
		"data with EOF": iotest.DataErrReader(strings.NewReader(list)),
		"a long string": strings.NewReader(padded),
		"two documents": io.MultiReader(strings.NewReader(`{"kind":"List","items":[]} `), strings.NewReader(list)),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := kube.ReadCluster(r)
			require.NoError(t, err)
			if diff := testdiff.Diff(wantList(), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadClusterListsEveryProblem(t *testing.T) {
	const bad = `
	{"kind":"Pod","metadata":{"name":"web-1","namespace":"shop"},"spec":{
		"priority":"high",
		"nodeSelector":{"a":1},
		"containers":[{"resources":{"requests":{"cpu":"lots","memory":"-1Gi"}}}],
		"initContainers":[{"name":"i","ports":[{"hostPort":70000}]}],
		"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
			{"labelSelector":{"matchExpressions":[{"key":"a","operator":"In"},{"key":"-","operator":"Near"}]}}]}},
		"topologySpreadConstraints":[{"topologyKey":true}]}}
	{"kind":"List","items":[
		{"kind":"Pod","metadata":{"name":"web-1","namespace":"shop"},"status":{"startTime":"yesterday"}},
		{"kind":"Pod","metadata":{}},
		{"metadata":{"name":"what"}},
		7,
		{"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"-1","memory":"1Q"}}},
		{"kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"minAvailable":"half"},"status":{"disruptionsAllowed":-1}},
		{"kind":"PriorityClass","metadata":{"name":"c"},"value":3000000000},
		{"kind":"Namespace","metadata":[]}
	]}`
	c, err := kube.ReadCluster(strings.NewReader(bad))
	require.Nil(t, c, "there is no cluster where there are problems")
	require.ErrorIs(t, err, outrank.ErrInvalid)
	var invalid *outrank.InputError
	require.ErrorAs(t, err, &invalid)
	want := []string{
		`pod shop/web-1: spec.priority: the string "high" stands where a whole number of 32 bits belongs`,
		`pod shop/web-1: spec.nodeSelector.a: the number 1 stands where a string belongs`,
		`pod shop/web-1: spec.topologySpreadConstraints[0].topologyKey: true stands where a string belongs`,
		`pod shop/web-1: spec.containers[0].resources.requests.cpu: `,
		`pod shop/web-1: status.startTime: "yesterday" is not a time such as 2026-01-10T12:00:00Z`,
		`pod (items[1]): metadata.name: missing`,
		`items[2]: kind: missing`,
		`items[3]: kind: missing`,
		`node n: status.allocatable.memory: `,
		`poddisruptionbudget default/b: spec.minAvailable: "half" is neither a whole number nor a percentage`,
		`priorityclass c: value: the number 3000000000 stands where a whole number of 32 bits belongs`,
		`namespace (items[7]): metadata: an array stands where an object belongs`,
		`namespace (items[7]): metadata.name: missing`,
		`node n: status.allocatable.cpu: -1 is negative`,
		`pod shop/web-1: spec.containers[0].resources.requests.memory: -1Gi is negative`,
		`pod shop/web-1: spec.initContainers[0].ports[0].hostPort: 70000 is not between 0 and 65535`,
		`pod shop/web-1: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].operator: In needs values`,
		`pod shop/web-1: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[1].key: "-" is not a label key`,
		`pod shop/web-1: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[1].operator: "Near" is none of In, NotIn, Exists, DoesNotExist`,
		`pod shop/web-1: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: missing`,
		`pod shop/web-1: spec.topologySpreadConstraints[0].maxSkew: 0 is not positive`,
		`pod shop/web-1: metadata.name: there are two of this name`,
		`poddisruptionbudget default/b: status.disruptionsAllowed: -1 is negative`,
	}
	var got []string
	for _, p := range invalid.Problems {
		got = append(got, p.String())
	}
	byPrefix := cmp.Comparer(func(x, y string) bool { return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) })
	if diff := testdiff.Diff(want, got, byPrefix); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	assert.Equal(t, strings.Join(got, "\n"), err.Error(), "the error lists each on a line")
}

func TestReadClusterNotJSON(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"yaml", "apiVersion: v1\nkind: List\n", "looks like YAML; use kubectl's -o json"},
		{"yaml with a comment", "# a dump\nkind: Pod\n", "looks like YAML"},
		{"yaml with a separator", "---\nkind: Pod\n", "looks like YAML"},
		{"cut off in a list", list[:len(list)/2], "the input ends inside an object"},
		{"cut off in a string", `{"kind":"Po`, "the input ends inside an object"},
		{"an array at the top", `[]`, `unexpected '[' at byte 0`},
		{"no colon", `{"kind" "Pod"}`, `unexpected '"' at byte 8`},
		{"a comma too few", `{"items":[{} {}]}`, `unexpected '{' at byte 13`},
		{"bad text inside an object", `{"kind":"Pod","metadata":{"name":tru}}`, "not JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := kube.ReadCluster(strings.NewReader(test.text))
			assert.Nil(t, c)
			assert.ErrorIs(t, err, outrank.ErrInvalid)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestReadClusterEmpty(t *testing.T) {
	for _, text := range []string{`{"kind":"List","items":[]}`, `{"kind":"List"}`, " \n" + `{"kind":"PodList","items":null}`} {
		if diff := testdiff.Diff(&outrank.Cluster{}, readList(t, text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ReadCluster(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestReadClusterPassesOnReadErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	_, err := kube.ReadCluster(io.MultiReader(strings.NewReader(list[:100]), iotest.ErrReader(broken)))
	assert.Equal(t, broken, err)
}

func TestReadPodWantsOnePod(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "input: there is nothing in it"},
		{"none", `{"kind":"List","items":[]}`, "input: holds 0 pods where one is wanted"},
		{"two", `{"kind":"Pod","metadata":{"name":"a"}}{"kind":"Pod","metadata":{"name":"b"}}`, "holds 2 pods"},
		{"another kind", `{"kind":"Deployment","metadata":{"name":"a"}}`, `document 1: kind: "Deployment" where a Pod is wanted`},
		{"no kind", `{"metadata":{"name":"a"}}`, `document 1: kind: ""`},
		{"an invalid one", `{"kind":"Pod","metadata":{"name":"a"},"spec":{"overhead":{"cpu":"-1"}}}`, "pod default/a: spec.overhead.cpu: -1 is negative"},
		{"yaml", "kind: Pod", "looks like YAML"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := kube.ReadPod(strings.NewReader(test.text))
			assert.ErrorIs(t, err, outrank.ErrInvalid)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
