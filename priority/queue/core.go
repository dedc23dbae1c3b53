package queue

import (
	"cmp"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// core is what the queues have in common: the pods inside and their pools,
// attempts, and waiting. Every pod inside is in items and in exactly one pool.
type core struct {
	mu    sync.Mutex
	items map[podKey]*item
	pools [poolCount]heap
	// cycle numbers the attempts, arrivals the pods that became active.
	cycle, arrivals int64
	closed          bool
	// movedSince says that pods were moved since the last pod was popped; only the queue
	// of v1.13 looks at it (rule 5.9.3).
	movedSince bool
	// early says that the first pod in backoff is popped where none is active.
	early bool
	// gate names what holds a pod back before it is active or in backoff, empty
	// for nothing; nil where nothing ever does.
	gate func(*outrank.Pod) string
	// rosters list the items that stand for many pods, by class, and serial counts
	// the rosters and the pods that became members.
	rosters map[Class]*roster
	serial  uint64
	// rules are those of the release, and again how long a gated pod waits until its
	// gates are asked without an event; zero means for ever.
	rules release.Rules
	again time.Duration
	// why is what the operation under way moves pods for, and incoming how many it
	// has moved into each pool so far.
	why      cause
	incoming [poolCount][causeCount]arrivals
	// groups is nil where groups are not queued.
	groups *groupTable
	// wake is closed when a pod can be popped or the queue closes; nil while no
	// call waits.
	wake chan struct{}
}

// init prepares the pools. The active pool is sorted by the given order, the
// others by when their pods are due, with the same order among equals.
func (c *core) init(order func(a, b *item) int) {
	c.items = map[podKey]*item{}
	c.pools[active].order = order
	for _, p := range []pool{backoff, errorBackoff} {
		c.pools[p].order = func(a, b *item) int {
			return cmp.Or(a.BackoffEnd.Compare(b.BackoffEnd), order(a, b))
		}
	}
	c.pools[unschedulable].order = func(a, b *item) int {
		return cmp.Or(a.due.Compare(b.due), order(a, b))
	}
	c.pools[gated].order = order
	if c.again > 0 {
		c.pools[gated].order = func(a, b *item) int { return cmp.Or(compareDue(a, b), order(a, b)) }
	}
	c.pools[inFlight].order = func(a, b *item) int {
		if o := cmp.Compare(a.Cycle, b.Cycle); o != 0 || a.leaf == "" {
			return o
		}
		return compareMembers(a, b)
	}
}

func keyOf(pod *outrank.Pod) podKey { return podKey{pod.NamespaceName(), pod.Name} }

// find returns the item of this very pod, nil if it is not inside.
func (c *core) find(pod *outrank.Pod) *item {
	if pod == nil {
		return nil
	}
	if it := c.items[keyOf(pod)]; it != nil && it.Pod.UID == pod.UID {
		return c.alone(it)
	}
	return nil
}

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

// remove takes an item out of where it is.
func (c *core) remove(it *item) {
	if it.pool > poolCount {
		c.quit(it)
	} else {
		c.pools[it.pool].remove(it)
	}
	it.pool = poolCount
}

func (c *core) move(it *item, to pool) {
	c.pools[it.pool].remove(it)
	c.push(it, to)
}

// push puts an item into a pool, or among the gated ones if something holds it
// back from there.
func (c *core) push(it *item, to pool) {
	if it.Gate = c.gateOfItem(it, to); it.Gate != "" {
		to = gated
	}
	c.put(it, to)
}

// gateOf names what holds a pod back from a pool, empty for nothing (rules 5.2.6 and
// 5.2.9).
func (c *core) gateOf(pod *outrank.Pod, from pool) string {
	switch {
	case c.gate == nil || from != active && from != backoff && from != errorBackoff:
		return ""
	case from != active && !c.early:
		return c.gateOfVersion(pod, from)
	}
	return c.gate(pod)
}

// gateOfVersion names what holds another version of a pod back that is let in already:
// its scheduling gates alone (rule 5.2.10).
func (c *core) gateOfVersion(pod *outrank.Pod, in pool) string {
	if c.gate == nil || !pod.Gated() || in != active && in != backoff && in != errorBackoff {
		return ""
	}
	return c.gate(pod)
}

// put puts an item into a pool whatever the gates say.
func (c *core) put(it *item, to pool) {
	if it.pool != to {
		c.arrive(to, c.why, it.arrivals())
	}
	it.pool = to
	if to == gated {
		it.wasHeld = true
		it.due = c.askAgain(it)
	}
	if to == active {
		c.arrivals++
		it.arrival = c.arrivals
	}
	if to == active || to == backoff && c.early {
		c.wakeAll()
	}
	c.pools[to].push(it)
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
