package outrank

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/fields"
)

// Warnings lists what is odd about the cluster but does not stop the real
// system: a pod on a node that does not exist counts nowhere, a pod nominated
// to such a node is not nominated, a budget with an invalid selector covers
// nothing, such a selector of a pod matches nothing, a pod in a group that does not
// exist counts by itself, and trees of groups may have no top, no end or too many levels.
func (c *Cluster) Warnings() []Problem {
	nodes := make(map[string]bool, len(c.Nodes))
	for _, n := range c.Nodes {
		nodes[nameOf(n)] = true
	}
	var ws []Problem
	for _, p := range c.Pods {
		switch {
		case p == nil:
		case p.NodeName != "" && !nodes[p.NodeName]:
			ws = append(ws, Problem{"pod " + string(p.Key()), "spec.nodeName", "no node " + fields.Quote(p.NodeName) + "; the pod counts nowhere"})
		case p.NodeName == "" && p.NominatedNode != "" && !nodes[p.NominatedNode]:
			ws = append(ws, Problem{"pod " + string(p.Key()), "status.nominatedNodeName", "no node " + fields.Quote(p.NominatedNode) + "; the nomination has no effect"})
		}
	}
	for _, b := range c.Budgets {
		if b == nil {
			continue
		}
		for _, p := range b.Selector.problems() {
			ws = append(ws, Problem{"poddisruptionbudget " + string(b.Key()), "spec.selector." + p.field, p.text + "; the budget covers nothing"})
		}
	}
	for _, p := range c.Pods {
		ws = append(ws, p.selectorWarnings()...)
	}
	return append(ws, c.groupWarnings()...)
}

// selectorWarnings are about selectors of affinity terms and spread constraints
// that are invalid and not refused: they match nothing.
func (p *Pod) selectorWarnings() []Problem {
	if p == nil || len(p.Affinity.Pods)+len(p.Affinity.AntiPods)+len(p.TopologySpread) == 0 {
		return nil
	}
	var ws []Problem
	add := func(s *LabelSelector, list string, i int, field string) {
		for _, found := range s.problems() {
			at := fmt.Sprintf("spec.%s[%d].%s.%s", list, i, field, found.field)
			ws = append(ws, Problem{"pod " + string(p.Key()), at, found.text + "; the selector matches nothing"})
		}
	}
	for kind, terms := range [...][]PodAffinityTerm{p.Affinity.Pods, p.Affinity.AntiPods} {
		list := [...]string{"podAffinity", "podAntiAffinity"}[kind]
		for i := range terms {
			list := "affinity." + list + ".requiredDuringSchedulingIgnoredDuringExecution"
			add(terms[i].Selector, list, i, "labelSelector")
			add(terms[i].NamespaceSelector, list, i, "namespaceSelector")
		}
	}
	for i := range p.TopologySpread {
		add(p.TopologySpread[i].Selector, "topologySpreadConstraints", i, "labelSelector")
	}
	return ws
}
