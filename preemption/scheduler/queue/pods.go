package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// enter makes a new pod active, in place of any other pod of its name.
func (c *core) enter(pod *outrank.Pod, now time.Time) {
	key := keyOf(pod)
	if before := c.alone(c.items[key]); before != nil {
		c.drop(before)
	}

	it := &item{Entry: Entry{Pod: pod, FirstEnqueued: now, Enqueued: now}, key: key, pool: poolCount}
	c.why = unscheduledPodAdd
	c.items[key] = it
	c.listMember(it)
	c.place(it)
}

// place puts a pod that is in no pool into active, or into its group.
func (c *core) place(it *item) {
	if it.leaf != "" {
		c.join(it)
	} else {
		c.push(it, active)
	}
}

// drop forgets a pod that is inside, wherever it is.
func (c *core) drop(it *item) {
	c.remove(it)
	delete(c.items, it.key)
	c.unlistMember(it)
}

// move moves an item from its pool to another one, or to gated if a gate keeps it from there.
func (c *core) move(it *item, to pool) {
	c.pools[it.pool].remove(it)
	c.push(it, to)
}

// replace sets another version of an item's pod. Its place in the pool may change, and its scheduling gates
// may move it to gated.
func (c *core) replace(it *item, pod *outrank.Pod) {
	it.Pod, it.class = pod, nil
	c.pools[it.pool].fix(it)
	if gate := c.gateOfVersion(pod, it.pool); gate != "" {
		it.Gate = gate
		c.pools[it.pool].remove(it)
		c.put(it, gated)
	}
}

// addMember is Add for a pod that is inside, if the earlier or the newer version is a member
// of a group. It does not make the pod's group active.
func (c *core) addMember(it *item, pod *outrank.Pod, now time.Time) {
	if it.pool > poolCount && c.sameGroup(it, pod) { // it waits with, for or without its group
		c.replaceMember(it, pod, now)
		return
	}

	c.remove(it)
	it.Pod, it.Enqueued, it.class = pod, now, nil
	c.listMember(it)
	c.place(it)
}
