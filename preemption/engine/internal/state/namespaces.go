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
	if _, ok := s.namespace(name); !ok {
		return fmt.Errorf("%s: %w", prose.Object("namespace", name), preemption.ErrNotFound)
	}
	s.setNamespace(name, nil)
	return nil
}

// namespace finds a namespace by its name.
func (s *Snapshot) namespace(name string) (*outrank.Namespace, bool) {
	return s.objects.namespaces.Get(name)
}

// setNamespace sets or replaces the namespace of this name; nil removes it. It records the change and drops
// the filters' counts.
func (s *Snapshot) setNamespace(name string, ns *outrank.Namespace) {
	before, _ := s.namespace(name)
	if before == ns {
		return
	}
	s.Journal.record(step{kind: putNamespace, name: name, namespace: before})

	// Of the data that outlives a decision only the filters' counts depend on namespaces.
	s.Topology.Counts.forget()
	s.objects.setNamespace(name, ns)
}

// setNamespace sets or replaces the namespace of this name; nil removes it.
func (x *clusterObjects) setNamespace(name string, ns *outrank.Namespace) {
	if ns == nil {
		x.namespaces.Remove(name)
	} else {
		x.namespaces.Set(name, ns)
	}
}

// IncomingTerms prepares terms of a pod to be placed. In v1.36 a namespace selector that matches an empty set
// of labels, as NotIn and DoesNotExist can, selects every namespace (rules 7.13.14 and 7.13.19).
func (s *Snapshot) IncomingTerms(p *outrank.Pod, terms []outrank.PodAffinityTerm) []Term {
	out := termsOf(p, terms)
	for i := range out {
		if t := &out[i]; !s.Rules.NamespacesReplaceSelector {
			t.all = t.all || t.inSpaces.Matches(nil)
		}
	}
	return out
}

// Picks reports whether a term of a pod to be placed picks another pod by its namespace and labels. The
// namespace selector picks only namespaces that the snapshot knows (rule 7.13.18).
func (s *Snapshot) Picks(t *Term, namespace string, labels map[string]string) bool {
	switch {
	case !t.labels.Picks(labels):
		return false
	case t.spaces == nil:
		return t.looksIn(namespace, nil, false)
	}
	ns, known := s.namespace(namespace)
	if !known {
		return t.looksIn(namespace, nil, false)
	}
	return t.looksIn(namespace, ns.Labels, true)
}

// EachApart calls f with the topology key of each anti-affinity term of a class that picks a pod. A
// namespace that the snapshot does not know counts as one without labels here (rule 7.13.18).
func (s *Snapshot) EachApart(k *PodClass, pod *outrank.Pod, f func(topologyKey string)) {
	if len(k.antiAffinity) == 0 {
		return
	}

	var labels map[string]string
	namespace := pod.NamespaceName()
	if ns, known := s.namespace(namespace); known {
		labels = ns.Labels
	}

	for i := range k.antiAffinity {
		if t := &k.antiAffinity[i]; t.matches(namespace, pod.Labels, labels, true) {
			f(t.Key)
		}
	}
}
