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
// weights are left nil.
func (p *profileReader) readWeights(running []string, sets map[point]pluginSet) {
	usual := score.DefaultWeights()
	weights := map[string]int64{}
	for _, name := range sets[scores].enabled {
		if _, known := p.usual.known(name); !known {
			p.unsupportedScore(p.o.path("plugins."+string(scores)), "plugin %s is not one of kube-scheduler's default profile: its scores are not known", cut(name))
		}
	}

	for _, name := range running {
		weight, ours := usual[name]
		if !ours {
			continue
		}

		// The weight at score replaces the weight at multiPoint.
		for _, where := range []point{multiPoint, scores} {
			if w, ok := sets[where].weights[name]; ok {
				weight = w
			}
		}
		weights[name] = weight
	}

	if !maps.Equal(usual, weights) {
		p.Scores.Weights = weights
	}
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
		fit.Resources[name] += max(1, weight)
	})
}

// readPreferred reads the preferred terms of node affinity that count for every pod.
func (p *profileReader) readPreferred(o *object) {
	o.objects("preferredDuringSchedulingIgnoredDuringExecution", func(w *object) {
		weight := w.int32("weight")
		t := w.object("preference")
		term := outrank.PreferredSchedulingTerm{Weight: weight, Preference: readTerm(t)}
		t.done()
		switch {
		case weight > 0 && weight <= 100:
			p.Scores.AddedAffinity = append(p.Scores.AddedAffinity, term)
		case weight != 0: // a term of weight 0 does not count, and is no problem
			p.unsupportedScore(w.path("weight"), "%d is not between 1 and 100: the term is left out of the scores", weight)
		}
	})
}

// readBalanceArgs reads the resources that NodeResourcesBalancedAllocation compares.
func (p *profileReader) readBalanceArgs(o *object) {
	readResourceSpecs(o, 1, 1, func(name resource.Name, _ int64) { p.Scores.Balanced = append(p.Scores.Balanced, name) })
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
		if name == "" {
			r.ps.add(r.path("name"), "missing")
		}
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
