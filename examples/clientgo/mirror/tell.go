package mirror

import "github.com/outrank-go/outrank"

// Tell makes the mirror call f for each pod, node and group of pods that changes in the snapshot
// from now on: with the object of package outrank that was there, or nil, and with the one that is
// there now, or nil. These are what [attempt.Loop.Observe] takes. A pod changes with the volumes
// behind its claims, and a node with its CSINode. A pod that goes names the node that it was bound
// to, even if no version of it did, and goes before another one of its name comes. Changes by
// [Sync] and [Mirror.Update] are not told. A nil f ends it.
//
// f is called while the mirror is locked, after the change, one call at a time. It may change the
// snapshot as a function for [Mirror.Update] may, and must call no method of the mirror. Objects
// that were there before Tell are not told.
//
// [attempt.Loop.Observe]: https://pkg.go.dev/github.com/outrank-go/outrank/preemption/scheduler/attempt#Loop.Observe
func (m *Mirror) Tell(f func(old, new any)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell = f
}

// Notify makes the mirror send to news after each change that [Mirror.Tell] tells of, and after its
// function has returned. As with signal.Notify, nothing waits for a receiver: a channel with room
// for one misses no news, because what is in it says that something has changed since it was last
// received. A nil channel ends it.
func (m *Mirror) Notify(news chan<- struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = news
}

// telling makes a change of an object, and tells of it.
func (m *Mirror) telling(of id, change func() error) error {
	if m.tell == nil && m.news == nil {
		return change()
	}

	was, node := m.present(of), m.snap.NodeOf(outrank.Key(of.name))
	err := change()
	now := m.present(of)
	if p, ok := was.(*outrank.Pod); ok && now == nil && p.NodeName != node { // bound, and not told yet
		bound := *p
		bound.NodeName, was = node, &bound
	}
	if now == was {
		return err
	}

	if m.tell != nil {
		m.tell(was, now)
	}
	select {
	case m.news <- struct{}{}:
	default: // nobody asked, or one that is not received yet says the same
	}
	return err
}

// present is the pod, node or group that the snapshot has, nil for none and for other kinds.
func (m *Mirror) present(of id) any {
	switch key := outrank.Key(of.name); of.kind {
	case podKind:
		return unlessMissing(m.snap.Pod(key))
	case nodeKind:
		return unlessMissing(m.snap.Node(of.name))
	case groupKind:
		return unlessMissing(m.snap.Group(key))
	case compositeKind:
		return unlessMissing(m.snap.Composite(key))
	}
	return nil
}

func unlessMissing[T any](object *T, there bool) any {
	if !there {
		return nil
	}
	return object
}
