package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank"
)

// files writes texts under names into a new folder, and returns it.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// sampleItems are the objects of the sample, by kind.
func sampleItems(t *testing.T) map[string][]string {
	t.Helper()
	var list struct{ Items []json.RawMessage }
	require.NoError(t, json.Unmarshal(sample, &list))
	out := map[string][]string{}
	for _, item := range list.Items {
		var head struct{ Kind string }
		require.NoError(t, json.Unmarshal(item, &head))
		out[head.Kind] = append(out[head.Kind], string(item))
	}
	return out
}

func inYAML(t *testing.T, text string) string {
	t.Helper()
	out, err := yaml.JSONToYAML([]byte(text))
	require.NoError(t, err)
	return string(out)
}

// The same cluster has the same answer in all common forms.
func TestWaysToGiveACluster(t *testing.T) {
	items := sampleItems(t)
	parts := map[string]string{"pods.txt": "not for us", "sub/more.json": listOf(items["Pod"][10:]...), "pods.yaml": ""}
	for kind, list := range items {
		if kind != "Pod" {
			parts[strings.ToLower(kind)+".json"] = listOf(list...)
		}
	}
	for _, pod := range items["Pod"][:10] {
		parts["pods.yaml"] += "---\n" + inYAML(t, pod)
	}
	dir := files(t, parts)
	whole := files(t, map[string]string{"dump.yaml": inYAML(t, string(sample)), "dump.json": string(sample)})
	from := func(args ...string) string {
		// Its source is reported, and differs.
		return strings.Join(strings.SplitAfter(answered(t, string(sample), append(args, "--pending", sampleQuestion)...), "\n")[1:], "")
	}
	want := from("--cluster", "-")
	for _, args := range [][]string{
		{"--cluster", filepath.Join(whole, "dump.json")},
		{"--cluster", filepath.Join(whole, "dump.yaml")},
		{"--cluster", whole}, // all of it twice, and the same
		{"--cluster", dir, "-R"},
		{"--cluster", dir, "--cluster", filepath.Join(dir, "sub", "more.json")},
		{"--cluster", dir + "," + filepath.Join(dir, "sub")},
		{"--cluster", "-," + filepath.Join(dir, "node.json")},
	} {
		if diff := cmp.Diff(want, from(args...)); diff != "" {
			t.Errorf("whatif %q (-want +got):\n%s", args, diff)
		}
	}
}

// Files that cannot be told apart, or cannot be read, are named.
func TestFilesThatDoNotGoTogether(t *testing.T) {
	dir := files(t, map[string]string{
		"a.json":      listOf(nodeItem("n", "1")),
		"b.yaml":      inYAML(t, nodeItem("n", "2")),
		"cut/c.json":  `{"kind":"List","items":[`,
		"log/d.json":  "Error from server (Forbidden): pods is forbidden\n",
		"yaml/e.yaml": "kind: Node\nkind: Node\n",
		"pods/f.json": listOf(podItem("p", "n", 1, "one")),
	})
	a := filepath.Join(dir, "a.json")
	for other, want := range map[string]string{
		"b.yaml":      filepath.Join(dir, "b.yaml") + ": node n is in " + a + ", too, and not the same there: leave one of them out",
		"cut/c.json":  "cut/c.json cannot be used: 1 problem\n  input: ",
		"log/d.json":  `a message of kubectl, "Error from server (Forbidden): pods is forbidden"`,
		"yaml/e.yaml": `yaml/e.yaml: YAML document 1, line 2: key "kind" already set in map`,
		"pods/f.json": "f.json cannot be used: 1 problem\n  pod default/p: spec.containers[0].resources.requests.cpu",
		"none.json":   "--cluster: open " + filepath.Join(dir, "none.json"),
	} {
		status, stdout, stderr := whatif("", "--cluster", a+","+filepath.Join(dir, other), "--cpu", "1")
		assert.Equal(t, 2, status, other)
		assert.Empty(t, stdout, other)
		assert.Contains(t, stderr, want, other)
	}
}

// A manifest of something that makes pods asks about all of them, and with --one about one.
func TestTemplatesAsk(t *testing.T) {
	deployment := `
apiVersion: v1
kind: Service
metadata: {name: web}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: production
      containers: [{name: c, resources: {requests: {cpu: 3, memory: 8Gi}}}]
`
	status, stdout, stderr := whatif(deployment, "-f", "-", "--exit-status")
	require.Equal(t, 4, status, stderr)
	assert.Contains(t, stdout, "3 new pods: 2 push others out, 1 stays pending.\n")
	status, stdout, stderr = whatif(deployment, "-f", "-", "--one")
	require.Zero(t, status, stderr)
	assert.Equal(t, "whatif: left out of the manifests: 1 Service\n", stderr)
	for _, want := range []string{
		"Who would shop/web push out of the sample cluster?",
		"  made by    Deployment/web, which asks for 3 pods; this is about one of them\n",
		"  priority   100000 (class production, which the pod names)",
		"3 pods have to leave node apps-b2",
	} {
		assert.Contains(t, stdout, want)
	}
	_, stdout, _ = whatif(deployment, "-f", "-", "--replicas", "2")
	assert.Contains(t, stdout, "  made by    Deployment/web, which asks for 3 pods like it\n", "the question is about more than one")
	_, stdout, _ = whatif(deployment, "-f", "-", "--one", "-o", "json")
	var doc Document
	require.NoError(t, json.Unmarshal([]byte(strings.Replace(stdout, `"decision"`, `"-"`, 1)), &doc))
	three := 3
	assert.Equal(t, []any{"Deployment/web", &three, "shop/web"}, []any{doc.Pod.Template, doc.Pod.Replicas, doc.Pod.Key})
}

// The pod has a name of its own, also beside pods that the dump has already.
func TestNamesOfTemplates(t *testing.T) {
	const spec = "spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1m, memory: 1Mi}}}]}}}\n"
	for _, tt := range []struct{ text, want string }{
		{"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: checkout, namespace: shop}\n" + spec, "shop/checkout-3"},
		{"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: fresh, namespace: shop}\n" + spec, "shop/fresh-0"},
		{"apiVersion: batch/v1\nkind: Job\nmetadata: {name: checkout-0, namespace: shop}\n" + spec, "shop/checkout-0-2"},
		{"apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: fresh}\n" + spec, "shop/fresh"},
	} {
		assert.Equal(t, tt.want, documentOf(t, tt.text, "-f", "-", "-n", "shop").Pod.Key, tt.text)
	}
}

// Among several manifests, and in folders of them, a name chooses.
func TestManifestsInFolders(t *testing.T) {
	pod := func(name string) string {
		return inYAML(t, podItem(name, "", 1000, "1m", withSpec("containers", []any{map[string]any{
			"resources": map[string]any{"requests": map[string]any{"cpu": "1m", "memory": "1Mi"}}}})))
	}
	dir := files(t, map[string]string{"a.yaml": pod("a"), "sub/b.yaml": pod("b") + "---\n" + pod("c")})
	assert.Equal(t, "default/a", documentOf(t, "", "-f", dir).Pod.Key)
	status, stdout, stderr := whatif("", "-f", dir, "-R", "--name", "c", "-o", "json")
	assert.Zero(t, status)
	assert.Equal(t, "whatif: left out of the manifests: 2 Pod\n", stderr)
	assert.Contains(t, stdout, `"key": "default/c"`)
	_, stdout, _ = whatif(pod("b"), "-f", dir, "-f", "-", "--name", "b", "-n", "shop", "-o", "json")
	assert.Contains(t, stdout, `"key": "shop/b"`)
}

// A DaemonSet makes a pod for each node, and one of them is not the whole of it.
func TestDaemonSetIsToldAsSuch(t *testing.T) {
	const agent = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1m, memory: 1Mi}}}]}}}
`
	assert.Contains(t, answered(t, agent, "-f", "-"), "7 new pods: 7 fit.\n", "one of 8 nodes has a taint; its pods tolerate cordons")
	_, _, stderr := whatif(agent, "-f", "-", "--replicas", "8")
	assert.Contains(t, stderr, "DaemonSet/agent makes one pod for each node")
	text := answered(t, agent, "-f", "-", "--one")
	assert.Contains(t, text, "  made by    DaemonSet/agent, for each node that takes it; this is about one of them, wherever it goes\n")
	assert.Contains(t, text, "here a pod goes where that is best")
	assert.Contains(t, text, "  - DaemonSet/agent: a DaemonSet has a pod on each node that takes one")
	assert.NotContains(t, text, "node(s) were unschedulable", "its pods tolerate cordons")
}

// A claim of a StatefulSet is called after its pod. An existing one is taken, and
// goes where its volume is; a missing one is made along with the pod.
func TestClaimsOfStatefulSets(t *testing.T) {
	const set = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]
  template: {spec: {volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {}}}}], containers: [{name: c, resources: {requests: {cpu: 1m, memory: 1Mi}}}]}}
`
	claim := func(name string) string {
		return item("PersistentVolumeClaim", name, map[string]any{
			"metadata": map[string]any{"name": name, "annotations": map[string]any{"pv.kubernetes.io/bind-completed": "yes"}}, "spec": map[string]any{"volumeName": "pv"},
		})
	}
	volume := item("PersistentVolume", "pv", map[string]any{"spec": map[string]any{"nodeAffinity": map[string]any{"required": map[string]any{
		"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{map[string]any{"key": "name", "operator": "In", "values": []any{"n2"}}}}},
	}}}})
	manifest := files(t, map[string]string{"set.yaml": set}) + "/set.yaml"
	for name, want := range map[string][]string{"data-db-0": {"n2"}, "db-data": {"n1", "n2"}, "data-db-1": {"n1", "n2"}} {
		dump := listOf(nodeItem("n1", "1"), nodeItem("n2", "1"), claim(name), volume)
		assert.Equal(t, want, answerOf(t, dump, "--cluster", "-", "-f", manifest).FeasibleNodes.Names, name)
		text := answered(t, dump, "--cluster", "-", "-f", manifest)
		assert.Equal(t, name != "data-db-0", strings.Contains(text, "persistentvolumeclaim default/data-db-0: the claim is made along with the pod"), name)
		assert.Contains(t, text, "persistentvolumeclaim default/db-0-tmp: the claim is made along with the pod")
	}
	copies := answered(t, listOf(nodeItem("n1", "1"), nodeItem("n2", "1"), claim("data-db-0"), volume), "--cluster", "-", "-f", manifest, "--replicas", "2")
	assert.Contains(t, copies, "default/data-db-*: the claim is made along with the pod", "each copy has one of its own")
}

// Namespaces of manifests and of pending pods may be given apart.
func TestNamespaceFlag(t *testing.T) {
	assert.Equal(t, "shop/checkout-2", documentOf(t, "", "--pending", "checkout-2", "-n", "shop").Pod.Key)
	assert.Equal(t, "shop/checkout-2", documentOf(t, "", "--pending", "shop/checkout-2", "-n", "media").Pod.Key)
	assert.Equal(t, "shop/checkout-2", documentOf(t, "", "-n", "media").Pod.Key, "the sample's own question")
}

// Demands by flags count.
func TestDemandsByFlags(t *testing.T) {
	tainted := func(name, taint string) string {
		return strings.Replace(nodeItem(name, "1"), `"status"`, `"spec":{"taints":[`+taint+`]},"status"`, 1)
	}
	claim := item("PersistentVolumeClaim", "data", map[string]any{
		"metadata": map[string]any{"name": "data", "annotations": map[string]any{"pv.kubernetes.io/bind-completed": "yes"}},
		"spec":     map[string]any{"volumeName": "pv"},
	})
	volume := item("PersistentVolume", "pv", map[string]any{"spec": map[string]any{"nodeAffinity": map[string]any{"required": map[string]any{
		"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{map[string]any{"key": "name", "operator": "In", "values": []any{"c"}}}}},
	}}}})
	taken := withSpec("containers", []any{map[string]any{"ports": []any{map[string]any{"hostPort": 80, "hostIP": "10.0.0.1"}}}})
	dump := listOf(tainted("a", `{"key":"k","value":"v","effect":"NoSchedule"}`), tainted("b", `{"key":"k","effect":"NoExecute"}`), nodeItem("c", "1"),
		podItem("web", "c", 9, "1", taken), claim, volume)
	for args, want := range map[string]string{
		"":                                 "c",
		"--toleration k=v:NoSchedule":      "a c",
		"--toleration k=w:NoSchedule":      "c",
		"--toleration k:NoExecute":         "b c",
		"--toleration k":                   "a b c",
		"--toleration k=v --toleration k=": "a b c",
		"--host-port 80":                   "",
		"--host-port 10.0.0.2:80":          "c",
		"--host-port 80/udp":               "c",
		"--claim data --toleration k":      "c",
	} {
		names := answerOf(t, dump, append([]string{"--cluster", "-", "--priority", "1"}, strings.Fields(args)...)...).FeasibleNodes.Names
		assert.Equal(t, want, strings.Join(names, " "), args)
	}
	_, _, stderr := whatif(dump, "--cluster", "-", "--priority", "1", "--claim", "date")
	assert.Contains(t, stderr, "--claim date: there is no such claim in the dump; namespace default has data")

	opts, err := parse([]string{"--host-port", "[fd00::1]:443/sctp", "--toleration", "a=b:NoExecute"})
	require.NoError(t, err)
	assert.Equal(t, []outrank.Port{{HostPort: 443, HostIP: "fd00::1", Protocol: "SCTP"}}, opts.pod.hostPorts)
	assert.Equal(t, []outrank.Toleration{{Key: "a", Operator: "Equal", Value: "b", Effect: "NoExecute"}}, opts.pod.tolerations)
}
