package state

import (
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Group is engine.Snapshot.Group.
func (s *Snapshot) Group(key outrank.Key) (*outrank.PodGroup, bool) {
	return s.objects.groups.byKey.Get(string(key))
}

// Groups is engine.Snapshot.Groups.
func (s *Snapshot) Groups() iter.Seq[*outrank.PodGroup] { return s.objects.groups.byKey.sorted() }

// PutGroup is engine.Snapshot.PutGroup.
func (s *Snapshot) PutGroup(g *outrank.PodGroup) error {
	c := outrank.Cluster{Groups: []*outrank.PodGroup{g}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setGroup(string(g.Key()), g)
	return nil
}

// RemoveGroup is engine.Snapshot.RemoveGroup.
func (s *Snapshot) RemoveGroup(key outrank.Key) error {
	if _, ok := s.Group(key); !ok {
		return fmt.Errorf("%s: %w", prose.Object("pod group", key), preemption.ErrNotFound)
	}
	s.setGroup(string(key), nil)
	return nil
}

// setGroup replaces the group of this key; nil takes it away.
func (s *Snapshot) setGroup(key string, g *outrank.PodGroup) {
	before, _ := s.objects.groups.byKey.Get(key)
	if before == g {
		return
	}
	s.Journal.record(step{kind: putGroup, name: key, group: before})
	if g == nil {
		s.objects.groups.byKey.Remove(key)
	} else {
		s.objects.groups.byKey.Set(key, g)
	}
	s.regroup(key)
}

// Composite is engine.Snapshot.Composite.
func (s *Snapshot) Composite(key outrank.Key) (*outrank.CompositePodGroup, bool) {
	return s.objects.groups.composites.Get(string(key))
}

// Composites is engine.Snapshot.Composites.
func (s *Snapshot) Composites() iter.Seq[*outrank.CompositePodGroup] {
	return s.objects.groups.composites.sorted()
}

// PutComposite is engine.Snapshot.PutComposite.
func (s *Snapshot) PutComposite(g *outrank.CompositePodGroup) error {
	c := outrank.Cluster{Composites: []*outrank.CompositePodGroup{g}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setComposite(string(g.Key()), g)
	return nil
}

// RemoveComposite is engine.Snapshot.RemoveComposite.
func (s *Snapshot) RemoveComposite(key outrank.Key) error {
	if _, ok := s.Composite(key); !ok {
		return fmt.Errorf("%s: %w", prose.Object("composite pod group", key), preemption.ErrNotFound)
	}
	s.setComposite(string(key), nil)
	return nil
}

// setComposite replaces the composite group of this key; nil takes it away.
func (s *Snapshot) setComposite(key string, g *outrank.CompositePodGroup) {
	before, _ := s.objects.groups.composites.Get(key)
	if before == g {
		return
	}
	s.Journal.record(step{kind: putComposite, name: key, composite: before})
	if g == nil {
		s.objects.groups.composites.Remove(key)
	} else {
		s.objects.groups.composites.Set(key, g)
	}
	s.regroupBelow(key)
}
