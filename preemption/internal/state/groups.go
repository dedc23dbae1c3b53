package state

import (
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// Group finds a pod group by its key ([outrank.PodGroup.Key]). A pod can name a
// group that the snapshot does not hold.
func (s *Snapshot) Group(key outrank.Key) (*outrank.PodGroup, bool) { return s.groups.Get(string(key)) }

// Groups goes through the pod groups, sorted by key. Time is that of sorting them. The loop
// may change the snapshot, as that of [Snapshot.Namespaces].
func (s *Snapshot) Groups() iter.Seq[*outrank.PodGroup] { return s.groups.sorted() }

// SetGroups replaces all pod groups. The pods stay as they are. The slice is
// not kept, the groups are. The error is that of [outrank.Cluster.Validate].
// Time is that of [Snapshot.PutGroup] for each of them, before and after.
func (s *Snapshot) SetGroups(groups []*outrank.PodGroup) error {
	s.Begin()
	c := outrank.Cluster{Groups: groups}
	if err := c.Validate(); err != nil {
		return err
	}
	gone := map[string]bool{}
	s.groups.Each(func(key string, _ *outrank.PodGroup) { gone[key] = true })
	for _, g := range groups {
		key := string(g.Key())
		delete(gone, key)
		s.setGroup(key, g)
	}
	for key := range gone {
		s.setGroup(key, nil)
	}
	return nil
}

// PutGroup takes a pod group in as an informer delivers it: a new one is added,
// and one of the same key replaced. The pods stay as they are: they name their
// group. The error is that of [outrank.Cluster.Validate] about the group. Time is
// constant; where victims are units (rule 12.6.1), linear in the running pods of the
// group and in those of their nodes. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutGroup(g *outrank.PodGroup) error {
	s.Begin()
	c := outrank.Cluster{Groups: []*outrank.PodGroup{g}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setGroup(string(g.Key()), g)
	return nil
}

// RemoveGroup takes a pod group away. Pods that name it stay, and count by
// themselves. Error: [ErrNotFound]. Time is that of [Snapshot.PutGroup].
// [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveGroup(key outrank.Key) error {
	if _, ok := s.Group(key); !ok {
		return fmt.Errorf("%s: %w", phrase.Object("pod group", key), decision.ErrNotFound)
	}
	s.setGroup(string(key), nil)
	return nil
}

// setGroup replaces the group of this key; nil takes it away.
func (s *Snapshot) setGroup(key string, g *outrank.PodGroup) {
	before, _ := s.groups.Get(key)
	if before == g {
		return
	}
	s.Journal.record(step{kind: putGroup, name: key, group: before})
	if g == nil {
		s.groups.Remove(key)
	} else {
		s.groups.Set(key, g)
	}
	s.regroup(key)
}

// Composite finds a composite pod group by its key
// ([outrank.CompositePodGroup.Key]).
func (s *Snapshot) Composite(key outrank.Key) (*outrank.CompositePodGroup, bool) {
	return s.composites.Get(string(key))
}

// Composites goes through the composite pod groups, sorted by key. Time is that of sorting
// them. The loop may change the snapshot, as that of [Snapshot.Namespaces].
func (s *Snapshot) Composites() iter.Seq[*outrank.CompositePodGroup] { return s.composites.sorted() }

// SetComposites replaces all composite pod groups. The slice is not kept, the groups
// are. The error is that of [outrank.Cluster.Validate]. Time is that of
// [Snapshot.PutComposite] for each of them, before and after. [Snapshot.Undo] takes it
// back.
func (s *Snapshot) SetComposites(composites []*outrank.CompositePodGroup) error {
	s.Begin()
	c := outrank.Cluster{Composites: composites}
	if err := c.Validate(); err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, g := range composites {
		kept[string(g.Key())] = true
	}
	var gone []string
	s.composites.Each(func(key string, _ *outrank.CompositePodGroup) {
		if !kept[key] {
			gone = append(gone, key)
		}
	})
	for _, key := range gone {
		s.setComposite(key, nil)
	}
	for _, g := range composites {
		s.setComposite(string(g.Key()), g)
	}
	return nil
}

// PutComposite takes a composite pod group in as an informer delivers it: a new one is
// added, and one of the same key replaced. The groups below stay as they are: they name
// their parent. The error is that of [outrank.Cluster.Validate] about the group. Time
// is constant where composite groups do not count, else linear in the running pods of
// the groups below and in those of their nodes. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutComposite(g *outrank.CompositePodGroup) error {
	s.Begin()
	c := outrank.Cluster{Composites: []*outrank.CompositePodGroup{g}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setComposite(string(g.Key()), g)
	return nil
}

// RemoveComposite takes a composite pod group away. Groups that name it as their
// parent stay, each the top of its tree. Error: [ErrNotFound]. Time is that of
// [Snapshot.PutComposite]. [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveComposite(key outrank.Key) error {
	if _, ok := s.Composite(key); !ok {
		return fmt.Errorf("%s: %w", phrase.Object("composite pod group", key), decision.ErrNotFound)
	}
	s.setComposite(string(key), nil)
	return nil
}

// setComposite replaces the composite group of this key; nil takes it away.
func (s *Snapshot) setComposite(key string, g *outrank.CompositePodGroup) {
	before, _ := s.composites.Get(key)
	if before == g {
		return
	}
	s.Journal.record(step{kind: putComposite, name: key, composite: before})
	if g == nil {
		s.composites.Remove(key)
	} else {
		s.composites.Set(key, g)
	}
	s.regroupBelow(key)
}
