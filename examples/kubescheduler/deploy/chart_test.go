package deploy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// given renders the chart with a file of values.
func given(t *testing.T, cluster, values string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte(values), 0o600))
	return tool(t, "helm", "template", release, "chart", "--namespace", namespace, "--kube-version", cluster, "--values", file)
}

// with is the objects of the chart with these values.
func with(t *testing.T, values string) map[string]object {
	t.Helper()
	out, err := given(t, "v1.37.1", values)
	require.NoError(t, err, out)
	return objects(t, out)
}

// configured is the scheduler's configuration, as text and as an object.
func configured(t *testing.T, all map[string]object) (text string, o object) {
	t.Helper()
	text = at(all["ConfigMap/"+release], "data", "config.yaml").(string)
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &o))
	return text, o
}

func podOf(all map[string]object) object {
	return at(all["Deployment/"+release], "spec", "template", "spec").(object)
}

// configurations are files of values and the configuration that the chart makes of each. The program's tests start a
// scheduler with every one of them.
var configurations = []string{"default", "devices", "profiles"}

func TestConfigurations(t *testing.T) {
	for _, name := range configurations {
		values, err := os.ReadFile("testdata/" + name + ".values.yaml")
		require.NoError(t, err)
		got, _ := configured(t, with(t, string(values)))
		file := "testdata/" + name + ".config.yaml"
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, name)
	}
}

// With draPreemption the plugin is at preFilter of every profile, and without it at that of none, where it would keep the
// scheduler from starting. What a scheduler would refuse when it starts, the chart refuses before.
func TestDRAPreemption(t *testing.T) {
	for values, want := range map[string][]any{
		"args: {draPreemption: true}":                                          {true},
		"args: {draPreemption: true}\nprofiles: [{schedulerName: b}]":          {true, true},
		"args: {draPreemption: false}":                                         {false},
		"profiles: [{schedulerName: b, args: {workers: 2}}]":                   {false, false},
		"args: {workers: 2}\nprofiles: [{schedulerName: b, pluginConfig: []}]": {false, false},
	} {
		_, config := configured(t, with(t, values))
		var got []any
		for _, p := range config["profiles"].([]any) {
			before, early := at(p.(object), "plugins", "preFilter").(object)
			if got = append(got, early); early {
				assert.Equal(t, []any{object{"name": "Outrank"}}, before["enabled"])
			}
			assert.Equal(t, []any{object{"name": "Outrank"}}, at(p.(object), "plugins", "multiPoint", "enabled"))
		}
		assert.Equal(t, want, got, values)
	}

	for values, named := range map[string]string{
		"args: {draPreemption: true}\nprofiles: [{schedulerName: b, args: {draPreemption: false}}]": "draPreemption of b is another",
		"profiles: [{schedulerName: b, args: {draPreemption: true}}]":                               "draPreemption of b is another",
		"args: {draPreemption: 1}": "draPreemption",
	} {
		out, err := given(t, "v1.37.1", values)
		require.Error(t, err, values)
		assert.Contains(t, out, named)
	}
	out, err := given(t, "v1.36.3", "args: {draPreemption: true}")
	require.Error(t, err)
	assert.Contains(t, out, "the plugin for v1.36 does not preempt for devices")
}

// A further profile has the arguments of the first but for those that it names, be they 0 or false.
func TestProfiles(t *testing.T) {
	_, config := configured(t, with(t, `
args: {planEvents: true, workers: 2, whenNotUnderstood: Isolate}
pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 5}}]
profiles:
- {schedulerName: b, args: {planEvents: false, seed: 7}}
- {schedulerName: c, pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}
- {schedulerName: d, args: {workers: 0}, pluginConfig: []}
`))
	affinity := object{"name": "InterPodAffinity", "args": object{"hardPodAffinityWeight": 5.0}}
	fit := object{"name": "NodeResourcesFit", "args": object{"scoringStrategy": object{"type": "MostAllocated"}}}
	outrank := func(events bool, workers float64, more object) object {
		args := object{"planEvents": events, "workers": workers, "whenNotUnderstood": "Isolate"}
		for name, value := range more {
			args[name] = value
		}
		return object{"name": "Outrank", "args": args}
	}
	want := map[string][]any{
		release: {outrank(true, 2, nil), affinity}, "b": {outrank(false, 2, object{"seed": 7.0}), affinity},
		"c": {outrank(true, 2, nil), fit}, "d": {outrank(true, 0, nil)},
	}
	got := map[string][]any{}
	for _, p := range config["profiles"].([]any) {
		got[at(p.(object), "schedulerName").(string)] = at(p.(object), "pluginConfig").([]any)
	}
	assert.Equal(t, want, got)

	for values, named := range map[string]string{
		"profiles: [{schedulerName: outrank-scheduler}]":                            "there are two with the schedulerName outrank-scheduler",
		"profiles: [{schedulerName: b}, {schedulerName: b}]":                        "there are two with the schedulerName b",
		"profiles: [{schedulerName: default-scheduler}]":                            "schedulerName",
		"profiles: [{args: {}}]":                                                    "schedulerName",
		"profiles: [{schedulerName: b, args: {workrs: 1}}]":                         "workrs",
		"profiles: [{schedulerName: b, pluginConfig: [{name: Outrank, args: {}}]}]": "pluginConfig",
		"pluginConfig: [{name: NodeResourcesFit}]":                                  "args",
		"leaderElection: {leaseDuration: 15}":                                       "leaseDuration",
		"leaderElection: {retryPeriod: soon}":                                       "retryPeriod",
		"extraArgs: [--config=/other]":                                              "extraArgs",
		"extraArgs: [--v=9]":                                                        "extraArgs",
		"extraEnv: [{value: x}]":                                                    "extraEnv",
		"podLabels: {a: 1}":                                                         "podLabels",
		"affinity: {nodeAffinty: {}}":                                               "nodeAffinty",
		"topologySpreadConstraints: [{maxSkew: 1}]":                                 "topologySpreadConstraints",
		"networkPolicy: {enabled: true, ingress: []}":                               "ingress",
	} {
		out, err := given(t, "v1.37.1", values)
		require.Error(t, err, values)
		assert.Contains(t, out, named, values)
	}
}

// Leases are as long as the values say.
func TestLeaderElection(t *testing.T) {
	_, config := configured(t, with(t, "leaderElection: {leaseDuration: 1m, renewDeadline: 40s, retryPeriod: 5s}"))
	assert.Equal(t, object{"leaderElect": true, "leaseDuration": "1m", "renewDeadline": "40s", "retryPeriod": "5s", "resourceName": release, "resourceNamespace": namespace}, config["leaderElection"])
	_, config = configured(t, with(t, "leaderElection: {retryPeriod: 1s}"))
	assert.Equal(t, "15s", at(config, "leaderElection", "leaseDuration"), "the others are as before")
}

// What the values add to the pods is there, and takes nothing of what the chart has from them.
func TestPods(t *testing.T) {
	all := with(t, `
extraArgs: [--logging-format=json]
extraEnv: [{name: GOMEMLIMIT, value: 1GiB}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
podLabels: {team: a, app.kubernetes.io/name: other}
podAnnotations: {example.com/b: c, checksum/config: other}
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: Exists}]}]}}}
topologySpreadConstraints:
- {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
- {maxSkew: 2, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchExpressions: [{key: team, operator: Exists}]}}
`)
	deployment := all["Deployment/"+release]
	selector := at(deployment, "spec", "selector", "matchLabels").(object)
	labels := at(deployment, "spec", "template", "metadata", "labels").(object)
	assert.Equal(t, "a", labels["team"])
	for name, value := range selector {
		assert.Equal(t, value, labels[name], "the pods are those of the Deployment")
	}
	annotations := at(deployment, "spec", "template", "metadata", "annotations").(object)
	assert.Equal(t, "c", annotations["example.com/b"])
	assert.Len(t, annotations["checksum/config"], 64)

	pod := podOf(all)
	c := pod["containers"].([]any)[0].(object)
	assert.Equal(t, []any{"--config=/etc/outrank/config.yaml", "--v=2", "--logging-format=json"}, c["args"])
	assert.Equal(t, []any{object{"name": "GOMEMLIMIT", "value": "1GiB"}, object{"name": "NODE", "valueFrom": object{"fieldRef": object{"fieldPath": "spec.nodeName"}}}}, c["env"])
	assert.NotContains(t, pod["affinity"], "podAntiAffinity")
	assert.Contains(t, pod["affinity"], "nodeAffinity")
	spread := pod["topologySpreadConstraints"].([]any)
	assert.Equal(t, object{"maxSkew": 1.0, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": object{"matchLabels": selector}}, spread[0])
	assert.Equal(t, object{"matchExpressions": []any{object{"key": "team", "operator": "Exists"}}}, spread[1].(object)["labelSelector"])

	plain := podOf(with(t, "{}"))
	assert.Contains(t, plain["affinity"], "podAntiAffinity")
	assert.NotContains(t, plain, "topologySpreadConstraints")
	assert.NotContains(t, plain["containers"].([]any)[0], "env")
}

// Nothing but the port of the probes and metrics is open, and only what is named goes out.
func TestNetworkPolicy(t *testing.T) {
	const name = "NetworkPolicy/" + release
	assert.NotContains(t, with(t, "{}"), name)
	all := with(t, "networkPolicy: {enabled: true}")
	port := podOf(all)["containers"].([]any)[0].(object)["ports"].([]any)[0].(object)["containerPort"]
	want := object{
		"podSelector": object{"matchLabels": at(all["Deployment/"+release], "spec", "selector", "matchLabels")}, "policyTypes": []any{"Ingress"},
		"ingress": []any{object{"ports": []any{object{"protocol": "TCP", "port": port}}}},
	}
	assert.Equal(t, want, all[name]["spec"])

	from := []any{object{"namespaceSelector": object{"matchLabels": object{"kubernetes.io/metadata.name": "monitoring"}}}}
	egress := []any{object{"to": []any{object{"ipBlock": object{"cidr": "10.0.0.1/32"}}}, "ports": []any{object{"protocol": "TCP", "port": 6443.0}}}}
	values, err := yaml.Marshal(object{"networkPolicy": object{"enabled": true, "from": from, "egress": egress}})
	require.NoError(t, err)
	want["ingress"].([]any)[0].(object)["from"], want["egress"], want["policyTypes"] = from, egress, []any{"Ingress", "Egress"}
	assert.Equal(t, want, with(t, string(values))[name]["spec"])
}

// The namespaces of kustomize let in only pods that keep to the restricted standard. The program's tests hold the
// scheduler's pod to it, too.
func TestNamespacesAreRestricted(t *testing.T) {
	for _, folder := range []string{"base", "v1.36", "monitoring"} {
		built, err := tool(t, "kustomize", "build", "kustomize/"+folder)
		require.NoError(t, err, built)
		labels := at(objects(t, built)["Namespace/"+namespace], "metadata", "labels").(object)
		assert.Equal(t, "restricted", labels["pod-security.kubernetes.io/enforce"], folder)
	}
}
