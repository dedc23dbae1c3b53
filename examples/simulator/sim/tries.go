package sim

// tries numbers the states of the cluster, which says whether an attempt can have another result than the
// last one with its pod.
type tries struct {
	// state grows with every change that the result of an attempt may depend on.
	state uint64
	// tried counts the pods in the queue whose last attempt failed in this state.
	tried int
	// latest is the number of the latest attempt, and since the number of the last attempt before the present
	// state.
	latest, since int64
	// changes are the changes between the states.
	changes changeLog
}

// changed begins a new state, because of a change on a node. With nil the change may concern every pod.
func (t *tries) changed(on *host) {
	t.state++
	t.tried = 0
	t.since = t.latest
	t.changes.add(on)
}

// changeCount returns the number of changes so far.
func (t *tries) changeCount() int { return t.changes.count() }

// changesSince returns the changes behind the first seen ones, as [changeLog.after] does.
func (t *tries) changesSince(seen int) ([]*host, bool) { return t.changes.after(seen) }

// untry forgets that a pod was tried in this state, so that it is tried again.
func (t *tries) untry(p *pod) {
	p.tried = 0
	t.tried--
}

// changeLog has the last changes of the cluster in order.
type changeLog struct {
	// hosts has the changed node of each change, nil for a change that may concern every pod.
	hosts []*host
	// dropped counts the earlier changes, which the log has forgotten.
	dropped int
}

const (
	// mostChanges is the most changes that the log keeps.
	mostChanges = 1 << 16
	// mostUnseen is the most changes that are looked through. If there are more, asking the scheduler again
	// costs less.
	mostUnseen = 64
)

// count returns the number of all changes so far, including forgotten ones.
func (l *changeLog) count() int { return l.dropped + len(l.hosts) }

// add appends a change. A full log forgets its older half, so that a change costs constant time on average.
func (l *changeLog) add(h *host) {
	if len(l.hosts) == mostChanges {
		n := copy(l.hosts, l.hosts[mostChanges/2:])
		clear(l.hosts[n:])
		l.hosts = l.hosts[:n]
		l.dropped += mostChanges / 2
	}
	l.hosts = append(l.hosts, h)
}

// after returns the changes behind the first seen ones. ok is false if the log has forgotten some of them, or
// if they are too many to look through.
func (l *changeLog) after(seen int) (changes []*host, ok bool) {
	if seen < l.dropped || l.count()-seen > mostUnseen {
		return nil, false
	}
	return l.hosts[seen-l.dropped:], true
}
