package sim

// tries tells whether an attempt may have another result than the last one of its
// pod: it numbers the states of the cluster.
type tries struct {
	// state grows whenever something changes that the result of an attempt may
	// depend on. tried counts the pods in the queue whose last attempt came to
	// nothing in this state.
	state uint64
	tried int
	// latest is the number of the latest attempt, since that of the latest before
	// the present state. changes made the states.
	latest, since int64
	changes       changeLog
}

// changed records that attempts may have another result from now on, because of
// a change on a node; nil stands for everything.
func (t *tries) changed(on *host) {
	t.state++
	t.tried = 0
	t.since = t.latest
	t.changes.add(on)
}

// changeLog has the changes of the cluster, in order: the node each time, nil for
// one that may concern every pod.
type changeLog struct {
	hosts []*host
	// dropped counts the changes before these.
	dropped int
}

const (
	// mostChanges bounds the log, mostUnseen the part of it that is looked
	// through rather than asking anew.
	mostChanges = 1 << 16
	mostUnseen  = 64
)

func (l *changeLog) count() int { return l.dropped + len(l.hosts) }

func (l *changeLog) add(h *host) {
	if len(l.hosts) == mostChanges {
		n := copy(l.hosts, l.hosts[mostChanges/2:])
		clear(l.hosts[n:])
		l.hosts, l.dropped = l.hosts[:n], l.dropped+mostChanges/2
	}
	l.hosts = append(l.hosts, h)
}

// after returns the changes after the first seen ones; not ok where the log has not all
// of them, or where they are too many to look through.
func (l *changeLog) after(seen int) (changes []*host, ok bool) {
	if seen < l.dropped || l.count()-seen > mostUnseen {
		return nil, false
	}
	return l.hosts[seen-l.dropped:], true
}
