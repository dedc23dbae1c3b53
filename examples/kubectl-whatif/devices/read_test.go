package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func asYAML(t *testing.T, text string) string {
	t.Helper()
	out, err := yaml.JSONToYAML([]byte(text))
	require.NoError(t, err)
	return string(out)
}

// A cluster comes as JSON, as YAML, in several files, and as lists of one kind that do not repeat it.
func TestWaysToGiveACluster(t *testing.T) {
	objects := taken(exactly("gpus", 1))
	whole := answered(t, list(objects...), "--pending", "mine")
	claims, others := []object{}, []object{}
	for _, o := range objects {
		if o["kind"] == "ResourceClaim" {
			one := object{"metadata": o["metadata"], "spec": o["spec"], "status": o["status"]}
			claims = append(claims, one)
		} else {
			others = append(others, o)
		}
	}
	text, err := json.Marshal(object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimList", "items": claims})
	require.NoError(t, err)
	a, b := file(t, "a.json", string(text)), file(t, "b.yaml", asYAML(t, list(others...)))
	for _, args := range [][]string{
		{"--cluster", a + "," + b}, {"--cluster", a, "--cluster", b}, {"--cluster", file(t, "c.yaml", asYAML(t, list(objects...)))},
	} {
		status, out, stderr := ask("", append(args, "--pending", "mine", "-o", "json")...)
		require.Zero(t, status, stderr)
		doc := &told{}
		require.NoError(t, json.Unmarshal([]byte(out), doc))
		assert.Equal(t, whole.Answer, doc.Answer, "%s", args)
	}
}

// A manifest brings a pod, or something that makes pods, with its claims and templates.
func TestManifests(t *testing.T) {
	cluster := file(t, "cluster.json", with(taken(nil)[:13], object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": object{"name": "high"}, "value": 10}))
	template := `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"two"},"spec":{"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpus","allocationMode":"ExactCount","count":2}}]}}}}`
	spec := `"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"two"}],"priorityClassName":"high","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]`
	deployment := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"train"},"spec":{"replicas":3,"template":{"metadata":{},"spec":{` + spec + `}}}}`
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{` + spec + `}}`
	claim := `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"own"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpus","allocationMode":"ExactCount","count":1}}]}}}`
	byName := strings.Replace(pod, `"resourceClaimTemplateName":"two"`, `"resourceClaimName":"own"`, 1)
	for _, tt := range []struct {
		name, text, want string
		status           int
	}{
		{"a pod", pod + template, "With DRAPreemption: 2 pods have to leave node n1.", 0},
		{"a deployment", deployment + "\n" + template, "With DRAPreemption: 2 pods have to leave node n1.", 0},
		{"a deployment says how many", deployment + "\n" + template, "made by Deployment/train, which asks for 3 pods; this is about one of them", 0},
		{"what else is there is named", pod + template + `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"}}`, "warning: --filename -: left out: Service", 0},
		{"what an API server may add is named", strings.Replace(pod, `"cpu":"1"`, `"example.com/x":"1"`, 1) + template, "spec.containers[0].resources.requests: no cpu and memory", 0},
		{"its template is missing", pod, "its claim gpu is made from resourceclaimtemplate default/two, which is not in the dump", 0},
		{"a claim by name", byName + claim, "With DRAPreemption: 1 pod has to leave node n1.", 0},
		{"its claim is missing", byName, `could not find ResourceClaim "default/own"`, 0},
		{"a pod of a name that is taken", strings.Replace(pod, `"name":"p"`, `"name":"a"`, 1) + template, "the dump has a pod default/a already", 2},
		{"two pods", pod + deployment, "holds 2 objects that make pods (Pod/p, Deployment/train)", 2},
		{"no pod", template, "holds no pod and nothing that makes pods", 2},
		{"no JSON", "{", "--filename -", 2},
		{"a class that is not there", strings.Replace(deployment, `"high"`, `"nobodys"`, 1) + template, "nobodys", 2},
		{"an old template", pod + strings.Replace(template, "resource.k8s.io/v1", "resource.k8s.io/v1beta1", 1), "resourceclaimtemplate two: apiVersion", 2},
	} {
		status, out, stderr := ask(tt.text, "--cluster", cluster, "-f", "-")
		assert.Equal(t, tt.status, status, "%s: %s", tt.name, stderr)
		assert.Contains(t, flat(out+stderr), tt.want, tt.name)
		assert.NotContains(t, out, "was not made yet", "the claims of a manifest are made along with it")
	}
}

// --live asks kubectl for the kinds of devices, too, and the ClusterRole lists them.
func TestLive(t *testing.T) {
	dump := file(t, "dump.json", list(taken(exactly("gpus", 1))...))
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\necho \"$*\" >>'" + said + "'\ncase \"$*\" in *devicetaintrules*) echo 'error: the server doesn'\"'\"'t have a resource type \"devicetaintrules\"' >&2; exit 1;; get*) cat '" + dump + "';; esac\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	status, out, stderr := ask("", "--live", "--pending", "mine")
	require.Zero(t, status, stderr)
	assert.Contains(t, out, "Who has to leave for default/mine and its devices in the current context of kubectl, both ways?")
	assert.Contains(t, stderr, "warning: devicetaintrules are left out: ")
	text, err := os.ReadFile(said)
	require.NoError(t, err)
	assert.Contains(t, string(text), "get "+strings.Join(live.Kinds, ",")+",resourceclaims,resourceclaimtemplates,resourceslices,deviceclasses,devicetaintrules -A -o json")

	denied := "#!/bin/sh\necho 'Error from server (Forbidden): pods is forbidden: User \"x\" cannot list resource \"pods\" in API group \"\"' >&2; exit 1\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kubectl"), []byte(denied), 0o755))
	status, _, stderr = ask("", "--live", "--pending", "mine")
	assert.Equal(t, exitUnusable, status)
	assert.Contains(t, stderr, `"kubectl whatif-devices clusterrole" prints a ClusterRole that allows it`)

	_, role, _ := ask("", "clusterrole")
	var read struct {
		Rules []struct{ Resources, Verbs []string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(role), &read))
	listed := map[string]bool{}
	for _, r := range read.Rules {
		assert.Equal(t, []string{"list"}, r.Verbs)
		for _, name := range r.Resources {
			listed[name] = true
		}
	}
	for _, kind := range deviceKinds {
		assert.True(t, listed[kind], kind)
	}
	assert.Len(t, listed, len(live.Kinds)+len(deviceKinds))
}
