package mirror_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	outrankresource "github.com/outrank-go/outrank/resource"
)

// infoOfNode and infoOfPod are interfaces, as the framework's own infos are.
type (
	infoOfNode = mirror.NodeInfo[infoOfPod]
	infoOfPod  = mirror.PodInfo
)

// nodeInfo is what a mirror looks at in a node of the framework's snapshot. That the scheduler's
// own cache is followed is tested in ../../kubescheduler/clientgo.
type nodeInfo struct {
	node       *corev1.Node
	pods       []infoOfPod
	generation int64
}

func newNodeInfo(n *corev1.Node, pods ...*corev1.Pod) *nodeInfo {
	info := &nodeInfo{node: n}
	for _, p := range pods {
		info.add(p)
	}
	return info
}

// add adds a pod in place of the one of its name.
func (n *nodeInfo) add(p *corev1.Pod) {
	n.generation++
	for i, known := range n.pods {
		if known.GetPod().Name == p.Name {
			n.pods[i] = podInfo{pod: p}
			return
		}
	}
	n.pods = append(n.pods, podInfo{pod: p})
}

func (n *nodeInfo) Node() *corev1.Node   { return n.node }
func (n *nodeInfo) GetPods() []infoOfPod { return n.pods }
func (n *nodeInfo) GetGeneration() int64 { return n.generation }

// podInfo is a pod of the framework's snapshot.
type podInfo struct{ pod *corev1.Pod }

func (p podInfo) GetPod() *corev1.Pod { return p.pod }

// syncNothing brings a mirror in step with a snapshot without nodes.
func syncNothing(m *mirror.Mirror) error { return mirror.Sync[infoOfPod, infoOfNode](m, nil, nil) }

// The nomination of a pending pod that is being deleted counts for as long as the
// scheduler's nominator has it with what it asks for. Informers do not tell how long that
// is: to a mirror of theirs it counts nowhere (rule 7.16.6).
func TestNominationOfADeletedPod(t *testing.T) {
	n := node("n1")
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("1"), "pods": resource.MustParse("10")}
	p := pod("first", "")
	p.Status.NominatedNodeName, p.DeletionTimestamp = "n1", &metav1.Time{Time: time.Unix(1_700_000_000, 0)}
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}
	info, on := podInfo{pod: p}, newNodeInfo(n)
	framed, told := newMirror(t), newMirror(t)
	require.NoError(t, mirror.Sync(framed, []infoOfNode{on}, func(string) []infoOfPod { return []infoOfPod{info} }))
	require.NoError(t, told.Put(n))
	require.NoError(t, told.Put(p))
	asks := &outrank.Pod{Name: "second", Containers: []outrank.Container{{Requests: outrankresource.MustList("cpu", "1")}}}
	evaluator, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	for m, want := range map[*mirror.Mirror]preemption.Outcome{framed: preemption.NothingHelps, told: preemption.Fits} {
		require.NoError(t, m.View(func(s *engine.Snapshot) error {
			plan, err := evaluator.Preempt(t.Context(), s, preemption.Request{Pod: asks, Now: time.Unix(1_700_000_100, 0)})
			require.NoError(t, err)
			require.Equal(t, want, plan.Outcome)
			return nil
		}))
	}
}

// The problem of a node is forgotten with it.
func TestProblemOfANodeThatIsGone(t *testing.T) {
	bad := node("n1")
	bad.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("-1")}
	on := newNodeInfo(bad)
	m := newMirror(t)
	require.ErrorIs(t, mirror.Sync(m, []infoOfNode{on}, nil), outrank.ErrInvalid)
	require.Len(t, m.Problems(), 1)
	require.NoError(t, syncNothing(m))
	require.Empty(t, m.Problems())
}

// A pending pod that was refused is named once for each node that it is nominated to.
func TestRefusedPodIsNominatedElsewhere(t *testing.T) {
	never := corev1.PreemptionPolicy("Perhaps")
	p := pod("first", "")
	p.UID, p.ResourceVersion, p.Spec.PreemptionPolicy = "u", "1", &never
	info := podInfo{pod: p}
	var nodes []infoOfNode
	for _, name := range []string{"n1", "n2"} {
		nodes = append(nodes, newNodeInfo(node(name)))
	}
	m := newMirror(t)
	for i, to := range []string{"n1", "n1", "n2", "n2"} {
		err := mirror.Sync(m, nodes, func(node string) []infoOfPod {
			if node == to {
				return []infoOfPod{info}
			}
			return nil
		})
		require.Equal(t, i%2 == 0, err != nil, "%d", i)
		require.Len(t, m.Problems(), 1)
		require.Equal(t, to, m.Problems()[0].Node)
	}
}

// onList is an info whose values cannot be compared.
type onList []*corev1.Pod

func (onList) Node() *corev1.Node { return node("n1") }
func (l onList) GetPods() (pods []podInfo) {
	for _, p := range l {
		pods = append(pods, podInfo{p})
	}
	return pods
}
func (onList) GetGeneration() int64 { return 1 }

// An info that cannot be told from another one is looked at each time.
func TestInfosThatCannotBeCompared(t *testing.T) {
	m := newMirror(t)
	for i, name := range []string{"first", "second"} {
		require.NoError(t, mirror.Sync(m, []onList{{pod(name, "")}}, nil), "%d", i)
		require.Equal(t, "n1", m.Snapshot().NodeOf(outrank.NewKey("default", name)))
		require.Len(t, m.Snapshot().PodsOn("n1"), 1)
	}
}

// Another info is looked at again though it has the generation of the one before.
func TestAnotherInfoOfTheGeneration(t *testing.T) {
	m := newMirror(t)
	for _, name := range []string{"first", "second"} {
		require.NoError(t, mirror.Sync(m, []*nodeInfo{newNodeInfo(node("n1"), pod(name, ""))}, nil))
		require.Equal(t, "n1", m.Snapshot().NodeOf(outrank.NewKey("default", name)))
	}
}

// A list that grows or shrinks keeps what is known of its beginning.
func TestLengthOfTheListChanges(t *testing.T) {
	m := newMirror(t)
	var all []*nodeInfo
	for _, name := range []string{"n1", "n2", "n3"} {
		all = append(all, newNodeInfo(node(name), pod("on-"+name, "")))
	}
	for _, length := range []int{1, 3, 2, 2, 0, 3} {
		require.NoError(t, mirror.Sync(m, all[:length], nil))
		require.Len(t, m.Cluster().Nodes, length)
		require.Len(t, m.Cluster().Pods, length)
	}
}

// An info that is missing, or has no pod, is an error that says where; the others are in step.
func TestInfosWithoutAPod(t *testing.T) {
	m := newMirror(t)
	nodes := []infoOfNode{nil, &nodeInfo{node: node("n1"), pods: []infoOfPod{podInfo{}, podInfo{pod("p1", "")}, nil}}}
	nominated := func(string) []infoOfPod { return []infoOfPod{podInfo{pod("p2", "")}, nil} }
	for range 2 {
		err := mirror.Sync(m, nodes, nominated)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		for _, text := range []string{"nodes[0]: invalid", "node n1: nominated[1]: invalid"} {
			require.ErrorContains(t, err, text)
		}
		require.Equal(t, "n1", m.Snapshot().NodeOf("default/p1"))
		require.Equal(t, "n1", m.Snapshot().NominationOf("default/p2"))
	}
	nodes[1].(*nodeInfo).generation++
	err := mirror.Sync(m, nodes, nil)
	require.ErrorContains(t, err, "node n1: pods[0]: invalid")
	require.ErrorContains(t, err, "node n1: pods[2]: invalid")
}
