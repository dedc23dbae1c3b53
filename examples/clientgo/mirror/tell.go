package mirror

import "github.com/outrank-go/outrank"

// Tell makes the mirror call f for each pod, node and group of pods that changes in the snapshot from now on.
// old is the object of package outrank that was there, and new the one that is there now; either may be nil.
// [attempt.Loop.Observe] takes these arguments. A pod changes with the volumes behind its claims, and a node
// with its CSINode. A pod that goes names the node that it was bound to, even if no version of it did, and it
// goes before another pod of the same name comes. f is not called for changes by [Sync] and [Mirror.Update]. A
// nil f ends the calls.
//
// f is called after the change while the mirror is locked, one call at a time. It may change the snapshot as a
// function for [Mirror.Update] may, and must call no method of the mirror. It is not called for objects that
// were there before Tell.
//
// [attempt.Loop.Observe]: https://pkg.go.dev/github.com/outrank-go/outrank/preemption/scheduler/attempt#Loop.Observe
func (m *Mirror) Tell(f func(old, new any)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell = f
}

// Notify makes the mirror send a value to news after each change for which a function of [Mirror.Tell] is
// called, when that function has returned. As with signal.Notify, the mirror does not wait for a receiver. A
// channel with room for one value misses nothing, because a value only says that something has changed since
// the last one was received. A nil channel ends it.
func (m *Mirror) Notify(news chan<- struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = news
}

// telling makes a change of an object, and then calls the function of Tell with it.
func (m *Mirror) telling(of id, change func() error) error {
	if m.tell == nil && m.news == nil {
		return change()
	}

	was, node := m.present(of), m.snap.NodeOf(outrank.Key(of.name))
	err := change()
	now := m.present(of)
	if p, ok := was.(*outrank.Pod); ok && now == nil && p.NodeName != node { // the binding was not written yet
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
	default: // nobody listens, or a value that says the same was not received yet
	}
	return err
}

// present returns the pod, node or group in the snapshot. It is nil if there is none, and for other kinds.
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
