package state

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Attachment is the data that a snapshot keeps for a caller's filter or tracker: the pods that concern it,
// node by node, and for a tracker its state of the cluster.
type Attachment struct {
	// key is the *preemption.Filter or the *preemption.Tracker, identified by its address.
	key any
	// concerns reports whether a pod concerns it. If it is nil every pod does, and blocks is empty.
	concerns func(*outrank.Pod) bool
	// state is the tracker's state of the cluster, nil for a filter.
	state preemption.ClusterState
	// blocks lists the concerned pods by block of slots. A block without any may be nil or missing.
	blocks []*concernedBlock

	// owner owns the attachment and its list of blocks. Any other snapshot copies both before it writes.
	owner *Owner
	// stateOwner owns the state. Any other snapshot clones the state before it writes.
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

// list returns the list of a node for writing. If its block has another owner, the block and all its lists
// are copied first, so that lists can be changed in place.
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

// note puts a pod on the list of its node (by is 1) or takes it off (-1). It reports whether that changed
// anything: false if the pod was already on the list, or already off it.
func (a *Attachment) note(n *NodeState, p *PodState, by int, o *Owner) bool {
	if a.concerns == nil {
		return true // it has no lists, and hears of every pod
	}

	// If a function of the caller panics, the attachments behind it never hear of the change, but they do
	// hear of its opposite when Undo reverts the change.
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

// placeOf returns the index of a pod in the list of its node, -1 if it is not there.
func (a *Attachment) placeOf(n *NodeState, p *PodState) int {
	return slices.IndexFunc(a.On(n), func(q *PodState) bool { return SameName(p.Pod, q.Pod) })
}

// tell informs the tracker's state, if there is one, of a pod that comes (by is 1) or goes (-1). A pod on a
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

// tell informs a tracker's state of a pod that comes (by is 1) or goes (-1).
func tell(state preemption.ClusterState, p *PodState, node *outrank.Node, by int) {
	if by > 0 {
		state.Add(p.Pod, node)
	} else {
		state.Remove(p.Pod, node)
	}
}

// attachments has the attachments of a snapshot, no two with the same key. Any number of readers may find and
// add attachments at once. Their contents change only with a change of the snapshot, which runs alone.
type attachments struct {
	mu sync.Mutex // held while an attachment is added
	// list is replaced as a whole when an attachment is added, because readers may be iterating over the old
	// one.
	list atomic.Pointer[[]*Attachment]
	// uses counts how often any attachment was asked for or added.
	uses atomic.Uint64
}

// mostAttachments is the number of attachments that a snapshot keeps at most: those that were asked for last.
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

// add adds an attachment, in place of the least recently used one if there are mostAttachments. It returns
// the attachment that the snapshot has for the key: another one if another reader was faster.
func (as *attachments) add(a *Attachment) *Attachment {
	as.mu.Lock()
	defer as.mu.Unlock()
	if known := as.of(a.key); known != nil {
		return known
	}

	// Readers may be looking at the old list, so that a changed copy takes its place.
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

// share returns the same attachments for another snapshot. That has another owner, so that it copies an
// attachment before it writes.
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

// follow informs the attachments of a pod that was put on a node (by is 1) or removed (-1).
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

// followNode informs the trackers' states that the object of a node has changed from was to n.Node. A nil
// stands for a node that did not exist before, or no longer exists.
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

// relist puts q, another state of the pod p, in its place on every list. Trackers need not know, because the
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

// misjudge reports whether any filter or tracker now judges differently than when the pod came whether the
// pod concerns it.
func (as *attachments) misjudge(n *NodeState, p *PodState) bool {
	return slices.ContainsFunc(as.all(), func(a *Attachment) bool {
		return a.concerns != nil && a.concerns(p.Pod) != slices.Contains(a.On(n), p)
	})
}
