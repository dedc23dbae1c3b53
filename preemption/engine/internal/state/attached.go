package state

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Attachment is what a snapshot keeps for a filter or a tracker of the caller: the pods that
// concern it, node by node, and for a tracker its state of the cluster.
type Attachment struct {
	// key is the *preemption.Filter or the *preemption.Tracker, which is known by its address.
	key any
	// concerns reports whether a pod concerns it. If it is nil every pod does, and blocks is empty.
	concerns func(*outrank.Pod) bool
	// state is what a tracker knows of the cluster, nil for a filter.
	state preemption.ClusterState
	// blocks lists the concerned pods by block of slots. A block without any may be nil or missing.
	blocks []*concernedBlock

	// owner is the owner of the attachment and of its list of blocks. Any other snapshot copies
	// both before it writes.
	owner *Owner
	// stateOwner is the owner of the state. Any other snapshot clones the state before it writes.
	stateOwner *Owner
	// used is the count of uses at which the attachment was asked for last.
	used atomic.Uint64
}

// concernedBlock lists the pods that concern a filter on the nodes of a block, by slot.
type concernedBlock struct {
	owner *Owner
	pods  [SummaryBlockSize][]*PodState
}

// On lists the pods of a node that concern the filter, the most important first.
func (a *Attachment) On(n *NodeState) []*PodState {
	if a.concerns == nil {
		return n.Pods
	}
	if b := int(n.Slot) / SummaryBlockSize; b < len(a.blocks) && a.blocks[b] != nil {
		return a.blocks[b].pods[n.Slot%SummaryBlockSize]
	}
	return nil
}

// list returns the list of a node for writing. Its block is copied with all lists if it has another
// owner, so that lists can be changed in place.
func (a *Attachment) list(slot int32, o *Owner) *[]*PodState {
	at := int(slot) / SummaryBlockSize
	for len(a.blocks) <= at {
		a.blocks = append(a.blocks, nil)
	}

	switch b := a.blocks[at]; {
	case b == nil:
		a.blocks[at] = &concernedBlock{owner: o}
	case b.owner != o:
		c := &concernedBlock{owner: o}
		for i, pods := range b.pods {
			c.pods[i] = slices.Clone(pods)
		}
		a.blocks[at] = c
	}
	return &a.blocks[at].pods[slot%SummaryBlockSize]
}

// note puts a pod on the list of its node (by is 1) or takes it off (-1). It reports whether the pod
// came or went for the attachment: not if it is on the list already, or not on it.
func (a *Attachment) note(n *NodeState, p *PodState, by int, o *Owner) bool {
	if a.concerns == nil {
		return true // it has no lists, and hears of every pod
	}

	// A function of the caller that panics keeps the attachments behind it from hearing of a change.
	// They hear of its opposite all the same, once Undo reverts the change.
	at := a.placeOf(n, p)
	there := at >= 0
	if comes := by > 0; comes == there {
		return false
	}

	pods := a.list(n.Slot, o)
	if by > 0 {
		*pods = insertByImportance(*pods, p)
	} else {
		*pods = slices.Delete(*pods, at, at+1)
	}
	return true
}

// placeOf returns where a pod stands on the list of its node, -1 if it is not there.
func (a *Attachment) placeOf(n *NodeState, p *PodState) int {
	return slices.IndexFunc(a.On(n), func(q *PodState) bool { return SameName(p.Pod, q.Pod) })
}

// tell tells the state, if there is one, of a pod that comes (by is 1) or goes (-1). A pod on a
// node that does not exist (nil) counts nowhere.
func (a *Attachment) tell(p *PodState, node *outrank.Node, by int, o *Owner) {
	if a.state == nil || node == nil {
		return
	}
	if a.stateOwner != o {
		a.state, a.stateOwner = a.state.Clone(), o
	}
	tell(a.state, p, node, by)
}

// tell tells a state of a pod that comes (by is 1) or goes (-1).
func tell(state preemption.ClusterState, p *PodState, node *outrank.Node, by int) {
	if by > 0 {
		state.Add(p.Pod, node)
	} else {
		state.Remove(p.Pod, node)
	}
}

// attachments are those of a snapshot, each with a key of its own. Readers, any number of them at
// once, find attachments and add new ones. Only a change, which runs alone, changes what they say.
type attachments struct {
	mu sync.Mutex // held while one is added
	// list is replaced whole when one is added, because readers go over the old one meanwhile.
	list atomic.Pointer[[]*Attachment]
	// uses counts how often any was asked for or added.
	uses atomic.Uint64
}

// mostAttachments bounds how many a snapshot keeps: those that were asked for last.
const mostAttachments = 16

// all lists the attachments. A nil receiver has none.
func (as *attachments) all() []*Attachment {
	if as == nil {
		return nil
	}
	if list := as.list.Load(); list != nil {
		return *list
	}
	return nil
}

// of returns the attachment for a key, nil if there is none.
func (as *attachments) of(key any) *Attachment {
	for _, a := range as.all() {
		if a.key == key {
			a.used.Store(as.uses.Add(1))
			return a
		}
	}
	return nil
}

// add adds an attachment. If there are as many as there may be, it takes the place of the least
// recently used one. It returns the attachment that the snapshot has for the key: another one
// if another reader has added it meanwhile.
func (as *attachments) add(a *Attachment) *Attachment {
	as.mu.Lock()
	defer as.mu.Unlock()
	if known := as.of(a.key); known != nil {
		return known
	}

	// Readers look at the old list meanwhile, so that a changed copy takes its place.
	a.used.Store(as.uses.Add(1))
	list := slices.Clone(as.all())
	if len(list) == mostAttachments {
		least := 0
		for i := range list {
			if list[i].used.Load() < list[least].used.Load() {
				least = i
			}
		}
		list = slices.Delete(list, least, least+1)
	}

	list = append(list, a)
	as.list.Store(&list)
	return a
}

// share returns the same attachments for another snapshot. Its owner is another one, so that it
// copies an attachment before it writes.
func (as *attachments) share() *attachments {
	c := new(attachments)
	if as == nil {
		return c
	}
	list := slices.Clone(as.all())
	c.list.Store(&list)
	c.uses.Store(as.uses.Load())
	return c
}

// writable returns the i-th attachment for writing. It may write the list in place, because only
// changes call it and no two snapshots share a list.
func (as *attachments) writable(i int, o *Owner) *Attachment {
	list := as.all()
	if a := list[i]; a.owner != o {
		c := &Attachment{key: a.key, concerns: a.concerns, state: a.state, blocks: slices.Clone(a.blocks), owner: o, stateOwner: a.stateOwner}
		c.used.Store(a.used.Load())
		list[i] = c
	}
	return list[i]
}

// follow tells the attachments of a pod that was put on a node (by is 1) or taken away (-1).
func (as *attachments) follow(n *NodeState, p *PodState, by int, o *Owner) {
	for i, a := range as.all() {
		// For a pod that leaves, the list says whether it concerned the filter. The filter itself
		// might say something else by now, if the caller has changed the pod in place.
		switch {
		case a.concerns == nil:
		case by > 0 && !a.concerns(p.Pod), by < 0 && a.placeOf(n, p) < 0:
			continue
		}

		if a = as.writable(i, o); a.note(n, p, by, o) {
			a.tell(p, n.Node, by, o)
		}
	}
}

// followNode tells the states of the pods of a node whose object has changed from was to n.Node.
// Either is nil where the node did not exist, or no longer exists.
func (as *attachments) followNode(n *NodeState, was *outrank.Node, o *Owner) {
	for i := range as.all() {
		a := as.writable(i, o)

		// All pods leave the old node before the first comes to the new one, so that a state never
		// knows two versions of a node.
		for _, p := range a.On(n) {
			a.tell(p, was, -1, o)
		}
		for _, p := range a.On(n) {
			a.tell(p, n.Node, 1, o)
		}
	}
}

// relist puts q, another state of the pod p, on the lists that p is on. Trackers need not know: the
// pod itself is the same.
func (as *attachments) relist(n *NodeState, p, q *PodState, o *Owner) {
	for i, a := range as.all() {
		if a.concerns == nil {
			continue
		}
		if at := slices.Index(a.On(n), p); at >= 0 {
			(*as.writable(i, o).list(n.Slot, o))[at] = q
		}
	}
}

// misjudge reports whether a pod on the node concerns a filter, and did not when it came, or the
// other way round.
func (as *attachments) misjudge(n *NodeState, p *PodState) bool {
	return slices.ContainsFunc(as.all(), func(a *Attachment) bool {
		return a.concerns != nil && a.concerns(p.Pod) != slices.Contains(a.On(n), p)
	})
}
