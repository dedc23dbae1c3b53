package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// amounts returns how much a running pod holds in each scale.
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

// needs returns how much a member asks for in each scale.
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

// findScales lists the resources that the members ask for.
func (b *draft) findScales() {
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

// asked returns the amounts that the filter NodeResourcesFit requires for a member, by resource. They are nil if the
// filter is off, and have no resources that the filter ignores.
func (b *draft) asked(m *member) map[resource.Name]int64 {
	profile := b.eval.Config().Profile
	if slices.Contains(profile.Off, preemption.NodeResourcesFit) || slices.Contains(profile.OffOnNodes, preemption.NodeResourcesFit) {
		return nil
	}
	asked := map[resource.Name]int64{resource.Pods: 1}
	for _, need := range fit.Needs(m.pod, profile.IgnoredResources, profile.IgnoredResourceGroups) {
		asked[need.Name] = need.Amount
	}
	return asked
}
