package state

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Attachment is what a snapshot keeps for a filter or a tracker of the caller, which is known by
// its address: the pods that concern it, node by node, and of a tracker the state of the cluster.
type Attachment struct {
	key      any                     // a *preemption.Filter or a *preemption.Tracker
	concerns func(*outrank.Pod) bool // nil: every pod does, and blocks is empty
	state    preemption.ClusterState // nil for a filter
	blocks   []*concernedBlock       // by block of slots; nil for one without such pods

	// owner may write the attachment and its list of blocks, stateOwner the state. Any other
	// snapshot copies them first.
	owner, stateOwner *Owner
	used              atomic.Uint64
}

// concernedBlock lists the pods that concern a filter on the nodes of a block, by slot.
type concernedBlock struct {
	owner *Owner
	of    [SummaryBlockSize][]*PodState
}

// On lists the pods of a node that concern the filter, the most important first.
func (a *Attachment) On(n *NodeState) []*PodState {
	if a.concerns == nil {
		return n.Pods
	}
	if b := int(n.Slot) / SummaryBlockSize; b < len(a.blocks) && a.blocks[b] != nil {
		return a.blocks[b].of[n.Slot%SummaryBlockSize]
	}
	return nil
}

// list is the list of a node for writing.
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
		for i, pods := range b.of {
			c.of[i] = slices.Clone(pods)
		}
		a.blocks[at] = c
	}
	return &a.blocks[at].of[slot%SummaryBlockSize]
}

// note puts a pod on the list of its node (by is 1) or takes it off (-1). It reports whether the
// list has changed; it has not where the pod is there already, or not there.
func (a *Attachment) note(n *NodeState, p *PodState, by int, o *Owner) bool {
	if a.concerns == nil {
		return true
	}
	at := a.placeOf(n, p)
	if (at < 0) != (by > 0) {
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

// placeOf is where a pod stands on the list of its node, -1 for nowhere.
func (a *Attachment) placeOf(n *NodeState, p *PodState) int {
	return slices.IndexFunc(a.On(n), func(q *PodState) bool { return SameName(p.Pod, q.Pod) })
}

// tell tells the state, if there is one, of a pod that comes (by is 1) or goes (-1).
func (a *Attachment) tell(p *PodState, node *outrank.Node, by int, o *Owner) {
	if a.state == nil || node == nil {
		return
	}
	if a.stateOwner != o {
		a.state, a.stateOwner = a.state.Clone(), o
	}
	tell(a.state, p, node, by)
}

func tell(state preemption.ClusterState, p *PodState, node *outrank.Node, by int) {
	if by > 0 {
		state.Add(p.Pod, node)
	} else {
		state.Remove(p.Pod, node)
	}
}

// attachments are those of a snapshot, each for another key. Any number of readers may find and
// add some at once; only a change, which runs alone, changes what they say.
type attachments struct {
	mu   sync.Mutex // of additions
	list atomic.Pointer[[]*Attachment]
	uses atomic.Uint64
}

// mostAttachments bounds the memory of a snapshot for them. The ones that were asked for last stay.
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

// of returns the attachment for a key, nil for none.
func (as *attachments) of(key any) *Attachment {
	for _, a := range as.all() {
		if a.key == key {
			a.used.Store(as.uses.Add(1))
			return a
		}
	}
	return nil
}

// add adds an attachment, unless somebody else was faster, and returns the one that counts.
func (as *attachments) add(a *Attachment) *Attachment {
	as.mu.Lock()
	defer as.mu.Unlock()
	if known := as.of(a.key); known != nil {
		return known
	}
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

// share returns the same attachments for another snapshot.
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

// writable returns an attachment for writing.
func (as *attachments) writable(i int, o *Owner) *Attachment {
	list := as.all()
	if a := list[i]; a.owner != o {
		c := &Attachment{key: a.key, concerns: a.concerns, state: a.state, blocks: slices.Clone(a.blocks), owner: o, stateOwner: a.stateOwner}
		c.used.Store(a.used.Load())
		list[i] = c
	}
	return list[i]
}

// follow tells of a pod that was put on a node (by is 1) or taken away (-1).
func (as *attachments) follow(n *NodeState, p *PodState, by int, o *Owner) {
	for i, a := range as.all() {
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

// followNode tells of all pods of a node, which has taken the place of another version of it; nil
// stands for none.
func (as *attachments) followNode(n *NodeState, was *outrank.Node, o *Owner) {
	for i := range as.all() {
		a := as.writable(i, o)
		for _, p := range a.On(n) {
			a.tell(p, was, -1, o)
		}
		for _, p := range a.On(n) {
			a.tell(p, n.Node, 1, o)
		}
	}
}

// relist puts another state of the same pod in its place.
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

// misjudge reports whether a filter has another opinion of whether a pod on the node concerns it
// than when the pod came.
func (as *attachments) misjudge(n *NodeState, p *PodState) bool {
	return slices.ContainsFunc(as.all(), func(a *Attachment) bool {
		return a.concerns != nil && a.concerns(p.Pod) != slices.Contains(a.On(n), p)
	})
}
