package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
)

func newAttempt(in Input) *attempt {
	a := &attempt{
		pod:        in.Pod,
		rules:      release.Of(release.Release(in.Cluster.Release)),
		setup:      &in.Setup,
		variant:    in.Variant,
		now:        in.Now,
		cluster:    in.Cluster,
		running:    map[string][]*outrank.Pod{},
		nominated:  map[string][]*outrank.Pod{},
		namespaces: map[string]map[string]string{},
	}
	a.resize = a.wantsResize()
	a.setupForResize()
	for _, ns := range in.Cluster.Namespaces {
		a.namespaces[ns.Name] = ns.Labels
	}
	for _, p := range in.Cluster.Pods {
		a.place(p)
	}
	a.constraints = readConstraints(in.Pod, a.setup)
	a.affinity = readTerms(in.Pod, in.Pod.Affinity.PodAffinity)
	a.antiAffinity = readTerms(in.Pod, in.Pod.Affinity.PodAntiAffinity)
	a.countClaims()
	a.spreadAtStart = a.countSpread()
	a.interpodAtStart = a.countInterpod()
	return a
}

// setupForResize switches off all filters but the three that such a pod is asked by,
// and the second of them for any other pod.
func (a *attempt) setupForResize() {
	setup := *a.setup
	setup.Off = slices.Clone(setup.Off)
	for _, f := range filters {
		its := f.name == filter.NodeName || f.name == filter.DeferredPodScheduling || f.name == filter.NodeResourcesFit
		if a.resize && !its || !a.resize && f.name == filter.DeferredPodScheduling {
			setup.Off = append(setup.Off, f.name)
		}
	}
	a.setup = &setup
}
