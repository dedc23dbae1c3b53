package deploy

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the manifests of kustomize from the chart")

type object = map[string]any

const (
	release   = "outrank-scheduler"
	namespace = "outrank-system"
)

// programs are the files of the tools of go.mod, by name, each built when it is first needed.
var programs = map[string]string{}

// tool runs one of the tools of go.mod.
func tool(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	if programs[name] == "" {
		path, err := exec.Command("go", "tool", "-n", name).Output()
		require.NoError(t, err)
		programs[name] = strings.TrimSpace(string(path))
	}
	cmd := exec.Command(programs[name], args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var out, trouble bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &trouble
	err := cmd.Run()
	if err != nil {
		return trouble.String(), err
	}
	return out.String(), nil
}

// rendered is the text that helm template prints with these values.
func rendered(t *testing.T, sets ...string) string {
	t.Helper()
	return renderedFor(t, "v1.37.1", sets...)
}

// renderedFor is the same for a cluster of a version.
func renderedFor(t *testing.T, cluster string, sets ...string) string {
	t.Helper()
	args := []string{"template", release, "chart", "--namespace", namespace, "--kube-version", cluster}
	if len(sets) > 0 {
		args = append(args, "--set", strings.Join(sets, ","))
	}
	out, err := tool(t, "helm", args...)
	require.NoError(t, err, out)
	return out
}

// objects reads manifests, by kind and name.
func objects(t *testing.T, text string) map[string]object {
	t.Helper()
	out := map[string]object{}
	for part := range strings.SplitSeq("\n"+text, "\n---") {
		var o object
		require.NoError(t, yaml.UnmarshalStrict([]byte(part+"\n"), &o), part)
		if len(o) == 0 {
			continue
		}
		name := o["kind"].(string) + "/" + o["metadata"].(object)["name"].(string)
		require.NotContains(t, out, name)
		out[name] = o
	}
	return out
}

func at(o object, path ...string) any {
	var v any = o
	for _, key := range path {
		m, ok := v.(object)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// monitoring switches on all that needs the Prometheus operator.
var monitoring = []string{"serviceMonitor.enabled=true", "prometheusRule.enabled=true", "dashboard.enabled=true"}

// The manifests of kustomize are those of the chart.
func TestKustomizeIsTheChart(t *testing.T) {
	base, full, before := rendered(t), rendered(t, monitoring...), renderedFor(t, "v1.36.3")
	if *update {
		require.NoError(t, os.WriteFile("kustomize/base/scheduler.yaml", []byte(base), 0o644))
		require.NoError(t, os.WriteFile("kustomize/v1.36/scheduler.yaml", []byte(before), 0o644))
		require.NoError(t, os.WriteFile("kustomize/monitoring/monitoring.yaml", []byte(without(full, base)), 0o644))
	}
	for folder, text := range map[string]string{"base": base, "monitoring": full, "v1.36": before} {
		built, err := tool(t, "kustomize", "build", "kustomize/"+folder)
		require.NoError(t, err, built)
		got, want := objects(t, built), objects(t, text)
		assert.Contains(t, got, "Namespace/"+namespace)
		delete(got, "Namespace/"+namespace)
		assert.Equal(t, want, got, folder)
	}
}

// without returns the parts of a rendering that another does not have.
func without(full, base string) string {
	var parts []string
	for part := range strings.SplitSeq(full, "---\n") {
		if part != "" && !strings.Contains(base, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "---\n")
}

// helm lint has nothing against the chart, and values that make no sense are refused by name.
func TestValues(t *testing.T) {
	out, err := tool(t, "helm", "lint", "--strict", "chart")
	require.NoError(t, err, out)
	for set, named := range map[string]string{
		"schedulerName=default-scheduler": "schedulerName", "args.workrs=2": "workrs", "args.whenNotUnderstood=Never": "whenNotUnderstood",
		"image.digest=abc": "digest", "replicaCount=3": "replicaCount",
	} {
		out, err := tool(t, "helm", "template", release, "chart", "--kube-version", "v1.37.1", "--set", set)
		require.Error(t, err, set)
		assert.Contains(t, out, named, set)
	}
	out, err = tool(t, "helm", "template", release, "chart", "--kube-version", "v1.35.3")
	require.Error(t, err)
	assert.Contains(t, out, "kubeVersion")
}

// The pods run without rights on their node, and are told apart from those of other releases.
func TestDeployment(t *testing.T) {
	all := objects(t, rendered(t, "image.digest=sha256:"+strings.Repeat("a", 64), "featureGates.GenericWorkload=true"))
	d := all["Deployment/"+release]
	pod := at(d, "spec", "template", "spec").(object)
	assert.Equal(t, true, at(pod, "securityContext", "runAsNonRoot"))
	c := pod["containers"].([]any)[0].(object)
	assert.Equal(t, "kube-scheduler-outrank@sha256:"+strings.Repeat("a", 64), c["image"])
	assert.Equal(t, true, at(c, "securityContext", "readOnlyRootFilesystem"))
	assert.Equal(t, []any{"ALL"}, at(c, "securityContext", "capabilities", "drop"))
	assert.Contains(t, c["args"], "--feature-gates=GenericWorkload=true")
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		assert.Equal(t, "HTTPS", at(c, probe, "httpGet", "scheme"), probe)
	}
	assert.Equal(t, at(d, "spec", "selector", "matchLabels"), at(all["PodDisruptionBudget/"+release], "spec", "selector", "matchLabels"))

	one := objects(t, rendered(t, "replicas=1", "args=null"))
	assert.NotContains(t, one, "PodDisruptionBudget/"+release)
	assert.NotContains(t, at(one["ConfigMap/"+release], "data", "config.yaml"), "pluginConfig")
}

// A cluster gets the scheduler of its own version: those of the modules that the programs are
// built from. Nothing else differs but a right to a kind that is behind a gate in v1.36.
func TestVersions(t *testing.T) {
	for cluster, module := range map[string]string{"v1.36.7": "../v136", "v1.36.1-gke.100": "../v136", "v1.37.0": "..", "v1.37.9-eks-1": ".."} {
		list := exec.Command("go", "list", "-m", "-f", "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}", "k8s.io/kubernetes")
		list.Dir = module
		out, err := list.Output()
		require.NoError(t, err)
		want := strings.TrimSpace(string(out))
		text := renderedFor(t, cluster)
		pod := at(objects(t, text)["Deployment/"+release], "spec", "template").(object)
		assert.Equal(t, "kube-scheduler-outrank:"+want, at(pod, "spec").(object)["containers"].([]any)[0].(object)["image"], cluster)
		assert.Equal(t, want, at(pod, "metadata", "labels", "app.kubernetes.io/version"), cluster)
		same := strings.NewReplacer(want, "v1.37.1", "[deviceclasses, resourceclaims", "[deviceclasses, devicetaintrules, resourceclaims").Replace(text)
		assert.Equal(t, rendered(t), same, cluster)
		assert.Contains(t, renderedFor(t, cluster, "featureGates.DRADeviceTaintRules=true"), "devicetaintrules", cluster)
		assert.Contains(t, renderedFor(t, cluster, "image.tag=mine"), `image: "kube-scheduler-outrank:mine"`)
	}
}

// A change of the configuration starts pods anew.
func TestAChangeOfTheConfigurationRollsOut(t *testing.T) {
	sum := func(sets ...string) any {
		return at(objects(t, rendered(t, sets...))["Deployment/"+release], "spec", "template", "metadata", "annotations", "checksum/config")
	}
	assert.NotEmpty(t, sum())
	assert.Equal(t, sum(), sum("verbosity=3"))
	assert.NotEqual(t, sum(), sum("args.planEvents=true"))
}

// The alerts in the chart are those of the file.
func TestAlertsAreThoseOfTheFile(t *testing.T) {
	text, err := os.ReadFile("chart/files/rules.yaml")
	require.NoError(t, err)
	var want object
	require.NoError(t, yaml.UnmarshalStrict(text, &want))
	all := objects(t, rendered(t, monitoring...))
	assert.Equal(t, want, at(all["PrometheusRule/"+release], "spec"))
	board, err := os.ReadFile("chart/files/dashboard.json")
	require.NoError(t, err)
	assert.Equal(t, string(board), at(all["ConfigMap/"+release+"-dashboard"], "data", "outrank.json"))
	selects := at(all["ServiceMonitor/"+release], "spec", "selector", "matchLabels").(object)
	for label, value := range selects {
		assert.Equal(t, value, at(all["Service/"+release], "metadata", "labels", label))
	}
}

// Prometheus takes the alerts, and each fires when it should and not before.
func TestAlertsInPrometheus(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("NOT CHECKED: there is no promtool (Debian: prometheus)")
		return
	}
	for _, args := range [][]string{{"check", "rules", "chart/files/rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		out, err := exec.Command(promtool, args...).CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
	tests, err := os.ReadFile("rules_test.yaml")
	require.NoError(t, err)
	rules, err := os.ReadFile("chart/files/rules.yaml")
	require.NoError(t, err)
	for line := range strings.SplitSeq(string(rules), "\n") {
		if _, alert, ok := strings.Cut(line, "alert: "); ok {
			assert.Contains(t, string(tests), "alertname: "+alert+"\n    exp_alerts", "an alert that no test lets fire")
		}
	}
}

// staticPod is a scheduler's static pod as kubeadm writes it for cluster.yaml.
const staticPod = `
apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler, namespace: kube-system, labels: {component: kube-scheduler, tier: control-plane}}
spec:
  hostNetwork: true
  priorityClassName: system-node-critical
  containers:
  - name: kube-scheduler
    image: registry.example/kube-scheduler:v1.37.1
    command:
    - kube-scheduler
    - --authentication-kubeconfig=/etc/kubernetes/scheduler.conf
    - --authorization-kubeconfig=/etc/kubernetes/scheduler.conf
    - --bind-address=127.0.0.1
    - --config=/etc/kubernetes/outrank.yaml
    - --kubeconfig=/etc/kubernetes/scheduler.conf
    - --leader-elect=true
    volumeMounts:
    - {name: kubeconfig, mountPath: /etc/kubernetes/scheduler.conf, readOnly: true}
    - {name: outrank, mountPath: /etc/kubernetes/outrank.yaml, readOnly: true}
  volumes:
  - name: kubeconfig
    hostPath: {path: /etc/kubernetes/scheduler.conf, type: FileOrCreate}
  - name: outrank
    hostPath: {path: /etc/kubernetes/outrank.yaml, type: File}
`

// The patch puts the image into kubeadm's static pod and leaves the rest of it.
func TestKubeadmPatch(t *testing.T) {
	dir := t.TempDir()
	patch, err := os.ReadFile("kubeadm/kube-scheduler+strategic.yaml")
	require.NoError(t, err)
	var p object
	require.NoError(t, yaml.UnmarshalStrict(patch, &p))
	p["apiVersion"], p["kind"], p["metadata"] = "v1", "Pod", object{"name": "kube-scheduler", "namespace": "kube-system"}
	patch, err = yaml.Marshal(p)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"pod.yaml": staticPod, "patch.yaml": string(patch), "kustomization.yaml": "resources: [pod.yaml]\npatches: [{path: patch.yaml}]\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	built, err := tool(t, "kustomize", "build", dir)
	require.NoError(t, err, built)
	before, after := objects(t, staticPod)["Pod/kube-scheduler"], objects(t, built)["Pod/kube-scheduler"]
	c := at(after, "spec").(object)["containers"].([]any)[0].(object)
	assert.Equal(t, "kube-scheduler-outrank:v1.37.1", c["image"])
	c["image"] = "registry.example/kube-scheduler:v1.37.1"
	delete(c, "securityContext")
	assert.Equal(t, before, after)
}

// What kubeadm is told and the static pod name the same files.
func TestKubeadmFiles(t *testing.T) {
	read := func(file string) (o object) {
		text, err := os.ReadFile("kubeadm/" + file)
		require.NoError(t, err)
		require.NoError(t, yaml.UnmarshalStrict(text, &o))
		return o
	}
	scheduler := at(read("cluster.yaml"), "scheduler").(object)
	arg := scheduler["extraArgs"].([]any)[0].(object)
	volume := scheduler["extraVolumes"].([]any)[0].(object)
	assert.Equal(t, object{"name": "config", "value": volume["mountPath"]}, arg)
	assert.Contains(t, staticPod, "--config="+arg["value"].(string))
	profile := read("outrank.yaml")["profiles"].([]any)[0].(object)
	assert.Equal(t, "default-scheduler", profile["schedulerName"])
}
