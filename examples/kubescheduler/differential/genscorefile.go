package differential

import (
	corev1 "k8s.io/api/core/v1"
)

type fields = map[string]any

// scoreFile draws a scheduler's configuration file, with the default profile in half of the cases.
func (g *generator) scoreFile() fields {
	profile := fields{"schedulerName": corev1.DefaultSchedulerName}
	if g.oneIn(2) {
		profile["pluginConfig"], profile["plugins"] = g.pluginArgs(), g.weights()
	}
	return fields{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": []any{profile}}
}

// weights draws the weights of the score plugins, and which of them are off.
func (g *generator) weights() fields {
	var changed, off []any
	for _, name := range []string{"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality"} {
		switch g.IntN(4) {
		case 0:
			changed = append(changed, fields{"name": name, "weight": g.between(0, 20)})
		case 1:
			if g.oneIn(2) {
				off = append(off, fields{"name": name})
			}
		}
	}
	if g.oneIn(2) {
		return fields{"score": fields{"enabled": changed, "disabled": off}}
	}
	return fields{"multiPoint": fields{"enabled": changed}, "score": fields{"disabled": off}}
}

// pluginArgs draws arguments for the plugins whose scores depend on them.
func (g *generator) pluginArgs() []any {
	var all []any
	add := func(name string, args fields) {
		args["apiVersion"], args["kind"] = "kubescheduler.config.k8s.io/v1", name+"Args"
		all = append(all, fields{"name": name, "args": args})
	}

	if g.oneIn(2) {
		add("NodeResourcesFit", fields{"scoringStrategy": g.strategy()})
	}
	if g.oneIn(2) {
		add("NodeResourcesBalancedAllocation", fields{"resources": g.specs(1)})
	}
	if g.oneIn(3) {
		add("InterPodAffinity", fields{"hardPodAffinityWeight": pick(g, 0, 1, 7, 100), "ignorePreferredTermsOfExistingPods": g.oneIn(2)})
	}
	if g.oneIn(3) {
		var terms []any
		for _, t := range g.nodeSelector().NodeSelectorTerms {
			terms = append(terms, fields{"weight": g.between(1, 100), "preference": t})
		}
		add("NodeAffinity", fields{"addedAffinity": fields{"preferredDuringSchedulingIgnoredDuringExecution": terms}})
	}

	if g.oneIn(3) {
		var constraints []any
		for _, key := range []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"} {
			if g.oneIn(2) {
				constraints = append(constraints, fields{"maxSkew": g.between(1, 4), "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway"})
			}
		}
		add("PodTopologySpread", fields{"defaultingType": "List", "defaultConstraints": constraints})
	}
	return all
}

func (g *generator) strategy() fields {
	s := fields{"type": pick(g, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"), "resources": g.specs(100)}
	if s["type"] == "RequestedToCapacityRatio" {
		var shape []any
		for at := g.IntN(30); at <= 100; at += g.between(1, 60) {
			shape = append(shape, fields{"utilization": at, "score": g.between(0, 10)})
		}
		s["requestedToCapacityRatio"] = fields{"shape": shape}
	}
	return s
}

func (g *generator) specs(most int) []any {
	var all []any
	for _, name := range []string{"cpu", "memory", "ephemeral-storage", "example.com/gpu"} {
		if g.oneIn(2) {
			all = append(all, fields{"name": name, "weight": g.between(1, most)})
		}
	}
	return all
}
