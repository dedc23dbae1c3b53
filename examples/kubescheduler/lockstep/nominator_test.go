package lockstep

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	listersv1 "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// podsByName is the state of the API server, as a lister; all are in one namespace.
type podsByName map[string]*corev1.Pod

func (p podsByName) Pods(string) listersv1.PodNamespaceLister { return p }

func (p podsByName) List(labels.Selector) ([]*corev1.Pod, error) {
	return slices.Collect(maps.Values(p)), nil
}

func (p podsByName) Get(name string) (*corev1.Pod, error) {
	if pod := p[name]; pod != nil {
		return pod, nil
	}
	return nil, apierrors.NewNotFound(corev1.Resource("pods"), name)
}

// nominators are both, and the pods. Their versions are those that the nominators
// know, which the API server may be ahead of.
type nominators struct {
	known  podsByName
	told   map[string]*corev1.Pod
	theirs *queue.PriorityQueue
	ours   execution.Nominator
	uids   int
	did    map[string]int
}

var nominees = []string{"a", "b", "c", "d"}
var nodes = []string{"n1", "n2", "n3"}

func newNominators(did map[string]int) *nominators {
	n := &nominators{known: podsByName{}, told: map[string]*corev1.Pod{}, did: did}
	n.theirs = queue.NewPriorityQueue((&queuesort.PrioritySort{}).Less, informerFactory, queue.WithPodLister(n.known))
	n.ours.Release = outrank.V1_37
	n.ours.Find = func(key outrank.Key) (*outrank.Pod, bool) {
		_, name := key.Split()
		pod := n.known[name]
		if pod == nil {
			return nil, false
		}
		p := toPod(panicking{}, pod)
		return p, true
	}
	return n
}

// panicking is for what cannot fail.
type panicking struct{}

func (panicking) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (panicking) FailNow()                          { panic("failed") }

func info(pod *corev1.Pod) *framework.PodInfo {
	i, err := framework.NewPodInfo(pod)
	if err != nil {
		panic(err)
	}
	return i
}

// draw draws a pod that the nominators know.
func (n *nominators) draw(t *rapid.T) *corev1.Pod {
	if len(n.told) == 0 {
		return nil
	}
	return n.told[pick(t, "pod", slices.Sorted(maps.Keys(n.told))...)]
}

// create creates a pod, with or without a nomination of its own.
func (n *nominators) create(t *rapid.T) {
	name := pick(t, "name", nominees...)
	if n.known[name] != nil || n.told[name] != nil {
		return
	}
	n.uids++
	priority := int32(below(t, 2, "priority"))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(fmt.Sprint("uid", n.uids))},
		Spec:       corev1.PodSpec{Priority: &priority},
		Status:     corev1.PodStatus{NominatedNodeName: pick(t, "own node", "", "", "n1", "n2")},
	}
	if one(t, 4, "gated") {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "gate"}}
	}
	n.known[name], n.told[name] = pod, pod
	n.theirs.AddNominatedPod(silent, info(pod), nil)
	n.ours.Add(toPod(t, pod), "")
}

// nominate handles the result of an attempt as the scheduler does; it may have
// been about a version that is outdated.
func (n *nominators) nominate(t *rapid.T) {
	pod := n.draw(t)
	if pod == nil {
		return
	}
	switch p := toPod(t, pod); below(t, 4, "how") {
	case 0: // no word about it: the pod's own counts
		n.theirs.AddNominatedPod(silent, info(pod), &fwk.NominatingInfo{NominatingMode: fwk.ModeNoop})
		n.ours.Add(p, "")
	case 1: // cleared on purpose
		n.theirs.AddNominatedPod(silent, info(pod), &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride})
		n.ours.Remove(p)
	default:
		node := pick(t, "node", nodes...)
		n.theirs.AddNominatedPod(silent, info(pod), &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node})
		if was := n.ours.NodeOf(p.Key()); n.ours.Add(p, node) != nil && was != "" && was == n.ours.NodeOf(p.Key()) {
			n.ours.Remove(p) // the reference replaces it without that
			require.NoError(t, n.ours.Add(p, node))
		}
	}
}

// update passes the latest version to the nominators, which may have changed again.
func (n *nominators) update(t *rapid.T) {
	before := n.draw(t)
	if before == nil || n.known[before.Name] == nil {
		return
	}
	pod := n.known[before.Name].DeepCopy()
	if pod.Spec.NodeName != "" {
		return // others receive it
	}
	if one(t, 2, "changed") {
		pod.Status.NominatedNodeName = pick(t, "own node", "", "", "n1", "n2", "n3")
	}
	n.known[pod.Name], n.told[pod.Name] = pod, pod
	n.theirs.UpdateNominatedPod(silent, before, info(pod))
	n.ours.Update(toPod(t, before), toPod(t, pod))
}

// move changes the API server's state, which the nominators receive later.
func (n *nominators) move(t *rapid.T) {
	pod := n.draw(t)
	if pod == nil || n.known[pod.Name] == nil {
		return
	}
	if one(t, 3, "gone") {
		delete(n.known, pod.Name)
		return
	}
	pod = n.known[pod.Name].DeepCopy()
	if one(t, 2, "bound") {
		pod.Spec.NodeName = "n1"
	} else {
		pod.Status.NominatedNodeName = pick(t, "own node", "", "n1", "n2")
	}
	n.known[pod.Name] = pod
}

func (n *nominators) delete(t *rapid.T) {
	pod := n.draw(t)
	if pod == nil {
		return
	}
	delete(n.known, pod.Name)
	delete(n.told, pod.Name)
	n.theirs.DeleteNominatedPodIfExists(pod)
	n.ours.Remove(toPod(t, pod))
}

// compare: the pods of each node. The reference lists them in the order in which they
// came, the library by importance.
func (n *nominators) compare(t *rapid.T) {
	count := 0
	for _, node := range nodes {
		theirs, ours := []string{}, []string{}
		for _, p := range n.theirs.NominatedPodsForNode(node) {
			theirs = append(theirs, p.GetPod().Name+" "+string(p.GetPod().UID))
		}
		for _, p := range n.ours.NominatedTo(node) {
			ours = append(ours, p.Name+" "+p.UID)
			require.Equal(t, node, n.ours.NodeOf(p.Key()))
		}
		require.ElementsMatch(t, theirs, ours, "on %s", node)
		count += len(ours)
	}
	require.Equal(t, count, n.ours.Len())
	n.did["nominated"] += count
}

func TestNominator(t *testing.T) {
	did := map[string]int{}
	check(t, 1000, func(t *rapid.T) {
		n := newNominators(did)
		t.Repeat(map[string]func(*rapid.T){
			"": n.compare, "create": n.create, "nominate": n.nominate, "nominate again": n.nominate,
			"update": n.update, "move": n.move, "delete": n.delete,
		})
	})
	t.Log(did)
}
