package execution

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
)

// Nominator remembers the nominations: which pending pods room was made for, and
// on which node (group 15.4; the scheduling queue's nominator, nominatedPodMap
// in v1.13). It may know more than the pods' own NominatedNodeName, which is
// written later and read back later still.
//
// A pod is known by its namespace and name. A UID, where there is one, keeps
// apart pods that had the same name one after the other: news of the earlier pod
// does not touch the nomination of the later one. Which is the later one Find
// tells; without it, the pod that replaced the other here.
//
// The zero value is empty and ready. Any number of goroutines may use it at
// once. It keeps pointers to the pods that it is given and never changes them.
type Nominator struct {
	// Release says which rules hold; zero means outrank.DefaultRelease, and so does one
	// that is not known. It is set before the first use.
	Release outrank.Release
	// Find, if set, returns the latest version of a pod by its key, such as a
	// lister of informers, and false for a pod that is gone. A pod gets no
	// nomination that is gone by then, is bound or has finished, whatever the
	// version says that the nominator is given (rule 15.4.4). It is called while the
	// nominator is locked, and must not use it. It is set before the first use.
	Find func(key outrank.Key) (*outrank.Pod, bool)

	mu sync.RWMutex
	// byNode lists the pods nominated to a node, the most important first; no
	// list is empty. byPod has exactly the pods in these lists, by key.
	byNode map[string][]*outrank.Pod
	byPod  map[outrank.Key]nominatedPod
	// aside are those that were set aside, none of which is in byPod.
	aside map[outrank.Key]nominatedPod
	// log has the changes of byPod.
	log nominationLog
}

var errNoNominator = fmt.Errorf("%w: no nominator", outrank.ErrInvalid)

// nominatedPod is a pod with the node that it is nominated to, which is never
// "".
type nominatedPod struct {
	pod  *outrank.Pod
	node string
	// before are the UIDs of earlier pods of the name, the latest last.
	before []string
}

// mostBefore bounds the UIDs of earlier pods that are kept for a nomination.
const mostBefore = 8

// Add records that room was made for the pod on the node. An empty node is news of the
// pod: its own NominatedNodeName counts in place of any earlier nomination, and where that
// is empty too the pod is not nominated any more. A pod that runs or has finished has no
// nomination: it is deleted whatever the node. What a pod with scheduling gates names itself
// counts from v1.37 on; before, it is recorded with the next update of the pod (rule 15.4.8).
// A nomination that is empty on purpose, whatever the pod names, is for Remove (rule 15.4.9).
//
// A nomination to a node that makes no sense is an error that names the pod, and is not
// recorded:
//
//   - [preemption.ErrNotFound] for a pod that is gone, by Find, or because a later pod has
//     taken its name;
//   - [preemption.ErrState] for a pod that runs or has finished, and for one that is
//     nominated to another node: one of the two would keep room for nobody. Remove takes the
//     first back.
//
// The error is [outrank.ErrInvalid] for no pod. Time is linear in the pods nominated to one
// node, here and in all methods about one pod.
func (n *Nominator) Add(pod *outrank.Pod, node string) error {
	if n == nil {
		return errNoNominator
	}
	if pod == nil {
		return fmt.Errorf("nomination: %w: no pod", outrank.ErrInvalid)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.refused(pod, node)
	if e := n.entry(pod.Key(), pod); err == nil && node != "" && e.node != "" && e.node != node {
		return fmt.Errorf("pod %s: %w: it is nominated to node %s already, and now to %s", pod.Key(), preemption.ErrState, e.node, node)
	}
	n.put(pod, cmp.Or(node, n.broughtBy(pod)), nil)
	return err
}

// move records a nomination in place of any other one, as the steps of an attempt do, which
// know the latest version of the pod.
func (n *Nominator) move(pod *outrank.Pod, node string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.put(pod, cmp.Or(node, n.broughtBy(pod)), nil)
}

// refused says why a pod cannot be nominated to the node; nil for none.
func (n *Nominator) refused(pod *outrank.Pod, node string) error {
	if node == "" {
		return nil
	}
	key := pod.Key()
	latest, there := n.latest(key, pod), n.byPod[key]
	switch {
	case slices.Contains(there.before, pod.UID):
		return fmt.Errorf("pod %s: %w: a later pod has its name, and its nomination to node %s", pod.Key(), preemption.ErrNotFound, there.node)
	case latest == nil:
		return fmt.Errorf("pod %s: %w: it is gone, and cannot be nominated to node %s", pod.Key(), preemption.ErrNotFound, node)
	case !waits(pod), !waits(latest):
		return fmt.Errorf("pod %s: %w: it does not wait any more, and cannot be nominated to node %s", pod.Key(), preemption.ErrState, node)
	}
	return nil
}

// Remove forgets the pod's nomination, if it has one.
func (n *Nominator) Remove(pod *outrank.Pod) {
	if pod == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.takeOut(pod.Key(), pod)
}

// NominatedTo returns the pods nominated to a node, sorted by importance: the
// higher priority first, then the earlier start, where a missing start counts as
// later than any, then the namespace and the name. The slice is the caller's.
func (n *Nominator) NominatedTo(node string) []*outrank.Pod {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.Clone(n.byNode[node])
}

// NodeOf returns the name of the node that the pod with this key (namespace/name)
// is nominated to, empty without a nomination. Constant time.
func (n *Nominator) NodeOf(key outrank.Key) string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.byPod[key].node
}

// Len returns the number of nominated pods.
func (n *Nominator) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.byPod)
}

// standing returns those of the pods that are nominated to the node now and have a priority
// lower than value, in their latest versions, sorted by importance. Time is linear in the pods
// and in those nominated to the node.
func (n *Nominator) standing(pods []*outrank.Pod, node string, value int32) []*outrank.Pod {
	if len(pods) == 0 {
		return nil
	}
	asked := make(map[outrank.Key]*outrank.Pod, len(pods))
	for _, p := range pods {
		asked[p.Key()] = p
	}

	n.mu.RLock()
	defer n.mu.RUnlock()
	var stand []*outrank.Pod
	for _, p := range n.byNode[node] {
		if was := asked[p.Key()]; was != nil && samePod(was, p) && p.PriorityValue() < value {
			stand = append(stand, p)
		}
	}
	return stand
}

// put replaces the nomination of the pod, and that of an earlier pod of its name.
// before are the UIDs of earlier ones where the pod has no nomination now.
func (n *Nominator) put(pod *outrank.Pod, node string, before []string) {
	key := pod.Key()
	there, ok := n.byPod[key]
	if !ok {
		there = n.aside[key] // which is the pod's, and not lost for being set aside
	}
	if slices.Contains(there.before, pod.UID) || there.pod == nil && node == "" {
		return
	}
	latest := n.latest(key, pod)
	stays := node != "" && latest != nil && waits(pod) && waits(latest)
	if ok && stays && there.pod == pod && there.node == node {
		return
	}
	if there.pod != nil {
		another := !samePod(there.pod, pod)
		n.takeOut(key, pod)
		if latest == nil {
			return
		}
		before = there.before
		if another {
			before = earlier(before, there.pod)
			if ok {
				n.drop(key, there)
			}
			delete(n.aside, key)
		}
	}
	if stays {
		n.insert(key, nominatedPod{pod, node, before})
	}
}

// broughtBy is the node that a pod names itself which is added, as far as that counts
// (rule 15.4.8).
func (n *Nominator) broughtBy(pod *outrank.Pod) string {
	if pod.Gated() && !release.Of(release.Release(n.Release)).AddedNominations {
		return ""
	}
	return pod.NominatedNodeName
}

// latest returns the latest version of the pod with this key as far as it is known, nil where
// it is gone.
func (n *Nominator) latest(key outrank.Key, pod *outrank.Pod) *outrank.Pod {
	if n.Find == nil {
		return pod
	}
	if found, ok := n.Find(key); ok && found != nil && samePod(found, pod) {
		return found
	}
	return nil
}

// waits reports whether a pod is still to be placed.
func waits(pod *outrank.Pod) bool { return pod.NodeName == "" && !pod.Finished() }

// earlier adds the UID of an earlier pod of a name to a copy of the list.
func earlier(list []string, pod *outrank.Pod) []string {
	if pod.UID == "" {
		return list
	}
	list = append(slices.Clone(list), pod.UID)
	return list[max(0, len(list)-mostBefore):]
}

// insert adds the nomination of a pod that has none.
func (n *Nominator) insert(key outrank.Key, e nominatedPod) {
	if n.byPod == nil {
		n.byPod, n.byNode = map[outrank.Key]nominatedPod{}, map[string][]*outrank.Pod{}
	}
	n.byPod[key] = e
	n.log.note(key, len(n.byPod))
	there := n.byNode[e.node]
	at, _ := slices.BinarySearchFunc(there, e.pod, compareNominated)
	n.byNode[e.node] = slices.Insert(there, at, e.pod)
}

// takeOut drops the nomination of this pod, which has the key, but not of another pod of its
// name.
func (n *Nominator) takeOut(key outrank.Key, pod *outrank.Pod) {
	if e, ok := n.aside[key]; ok && samePod(e.pod, pod) {
		delete(n.aside, key)
	}
	if e := n.entry(key, pod); e.pod != nil {
		n.drop(key, e)
	}
}

// entry returns the nomination of the pod, which has the key, the zero value without one.
func (n *Nominator) entry(key outrank.Key, pod *outrank.Pod) nominatedPod {
	if e := n.byPod[key]; e.pod != nil && samePod(e.pod, pod) {
		return e
	}
	return nominatedPod{}
}

// drop drops a nomination.
func (n *Nominator) drop(key outrank.Key, e nominatedPod) {
	delete(n.byPod, key)
	n.log.note(key, len(n.byPod))
	there := n.byNode[e.node]
	if len(there) == 1 {
		delete(n.byNode, e.node)
		return
	}
	n.byNode[e.node] = slices.DeleteFunc(there, func(p *outrank.Pod) bool { return p == e.pod })
}

// samePod reports whether two pods may be versions of the same pod: they have the
// same name, and no different UIDs.
func samePod(a, b *outrank.Pod) bool {
	return a == b || a.Key() == b.Key() && (a.UID == b.UID || a.UID == "" || b.UID == "")
}

// latestStart stands for the start of a pod that has none, and is later than any.
var latestStart = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

func compareNominated(a, b *outrank.Pod) int { return priority.Compare(a, b, latestStart) }
