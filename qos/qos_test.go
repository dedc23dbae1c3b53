package qos_test

import (
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// container has the requests first, then the limits, each "cpu memory" with
// "-" for a missing one.
func container(requests, limits [2]string) outrank.Container {
	return outrank.Container{Requests: list(requests), Limits: list(limits)}
}

func list(amounts [2]string) resource.List {
	l := resource.List{}
	for i, name := range []resource.Name{resource.CPU, resource.Memory} {
		if amounts[i] != "" {
			l[name] = resource.MustParse(amounts[i])
		}
	}
	return l
}

func pod(containers ...outrank.Container) *outrank.Pod {
	return &outrank.Pod{Name: "p", Containers: containers}
}

func TestCompute(t *testing.T) {
	// from37 has the classes in v1.37 where they differ (rules 3.12 to 3.14).
	from37 := map[string]outrank.QOSClass{
		"negative amounts": outrank.Burstable, "two that differ but add up": outrank.Burstable,
		"pod level, empty": outrank.Guaranteed, "pod level, empty maps": outrank.Burstable,
		"pod level, another name": outrank.Burstable,
	}
	var (
		none  = [2]string{}
		both  = [2]string{"1", "1Gi"}
		other = [2]string{"2", "1Gi"}
	)
	full := container(both, both)
	for _, c := range []struct {
		name, reason string
		pod          *outrank.Pod
		want         outrank.QOSClass
	}{
		{"nil pod", "nobody asks for anything", nil, outrank.BestEffort},
		{"no containers", "the same", &outrank.Pod{Name: "p"}, outrank.BestEffort},
		{"empty container", "neither requests nor limits", pod(container(none, none)), outrank.BestEffort},
		{"zero amounts", "only amounts above zero count", pod(container([2]string{"0", "0"}, [2]string{"0", "0"})), outrank.BestEffort},
		{"negative amounts", "nor do negative ones", pod(container([2]string{"-1", ""}, [2]string{"", "-1"})), outrank.BestEffort},
		{"other resources alone", "only cpu and memory count", pod(outrank.Container{
			Requests: resource.MustList("ephemeral-storage", "1Gi"),
			Limits:   resource.MustList("ephemeral-storage", "1Gi", "example.com/gpu", "1"),
		}), outrank.BestEffort},
		{"requests alone", "no limits", pod(container(both, none)), outrank.Burstable},
		{"limits alone", "a limit is no request here", pod(container(none, both)), outrank.Burstable},
		{"equal", "both limits, equal requests", pod(full), outrank.Guaranteed},
		{"equal in another form", "amounts count, not texts", pod(container(both, [2]string{"1000m", "1024Mi"})), outrank.Guaranteed},
		{"smaller request", "sums differ", pod(container(both, other)), outrank.Burstable},
		{"cpu alone", "every container needs both limits", pod(container([2]string{"1", ""}, [2]string{"1", ""})), outrank.Burstable},
		{"memory limit without request", "the sets of resources differ", pod(container([2]string{"1", ""}, both)), outrank.Burstable},
		{"zero memory on both sides", "a zero limit is no limit", pod(container([2]string{"1", "0"}, [2]string{"1", "0"})), outrank.Burstable},
		{"second container without limits", "it has none of the two", pod(full, container(none, none)), outrank.Burstable},
		{"two that differ but add up", "sums are compared, not containers", pod(container(both, other), container(other, both)), outrank.Guaranteed},
		{"init container without limits", "init containers count", &outrank.Pod{
			Containers: []outrank.Container{full}, InitContainers: []outrank.Container{{}},
		}, outrank.Burstable},
		{"init container alone asks", "init containers count", &outrank.Pod{
			Containers: []outrank.Container{{}}, InitContainers: []outrank.Container{container(both, none)},
		}, outrank.Burstable},
		{"init container with limits", "all containers are limited", &outrank.Pod{
			Containers: []outrank.Container{full}, InitContainers: []outrank.Container{full},
		}, outrank.Guaranteed},
		{"pod level, empty", "present, so the containers are not looked at", &outrank.Pod{
			Containers: []outrank.Container{full}, Resources: &resource.Requirements{},
		}, outrank.BestEffort},
		{"pod level, equal", "it stands for the whole pod", &outrank.Pod{
			Containers: []outrank.Container{{}}, Resources: &resource.Requirements{Requests: list(both), Limits: list(both)},
		}, outrank.Guaranteed},
		{"pod level, requests alone", "no limits", &outrank.Pod{
			Containers: []outrank.Container{full}, Resources: &resource.Requirements{Requests: list(both)},
		}, outrank.Burstable},
		{"pod level, cpu alone", "both limits are needed", &outrank.Pod{
			Containers: []outrank.Container{full},
			Resources:  &resource.Requirements{Requests: list([2]string{"1", ""}), Limits: list([2]string{"1", ""})},
		}, outrank.Burstable},
		{"pod level, empty maps", "present, too", &outrank.Pod{
			Containers: []outrank.Container{container([2]string{"250m", ""}, none)}, Resources: &resource.Requirements{Requests: resource.List{}},
		}, outrank.BestEffort},
		{"pod level, another name", "present, too", &outrank.Pod{
			Containers: []outrank.Container{container(both, none)}, Resources: &resource.Requirements{Limits: resource.MustList("example.com/gpu", "1")},
		}, outrank.BestEffort},
		{"pod level, huge pages alone", "they stand for the pod and do not count", &outrank.Pod{
			Containers: []outrank.Container{full}, Resources: &resource.Requirements{Limits: resource.MustList("hugepages-2Mi", "2Mi")},
		}, outrank.BestEffort},
		{"huge amounts", "sums are exact beyond int64", pod(
			container([2]string{"9E", "9E"}, [2]string{"9E", "9E"}),
			container([2]string{"9E", "9E"}, [2]string{"8999P", "9E"}),
		), outrank.Burstable},
		{"overhead", "the runtime's needs are not the pod's", &outrank.Pod{
			Containers: []outrank.Container{{}}, Overhead: list(both),
		}, outrank.BestEffort},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, qos.Compute(outrank.V1_36, c.pod), c.reason)
			want := c.want
			if other, ok := from37[c.name]; ok {
				want = other
			}
			require.Equal(t, want, qos.Compute(outrank.V1_37, c.pod), "v1.37: %s", c.reason)
			for _, r := range outrank.Releases() {
				require.Equal(t, qos.Compute(r, c.pod), qos.Of(r, c.pod), "no class is recorded")
			}
			require.Equal(t, qos.Compute(outrank.DefaultRelease, c.pod), qos.Compute(0, c.pod))
		})
	}
}

func TestOfTakesTheRecordedClass(t *testing.T) {
	for _, recorded := range []outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed, "Odd"} {
		p := pod(container([2]string{"1", ""}, [2]string{}))
		p.QOSClass = recorded
		require.Equal(t, recorded, qos.Of(outrank.DefaultRelease, p), "it stands, whatever it says")
		require.Equal(t, outrank.Burstable, qos.Compute(outrank.DefaultRelease, p), "the spec is looked at alone")
	}
}

var amounts = rapid.SampledFrom([]string{"", "0", "1", "2", "500m"})

func drawContainers(t *rapid.T, label string, most int) []outrank.Container {
	pair := rapid.Custom(func(t *rapid.T) [2]string {
		return [2]string{amounts.Draw(t, "cpu"), amounts.Draw(t, "memory")}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) outrank.Container {
		return container(pair.Draw(t, "requests"), pair.Draw(t, "limits"))
	}), 0, most).Draw(t, label)
}

// The place of a container and whether it is an init container do not matter,
// and neither do resources other than cpu and memory.
func TestPlaceDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		app, init := drawContainers(t, "app", 3), drawContainers(t, "init", 3)
		release := rapid.SampledFrom(outrank.Releases()).Draw(t, "release")
		want := qos.Compute(release, &outrank.Pod{Containers: app, InitContainers: init})
		all := rapid.Permutation(append(app, init...)).Draw(t, "all")
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		for i := range all {
			all[i].Requests["ephemeral-storage"] = resource.New(1)
		}
		got := qos.Compute(release, &outrank.Pod{Containers: all[:cut], InitContainers: all[cut:]})
		require.Equal(t, want, got, "containers %v, init containers %v", all[:cut], all[cut:])
	})
}

// Giving every container limits equal to its requests where it has both
// leaves only the two outer classes or nothing to limit.
func TestLimitsEqualToRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		containers := drawContainers(t, "containers", 4)
		asks, lacks := false, len(containers) == 0
		for i := range containers {
			containers[i].Limits = containers[i].Requests
			for _, name := range []resource.Name{resource.CPU, resource.Memory} {
				positive := containers[i].Requests.Amount(name) > 0
				asks, lacks = asks || positive, lacks || !positive
			}
		}
		want := outrank.Burstable
		if !asks {
			want = outrank.BestEffort
		} else if !lacks {
			want = outrank.Guaranteed
		}
		for _, r := range outrank.Releases() {
			require.Equal(t, want, qos.Compute(r, pod(containers...)), "%v: containers %v", r, containers)
		}
	})
}

func TestComputeAllocatesNothing(t *testing.T) {
	p := pod(container([2]string{"1", "1Gi"}, [2]string{"2", "1Gi"}), container([2]string{"1", "1Gi"}, [2]string{"2", "1Gi"}))
	require.Zero(t, testing.AllocsPerRun(100, func() { qos.Compute(outrank.V1_36, p); qos.Compute(outrank.V1_37, p) }))
}
