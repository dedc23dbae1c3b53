package state

import (
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// Namespaces is preemption.Snapshot.Namespaces.
func (s *Snapshot) Namespaces() iter.Seq[*outrank.Namespace] { return s.objects.namespaces.sorted() }

// PutNamespace is preemption.Snapshot.PutNamespace.
func (s *Snapshot) PutNamespace(ns *outrank.Namespace) error {
	c := outrank.Cluster{Namespaces: []*outrank.Namespace{ns}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setNamespace(ns.Name, ns)
	return nil
}

// RemoveNamespace is preemption.Snapshot.RemoveNamespace.
func (s *Snapshot) RemoveNamespace(name string) error {
	if _, ok := s.objects.namespaces.Get(name); !ok {
		return fmt.Errorf("%s: %w", phrase.Object("namespace", name), decision.ErrNotFound)
	}
	s.setNamespace(name, nil)
	return nil
}

// setNamespace replaces the namespace of this name; nil takes it away. Nothing is
// derived from namespaces that outlives a decision: signatures of equal pods are
// for preemptors that no pod affinity term concerns.
func (s *Snapshot) setNamespace(name string, ns *outrank.Namespace) {
	before, _ := s.objects.namespaces.Get(name)
	if before == ns {
		return
	}
	s.Journal.record(step{kind: putNamespace, name: name, namespace: before})
	if ns == nil {
		s.objects.namespaces.Remove(name)
	} else {
		s.objects.namespaces.Set(name, ns)
	}
}

// HasNamespace reports whether the snapshot has a namespace of this name.
func (s *Snapshot) HasNamespace(name string) bool {
	_, ok := s.objects.namespaces.Get(name)
	return ok
}

// NamespaceLabels are nil for a namespace that is not known.
func (s *Snapshot) NamespaceLabels(name string) map[string]string {
	if ns, ok := s.objects.namespaces.Get(name); ok {
		return ns.Labels
	}
	return nil
}
