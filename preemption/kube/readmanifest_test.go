package kube_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

// manifest is a pod that was never created, with this spec.
func manifest(spec string) string {
	return `{"kind":"Pod","metadata":{"name":"p"},"spec":` + spec + `}`
}

func readManifest(t *testing.T, text string) (*outrank.Pod, []outrank.Problem) {
	t.Helper()
	p, warnings, err := kube.ReadManifest(strings.NewReader(text))
	require.NoError(t, err, text)
	return p, warnings
}

// Missing requests of a manifest follow from its limits (group 21.2).
func TestManifestRequests(t *testing.T) {
	limits := func(of string) string { return `{"resources":{"limits":{` + of + `}}}` }
	requests := func(of string) string { return `{"resources":{"requests":{` + of + `}}}` }
	for _, c := range []struct {
		name, spec string
		want       resource.List
	}{
		{"a limit", `{"containers":[` + limits(`"cpu":"3","nvidia.com/gpu":"1"`) + `]}`, resource.MustList("cpu", "3", "nvidia.com/gpu", "1")},
		{"a limit beside a request", `{"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"3","memory":"1Gi"}}}]}`,
			resource.MustList("cpu", "1", "memory", "1Gi")},
		{"a request of nothing stays one", `{"containers":[{"resources":{"requests":{"cpu":"0"},"limits":{"cpu":"3"}}}]}`, resource.MustList("cpu", "0")},
		{"an init container", `{"containers":[{}],"initContainers":[` + limits(`"cpu":"3"`) + `]}`, resource.MustList("cpu", "3")},
		{"a sidecar", `{"containers":[` + requests(`"cpu":"1"`) + `],"initContainers":[{"restartPolicy":"Always","resources":{"limits":{"cpu":"3"}}}]}`,
			resource.MustList("cpu", "4")},
		{"the pod's limit", `{"resources":{"limits":{"cpu":"3"}},"containers":[{}]}`, resource.MustList("cpu", "3")},
		{"the pod's limit, and what containers request", `{"resources":{"limits":{"cpu":"3"}},"containers":[` + requests(`"cpu":"1","memory":"1Gi"`) + `,` + requests(`"cpu":"1"`) + `]}`,
			resource.MustList("cpu", "2", "memory", "1Gi")},
		{"the pod's limit, and what containers limit", `{"resources":{"limits":{"cpu":"3"}},"containers":[` + limits(`"cpu":"500m"`) + `]}`, resource.MustList("cpu", "500m")},
		{"the pod's request stays", `{"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"3"}},"containers":[` + limits(`"cpu":"500m"`) + `]}`, resource.MustList("cpu", "2")},
		{"the pod's request without a limit", `{"resources":{"requests":{"cpu":"2"}},"containers":[` + limits(`"memory":"1Gi"`) + `]}`, resource.MustList("cpu", "2", "memory", "1Gi")},
		{"huge pages of containers", `{"resources":{"requests":{"cpu":"2"}},"containers":[` + limits(`"hugepages-2Mi":"4Mi"`) + `,` + limits(`"hugepages-2Mi":"2Mi"`) + `]}`,
			resource.MustList("cpu", "2", "hugepages-2Mi", "6Mi")},
		{"huge pages of the pod and of a container", `{"resources":{"limits":{"hugepages-2Mi":"8Mi"}},"containers":[` + limits(`"hugepages-2Mi":"4Mi"`) + `]}`,
			resource.MustList("hugepages-2Mi", "8Mi")},
		{"rounded up", `{"containers":[` + requests(`"cpu":"0.1m"`) + `,` + requests(`"cpu":"0.1m"`) + `]}`, resource.MustList("cpu", "2m")},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := readManifest(t, manifest(c.spec))
			if diff := testdiff.Diff(c.want, p.Requests()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			same, err := kube.ReadPod(strings.NewReader(manifest(c.spec)))
			require.NoError(t, err)
			assert.True(t, c.want.Equal(same.Requests()), "ReadPod fills in the same")
		})
	}
}

// The amounts of huge pages stand at the pod, where a container's are known only
// together (rule 21.2.2).
func TestManifestHugePages(t *testing.T) {
	const huge = `{"resources":{"limits":{"hugepages-2Mi":"4Mi"}}}`
	p, _ := readManifest(t, manifest(`{"resources":{"requests":{"cpu":"1"}},"containers":[`+huge+`]}`))
	assert.True(t, resource.MustList("hugepages-2Mi", "4Mi").Equal(p.Resources.Limits), p.Resources.Limits)
	assert.True(t, resource.MustList("cpu", "1", "hugepages-2Mi", "4Mi").Equal(p.Resources.Requests), p.Resources.Requests)
	p, _ = readManifest(t, manifest(`{"resources":{"requests":{"hugepages-2Mi":"8Mi"}},"containers":[`+huge+`]}`))
	assert.Empty(t, p.Resources.Limits, "what is requested needs no limit")
	p, _ = readManifest(t, manifest(`{"resources":{},"containers":[`+huge+`]}`))
	assert.Empty(t, p.Resources.Requests, "a pod that says nothing as a whole")
}

// Ports on the host's network, and without a protocol (group 21.3).
func TestManifestPorts(t *testing.T) {
	const ports = `"ports":[{"containerPort":80},{"containerPort":81,"hostPort":82,"protocol":"UDP"}]`
	for network, first := range map[string]int32{`"hostNetwork":true,`: 80, ``: 0} {
		p, _ := readManifest(t, manifest(`{`+network+`"containers":[{`+ports+`}],"initContainers":[{"restartPolicy":"Always",`+ports+`}]}`))
		want := []outrank.Port{{HostPort: first, Protocol: "TCP"}, {HostPort: 82, Protocol: "UDP"}}
		assert.Equal(t, want, p.Containers[0].Ports, network)
		assert.Equal(t, want, p.InitContainers[0].Ports, network)
	}
}

// Every pod stays on a node in trouble for a while, unless it tolerates that
// itself (rule 21.4.1).
func TestManifestTolerations(t *testing.T) {
	notReady := outrank.Toleration{Key: "node.kubernetes.io/not-ready", Operator: outrank.TolerationExists, Effect: outrank.NoExecute}
	unreachable := outrank.Toleration{Key: "node.kubernetes.io/unreachable", Operator: outrank.TolerationExists, Effect: outrank.NoExecute}
	for _, c := range []struct {
		given string
		want  []outrank.Toleration // beside the given ones
	}{
		{``, []outrank.Toleration{notReady, unreachable}},
		{`{"key":"other","operator":"Exists"}`, []outrank.Toleration{notReady, unreachable}},
		{`{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoSchedule"}`, []outrank.Toleration{notReady, unreachable}},
		{`{"key":"node.kubernetes.io/not-ready","value":"x"}`, []outrank.Toleration{unreachable}},
		{`{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}`, []outrank.Toleration{notReady}},
		{`{"operator":"Exists"}`, nil},
	} {
		p, _ := readManifest(t, manifest(`{"tolerations":[`+c.given+`]}`))
		from := 0
		if c.given != "" {
			from = 1
		}
		if diff := testdiff.Diff(append([]outrank.Toleration{}, c.want...), p.Tolerations[from:]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.given, diff)
		}
	}
}

// A pod that an API server made stays as it is, and so do the pods of a cluster
// (rules 21.1.2 and 21.1.3).
func TestCreatedPodsAreLeftAlone(t *testing.T) {
	const text = `{"kind":"Pod","metadata":{"name":"p","uid":"u"},"spec":{"hostNetwork":true,"runtimeClassName":"r","containers":[
		{"resources":{"limits":{"cpu":"3"}},"ports":[{"containerPort":80}]}]}}`
	p, warnings := readManifest(t, text)
	assert.Empty(t, warnings)
	c := readList(t, strings.Replace(text, `,"uid":"u"`, "", 1))
	for _, p := range []*outrank.Pod{p, c.Pods[0]} {
		assert.Empty(t, p.Requests())
		assert.Equal(t, []outrank.Port{{}}, p.Containers[0].Ports)
		assert.Empty(t, p.Tolerations)
	}
}

// Fields that are not filled in are named (group 21.6).
func TestManifestWarnings(t *testing.T) {
	const asks = `{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}`
	for spec, want := range map[string][]string{
		`{"containers":[` + asks + `]}`: nil,
		`{"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"memory":"1"}}}]}`:             nil,
		`{"containers":[{"resources":{"limits":{"memory":"1"}}}],"resources":{"limits":{"cpu":"1"}}}`: nil,
		`{"containers":[` + asks + `,{}],"initContainers":[{"resources":{"limits":{"cpu":"1"}}}]}`: {
			"pod default/p: spec.containers[1].resources.requests: no cpu and memory;",
			"pod default/p: spec.initContainers[0].resources.requests: no memory;"},
		`{"runtimeClassName":"slow"}`:         {`pod default/p: spec.runtimeClassName: what the runtime class "slow" adds`},
		`{"resourceClaims":[{"name":"gpu"}]}`: {"pod default/p: spec.resourceClaims: "},
	} {
		_, warnings := readManifest(t, manifest(spec))
		if assert.Len(t, warnings, len(want), spec) {
			for i := range want {
				assert.Contains(t, warnings[i].String(), want[i])
			}
		}
	}
}

// A manifest that no API server would create is refused (group 21.7).
func TestManifestRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"Pod","metadata":{"name":"My_Pod"}}`:                                   `pod default/My_Pod: metadata.name: "My_Pod" is no name of a pod`,
		`{"kind":"Pod","metadata":{"name":"p","namespace":"a.b"}}`:                      `pod a.b/p: metadata.namespace: "a.b" is no name of a namespace`,
		`{"kind":"Pod","metadata":{"name":"p","labels":{"a b":"c"}}}`:                   `pod default/p: metadata.labels: "a b" is not a label key`,
		`{"kind":"Pod","metadata":{"name":"p","labels":{"a":"b c"}}}`:                   `pod default/p: metadata.labels: "b c" is not a label value`,
		`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeSelector":{"a":"b c"}}}`:    `pod default/p: spec.nodeSelector: "b c" is not a label value`,
		`{"kind":"Pod","metadata":{"generateName":"job-"}}`:                             `metadata.name: missing; only the API server makes one of generateName "job-"`,
		`{"kind":"Deployment","metadata":{"name":"d"}}`:                                 `"Deployment" where a Pod is wanted; make one of its spec.template`,
		`{"kind":"CronJob","metadata":{"name":"d"}}`:                                    `make one of its spec.jobTemplate.spec.template`,
		`{"kind":"Status","status":"Failure","message":"pods \"x\" not found"}`:         `this is an error of the API server, "pods \"x\" not found"`,
		manifest(`{"containers":[{"resources":{"limits":{"cpu":"-1","memory":"x"}}}]}`): `resources.limits.memory`,
	} {
		_, _, err := kube.ReadManifest(strings.NewReader(text))
		assert.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, want)
		assert.NotContains(t, fmt.Sprint(err), "resources.requests", "a problem is told where it stands")
	}
}
