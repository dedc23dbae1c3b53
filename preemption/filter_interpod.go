package preemption

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// InterPodAffinity (group 7.13).

// term is a required term of pod affinity or anti-affinity as its owner means it.
type term struct {
	owner      *outrank.Pod
	key        string
	selector   outrank.Matcher
	namespaces []string
	// namespaceSelector adds the namespaces that it matches.
	namespaceSelector outrank.Matcher
}

// readTerms folds the owner's own labels into the selectors. Where a term names no namespaces, it is
// about the owner's (rules 7.13.12 and 7.13.17).
func readTerms(owner *outrank.Pod, list []outrank.PodAffinityTerm) []term {
	var terms []term
	for _, t := range list {
		selector := narrowedBy(t.LabelSelector, owner, t.MatchLabelKeys, outrank.In)
		selector = narrowedBy(selector, owner, t.MismatchLabelKeys, outrank.NotIn)
		namespaces := t.Namespaces
		if len(namespaces) == 0 && t.NamespaceSelector == nil {
			namespaces = []string{owner.NamespaceName()}
		}
		terms = append(terms, term{owner, t.TopologyKey, matcherOf(selector), namespaces, matcherOf(t.NamespaceSelector)})
	}
	return terms
}

// narrowedBy returns the selector with one more requirement for each of the keys that the pod has as a
// label, with the pod's own value. Where the API server has added it already it may hold a value that
// the pod has lost since, and then that one counts (rules 7.12.8 and 7.13.17).
func narrowedBy(s *outrank.LabelSelector, p *outrank.Pod, keys []string, op outrank.Operator) *outrank.LabelSelector {
	if s == nil {
		return nil
	}
	narrowed := &outrank.LabelSelector{MatchLabels: s.MatchLabels, MatchExpressions: slices.Clone(s.MatchExpressions)}
	for _, key := range keys {
		added := slices.ContainsFunc(s.MatchExpressions, func(r outrank.Requirement) bool {
			return r.Key == key && r.Operator == op && len(r.Values) == 1
		})
		if value, ok := p.Labels[key]; ok && !added {
			narrowed.MatchExpressions = append(narrowed.MatchExpressions, outrank.Requirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
	return narrowed
}

// means reports whether a term is about a pod: it is in one of the namespaces, and the selector picks it (rules
// 7.13.11 and 7.13.12).
func (a *attempt) means(t *term, p *outrank.Pod) bool {
	return a.inNamespaces(t, p) && t.selector.Matches(p.Labels)
}

// meansAll reports whether every term is about a pod (rule 7.13.5).
func (a *attempt) meansAll(terms []term, p *outrank.Pod) bool {
	for i := range terms {
		if !a.means(&terms[i], p) {
			return false
		}
	}
	return true
}

// inNamespaces: the namespaces that a term lists, and those that it selects. For the terms of other
// pods a namespace that is not known has no labels; a term of the preemptor selects among those that
// are known, or all of them (rules 7.13.12, 7.13.13 and 7.13.18).
func (a *attempt) inNamespaces(t *term, p *outrank.Pod) bool {
	name := p.NamespaceName()
	if slices.Contains(t.namespaces, name) {
		return true
	}
	labels, known := a.interpod.namespaces[name]
	if t.owner != a.pod {
		return t.namespaceSelector.Matches(labels)
	}
	if !a.rules.NamespacesReplaceSelector && t.namespaceSelector.Matches(nil) {
		return true // a fault of v1.36 (rule 7.13.14)
	}
	return (known || t.namespaceSelector.Empty()) && t.namespaceSelector.Matches(labels)
}

// interpodTerms is what the filter knows before the first node.
type interpodTerms struct {
	namespaces             map[string]map[string]string
	affinity, antiAffinity []term
	// start counts the pods of the whole cluster.
	start interpodCounts
}

// interpodCounts has pods by the domains that they are in.
type interpodCounts struct {
	// affinity counts the pods that all affinity terms of the preemptor are about, anti those that one
	// of its anti-affinity terms is about, and existing the anti-affinity terms of other pods that are
	// about the preemptor.
	affinity, anti, existing domains
}

// copy returns counts that change by themselves.
func (c *interpodCounts) copy() interpodCounts {
	return interpodCounts{c.affinity.copy(), c.anti.copy(), c.existing.copy()}
}

// domain is one value of one topology key.
type domain struct{ key, value string }

// domains counts by domain, beside what was counted at the start. total is the sum of all.
type domains struct {
	start *domains
	count map[domain]int
	total int
}

// copy returns counts that change by themselves, over the same start.
func (c *domains) copy() domains { return domains{c.start, maps.Clone(c.count), c.total} }

// add counts in the domain of a node. A node without the key is in none (rules 7.13.8 and 7.13.9).
func (c *domains) add(n *outrank.Node, key string, by int) {
	value, ok := n.Labels[key]
	if !ok {
		return
	}
	if c.count == nil {
		c.count = map[domain]int{}
	}
	c.count[domain{key, value}] += by
	c.total += by
}

// at is the count of a domain.
func (c *domains) at(key, value string) int {
	count := c.count[domain{key, value}]
	if c.start != nil {
		count += c.start.count[domain{key, value}]
	}
	return count
}

// beginInterpod counts over the whole cluster; pods that are being deleted count (rule 7.13.10). If
// the pod has no term and no term of another pod is about it, the attempt goes without the filter
// (rule 7.13.15).
func (a *attempt) beginInterpod() bool {
	i := &a.interpod
	i.namespaces = map[string]map[string]string{}
	for _, ns := range a.cluster.Namespaces {
		i.namespaces[ns.Name] = ns.Labels
	}
	i.affinity = readTerms(a.pod, a.pod.Affinity.PodAffinity)
	i.antiAffinity = readTerms(a.pod, a.pod.Affinity.PodAntiAffinity)
	for _, s := range a.sites {
		for _, p := range s.running {
			a.countInterpod(&i.start, p, 1)
		}
	}
	return len(i.affinity) > 0 || len(i.antiAffinity) > 0 || i.start.existing.total > 0
}

// countInterpod counts a pod that has come to its node (by is 1) or left it (-1).
func (a *attempt) countInterpod(c *interpodCounts, p *occupant, by int) {
	i, n := &a.interpod, p.site.node
	if len(i.affinity) > 0 && a.meansAll(i.affinity, p.pod) { // rule 7.13.5
		for _, t := range i.affinity {
			c.affinity.add(n, t.key, by)
		}
	}
	for k := range i.antiAffinity {
		if a.means(&i.antiAffinity[k], p.pod) {
			c.anti.add(n, i.antiAffinity[k].key, by)
		}
	}
	for _, t := range readTerms(p.pod, p.pod.Affinity.PodAntiAffinity) {
		if a.means(&t, a.pod) {
			c.existing.add(n, t.key, by)
		}
	}
}

// enterInterpod begins with the counts at the start (rule 7.13.7). The dry run keeps what has changed.
func (d *dryRun) enterInterpod() {
	start := &d.interpod.start
	d.interpodBy = interpodCounts{
		affinity: domains{start: &start.affinity, total: start.affinity.total},
		anti:     domains{start: &start.anti}, existing: domains{start: &start.existing},
	}
}

// followInterpod counts a pod that comes or goes, as at the start (rule 7.13.7).
func (d *dryRun) followInterpod(p *occupant, by int) { d.countInterpod(&d.interpodBy, p, by) }

// askInterpod asks for the pod's affinity, then for its anti-affinity, then for that of the pods there
// (rule 7.13.1). That others leave helps against the last two alone (rules 7.13.2 to 7.13.4).
func (d *dryRun) askInterpod() Status {
	switch {
	case !d.affinityMet():
		return unresolvableBy(InterPodAffinity, "node(s) didn't match pod affinity rules")
	case d.antiAffinityBroken():
		return unschedulableBy(InterPodAffinity, antiAffinityText)
	case d.existingAntiAffinityBroken():
		return unschedulableBy(InterPodAffinity, existingAntiAffinityText)
	}
	return Status{}
}

const (
	antiAffinityText         = "node(s) didn't match pod anti-affinity rules"
	existingAntiAffinityText = "node(s) didn't satisfy existing pods anti-affinity rules"
)

// affinityMet: the node has the key of every term, and in each of these domains is a pod that all terms
// are about. The first of its kind is let through (rules 7.13.2, 7.13.6 and 7.13.8).
func (d *dryRun) affinityMet() bool {
	inEach := true
	for _, t := range d.interpod.affinity {
		value, ok := d.site.node.Labels[t.key]
		if !ok {
			return false
		}
		inEach = inEach && d.interpodBy.affinity.at(t.key, value) > 0
	}
	return inEach || d.interpodBy.affinity.total == 0 && d.meansAll(d.interpod.affinity, d.pod)
}

// antiAffinityBroken: a pod that the preemptor keeps away from is in a domain of the node. A term whose
// key the node lacks does not count (rule 7.13.9).
func (d *dryRun) antiAffinityBroken() bool {
	for _, t := range d.interpod.antiAffinity {
		value, ok := d.site.node.Labels[t.key]
		if ok && d.interpodBy.anti.at(t.key, value) > 0 {
			return true
		}
	}
	return false
}

// existingAntiAffinityBroken: a pod in a domain of the node keeps away from the preemptor (rule 7.13.4).
func (d *dryRun) existingAntiAffinityBroken() bool {
	for key, value := range d.site.node.Labels {
		if d.interpodBy.existing.at(key, value) > 0 {
			return true
		}
	}
	return false
}
