package outrank_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
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
			if diff := cmp.Diff(test.want, test.pod.Requests()); diff != "" {
				t.Errorf("Requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, test.pod.RunningRequests()); diff != "" {
				t.Errorf("RunningRequests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.kubelet, test.pod.KubeletRequests()); diff != "" {
				t.Errorf("KubeletRequests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunningRequests(t *testing.T) {
	resized := outrank.Container{
		Requests:  resource.MustList("cpu", "3", "memory", "1Gi"),
		Allocated: resource.MustList("cpu", "2", "memory", "2Gi"),
		Actual:    resource.MustList("cpu", "1", "memory", "3Gi"),
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
			if diff := cmp.Diff(test.want, test.pod.RunningRequestsIn(outrank.V1_36)); diff != "" {
				t.Errorf("RunningRequests (-want +got):\n%s", diff)
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
	for _, l := range []resource.List{p.Requests(), p.RunningRequests(), p.KubeletRequests()} {
		l["cpu"] = resource.New(99)
		l["memory"] = resource.New(99)
	}
	assert.Empty(t, cmp.Diff(pod(), p))
}

// For each resource alone the answer is the one that the list holds.
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
			c.Allocated, c.Actual, c.Reported = list.Draw(t, "allocated"), list.Draw(t, "actual"), rapid.Bool().Draw(t, "reported")
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
			p.Allocated, p.Actual, p.Reported = list.Draw(t, "pod allocated"), list.Draw(t, "pod actual"), rapid.Bool().Draw(t, "pod reported")
		}
		for _, name := range append(names, "none") {
			for _, r := range outrank.Releases() {
				same(t, name, p.RunningRequestsIn(r), p.RunningRequestOfIn(r, name))
			}
			same(t, name, p.Requests(), p.RequestOf(name))
			same(t, name, p.RunningRequests(), p.RunningRequestOf(name))
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
		if p.RequestOf("cpu").IsZero() || p.RunningRequestOf("cpu").IsZero() || p.RunningRequestOfIn(outrank.V1_37, "cpu").IsZero() || p.KubeletRequestOf("cpu").IsZero() {
			t.Fatal("nothing")
		}
	}))
}
