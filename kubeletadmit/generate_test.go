package kubeletadmit_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Amounts are drawn from few values, so that ties are common. Huge ones are at
// the end of the range.
var (
	amounts    = rapid.SampledFrom([]string{"0", "1", "1", "2", "2", "3", "4"})
	cpuAmounts = rapid.SampledFrom([]string{"0", "100m", "100m", "200m", "300m", "400m"})
	huge       = rapid.SampledFrom([]string{"4611686018427387904", "9223372036854775806", "9223372036854775807", "1e100"})
	names      = []resource.Name{"cpu", "memory", "ephemeral-storage", gpu}
)

func someRequests(t *rapid.T, label string) resource.List {
	list := resource.List{}
	for _, name := range names {
		if chance(t, 3, label+" lacks "+string(name)) {
			continue
		}
		text := amounts
		if name == resource.CPU {
			text = cpuAmounts
		}
		list[name] = resource.MustParse(text.Draw(t, label+" "+string(name)))
	}
	return list
}

// chance is true about once in n times.
func chance(t *rapid.T, n int, label string) bool {
	return rapid.IntRange(1, n).Draw(t, label) == n
}

var priorities = rapid.SampledFrom([]*int32{
	nil, outrank.Priority(-1), outrank.Priority(0), outrank.Priority(0), outrank.Priority(5),
	outrank.Priority(1_000_000_000), outrank.Priority(2_000_000_000), outrank.Priority(2_000_001_000),
})

// somePlainPod asks for small amounts and only by its containers.
func somePlainPod(t *rapid.T, name string) *outrank.Pod {
	p := newPod(name, nil)
	p.Priority = priorities.Draw(t, "priority")
	p.Static = chance(t, 8, "static")
	p.Mirror = chance(t, 8, "mirror")
	p.Containers[0].Requests = someRequests(t, "main")
	if chance(t, 3, "limits") {
		p.Containers[0].Limits = p.Containers[0].Requests
	}
	return p
}

// somePod also has what makes the kubelet's count differ from the scheduler's,
// and now and then a huge request.
func somePod(t *rapid.T, name string) *outrank.Pod {
	p := somePlainPod(t, name)
	if chance(t, 8, "huge") {
		p.Containers[0].Requests[rapid.SampledFrom(names).Draw(t, "huge name")] = resource.MustParse(huge.Draw(t, "huge amount"))
	}
	if chance(t, 4, "second container") {
		p.Containers = append(p.Containers, outrank.Container{Name: "second", Requests: someRequests(t, "second")})
	}
	if chance(t, 6, "reported") {
		c := &p.Containers[0]
		c.AllocatedResources, c.Actual = someRequests(t, "allocated"), someRequests(t, "actual")
		if chance(t, 3, "allocated alone") {
			c.Actual = nil
		}
		p.ResizeInfeasible = chance(t, 2, "infeasible")
	}
	if chance(t, 12, "infeasible without a status") {
		p.ResizeInfeasible = true
	}
	if chance(t, 12, "status of the pod") {
		p.AllocatedResources, p.Actual = someRequests(t, "pod allocated"), someRequests(t, "pod actual")
	}
	if chance(t, 4, "init") {
		p.InitContainers = []outrank.Container{{Name: "init", Requests: someRequests(t, "init"), Sidecar: chance(t, 2, "sidecar")}}
	}
	if chance(t, 4, "overhead") {
		p.Overhead = someRequests(t, "overhead")
	}
	if chance(t, 6, "pod level") {
		p.Resources = &resource.Requirements{Requests: someRequests(t, "pod")}
	}
	if chance(t, 3, "recorded") {
		p.QOSClass = rapid.SampledFrom([]outrank.QOSClass{"BestEffort", "Burstable", "Guaranteed", "Guaranteed", "Odd"}).Draw(t, "class")
	}
	if chance(t, 10, "finished") {
		p.Phase = outrank.PhaseSucceeded
	}
	return p
}

func somePods(t *rapid.T, one func(*rapid.T, string) *outrank.Pod, most int) []*outrank.Pod {
	least := most / 2
	if chance(t, 4, "few") {
		least = 0
	}
	pods := make([]*outrank.Pod, rapid.IntRange(least, most).Draw(t, "active"))
	for i := range pods {
		pods[i] = one(t, fmt.Sprintf("pod%d", i))
	}
	return pods
}

// somePreemptor is critical most of the time.
func somePreemptor(t *rapid.T) *outrank.Pod {
	p := somePlainPod(t, "preemptor")
	if !chance(t, 4, "as drawn") {
		p.Priority = outrank.Priority(2_000_001_000)
	}
	return p
}

// someShortages repeats resources, and covers some of them from the start.
func someShortages(t *rapid.T) []kubeletadmit.CheckFailure {
	failures := make([]kubeletadmit.CheckFailure, rapid.IntRange(1, 4).Draw(t, "failures"))
	for i := range failures {
		name := rapid.SampledFrom(append([]resource.Name{resource.Pods}, names...)).Draw(t, "short of")
		amount := rapid.Int64Range(-1, 12).Draw(t, "amount")
		if name == resource.CPU {
			amount *= 100
		}
		failures[i] = lacks(name, amount)
	}
	return failures
}

func someFailures(t *rapid.T) []kubeletadmit.CheckFailure {
	failures := someShortages(t)
	if chance(t, 6, "predicate") {
		failures = append(failures, kubeletadmit.CheckFailure{Predicate: kubeletadmit.NodePorts, Text: "taken"})
	}
	return failures
}

func someNode(t *rapid.T) *outrank.Node {
	n := newNode("cpu", "1", "memory", "8", "ephemeral-storage", "8", string(gpu), "4")
	n.Allocatable["pods"] = resource.New(rapid.Int64Range(0, 8).Draw(t, "pods"))
	return n
}
