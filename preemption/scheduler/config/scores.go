package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// readWeights sets the weights of the running plugins that give scores (rules 19.5.1 and 19.5.2). Default
// weights are left nil. everywhere are the plugins of multiPoint.
func (p *profileReader) readWeights(running, everywhere []string, sets map[point]pluginSet) {
	usual := score.DefaultWeights()
	weights := map[string]int64{}
	p.checkSum(everywhere, sets)
	for _, name := range sets[scores].enabled {
		if _, known := p.usual.known(name); !known {
			p.unsupportedScore(p.o.path("plugins."+string(scores)), "plugin %s is not one of kube-scheduler's default profile: its scores are not known", cut(name))
		}
	}

	for _, name := range running {
		if _, ours := usual[name]; ours {
			weights[name] = weightOf(name, sets)
		}
	}

	if !maps.Equal(usual, weights) {
		p.Scores.Weights = weights
	}
}

// checkSum adds a problem if the weights do not add up as kube-scheduler adds them (rule 19.5.6). It goes through
// the plugins that the point score enables and then those of multiPoint, and takes the first weight of each.
func (p *profileReader) checkSum(everywhere []string, sets map[point]pluginSet) {
	taken := map[string]bool{}
	var sum int64
	for _, name := range slices.Concat(sets[scores].enabled, everywhere) {
		if _, known := p.usual.known(name); !known || taken[name] || !p.usual.serves(name, scores) {
			continue
		}
		taken[name] = true
		weight := weightOf(name, sets)

		// A sum below 0 leaves more room than an int64 can say, which kube-scheduler takes for none.
		if sum < 0 {
			p.o.ps.add(p.o.path("plugins."+string(scores)), "the weights before that of %s add up to less than 0", name)
			return
		}
		sum += weight
	}
}

// weightOf returns the weight of a plugin of the default profile that gives scores (rule 19.5.2).
func weightOf(name string, sets map[point]pluginSet) int64 {
	for _, where := range []point{scores, multiPoint} {
		if w, ok := sets[where].weights[name]; ok {
			return w
		}
	}
	if name == dynamicResources {
		return 2
	}
	return max(1, score.DefaultWeights()[name])
}

// keepReaders lists plugins that run at preScore but give no scores with the weight 0. Then they are still
// asked, because an attempt fails if such a plugin cannot read something of the pod (rule 19.5.5).
func (p *profileReader) keepReaders(asked []string) {
	for _, name := range []string{preemption.NodeAffinity, preemption.PodTopologySpread} {
		if weights := p.Scores.Weights; weights != nil && weights[name] == 0 && slices.Contains(asked, name) {
			weights[name] = 0
		}
	}
}

// unsupportedScore adds a problem for a setting that score.Config cannot express.
func (p *profileReader) unsupportedScore(field, format string, args ...any) {
	p.UnsupportedScores = append(p.UnsupportedScores, outrank.Problem{Object: kind, Field: field, Text: fmt.Sprintf(format, args...)})
}

// readStrategy reads how NodeResourcesFit scores (rule 19.5.3).
func (p *profileReader) readStrategy(s *object, strategy string) {
	fit := &p.Scores.Fit
	fit.Type = score.StrategyType(strategy)
	readResourceSpecs(s, 0, 100, func(name resource.Name, weight int64) {
		if fit.Resources == nil {
			fit.Resources = map[resource.Name]int64{}
		}
		if name != "" { // no node has a resource without a name, so that it does not count
			fit.Resources[name] += max(1, weight)
		}
	})
}

// readPreferred reads the preferred terms of node affinity that count for every pod.
func (p *profileReader) readPreferred(o *object) {
	o.objects("preferredDuringSchedulingIgnoredDuringExecution", func(w *object) {
		// A term of weight 0 does not count, and kube-scheduler does not look into it.
		weight, read := w.int32("weight"), readTerm
		if weight == 0 {
			read = readUnused
		}
		t := w.object("preference")
		term := outrank.PreferredSchedulingTerm{Weight: weight, Preference: read(t)}
		t.done()
		switch {
		case weight > 0 && weight <= 100:
			p.Scores.AddedAffinity = append(p.Scores.AddedAffinity, term)
		case weight != 0:
			p.unsupportedScore(w.path("weight"), "%d is not between 1 and 100: the term is left out of the scores", weight)
		}
	})
}

// readBalanceArgs reads the resources that NodeResourcesBalancedAllocation compares, each of them once.
func (p *profileReader) readBalanceArgs(o *object) {
	taken := map[resource.Name]bool{}
	readResourceSpecs(o, 1, 1, func(name resource.Name, _ int64) {
		if taken[name] {
			o.ps.add(o.path("resources"), "%q is there twice", cut(string(name)))
		}
		taken[name] = true
		p.Scores.Balanced = append(p.Scores.Balanced, name)
	})

	// No node has a resource without a name, so that it does not count. What is left is a list, even if empty.
	p.Scores.Balanced = slices.DeleteFunc(p.Scores.Balanced, func(name resource.Name) bool { return name == "" })
}

// readInterPodArgs reads how InterPodAffinity counts the terms of pods in the cluster.
func (p *profileReader) readInterPodArgs(o *object) {
	if w, ok := o.number("hardPodAffinityWeight", 0, 100); ok {
		weight := int32(w)
		p.Scores.HardPodAffinityWeight = &weight
	}
	p.Scores.IgnorePreferredTermsOfExistingPods = o.flag("ignorePreferredTermsOfExistingPods")
}

// readResourceSpecs calls take with the names and weights of resources. A weight of 0 means the default.
func readResourceSpecs(o *object, low, high int64, take func(name resource.Name, weight int64)) {
	o.objects("resources", func(r *object) {
		name := resource.Name(r.text("name"))
		w, ok := r.number("weight", 0, high)
		if ok && w != 0 && w < low {
			r.ps.add(r.path("weight"), "%d is not between %d and %d", w, low, high)
		}
		take(name, w)
	})
}

// readShape reads the points of a scoring shape, sorted by utilization.
func readShape(o *object) []score.Point {
	var all []score.Point
	last := int64(-1)
	o.objects("shape", func(s *object) {
		at, ok := s.number("utilization", 0, 100)
		value, _ := s.number("score", 0, 10)
		if ok && at <= last {
			s.ps.add(s.path("utilization"), "%d does not come after %d", at, last)
		}
		last = at
		all = append(all, score.Point{Utilization: int32(at), Score: int32(value)})
	})
	return all
}
