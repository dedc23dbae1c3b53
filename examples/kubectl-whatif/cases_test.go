package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Small clusters on which answers were wrong once, with what is true.
func TestCases(t *testing.T) {
	for _, tt := range []struct {
		name, clusters, args string
		status               int
		says                 []string
		not                  []string
	}{
		{
			"a drain that never ends", "drain", "--without n1", 4,
			[]string{"A drain is stuck on n1 after 1 of 2 pods: it never ends.", "default/b may not be evicted: budget default/x lets no more of its pods go",
				"default/a, recreated, stays pending", "Insufficient cpu"},
			[]string{"goes through", "waits for replacements"},
		},
		{
			"a drain with room for the replacements", "drain", "--add-node n1 --without n1", 0,
			[]string{"A drain goes through; it waits once until replacements are ready."}, []string{"stuck"},
		},
		{
			"all replicas of a manifest", "drain,free", "-f testdata/cases/dep5.yaml", 3,
			[]string{"5 new pods: 2 fit, 3 push others out.", "3 pods are pushed out, 1 against a disruption budget"}, nil,
		},
		{
			"a pod of a DaemonSet for each node", "drain,free", "-f testdata/cases/ds.yaml", 3,
			[]string{"3 new pods: 1 fits, 2 push others out.", "fits              n3"}, nil,
		},
		{
			"a pod that waits comes first", "compete", "--without n1", 4,
			[]string{"default/first  5000      (waited)  pushes out 1 pod  n2", "default/a      1000      n1        stays pending", "1 pod has to be recreated: 1 stays pending"}, nil,
		},
		{
			"what an autoscaler may make is said", "drain,free", "-f testdata/cases/hpa.yaml", 0,
			[]string{"Deployment/agent: its autoscaler may make up to 10 pods; --at-maximum asks about as many"}, nil,
		},
		{
			"and asked about", "drain,free", "-f testdata/cases/hpa.yaml --at-maximum", 3,
			[]string{"10 new pods: 7 fit, 3 push others out."}, nil,
		},
		{
			"victims that leave to no effect", "again", "--pending a/wants", 4,
			[]string{"1 pod has to leave node n2, to no effect: even\nwith them gone n2 says node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod"}, []string{"can start there"},
		},
		{
			"a resize without room", "resize", "--resize a/web/web=cpu=3", 4,
			[]string{"The resize of a/web/web on n1 from cpu 1 to cpu 3 is deferred: the node is short of cpu 0.1 until\npods leave."}, []string{"pushed out"},
		},
		{
			"a resize beside another question", "resize", "--resize a/web/log=cpu=3 --pending all", 4,
			[]string{"resize     a/web/log on n1 from cpu 0.1 to cpu 3 is deferred"}, nil,
		},
		{
			"a resize for which others are pushed out", "resize", "--resize a/web/web=cpu=3 --release v1.37,InPlacePodVerticalScalingSchedulerPreemption=true", 3,
			[]string{"The resize of a/web/web on n1 from cpu 1 to cpu 3 is done.", "a/web    10        (resized)  pushes out for its resize  n1"}, []string{"lose"},
		},
		{
			"how many nodes are enough", "drain,free", "-f testdata/cases/dep5.yaml --more-nodes n1", 3,
			[]string{"2 nodes like n1 are enough until everybody finds a place, and 1 are not.", "2 nodes like n1 are enough until nobody has to leave either, and 1 are not."}, nil,
		},
		{
			"victims on another node", "cross", "--pending default/web --across", 3,
			[]string{"1 pod has to leave so that default/web can start on n1.", "default/rival  1         n2", "kube-scheduler, which takes victims from one node: stays pending."}, nil,
		},
		{
			"pods that a quota refuses are not created", "quota", "-f testdata/cases/quota-deploy.yaml", 4,
			[]string{"1 new pod: 1 fits.", "2 pods of Deployment/api are not created: pods \"api-2\" is forbidden: exceeded quota: urgent,\nrequested: pods=1, used: pods=2, limited: pods=2", "team/api-1"},
			[]string{"team/api-2", "team/api-3"},
		},
		{
			"nor is a pod that flags describe", "quota", "--cpu 3 --memory 1Gi --class urgent --namespace team", 4,
			[]string{"May team/what-if be created in ", "team/what-if is not created: quota urgent is in the way.", "It takes no turn, and nobody has to leave for it.",
				"exceeded quota: urgent, requested: requests.cpu=3, used: requests.cpu=1, limited: requests.cpu=3"}, nil,
		},
		{
			"nor some of a pod's copies", "quota", "-f testdata/cases/quota-deploy.yaml --replicas 4", 4,
			[]string{"Of 4 replicas of team/api, 1 fits as things are.", "3 pods of Deployment/api are not created: "}, nil,
		},
		{
			"a pod that needs a quota and has none is not created", "quota", "--cpu 1 --memory 1Gi --class urgent --admission-config testdata/cases/admission.yaml", 4,
			[]string{"default/what-if is not created: the API server wants a quota for it, and none covers it.", "insufficient quota to match these scopes: [{PriorityClass In [urgent]}]"}, nil,
		},
		{
			"and one that has, or needs none, is", "quota", "--cpu 1 --memory 1Gi --class urgent --namespace team --admission-config testdata/cases/admission.yaml", 0,
			[]string{"Nobody has to leave"}, nil,
		},
		{
			"one of them is", "quota", "-f testdata/cases/quota-deploy.yaml --one", 0, []string{"Nobody has to leave: 1 node takes it as things are"}, nil,
		},
		{
			"a pod that is recreated gives its usage back first", "quota", "--delete team/web-1 --cpu 1 --memory 1Gi --class urgent --namespace team", 0,
			[]string{"Nobody has to leave: 1 node takes it as things are"}, nil,
		},
		{
			"and nodes do not help", "quota", "-f testdata/cases/quota-deploy.yaml --more-nodes n1", 4,
			[]string{"  refused    2 pods of Deployment/api are not created: ", "No node more is needed until everybody finds a place."}, nil,
		},
		{
			"a quota of the manifests counts, and its usage follows from the pods", "quota", "-f testdata/cases/quota-more.yaml", 4,
			[]string{"2 pods of Deployment/worker are not created: pods \"worker-2\" is forbidden: exceeded quota: all,\nrequested: pods=1, used: pods=2, limited: pods=2"}, nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := strings.Split(tt.clusters, ",")
			for i := range files {
				files[i] = "testdata/cases/" + files[i] + ".yaml"
			}
			status, out, stderr := whatif("", append(strings.Fields(tt.args), "--cluster", strings.Join(files, ","), "--exit-status", "-o", "wide")...)
			assert.Equal(t, tt.status, status, stderr)
			for _, text := range tt.says {
				assert.Contains(t, out, text)
			}
			for _, text := range tt.not {
				assert.NotContains(t, out, text)
			}
		})
	}
}

// A DaemonSet has a pod on a node, and not copies.
func TestDaemonSetHasNoReplicas(t *testing.T) {
	_, _, stderr := whatif("", "--cluster", "testdata/cases/drain.yaml", "-f", "testdata/cases/many.yaml", "--name", "agent", "--replicas", "8")
	assert.Contains(t, stderr, "DaemonSet/agent makes one pod for each node; leave --replicas out")
}

// Changes that contradict each other, or the dump, are errors that name both.
func TestContradictions(t *testing.T) {
	const twice = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: node-agent, namespace: kube-system}\nspec: {template: {spec: {containers: [{name: c}]}}}\n"
	const class = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: batch}\nvalue: 7\n"
	const budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: catalog, namespace: shop}\nspec: {minAvailable: 7, selector: {matchLabels: {app: x}}}\n"
	for _, tt := range []struct{ in, args, want string }{
		{"", "--without apps-a1 --set-class batch=5 --without apps-a1", "--without apps-a1 and --without apps-a1 both decide about node apps-a1"},
		{"", "--without apps-a1 --add-node apps-a1", "--add-node apps-a1: there is no such node in the dump; near it: "},
		{"", "--set-class batch=5 --without apps-a1 --set-class batch=6", "--set-class batch=5 and --set-class batch=6 both decide about priorityclass batch"},
		{"", "--without apps-a1 --delete shop/checkout-0", "--delete shop/checkout-0 deletes pod shop/checkout-0, which node apps-a1 took with it"},
		{"", "--delete shop/no-such", "--delete shop/no-such: there is no pod shop/no-such in the dump"},
		{"", "--without pool=none", "--without pool=none: no node of the dump has this label"},
		{"", "--set-budget shop/none=1", "--set-budget shop/none=1: there is no such budget in the dump"},
		{"", "--resize shop/checkout-0", "--resize shop/checkout-0: write NAMESPACE/NAME=cpu=AMOUNT"},
		{"", "--resize shop/checkout-0=cpu=8GB", "did you mean 8Gi?"},
		{"", "--resize shop/checkout-0=cpu=1,cpu=2", "cpu is given twice"},
		{"", "--resize shop/checkout-9=cpu=1", "there is no pod shop/checkout-9 in the dump"},
		{"", "--resize shop/checkout-2=cpu=1", "pod shop/checkout-2 waits for a node"},
		{"", "--resize shop/checkout-0=cpu=3 --delete shop/checkout-0", "both decide about pod shop/checkout-0"},
		{"", "--set-budget shop/checkout=-1", `"-1" is no number of disruptions`},
		{"", "--add-node apps-a1=0", `"0" is no number of nodes`},
		{"", "-f - --delete @-", "--filename - and --delete @- both read standard input"},
		{"", "--recreate=maybe", "--recreate maybe: "},
		{"", "--at-maximum", "--at-maximum is about the autoscalers of manifests"},
		{"", "--one", "--one chooses one of the pods of a manifest"},
		{twice, "-f -", "-f - brings DaemonSet kube-system/node-agent, which the cluster has already; pod kube-system/node-agent-"},
		{class, "-f -", "-f - brings priorityclass batch, which the cluster has already, with another value or policy"},
		{budget, "-f -", "-f - brings budget shop/catalog, which the cluster has already"},
	} {
		status, out, stderr := whatif(tt.in, strings.Fields(tt.args)...)
		assert.Equal(t, 2, status, tt.args)
		assert.Empty(t, out)
		assert.Contains(t, stderr, tt.want, tt.args)
	}
}

// A chart of thirty objects is answered in one command, as helm template writes it.
func TestChart(t *testing.T) {
	text, err := os.ReadFile("testdata/chart/chart.yaml")
	require.NoError(t, err)
	status, out, stderr := whatif(string(text), "-f", "-", "--exit-status", "--list", "50")
	assert.Equal(t, 4, status, "a pod of the DaemonSet finds no room on its node")
	assert.Equal(t, "whatif: left out of the manifests: 1 ConfigMap, 1 Ingress, 1 LimitRange, 1 NetworkPolicy, 1 Role, 1 RoleBinding, 1 Secret, 5 Service, 1 ServiceAccount\n", stderr)
	for _, want := range []string{
		"24 new pods: 19 fit, 4 push others out, 1 stays pending.",
		"Deployment/web: its autoscaler may make up to 12 pods; --at-maximum asks about as many",
		"  DaemonSet/probe    atlas         8    3         4        1        4\n",
		"  Deployment/web     atlas         4    4         0        0        0\n", // as many as its autoscaler makes at least
		"  CronJob/clean      atlas         2 ", "  StatefulSet/store  atlas         2 ", "atlas/store-0", "atlas/store-1",
	} {
		assert.Contains(t, out, want)
	}
	_, out, _ = whatif(string(text), "-f", "-", "--at-maximum", "--list", "50")
	assert.Contains(t, out, "  Deployment/web     atlas        12 ")
	_, out, _ = whatif(string(text), "-f", "-", "--release", "v1.37,GenericWorkload=true", "--list", "50")
	assert.Contains(t, out, "atlas/train (group of 2 pods)  1000", "the group has the priority of the default class")
}

// A dump that has everything is not said to lack what changes take away, and a pod that is
// deleted is not missed where it finds its place again.
func TestChangesAreNotTheDump(t *testing.T) {
	assert.NotContains(t, answered(t, "", "--without", "apps-a1,apps-a2,apps-a3,apps-b1,apps-b2,apps-b3,gpu-b1,edge-a1", "--pending", "shop/checkout-2"), "Before you rely on this")
	text := answered(t, "", "--delete", "shop/checkout-2")
	assert.Contains(t, text, "1 pod, deleted, has to be recreated: 1 pushes others out.")
	assert.NotContains(t, text, "without the change")
}

// Pods that are lost one after the other are something new each time.
func TestDrainThatLosesPodsGoesOn(t *testing.T) {
	text, err := os.ReadFile("testdata/cases/again.yaml")
	require.NoError(t, err)
	more := string(text)
	for _, n := range []string{"4", "5", "6"} {
		more += `- {apiVersion: v1, kind: Node, metadata: {name: m` + n + `}, status: {allocatable: {cpu: "1", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: lone-` + n + `, namespace: b}
  spec: {nodeName: m` + n + `, priority: 0, containers: [{name: c, resources: {requests: {cpu: "1"}}}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}
  status: {phase: Running}
`
	}
	_, out, _ := whatif(more, "--cluster", "-", "--without", "n3", "-o", "wide")
	assert.Contains(t, out, "A drain is stuck on n3 after 0 of 1 pod: it never ends.\n")
	assert.Contains(t, out, "meanwhile 4 times a pod is pushed out", "each of the lone ones, and b/other, after which all is as before")
}

// A switch that is off is no change, and flags that take files go into folders as -R says.
func TestSwitchesAndFolders(t *testing.T) {
	assert.Equal(t, answered(t, ""), answered(t, "", "--recreate=false"))
	assert.NotEqual(t, answered(t, "", "--set-class", "batch=200000", "--pending", "all"), answered(t, "", "--set-class", "batch=200000", "--recreate", "--pending", "all"))
	dir := files(t, map[string]string{"below/class.json": `{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"batch"},"value":7}`})
	_, _, stderr := whatif("", "--priorityclass", dir)
	assert.Contains(t, stderr, "holds no file ending in .json")
	assert.Contains(t, answered(t, "", "--priorityclass", dir, "-R"), "Class batch: value 7")
}

// A pod that pushes out another in vain, which comes back, does so again each time that a drain
// waits: the drain ends where nothing is new.
func TestDrainThatRepeatsItselfEnds(t *testing.T) {
	status, out, _ := whatif("", "--cluster", "testdata/cases/again.yaml", "--without", "n3", "-o", "wide")
	assert.Zero(t, status)
	assert.Contains(t, out, "A drain is stuck on n3 after 0 of 1 pod: it never ends.\n  b/held may not be evicted: budget b/held lets no more of its pods go\n")
	assert.Contains(t, out, "meanwhile 2 times a pod is pushed out", "the first time, and once more, after which everything is as it was")
	assert.Contains(t, out, "to no effect: even with them gone n2 says")
	assert.Contains(t, answered(t, "", "--cluster", "testdata/cases/again.yaml", "--pending", "a/wants", "--least-priority"),
		"No priority up to 1000000000 is enough until a/wants finds a place.", "not even that of a pod more important than a/has: b/other is preferred as a victim")
}
