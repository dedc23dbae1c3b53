package state

import (
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Namespaces is engine.Snapshot.Namespaces.
func (s *Snapshot) Namespaces() iter.Seq[*outrank.Namespace] { return s.objects.namespaces.sorted() }

// PutNamespace is engine.Snapshot.PutNamespace.
func (s *Snapshot) PutNamespace(ns *outrank.Namespace) error {
	c := outrank.Cluster{Namespaces: []*outrank.Namespace{ns}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setNamespace(ns.Name, ns)
	return nil
}

// RemoveNamespace is engine.Snapshot.RemoveNamespace.
func (s *Snapshot) RemoveNamespace(name string) error {
	if _, ok := s.objects.namespaces.Get(name); !ok {
		return fmt.Errorf("%s: %w", prose.Object("namespace", name), preemption.ErrNotFound)
	}
	s.setNamespace(name, nil)
	return nil
}

// setNamespace replaces the namespace of this name; nil takes it away. Of what outlives a
// decision, counts alone are derived from namespaces.
func (s *Snapshot) setNamespace(name string, ns *outrank.Namespace) {
	before, _ := s.objects.namespaces.Get(name)
	if before == ns {
		return
	}
	s.Journal.record(step{kind: putNamespace, name: name, namespace: before})
	s.Topology.Counts.forget()
	if ns == nil {
		s.objects.namespaces.Remove(name)
	} else {
		s.objects.namespaces.Set(name, ns)
	}
}

// IncomingTerms prepares terms of a pod that is to be placed. v1.36 widens them: it asks the
// selector of namespaces of no labels at all, too, so that one with NotIn or DoesNotExist, which
// no labels satisfy, selects every namespace (rules 7.13.12 and 7.13.19).
func (s *Snapshot) IncomingTerms(p *outrank.Pod, terms []outrank.PodAffinityTerm) []Term {
	out := termsOf(p, terms)
	for i := range out {
		if t := &out[i]; !s.Rules.NamespacesReplaceSelector {
			t.all = t.all || t.selector != nil && t.selector.Matches(nil)
		}
	}
	return out
}

// Picks reports whether a term of a pod that is to be placed picks another one by its namespace
// and labels. The selector of namespaces picks among those that the snapshot knows.
func (s *Snapshot) Picks(t *Term, namespace string, labels map[string]string) bool {
	ns, known := s.objects.namespaces.Get(namespace)
	if !known {
		return t.matches(namespace, labels, nil, false)
	}
	return t.matches(namespace, labels, ns.Labels, true)
}

// KeepApart lists the topology keys of the anti-affinity terms of a class that pick a pod. A
// namespace that is not listed counts as one without labels here.
func (s *Snapshot) KeepApart(k *PodClass, pod *outrank.Pod) (keys []string) {
	if len(k.antiAffinity) == 0 {
		return nil
	}
	var labels map[string]string
	namespace := pod.NamespaceName()
	if ns, known := s.objects.namespaces.Get(namespace); known {
		labels = ns.Labels
	}
	for i := range k.antiAffinity {
		if t := &k.antiAffinity[i]; t.matches(namespace, pod.Labels, labels, true) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}
