package state

import (
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// groupObjects returns the groups and composite groups of the snapshot.
func (s *Snapshot) groupObjects() *groupObjects { return &s.objects.groups }

// Group is engine.Snapshot.Group.
func (s *Snapshot) Group(key outrank.Key) (*outrank.PodGroup, bool) {
	return s.groupObjects().byKey.Get(string(key))
}

// Groups is engine.Snapshot.Groups.
func (s *Snapshot) Groups() iter.Seq[*outrank.PodGroup] { return s.groupObjects().byKey.sorted() }

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

// setGroup sets or replaces the group with this key; nil removes it.
func (s *Snapshot) setGroup(key string, g *outrank.PodGroup) {
	known := s.groupObjects()
	before, _ := known.byKey.Get(key)
	if before == g {
		return // nothing changes, so that there is nothing to revert
	}

	s.Journal.record(step{kind: putGroup, name: key, group: before})
	if g == nil {
		known.byKey.Remove(key)
	} else {
		known.byKey.Set(key, g)
	}
	s.regroup(key)
}

// Composite is engine.Snapshot.Composite.
func (s *Snapshot) Composite(key outrank.Key) (*outrank.CompositePodGroup, bool) {
	return s.groupObjects().composites.Get(string(key))
}

// Composites is engine.Snapshot.Composites.
func (s *Snapshot) Composites() iter.Seq[*outrank.CompositePodGroup] {
	return s.groupObjects().composites.sorted()
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

// setComposite is setGroup for a composite group. It may change the units of all groups below.
func (s *Snapshot) setComposite(key string, g *outrank.CompositePodGroup) {
	known := s.groupObjects()
	before, _ := known.composites.Get(key)
	if before == g {
		return
	}

	s.Journal.record(step{kind: putComposite, name: key, composite: before})
	if g == nil {
		known.composites.Remove(key)
	} else {
		known.composites.Set(key, g)
	}
	s.regroupBelow(key)
}
