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

// Nominator remembers the nominations: for which pending pods room was made, and on which node (group 15.4; the
// scheduling queue's nominator, nominatedPodMap in v1.13). It may know more than the pods' own
// NominatedNodeName, which is written later and read back later still.
//
// Namespace and name identify a pod. UIDs, if there are any, tell apart pods that had the same name one after
// the other: news of the earlier pod does not touch the nomination of the later one. The later pod is the one
// that Find returns; without Find it is the one that replaced the other in the nominator.
//
// The zero value is empty and ready. Any number of goroutines may use it at once. It keeps pointers to the pods
// that it is given and never changes them.
type Nominator struct {
	// Release selects the rules to follow. Zero, or a release that is not known, means
	// outrank.DefaultRelease. It must be set before the first use.
	Release outrank.Release
	// Find, if set, returns the latest version of a pod by its key, like a lister of informers, and false for a
	// pod that is gone. If the pod is gone, is bound or has finished in its latest version, it gets no
	// nomination, whatever version the nominator is given (rule 15.4.4). Find is called while the nominator is
	// locked, and must not use it. It must be set before the first use.
	Find func(key outrank.Key) (*outrank.Pod, bool)

	mu sync.RWMutex
	// byNode maps each node to the pods nominated to it, the most important first. No list is empty.
	byNode map[string][]*outrank.Pod
	// byPod has the nomination of each pod in these lists, by the pod's key.
	byPod map[outrank.Key]nominatedPod
	// aside has the nominations that SetAside took out. None of their pods is in byPod.
	aside map[outrank.Key]nominatedPod
	// log records the changes of byPod, so that ApplyTo need not compare all nominations.
	log nominationLog
}

var errNoNominator = fmt.Errorf("%w: no nominator", outrank.ErrInvalid)

// nominatedPod is the nomination of a pod. The zero value stands for no nomination.
type nominatedPod struct {
	pod *outrank.Pod
	// node is the node of the nomination, never empty.
	node string
	// before are the UIDs of earlier pods with the same name, the latest last. News of these pods is
	// ignored.
	before []string
}

// mostBefore is the largest number of UIDs of earlier pods that are kept for a nomination.
const mostBefore = 8

// Add records that room was made for the pod on the node. If node is empty, the call only brings news of the
// pod: its own NominatedNodeName replaces any earlier nomination, and if that is empty too the pod is not
// nominated any more. A pod that runs or has finished loses its nomination, whatever the node. The
// NominatedNodeName of a pod with scheduling gates counts from v1.37 on; before, it is recorded with the next
// update of the pod (rule 15.4.8). Remove clears a nomination whatever NominatedNodeName says (rule 15.4.9).
//
// A nomination that makes no sense is not recorded, and returns an error that names the pod:
//
//   - [preemption.ErrNotFound] for a pod that is gone, because Find says so or because a later pod has
//     taken its name;
//   - [preemption.ErrState] for a pod that runs or has finished, and for a pod that is
//     nominated to another node: one of the two nominations would keep room for nobody. Remove
//     takes the first one back.
//
// The error wraps [outrank.ErrInvalid] for a nil pod. Like all methods about one pod, Add takes time linear in
// the pods nominated to one node.
func (n *Nominator) Add(pod *outrank.Pod, node string) error {
	if n == nil {
		return errNoNominator
	}
	if pod == nil {
		return fmt.Errorf("nomination: %w: no pod", outrank.ErrInvalid)
	}

	// put is called even if there is an error: a pod that no longer waits loses its nomination by it.
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.refused(pod, node)
	if e := n.entry(pod.Key(), pod); err == nil && node != "" && e.node != "" && e.node != node {
		return fmt.Errorf("pod %s: %w: it is nominated to node %s already, and now to %s", pod.Key(), preemption.ErrState, e.node, node)
	}
	n.put(pod, cmp.Or(node, n.broughtBy(pod)), nil)
	return err
}

// move records a nomination in place of any other one, without the checks of Add. The steps of an attempt use
// it, because they know the latest version of the pod.
func (n *Nominator) move(pod *outrank.Pod, node string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.put(pod, cmp.Or(node, n.broughtBy(pod)), nil)
}

// refused returns the reason why the pod cannot be nominated to the node, nil if it can.
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

// NominatedTo returns the pods nominated to a node, sorted by importance: the higher priority first, then the
// earlier start, where a missing start counts as later than any, then the namespace and the name. The slice is
// the caller's.
func (n *Nominator) NominatedTo(node string) []*outrank.Pod {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.Clone(n.byNode[node])
}

// NodeOf returns the name of the node that the pod with this key (namespace/name) is nominated to, empty
// without a nomination. Constant time.
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

// standing returns those of the given pods that are still nominated to the node and have a lower priority
// than the preemptor, in their latest versions and sorted by importance. Time is linear in the given pods
// and in the pods nominated to the node.
func (n *Nominator) standing(pods []*outrank.Pod, node string, preemptor int32) []*outrank.Pod {
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
		if was := asked[p.Key()]; was != nil && samePod(was, p) && p.PriorityValue() < preemptor {
			stand = append(stand, p)
		}
	}
	return stand
}

// put replaces the nomination of the pod, or of an earlier pod with its name. With an empty node the
// nomination is only dropped. before are the UIDs of earlier pods, for a pod that has no nomination yet.
func (n *Nominator) put(pod *outrank.Pod, node string, before []string) {
	// A nomination that is set aside still belongs to the pod, and knows the UIDs of earlier pods.
	key := pod.Key()
	there, inUse := n.byPod[key]
	if !inUse {
		there = n.aside[key]
	}
	if slices.Contains(there.before, pod.UID) || there.pod == nil && node == "" {
		return // news of an earlier pod, or nothing to drop
	}

	latest := n.latest(key, pod)
	stays := node != "" && latest != nil && waits(pod) && waits(latest)
	if inUse && stays && there.pod == pod && there.node == node {
		return // nothing changes, and nothing is noted in the log
	}

	// takeOut drops the pod's own nomination. The nomination of another pod with the name is replaced only
	// if this pod is not gone; the other pod's UID is then remembered as an earlier one.
	if there.pod != nil {
		another := !samePod(there.pod, pod)
		n.takeOut(key, pod)
		if latest == nil {
			return
		}
		before = there.before
		if another {
			before = withUID(before, there.pod)
			if inUse {
				n.drop(key, there)
			}
			delete(n.aside, key)
		}
	}

	if stays {
		n.insert(key, nominatedPod{pod, node, before})
	}
}

// broughtBy returns the node that an added pod names in its NominatedNodeName, empty if that does not count
// yet (rule 15.4.8).
func (n *Nominator) broughtBy(pod *outrank.Pod) string {
	if pod.Gated() && !release.Of(release.Release(n.Release)).AddedNominations {
		return ""
	}
	return pod.NominatedNodeName
}

// latest returns the latest known version of the pod with this key. It is nil if the pod is gone, even if
// another pod has its name.
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

// withUID returns a copy of the list with the UID of an earlier pod. The oldest UIDs are forgotten.
func withUID(list []string, pod *outrank.Pod) []string {
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

// takeOut drops the nomination of the pod with this key. The nomination of another pod with the same name
// stays.
func (n *Nominator) takeOut(key outrank.Key, pod *outrank.Pod) {
	if e, ok := n.aside[key]; ok && samePod(e.pod, pod) {
		delete(n.aside, key)
	}
	if e := n.entry(key, pod); e.pod != nil {
		n.drop(key, e)
	}
}

// entry returns the nomination of the pod with this key. It is zero if the pod has none, even if another pod
// with the same name has one.
func (n *Nominator) entry(key outrank.Key, pod *outrank.Pod) nominatedPod {
	if e := n.byPod[key]; e.pod != nil && samePod(e.pod, pod) {
		return e
	}
	return nominatedPod{}
}

// drop removes a nomination from byPod and byNode.
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

// samePod reports whether two pods may be versions of the same pod: their namespaces and names are equal, and
// so are their UIDs if both have one.
func samePod(a, b *outrank.Pod) bool {
	return a == b || a.Key() == b.Key() && (a.UID == b.UID || a.UID == "" || b.UID == "")
}

// latestStart stands in for the start of a pod that has none. It is later than any real start.
var latestStart = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

func compareNominated(a, b *outrank.Pod) int { return priority.Compare(a, b, latestStart) }
