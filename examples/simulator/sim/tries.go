package sim

// tries tells whether an attempt may have another result than the last one of its
// pod: it numbers the states of the cluster.
type tries struct {
	// state grows whenever something changes that the result of an attempt may depend on.
	state uint64
	// tried counts the pods in the queue whose last attempt came to nothing in this state.
	tried int
	// latest is the number of the latest attempt, since the number of the last attempt before the
	// present state began.
	latest, since int64
	// changes are the changes that led from one state to the next.
	changes changeLog
}

// changed records that attempts may have another result from now on, because of
// a change on a node; nil stands for everything.
func (t *tries) changed(on *host) {
	t.state++
	t.tried = 0
	t.since = t.latest
	t.changes.add(on)
}

// changeCount counts the changes so far.
func (t *tries) changeCount() int { return t.changes.count() }

// changesSince returns the changes that follow the first seen ones, as [changeLog.after] does.
func (t *tries) changesSince(seen int) ([]*host, bool) { return t.changes.after(seen) }

// untry withdraws that a pod was tried in this state, so that it may be tried again.
func (t *tries) untry(p *pod) {
	p.tried = 0
	t.tried--
}

// changeLog has the changes of the cluster in order.
type changeLog struct {
	// hosts has the changed node of each change, nil for a change that may concern every pod.
	hosts []*host
	// dropped counts the changes that came before these and are forgotten.
	dropped int
}

const (
	// mostChanges bounds the log.
	mostChanges = 1 << 16
	// mostUnseen is the most changes that are looked through. Where there are more the scheduler is asked
	// anew, which costs less then.
	mostUnseen = 64
)

// count counts all changes so far, the forgotten ones among them.
func (l *changeLog) count() int { return l.dropped + len(l.hosts) }

// add appends a change. A full log forgets its older half, so that the cost of copying is constant for
// each change.
func (l *changeLog) add(h *host) {
	if len(l.hosts) == mostChanges {
		n := copy(l.hosts, l.hosts[mostChanges/2:])
		clear(l.hosts[n:])
		l.hosts = l.hosts[:n]
		l.dropped += mostChanges / 2
	}
	l.hosts = append(l.hosts, h)
}

// after returns the changes that follow the first seen ones. It is not ok where the log has forgotten some
// of them, or where they are too many to look through.
func (l *changeLog) after(seen int) (changes []*host, ok bool) {
	if seen < l.dropped || l.count()-seen > mostUnseen {
		return nil, false
	}
	return l.hosts[seen-l.dropped:], true
}
