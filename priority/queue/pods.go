package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// enter makes a pod active that is not inside, in place of any other pod of its
// name.
func (c *core) enter(pod *outrank.Pod, now time.Time) {
	key := keyOf(pod)
	if before := c.alone(c.items[key]); before != nil {
		c.drop(before)
	}
	it := &item{Entry: Entry{Pod: pod, FirstEnqueued: now, Enqueued: now}, key: key, pool: poolCount}
	c.why = unscheduledPodAdd
	c.items[key] = it
	c.enlistIn(it)
	c.place(it)
}

// place puts a pod that is nowhere where it waits for its next attempt.
func (c *core) place(it *item) {
	if it.leaf != "" {
		c.join(it)
	} else {
		c.push(it, active)
	}
}

func (c *core) drop(it *item) {
	c.remove(it)
	delete(c.items, it.key)
	c.strikeOff(it)
}

func (c *core) move(it *item, to pool) {
	c.pools[it.pool].remove(it)
	c.push(it, to)
}

// Add makes a pod wait for its next attempt without delay. Time O(log n).
func (c *core) Add(pod *outrank.Pod, now time.Time) error {
	if err := c.refuses("Add", pod); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.find(pod)
	c.why = unscheduledPodAdd
	switch {
	case it == nil:
		c.enter(pod, now)
	case it.leaf != "" || c.isMember(pod):
		c.addMember(it, pod, now)
	case it.pool == active:
		c.replace(it, pod)
	default:
		// The key of a heap must not change inside it.
		c.pools[it.pool].remove(it)
		it.Pod, it.Enqueued, it.class = pod, now, nil
		c.push(it, active)
	}
	return nil
}

// replace sets another version of an item's pod, which may change its place, and
// may have to be held back.
func (c *core) replace(it *item, pod *outrank.Pod) {
	it.Pod, it.class = pod, nil
	c.pools[it.pool].fix(it)
	if gate := c.gateOfVersion(pod, it.pool); gate != "" {
		it.Gate = gate
		c.pools[it.pool].remove(it)
		c.put(it, gated)
	}
}

// AddIfNotPresent adds a pod unless it is inside. Time O(log n).
func (c *core) AddIfNotPresent(pod *outrank.Pod, now time.Time) (bool, error) {
	if err := c.refuses("AddIfNotPresent", pod); err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.find(pod) != nil {
		return false, nil
	}
	c.enter(pod, now)
	return true, nil
}

// Delete takes a pod out, also out of flight. Time O(log n).
func (c *core) Delete(pod *outrank.Pod) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.find(pod)
	if it != nil {
		c.drop(it)
	}
	return it != nil
}

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
