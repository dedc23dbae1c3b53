package outrank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

func cpu(amount string) outrank.Container {
	return outrank.Container{Requests: resource.MustList("cpu", amount)}
}

func sidecar(amount string) outrank.Container {
	c := cpu(amount)
	c.Sidecar = true
	return c
}

func TestRequests(t *testing.T) {
	podLevel := func(requests, limits resource.List) *resource.Requirements {
		return &resource.Requirements{Requests: requests, Limits: limits}
	}
	for _, test := range []struct {
		name    string
		pod     outrank.Pod
		want    resource.List // as the scheduler counts
		kubelet resource.List // where that differs
	}{
		{name: "nothing", want: resource.List{}},
		{
			name: "containers run together",
			pod:  outrank.Pod{Containers: []outrank.Container{cpu("100m"), cpu("0.2")}},
			want: resource.MustList("cpu", "300m"),
		},
		{
			name: "a limit alone is no request",
			pod:  outrank.Pod{Containers: []outrank.Container{{Limits: resource.MustList("cpu", "1")}}},
			want: resource.List{},
		},
		{
			name: "fractions are summed before they are rounded",
			pod:  outrank.Pod{Containers: []outrank.Container{cpu("0.5m"), cpu("0.5m")}},
			want: resource.MustList("cpu", "1m"),
		},
		{
			name: "init containers run one after another",
			pod: outrank.Pod{
				Containers:     []outrank.Container{cpu("1")},
				InitContainers: []outrank.Container{cpu("3"), cpu("2")},
			},
			want: resource.MustList("cpu", "3"),
		},
		{
			name: "a sidecar keeps running beside the containers",
			pod: outrank.Pod{
				Containers:     []outrank.Container{cpu("1")},
				InitContainers: []outrank.Container{sidecar("500m")},
			},
			want: resource.MustList("cpu", "1500m"),
		},
		{
			name: "an init step runs beside the sidecars before it, not those after it",
			pod: outrank.Pod{
				Containers:     []outrank.Container{cpu("100m")},
				InitContainers: []outrank.Container{sidecar("1"), cpu("4"), sidecar("1")},
			},
			want: resource.MustList("cpu", "5"),
		},
		{
			name: "per resource, not per step",
			pod: outrank.Pod{
				Containers:     []outrank.Container{{Requests: resource.MustList("cpu", "1", "memory", "1Gi")}},
				InitContainers: []outrank.Container{cpu("2"), {Requests: resource.MustList("memory", "3Gi")}},
			},
			want: resource.MustList("cpu", "2", "memory", "3Gi"),
		},
		{
			name: "pod-level cpu replaces; the kubelet forgets the containers' memory",
			pod: outrank.Pod{
				Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1", "memory", "1Gi", "example.com/gpu", "2")}},
				Resources:  podLevel(resource.MustList("cpu", "3"), nil),
			},
			want:    resource.MustList("cpu", "3", "memory", "1Gi", "example.com/gpu", "2"),
			kubelet: resource.MustList("cpu", "3"),
		},
		{
			name: "a pod-level limit is enough for the kubelet to skip the containers",
			pod: outrank.Pod{
				Containers: []outrank.Container{cpu("1")},
				Resources:  podLevel(nil, resource.MustList("hugepages-2Mi", "2Mi")),
			},
			want:    resource.MustList("cpu", "1"),
			kubelet: resource.List{},
		},
		{
			name: "pod-level resources of other names change nothing",
			pod: outrank.Pod{
				Containers: []outrank.Container{cpu("1")},
				Resources:  podLevel(resource.MustList("example.com/gpu", "1"), nil),
			},
			want: resource.MustList("cpu", "1"),
		},
		{
			name: "overhead comes last; the kubelet adds it to what is there already",
			pod: outrank.Pod{
				Containers: []outrank.Container{cpu("1")},
				Overhead:   resource.MustList("cpu", "50m", "memory", "32Mi"),
			},
			want:    resource.MustList("cpu", "1050m", "memory", "32Mi"),
			kubelet: resource.MustList("cpu", "1050m"),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.kubelet == nil {
				test.kubelet = test.want
			}
			if diff := testdiff.Diff(test.want, test.pod.Requests()); diff != "" {
				t.Errorf("Requests (-want +got):\n%s", diff)
			}
			if diff := testdiff.Diff(test.want, test.pod.RunningRequests(outrank.DefaultRelease)); diff != "" {
				t.Errorf("RunningRequests (-want +got):\n%s", diff)
			}
			if diff := testdiff.Diff(test.kubelet, test.pod.KubeletRequests()); diff != "" {
				t.Errorf("KubeletRequests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunningRequests(t *testing.T) {
	resized := outrank.Container{
		Requests:           resource.MustList("cpu", "3", "memory", "1Gi"),
		AllocatedResources: resource.MustList("cpu", "2", "memory", "2Gi"),
		Actual:             resource.MustList("cpu", "1", "memory", "3Gi"),
	}
	init := resized
	side := resized
	side.Sidecar = true
	for _, test := range []struct {
		name string
		pod  outrank.Pod
		want resource.List // in v1.36
	}{
		{"the largest of the three, per resource", outrank.Pod{Containers: []outrank.Container{resized}}, resource.MustList("cpu", "3", "memory", "3Gi")},
		{"a resize that can never be done leaves the spec out", outrank.Pod{Containers: []outrank.Container{resized}, ResizeInfeasible: true}, resource.MustList("cpu", "2", "memory", "3Gi")},
		{"without a status the spec counts all the same", outrank.Pod{Containers: []outrank.Container{cpu("1")}, ResizeInfeasible: true}, resource.MustList("cpu", "1")},
		{"an empty status counts as one", outrank.Pod{Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1"), Actual: resource.List{}}}, ResizeInfeasible: true}, resource.List{}},
		{"sidecars are resized like containers", outrank.Pod{InitContainers: []outrank.Container{side}}, resource.MustList("cpu", "3", "memory", "3Gi")},
		{"plain init containers are not", outrank.Pod{InitContainers: []outrank.Container{init}}, resource.MustList("cpu", "3", "memory", "1Gi")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := testdiff.Diff(test.want, test.pod.RunningRequests(outrank.V1_36)); diff != "" {
				t.Errorf("RunningRequests (-want +got):\n%s", diff)
			}
		})
	}
}

// A pod that has no node yet counts by its spec, whatever a status says (rule 2.1.9).
func TestRequestsLookAtNoStatus(t *testing.T) {
	says := resource.MustList("cpu", "7", "memory", "7Gi")
	c := outrank.Container{Requests: resource.MustList("cpu", "1"), AllocatedResources: says, Actual: says, Reported: true}
	level := &resource.Requirements{Requests: resource.MustList("memory", "1Gi")}
	for _, infeasible := range []bool{false, true} {
		for name, p := range map[string]outrank.Pod{
			"a container":      {Containers: []outrank.Container{c}},
			"a step":           {InitContainers: []outrank.Container{c}},
			"the whole pod":    {Resources: level, Containers: []outrank.Container{c}, AllocatedResources: says, Actual: says, Reported: true},
			"without the spec": {AllocatedResources: says, Actual: says, Reported: true},
		} {
			p.ResizeInfeasible = infeasible
			want := resource.List{}
			if len(p.Containers)+len(p.InitContainers) > 0 {
				want["cpu"] = resource.New(1)
			}
			if p.Resources != nil {
				want["memory"] = resource.New(1 << 30)
			}
			if diff := testdiff.Diff(want, p.Requests()); diff != "" {
				t.Errorf("%s, infeasible %t (-want +got):\n%s", name, infeasible, diff)
			}
		}
	}
}

// The corners of group 2.2 that no other table has: which lists count as lists, and which
// figures at pod level.
func TestRunningRequestsByStatus(t *testing.T) {
	gpu := &resource.Requirements{Requests: resource.MustList("example.com/gpu", "1")}
	level := &resource.Requirements{Requests: resource.MustList("cpu", "1")}
	for _, test := range []struct {
		name     string
		pod      outrank.Pod
		old, new resource.List
	}{
		{
			"requests in force without those that are allocated",
			outrank.Pod{Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1"), Actual: resource.MustList("cpu", "2"), Reported: true}}},
			resource.MustList("cpu", "2"), resource.MustList("cpu", "2"),
		},
		{
			"the same of a plain init container, which v1.36 takes by its spec",
			outrank.Pod{InitContainers: []outrank.Container{{Requests: resource.MustList("cpu", "1"), Actual: resource.MustList("cpu", "2"), Reported: true}}},
			resource.MustList("cpu", "1"), resource.MustList("cpu", "2"),
		},
		{
			"a status of a container that names no resources",
			outrank.Pod{Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1"), AllocatedResources: resource.MustList("cpu", "2"), Reported: true}}},
			resource.MustList("cpu", "2"), resource.MustList("cpu", "2"),
		},
		{
			"a status of the pod that names no resources in force",
			outrank.Pod{Resources: level, AllocatedResources: resource.MustList("cpu", "2"), Reported: true, ResizeInfeasible: true},
			resource.MustList("cpu", "2"), resource.MustList("cpu", "2"),
		},
		{
			"the pod's status has one list of two (rule 2.2.16)",
			outrank.Pod{Containers: []outrank.Container{cpu("3")}, Actual: resource.MustList("cpu", "1"), Reported: true, ResizeInfeasible: true},
			resource.MustList("cpu", "3"), resource.List{},
		},
		{
			"a resource at pod level that does not count there takes no place of the sums (rule 2.2.17)",
			outrank.Pod{
				Resources: gpu, Containers: []outrank.Container{cpu("5")},
				AllocatedResources: resource.MustList("cpu", "2"), Actual: resource.MustList("cpu", "2"), Reported: true,
			},
			resource.MustList("cpu", "5"), resource.MustList("cpu", "5"),
		},
		{
			"a sum below zero is 0 before overhead is added (rule 2.2.19)",
			outrank.Pod{
				Containers: []outrank.Container{{AllocatedResources: resource.MustList("cpu", "-3"), Actual: resource.MustList("cpu", "-2"), Reported: true}},
				Overhead:   resource.MustList("cpu", "1"), ResizeInfeasible: true,
			},
			resource.MustList("cpu", "1"), resource.MustList("cpu", "1"),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for r, want := range map[outrank.Release]resource.List{outrank.V1_36: test.old, outrank.V1_37: test.new} {
				got := test.pod.RunningRequests(r)
				assert.True(t, want.Equal(got), "%v: %v, and not %v", r, got, want)
			}
		})
	}
}

func TestRequestsLeaveThePodAlone(t *testing.T) {
	pod := func() outrank.Pod {
		return outrank.Pod{
			InitContainers: []outrank.Container{sidecar("1"), cpu("5")}, Containers: []outrank.Container{cpu("1")},
			Resources: &resource.Requirements{Requests: resource.MustList("memory", "1Gi")},
			Overhead:  resource.MustList("cpu", "1", "memory", "1Mi"),
		}
	}
	p := pod()
	for _, l := range []resource.List{p.Requests(), p.RunningRequests(outrank.DefaultRelease), p.KubeletRequests()} {
		l["cpu"] = resource.New(99)
		l["memory"] = resource.New(99)
	}
	assert.Empty(t, testdiff.Diff(pod(), p))
}

// The request of one resource is its entry in the list.
func TestPropertyRequestOf(t *testing.T) {
	names := []resource.Name{"cpu", "memory", "hugepages-2Mi", "example.com/gpu"}
	list := rapid.Custom(func(t *rapid.T) resource.List {
		l := resource.List{}
		for _, name := range names {
			if text := rapid.SampledFrom([]string{"", "", "0", "0.5m", "1", "2500m", "1Gi", "9E"}).Draw(t, string(name)); text != "" {
				l[name] = resource.MustParse(text)
			}
		}
		if len(l) == 0 && rapid.Bool().Draw(t, "nil") {
			return nil
		}
		return l
	})
	container := rapid.Custom(func(t *rapid.T) outrank.Container {
		c := outrank.Container{Requests: list.Draw(t, "requests"), Sidecar: rapid.Bool().Draw(t, "sidecar")}
		if rapid.Bool().Draw(t, "status") {
			c.AllocatedResources, c.Actual, c.Reported = list.Draw(t, "allocated"), list.Draw(t, "actual"), rapid.Bool().Draw(t, "reported")
		}
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		p := outrank.Pod{
			Containers:     rapid.SliceOfN(container, 0, 2).Draw(t, "containers"),
			InitContainers: rapid.SliceOfN(container, 0, 3).Draw(t, "init"),
			Overhead:       list.Draw(t, "overhead"), ResizeInfeasible: rapid.Bool().Draw(t, "infeasible"),
		}
		if rapid.Bool().Draw(t, "pod-level") {
			p.Resources = &resource.Requirements{Requests: list.Draw(t, "pod requests"), Limits: list.Draw(t, "pod limits")}
		}
		if rapid.Bool().Draw(t, "pod status") {
			p.AllocatedResources, p.Actual, p.Reported = list.Draw(t, "pod allocated"), list.Draw(t, "pod actual"), rapid.Bool().Draw(t, "pod reported")
		}
		for _, name := range append(names, "none") {
			for _, r := range outrank.Releases() {
				same(t, name, p.RunningRequests(r), p.RunningRequestOf(r, name))
				same(t, name, p.RunningRequests(r), p.FilledRequestOf(r, name, resource.Quantity{})) // nothing is filled in
			}
			same(t, name, p.Requests(), p.RequestOf(name))
			same(t, name, p.RunningRequests(outrank.DefaultRelease), p.RunningRequestOf(outrank.DefaultRelease, name))
			same(t, name, p.KubeletRequests(), p.KubeletRequestOf(name))
		}
	})
}

func same(t *rapid.T, name resource.Name, whole resource.List, one resource.Quantity) {
	t.Helper()
	if want := whole[name]; !want.Equal(one) {
		t.Fatalf("%s alone is %s, in the list %s", name, one, want)
	}
}

func TestRequestOfAllocatesNothing(t *testing.T) {
	p := outrank.Pod{
		Containers:     []outrank.Container{cpu("100m"), {Requests: resource.MustList("cpu", "1", "memory", "1Gi")}},
		InitContainers: []outrank.Container{sidecar("1"), cpu("5")}, Overhead: resource.MustList("cpu", "50m"),
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if p.RequestOf("cpu").IsZero() || p.RunningRequestOf(outrank.DefaultRelease, "cpu").IsZero() || p.RunningRequestOf(outrank.V1_37, "cpu").IsZero() || p.KubeletRequestOf("cpu").IsZero() {
			t.Fatal("nothing")
		}
	}))
}

// Each rule of group 2.2 that differs between releases, as a pod on a node with
// its requests in v1.36 and in v1.37.
func TestRequestsBySource(t *testing.T) {
	const infeasible = `"conditions": [{"type": "PodResizePending", "reason": "Infeasible"}]`
	containers := func(kind string, cs ...string) string { return fmt.Sprintf(`%q: [%s]`, kind, strings.Join(cs, ",")) }
	asks := func(name, cpu string) string {
		return fmt.Sprintf(`{"name": %q, "resources": {"requests": {"cpu": %q}}}`, name, cpu)
	}
	says := func(name, cpu string) string {
		return fmt.Sprintf(`{"name": %q, "allocatedResources": {"cpu": %[2]q}, "resources": {"requests": {"cpu": %[2]q}}}`, name, cpu)
	}
	join := func(fields ...string) string { return strings.Join(fields, ",") }
	one := containers("containers", asks("a", "100m"))
	podLevel := `"resources": {"requests": {"cpu": "1"}}`
	for _, test := range []struct {
		name, spec, status string
		resource           resource.Name
		old, new           int64
	}{
		{"two containers in opposite directions", containers("containers", asks("a", "500m"), asks("b", "100m")),
			containers("containerStatuses", says("a", "100m"), says("b", "500m")), "cpu", 1000, 600},
		{"an init container's status", join(one, containers("initContainers", asks("i", "100m"))),
			containers("initContainerStatuses", says("i", "900m")), "cpu", 100, 900},
		{"allocated without resources", one, containers("containerStatuses", `{"name": "a", "allocatedResources": {"cpu": "500m"}}`), "cpu", 100, 500},
		{"infeasible without status", containers("containers", asks("a", "500m")), infeasible, "cpu", 500, 0},
		{"infeasible, an init container by its spec", join(one, containers("initContainers", asks("i", "900m"))),
			join(infeasible, containers("containerStatuses", says("a", "200m"))), "cpu", 900, 200},
		{"infeasible, one container has a status", containers("containers", asks("a", "500m"), asks("b", "300m")),
			join(infeasible, containers("containerStatuses", says("a", "200m"))), "cpu", 500, 200},
		{"the second condition is not looked at", containers("containers", asks("a", "500m")),
			`"conditions": [{"type": "PodResizePending", "reason": "Deferred"}, {"type": "PodResizePending", "reason": "Infeasible"}]`, "cpu", 500, 500},
		{"a missing resource in a list that is there is 0", containers("containers", asks("a", "500m")),
			join(infeasible, containers("containerStatuses", `{"name": "a", "allocatedResources": {"memory": "1"}, "resources": {}}`)), "cpu", 0, 0},
		{"an empty list is there", containers("containers", asks("a", "500m"), asks("b", "100m")),
			containers("containerStatuses", `{"name": "a", "resources": {"requests": {}}}`, says("b", "600m")), "cpu", 1100, 1100},
		{"an empty list in both", containers("containers", asks("a", "500m"), asks("b", "100m")),
			containers("containerStatuses", `{"name": "a", "allocatedResources": {}, "resources": {"requests": {}}}`, says("b", "600m")), "cpu", 1100, 600},
		{"without requests in force what is allocated counts", one, containers("containerStatuses", `{"name": "a", "allocatedResources": {"cpu": "300m"}, "resources": {}}`), "cpu", 300, 300},
		{"the pod's status without a pod-level spec", one,
			`"allocatedResources": {"cpu": "300m"}, "resources": {"requests": {"cpu": "700m"}}`, "cpu", 100, 700},
		{"the pod's status in place of the containers'", one,
			join(`"allocatedResources": {"cpu": "200m"}, "resources": {"requests": {"cpu": "200m"}}`, containers("containerStatuses", says("a", "900m"))), "cpu", 900, 200},
		{"the pod's status without resources", one,
			join(`"allocatedResources": {"cpu": "200m"}`, containers("containerStatuses", says("a", "900m"))), "cpu", 900, 900},
		{"pod-level memory in the status alone", join(podLevel, `"containers": [{"name": "a", "resources": {"requests": {"memory": "64Mi"}}}]`),
			`"allocatedResources": {"cpu": "1", "memory": "512Mi"}, "resources": {"requests": {"cpu": "1", "memory": "512Mi"}}`, "memory", 64 << 20, 512 << 20},
		{"pod-level, the largest of the three", join(podLevel, one),
			`"allocatedResources": {"cpu": "3"}, "resources": {"requests": {"cpu": "2"}}`, "cpu", 3000, 3000},
		{"pod-level, infeasible", join(podLevel, one),
			join(infeasible, `"allocatedResources": {"cpu": "200m"}, "resources": {"requests": {"cpu": "300m"}}`), "cpu", 300, 300},
		{"pod-level, infeasible and without a status", join(podLevel, one), infeasible, "cpu", 1000, 1000},
		{"a status among those of the other sort", one, containers("initContainerStatuses", says("a", "300m")), "cpu", 300, 300},
		{"overhead comes last", join(one, `"overhead": {"cpu": "50m"}`), containers("containerStatuses", says("a", "300m")), "cpu", 350, 350},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "n", %s}, "status": {%s}}`, test.spec, test.status)
			p, err := kube.ReadPod(strings.NewReader(text))
			require.NoError(t, err)
			for r, want := range map[outrank.Release]int64{outrank.V1_36: test.old, outrank.V1_37: test.new} {
				assert.Equal(t, want, p.RunningRequests(r).Amount(test.resource), "%v", r)
				assert.Equal(t, want, resource.Amount(test.resource, p.RunningRequestOf(r, test.resource)), "%v, one resource", r)
			}
			assert.Empty(t, testdiff.Diff(p.RunningRequests(outrank.DefaultRelease), p.RunningRequests(0)))
			written, err := p.MarshalJSON()
			require.NoError(t, err)
			again, err := kube.ReadPod(strings.NewReader(string(written)))
			require.NoError(t, err)
			assert.Empty(t, testdiff.Diff(p, again), "written and read")
		})
	}
}

// amounts draws a list that may have less than nothing.
func amounts(t *rapid.T, least int64) resource.List {
	return amountsOf(t, least, "cpu", "memory", "example.com/gpu")
}

func amountsOf(t *rapid.T, least int64, names ...resource.Name) resource.List {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	out := resource.List{}
	for _, name := range names {
		if rapid.Bool().Draw(t, "named") {
			out[name] = resource.New(rapid.Int64Range(least, 4).Draw(t, string(name)))
		}
	}
	return out
}

// A pod counts with no less than nothing, whatever a kubelet reports (rule
// 2.2.19), and by both ways to ask with the same.
func TestPropertyReportedBelowZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		containers := func() (cs []outrank.Container) {
			for range rapid.IntRange(0, 3).Draw(t, "containers") {
				cs = append(cs, outrank.Container{
					Requests: amounts(t, 0), AllocatedResources: amounts(t, -4), Actual: amounts(t, -4),
					Sidecar: rapid.Bool().Draw(t, "sidecar"), Reported: rapid.Bool().Draw(t, "reported"),
				})
			}
			return cs
		}
		p := &outrank.Pod{
			Name: "p", NodeName: "n", Containers: containers(), InitContainers: containers(), Overhead: amounts(t, 0),
			AllocatedResources: amounts(t, -4), Actual: amounts(t, -4), ResizeInfeasible: rapid.Bool().Draw(t, "infeasible"),
		}
		if rapid.Bool().Draw(t, "level") {
			p.Resources = &resource.Requirements{Requests: amountsOf(t, 0, "cpu", "memory")} // as API servers let in (rule 26.2.3)
		}
		require.NoError(t, p.Validate())
		for _, r := range outrank.Releases() {
			list := p.RunningRequests(r)
			for _, name := range []resource.Name{"cpu", "memory", "example.com/gpu"} {
				one := p.RunningRequestOf(r, name)
				require.GreaterOrEqual(t, one.Sign(), 0, "%s %s", r, name)
				require.True(t, one.Equal(list[name]), "%s %s: %s and %s", r, name, one, list[name])
			}
			snap, err := engine.NewSnapshot(&outrank.Cluster{
				Release: r, Pods: []*outrank.Pod{p}, Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "9")}},
			})
			require.NoError(t, err)
			require.Equal(t, "n", snap.NodeOf("default/p"))
		}
	})
}
