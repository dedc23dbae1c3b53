package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// amounts returns what a running pod takes of each of the scales.
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

// needs returns what a member asks for of each of the scales.
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

// asked returns what the filter NodeResourcesFit asks a node for a member, by resource: nothing where it is
// off, and nothing of resources that it ignores.
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
