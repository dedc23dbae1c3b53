package preemption

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// InterPodAffinity (group 7.13).

// term is a required term of pod affinity or anti-affinity, with all that it takes from its owner filled in.
type term struct {
	owner *outrank.Pod
	// key is the topology key: nodes with one value of it are one domain.
	key string
	// selector picks the pods, in the namespaces that are listed or that namespaceSelector matches.
	selector          outrank.Matcher
	namespaces        []string
	namespaceSelector outrank.Matcher
}

// affinityOf reads the required affinity of a pod.
func affinityOf(p *outrank.Pod) []term { return readTerms(p, p.Affinity.PodAffinity) }

// antiAffinityOf reads the required anti-affinity of a pod.
func antiAffinityOf(p *outrank.Pod) []term { return readTerms(p, p.Affinity.PodAntiAffinity) }

// readTerms reads a list of terms. The owner's labels narrow the selectors (rule 7.13.17), and a term that
// names no namespaces in either way is about the owner's (rule 7.13.12).
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

// narrowedBy returns the selector with a requirement added for each of the keys that is a label of the pod,
// with the pod's own value (rules 7.12.8 and 7.13.17). The API server has done that for most pods already. Its
// requirement is kept then and none is added, even if the pod's label has changed since.
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

// isAbout reports whether a term is about a pod: the pod is in one of the term's namespaces, and the selector
// picks it (rules 7.13.11 and 7.13.12).
func (a *attempt) isAbout(t *term, p *outrank.Pod) bool {
	return a.inNamespaces(t, p) && t.selector.Matches(p.Labels)
}

// areAbout reports whether every one of the terms is about a pod (rule 7.13.5).
func (a *attempt) areAbout(terms []term, p *outrank.Pod) bool {
	for i := range terms {
		if !a.isAbout(&terms[i], p) {
			return false
		}
	}
	return true
}

// inNamespaces reports whether a pod is in a namespace that a term lists or selects (rule 7.13.12).
func (a *attempt) inNamespaces(t *term, p *outrank.Pod) bool {
	name := p.NamespaceName()
	if slices.Contains(t.namespaces, name) {
		return true
	}

	// For a term of another pod, an unknown namespace counts as one without labels (rule 7.13.18).
	labels, known := a.interpod.namespaces[name]
	if t.owner != a.pod {
		return t.namespaceSelector.Matches(labels)
	}

	// By a fault of v1.36 a selector of the preemptor that holds without labels selects every namespace
	// (rule 7.13.14). Apart from that it selects known ones, or all if it is empty (rule 7.13.13).
	if !a.rules.NamespacesReplaceSelector && t.namespaceSelector.Matches(nil) {
		return true
	}
	return (known || t.namespaceSelector.Empty()) && t.namespaceSelector.Matches(labels)
}

// interpodTerms is what the filter knows before the first node.
type interpodTerms struct {
	// namespaces has the labels of the known namespaces by their names.
	namespaces map[string]map[string]string
	// affinity and antiAffinity are the terms of the preemptor.
	affinity, antiAffinity []term
	// start counts the pods of the whole cluster.
	start interpodCounts
}

// interpodCounts counts pods and terms by domain.
type interpodCounts struct {
	// affinity counts, for each affinity term of the preemptor, the pods that all of these terms are about.
	affinity domains
	// antiAffinity counts, for each anti-affinity term of the preemptor, the pods that the term is about.
	antiAffinity domains
	// existing counts the anti-affinity terms of other pods that are about the preemptor.
	existing domains
}

// copy returns an independent copy.
func (c *interpodCounts) copy() interpodCounts {
	return interpodCounts{c.affinity.copy(), c.antiAffinity.copy(), c.existing.copy()}
}

// over returns the counts of a dry run that starts from c.
func (c *interpodCounts) over() interpodCounts {
	return interpodCounts{c.affinity.over(), c.antiAffinity.over(), c.existing.over()}
}

// domain is one value of one topology key.
type domain struct{ key, value string }

// domains counts something by domain. If start is set, the counts are changes to the counts of start.
type domains struct {
	start *domains
	count map[domain]int
	// total is the sum over all domains. In a dry run it includes what was counted at the start.
	total int
}

// copy returns an independent copy over the same start.
func (c *domains) copy() domains { return domains{c.start, maps.Clone(c.count), c.total} }

// over returns the counts of a dry run that starts from c.
func (c *domains) over() domains { return domains{start: c, total: c.total} }

// add changes the count of the domain that a node is in. A node without the key is in none (rules 7.13.8 and
// 7.13.9).
func (c *domains) add(s *site, key string, by int) {
	value, ok := s.label(key)
	if !ok {
		return
	}

	if c.count == nil {
		c.count = map[domain]int{}
	}
	c.count[domain{key, value}] += by
	c.total += by
}

// in returns the count of a domain.
func (c *domains) in(key, value string) int {
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

	i.affinity = affinityOf(a.pod)
	i.antiAffinity = antiAffinityOf(a.pod)

	for _, s := range a.sites {
		for _, p := range s.running {
			a.countInterpod(&i.start, p, 1)
		}
	}
	return len(i.affinity) > 0 || len(i.antiAffinity) > 0 || i.start.existing.total > 0
}

// countInterpod counts a pod that has come to its node (by is 1) or left it (-1): for the affinity of the
// preemptor, for its anti-affinity, and with the anti-affinity of the pod itself.
func (a *attempt) countInterpod(c *interpodCounts, p *occupant, by int) {
	i := &a.interpod

	// For affinity, a pod that does not match every term counts for none of them (rule 7.13.5).
	if len(i.affinity) > 0 && a.areAbout(i.affinity, p.pod) {
		for _, t := range i.affinity {
			c.affinity.add(p.site, t.key, by)
		}
	}

	for k := range i.antiAffinity {
		if t := &i.antiAffinity[k]; a.isAbout(t, p.pod) {
			c.antiAffinity.add(p.site, t.key, by)
		}
	}

	for _, t := range antiAffinityOf(p.pod) {
		if a.isAbout(&t, a.pod) {
			c.existing.add(p.site, t.key, by)
		}
	}
}

// enterInterpod begins with the counts at the start (rule 7.13.7). The dry run keeps what has changed.
func (d *dryRun) enterInterpod() { d.interpodBy = d.terms().start.over() }

// terms returns what the filter knew before the first node.
func (d *dryRun) terms() *interpodTerms { return &d.attempt.interpod }

// followInterpod counts a pod that comes or goes, as at the start (rule 7.13.7).
func (d *dryRun) followInterpod(p *occupant, by int) { d.attempt.countInterpod(&d.interpodBy, p, by) }

// askInterpod checks the pod's affinity, then its anti-affinity, then the anti-affinity of other pods (rule
// 7.13.1). The loss of pods can help only with the last two (rules 7.13.2 to 7.13.4).
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

// affinityMet reports whether the node has the key of every affinity term, and each of these domains has a
// pod that all terms are about (rules 7.13.2 and 7.13.8).
func (d *dryRun) affinityMet() bool {
	counts := &d.interpodBy
	inEach := true
	for _, t := range d.terms().affinity {
		value, ok := d.site.label(t.key)
		if !ok {
			return false
		}
		inEach = inEach && counts.affinity.in(t.key, value) > 0
	}

	// The first pod of a group that wants to be with its own is let through: no pod matches anywhere at
	// present, and it matches its own terms (rules 7.13.6 and 7.13.7).
	return inEach || counts.affinity.total == 0 && d.attempt.areAbout(d.terms().affinity, d.pod)
}

// antiAffinityBroken reports whether a pod that the preemptor keeps away from is in a domain of the node. A
// term whose key the node lacks does not count (rule 7.13.9).
func (d *dryRun) antiAffinityBroken() bool {
	counts := &d.interpodBy
	for _, t := range d.terms().antiAffinity {
		value, ok := d.site.label(t.key)
		if ok && counts.antiAffinity.in(t.key, value) > 0 {
			return true
		}
	}
	return false
}

// existingAntiAffinityBroken reports whether a pod in a domain of the node keeps away from the preemptor
// (rule 7.13.4).
func (d *dryRun) existingAntiAffinityBroken() bool {
	counts := &d.interpodBy
	for key, value := range d.node().Labels {
		if counts.existing.in(key, value) > 0 {
			return true
		}
	}
	return false
}
