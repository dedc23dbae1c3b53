package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// addMember is Add of a pod that is inside, where the earlier or the newer version is a
// member of a group. It does not hurry the group that it waits with.
func (c *core) addMember(it *item, pod *outrank.Pod, now time.Time) {
	if it.pool != inFlight && it.pool > poolCount && c.sameGroup(it, pod) {
		c.replaceMember(it, pod, now)
		return
	}
	c.remove(it)
	it.Pod, it.Enqueued, it.class = pod, now, nil
	c.enlistIn(it)
	c.place(it)
}

// sameGroup reports whether another version of an item's pod belongs to the same group.
func (c *core) sameGroup(it *item, pod *outrank.Pod) bool {
	return c.isMember(pod) && pod.GroupKey() == it.leaf
}

// updateMember is Update in the case of addMember.
func (q *Queue) updateMember(it *item, pod *outrank.Pod, now time.Time) {
	switch {
	case it.pool == inFlight:
		before := it.Pod
		if before == pod {
			before = nil
		}
		q.noteUpdate(before, pod)
		it.Pod, it.class, it.updated = pod, nil, true
		q.enlistIn(it)
	case q.sameGroup(it, pod) && it.pool > poolCount:
		q.replaceMember(it, pod, now)
	default:
		q.remove(it)
		it.Pod, it.class = pod, nil
		q.enlistIn(it)
		q.place(it)
	}
}

// replaceMember sets another version of a member that waits. A gated group is asked
// about, another one may have to be held back (rule 5.8.4).
func (c *core) replaceMember(it *item, pod *outrank.Pod, now time.Time) {
	it.Pod, it.class = pod, nil
	if it.of == nil {
		return
	}
	it.of.group.waiting.fix(it)
	switch {
	case it.pool == apart:
	case it.of.pool == gated:
		c.groups.reopen(it.of, now)
	default:
		c.hold(it.of, it, c.gateOfVersion(pod, it.of.pool))
	}
}

// reopen asks the gates of a gated group.
func (q *Queue) reopen(it *item, now time.Time) {
	q.pools[gated].remove(it)
	q.revive(it, afterBackoff, now)
}

// putBackMember has a pod of a group wait for it after an attempt (rule 5.8.6).
func (q *Queue) putBackMember(it *item, now time.Time) {
	q.why = attemptFailure
	if q.enlistIn(it); it.leaf == "" {
		q.putBack(it, now)
		return
	}
	q.remove(it)
	q.join(it)
}

// activateGroup makes the group of a pod active that waits elsewhere, and returns how
// many pods it has; 0 if it is not active then, or was before.
func (q *Queue) activateGroup(it *item) int {
	if it.pool != inGroup || it.of.pool == active {
		return 0
	}
	g := it.of
	if q.hurry(g); g.pool != active {
		return 0
	}
	return g.size()
}
