package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// amounts returns what a running pod takes of the resources that members ask for.
func (b *draft) amounts(pod *outrank.Pod) []int64 {
	a, ok := b.takes[pod]
	if !ok {
		list := pod.RunningRequests(b.snap.Release())
		a = make([]int64, len(b.scales))
		for k, name := range b.scales {
			a[k] = max(0, list.Amount(name))
		}
		b.takes[pod] = a
	}
	return a
}

// needs returns what a member asks for, in the order of the scales.
func (b *draft) needs(m *member) []int64 {
	n, ok := b.asks[m.kind]
	if !ok {
		list := m.pod.Requests()
		for _, name := range b.scales {
			n = append(n, max(0, list.Amount(name)))
		}
		b.asks[m.kind] = n
	}
	return n
}

// measure lists the resources that the members ask for.
func (b *draft) measure() {
	seen := map[resource.Name]bool{}
	for _, m := range b.members {
		for name := range m.pod.Requests() {
			seen[name] = true
		}
	}
	for name := range seen {
		b.scales = append(b.scales, name)
	}
	slices.Sort(b.scales)
}

// asked returns what a member asks nodes for, by resource: nothing where NodeResourcesFit is off.
func (b *draft) asked(m *member) map[resource.Name]int64 {
	plugins := b.eval.Config().Profile
	if slices.Contains(plugins.Off, preemption.NodeResourcesFit) || slices.Contains(plugins.OffOnNodes, preemption.NodeResourcesFit) {
		return nil
	}
	asked := map[resource.Name]int64{resource.Pods: 1}
	for _, need := range fit.Needs(m.pod, plugins.IgnoredResources, plugins.IgnoredResourceGroups) {
		asked[need.Name] = need.Amount
	}
	return asked
}
