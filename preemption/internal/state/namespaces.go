package state

import (
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// Namespaces goes through the namespaces that the snapshot was told of, sorted by
// name. Time is that of sorting them. The loop may change the snapshot: a namespace that it
// removes before its turn does not come, and one that it adds may come or not.
func (s *Snapshot) Namespaces() iter.Seq[*outrank.Namespace] { return s.NamespacesByName.sorted() }

// PutNamespace takes a namespace in as an informer delivers it: a new one is
// added, and one of the same name replaced. From now on the namespace selectors of
// pod affinity terms, those of pods that are known already included, see it and
// its labels. The error is that of [outrank.Cluster.Validate] about the namespace.
// Time is constant. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutNamespace(ns *outrank.Namespace) error {
	s.Begin()
	c := outrank.Cluster{Namespaces: []*outrank.Namespace{ns}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setNamespace(ns.Name, ns)
	return nil
}

// RemoveNamespace takes a namespace away, so that no namespace selector of a
// preemptor picks it; its pods stay as they are. Error: [ErrNotFound]. Time is
// constant. [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveNamespace(name string) error {
	if _, ok := s.NamespacesByName.Get(name); !ok {
		return fmt.Errorf("%s: %w", phrase.Object("namespace", name), decision.ErrNotFound)
	}
	s.setNamespace(name, nil)
	return nil
}

// setNamespace replaces the namespace of this name; nil takes it away. Nothing is
// derived from namespaces that outlives a decision: signatures of equal pods are
// for preemptors that no pod affinity term concerns.
func (s *Snapshot) setNamespace(name string, ns *outrank.Namespace) {
	before, _ := s.NamespacesByName.Get(name)
	if before == ns {
		return
	}
	s.Journal.record(step{kind: putNamespace, name: name, namespace: before})
	if ns == nil {
		s.NamespacesByName.Remove(name)
	} else {
		s.NamespacesByName.Set(name, ns)
	}
}

// NamespaceLabels are nil for a namespace that is not known.
func (s *Snapshot) NamespaceLabels(name string) map[string]string {
	if ns, ok := s.NamespacesByName.Get(name); ok {
		return ns.Labels
	}
	return nil
}
