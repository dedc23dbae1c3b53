package engine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
)

// Labels have no meaning of their own, except for the keys of zones and
// regions: if they are renamed everywhere alike, nothing changes.
func TestPropertyLabelsAreNames(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		want, got := explain(t, c, p), explain(t, renamedCluster(c), renamedPod(p))
		if diff := testdiff.Diff(summary(want), summary(got)); diff != "" {
			t.Fatalf("with labels renamed (-want +got):\n%s", diff)
		}
	})
}

// summary is an explanation without the objects in it.
func summary(ex *preemption.Plan) any {
	type candidate struct {
		Node     string
		Victims  []string
		Violated []int
		Score    preemption.Score
	}
	var cs []candidate
	for _, c := range ex.Candidates {
		s := candidate{Node: c.Node, Victims: keys(pods(c.Victims)), Score: c.Score}
		for _, v := range c.Victims {
			s.Violated = append(s.Violated, len(v.Violated))
		}
		cs = append(cs, s)
	}
	nodes := slices.Clone(ex.Nodes)
	for i := range nodes {
		nodes[i].Candidate = nil // one of cs
	}
	return []any{ex.Outcome, ex.Ineligible, ex.Node, ex.TurnedDown, ex.Unhelpful, nodes, cs, ex.DecidedBy}
}

func renamedCluster(c *outrank.Cluster) *outrank.Cluster {
	out := *c
	out.Nodes, out.Pods, out.Budgets, out.Namespaces = nil, nil, nil, nil
	for _, n := range c.Nodes {
		m := *n
		m.Labels = renamed(n.Labels)
		out.Nodes = append(out.Nodes, &m)
	}
	for _, p := range c.Pods {
		out.Pods = append(out.Pods, renamedPod(p))
	}
	for _, b := range c.Budgets {
		d := *b
		d.Selector = renamedSelector(b.Selector)
		out.Budgets = append(out.Budgets, &d)
	}
	for _, ns := range c.Namespaces {
		out.Namespaces = append(out.Namespaces, &outrank.Namespace{Name: ns.Name, Labels: renamed(ns.Labels)})
	}
	return &out
}

// key and value give another name; an empty or an invalid one stays, and so do
// numbers, which Gt and Lt compare.
func key(k string) string {
	switch k {
	case outrank.ZoneLabel, outrank.RegionLabel, outrank.BetaZoneLabel, outrank.BetaRegionLabel:
		return k
	}
	if k == "" || k[0] < 'a' || k[0] > 'z' {
		return k
	}
	return "renamed." + k
}

func value(v string) string {
	if v == "" || v[0] < 'a' || v[0] > 'z' {
		return v
	}
	return "other-" + v
}

func renamed(labels map[string]string) map[string]string {
	if labels == nil {
		return nil
	}
	out := map[string]string{}
	for k, v := range labels {
		out[key(k)] = value(v)
	}
	return out
}

func each(ss []string, f func(string) string) []string {
	out := slices.Clone(ss)
	for i, s := range out {
		out[i] = f(s)
	}
	return out
}

func renamedSelector(s *outrank.LabelSelector) *outrank.LabelSelector {
	if s == nil {
		return nil
	}
	out := &outrank.LabelSelector{MatchLabels: renamed(s.MatchLabels)}
	for _, e := range s.MatchExpressions {
		out.MatchExpressions = append(out.MatchExpressions, outrank.Requirement{Key: key(e.Key), Operator: e.Operator, Values: each(e.Values, value)})
	}
	return out
}

func renamedPod(p *outrank.Pod) *outrank.Pod {
	q := *p
	q.Labels, q.NodeSelector = renamed(p.Labels), renamed(p.NodeSelector)
	q.Affinity.NodeAffinity = renamedNodes(p.Affinity.NodeAffinity)
	q.Volumes = slices.Clone(p.Volumes)
	for i := range q.Volumes {
		v := &q.Volumes[i]
		v.Node = renamedNodes(v.Node)
		zones := map[string][]string{}
		for k, values := range v.Zones {
			zones[key(k)] = each(values, value)
		}
		v.Zones = zones
	}
	q.Affinity.PodAffinity, q.Affinity.PodAntiAffinity = renamedTerms(p.Affinity.PodAffinity), renamedTerms(p.Affinity.PodAntiAffinity)
	q.TopologySpreadConstraints = slices.Clone(p.TopologySpreadConstraints)
	for i := range q.TopologySpreadConstraints {
		c := &q.TopologySpreadConstraints[i]
		c.TopologyKey, c.LabelSelector, c.MatchLabelKeys = key(c.TopologyKey), renamedSelector(c.LabelSelector), each(c.MatchLabelKeys, key)
	}
	return &q
}

func renamedNodes(s *outrank.NodeSelector) *outrank.NodeSelector {
	if s == nil {
		return nil
	}
	out := &outrank.NodeSelector{}
	for _, t := range s.NodeSelectorTerms {
		u := outrank.NodeSelectorTerm{MatchFields: t.MatchFields}
		for _, r := range t.MatchExpressions {
			u.MatchExpressions = append(u.MatchExpressions, outrank.NodeRequirement{Key: key(r.Key), Operator: r.Operator, Values: each(r.Values, value)})
		}
		out.NodeSelectorTerms = append(out.NodeSelectorTerms, u)
	}
	return out
}

func renamedTerms(ts []outrank.PodAffinityTerm) []outrank.PodAffinityTerm {
	out := slices.Clone(ts)
	for i := range out {
		t := &out[i]
		t.LabelSelector, t.NamespaceSelector = renamedSelector(t.LabelSelector), renamedSelector(t.NamespaceSelector)
		t.TopologyKey = key(t.TopologyKey)
		t.MatchLabelKeys, t.MismatchLabelKeys = each(t.MatchLabelKeys, key), each(t.MismatchLabelKeys, key)
	}
	return out
}
