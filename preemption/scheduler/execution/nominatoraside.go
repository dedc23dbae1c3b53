package execution

import (
	"cmp"

	"github.com/outrank-go/outrank"
)

// SetAside takes the nominations of pods out, and returns a function that puts them back.
// A scheduler sets the nominations of a group's pods aside while it assumes the pods on their nodes,
// and puts them back before it acts on how the attempt ended (rule 15.4.10):
//
//	back := nominator.SetAside(pods...)
//	// the pods are placed one after another
//	back()
//
// A nomination that is deleted meanwhile, or replaced by another one, does not come back.
// Pods without a nomination and nil pods are passed over. Calling the function again does
// nothing. Time is linear in the pods nominated to the nodes.
func (n *Nominator) SetAside(pods ...*outrank.Pod) (back func()) {
	n.mu.Lock()
	defer n.mu.Unlock()

	var keys []outrank.Key
	for _, pod := range pods {
		if pod == nil {
			continue
		}
		e := n.entry(pod.Key(), pod)
		if e.pod == nil {
			continue
		}
		key := pod.Key()
		n.drop(key, e)
		if n.aside == nil {
			n.aside = map[outrank.Key]nominatedPod{}
		}
		n.aside[key] = e
		keys = append(keys, key)
	}

	// A nomination that was deleted or replaced meanwhile is no longer in aside.
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, key := range keys {
			if e, ok := n.aside[key]; ok {
				delete(n.aside, key)
				n.put(e.pod, e.node, e.before)
			}
		}
		keys = nil
	}
}

// updateAside follows a change of a pod whose nomination is set aside. It reports whether the nomination stays
// aside: it does if neither version of the pod names a node.
func (n *Nominator) updateAside(old, new *outrank.Pod) bool {
	e, ok := n.aside[old.Key()]
	if !ok || !samePod(e.pod, old) || !samePod(old, new) || old.NominatedNodeName != "" || new.NominatedNodeName != "" {
		return false
	}
	e.pod = new
	n.aside[new.Key()] = e
	return true
}

// Update follows a change of the pod's object from old to new. If neither names a node the nomination in memory
// stays, because it may not be written yet. Otherwise new's own NominatedNodeName counts (UpdateNominatedPod).
// In either case the nomination belongs to new from now on. If new has another UID it is another pod, which
// inherits no nomination.
func (n *Nominator) Update(old, new *outrank.Pod) {
	if old == nil || new == nil {
		n.Remove(old)
		if new != nil {
			n.move(new, "")
		}
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.updateAside(old, new) {
		return
	}

	// The earlier nomination may be in use or set aside.
	e, node := n.entry(old.Key(), old), ""
	if set := n.aside[old.Key()]; set.pod != nil && samePod(set.pod, old) {
		e = set
	}

	// Another pod inherits no nomination, but remembers the UID of the old pod, whose news may still come.
	switch {
	case !samePod(old, new):
		e.before = withUID(e.before, old)
	case old.NominatedNodeName == "" && new.NominatedNodeName == "":
		node = e.node
	}

	n.takeOut(old.Key(), old)
	n.put(new, cmp.Or(node, new.NominatedNodeName), e.before)
}
