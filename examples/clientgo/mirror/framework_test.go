package mirror_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption"
	outrankresource "github.com/outrank-go/outrank/resource"
)

// nodeInfo is what a mirror looks at in a node of the framework's snapshot. That the scheduler's
// own cache is followed is tested in ../../kubescheduler/clientgo.
type nodeInfo struct {
	fwk.NodeInfo
	node       *corev1.Node
	pods       []fwk.PodInfo
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

func (n *nodeInfo) Node() *corev1.Node     { return n.node }
func (n *nodeInfo) GetPods() []fwk.PodInfo { return n.pods }
func (n *nodeInfo) GetGeneration() int64   { return n.generation }

// podInfo is a pod of the framework's snapshot.
type podInfo struct {
	fwk.PodInfo
	pod *corev1.Pod
}

func (p podInfo) GetPod() *corev1.Pod { return p.pod }

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
	require.NoError(t, framed.Sync([]fwk.NodeInfo{on}, func(string) []fwk.PodInfo { return []fwk.PodInfo{info} }))
	require.NoError(t, told.Put(n))
	require.NoError(t, told.Put(p))
	asks := &outrank.Pod{Name: "second", Containers: []outrank.Container{{Requests: outrankresource.MustList("cpu", "1")}}}
	evaluator, err := preemption.NewEvaluator(preemption.Config{})
	require.NoError(t, err)
	for m, want := range map[*mirror.Mirror]preemption.Outcome{framed: preemption.NothingHelps, told: preemption.Fits} {
		require.NoError(t, m.View(func(s *preemption.Snapshot) error {
			plan, err := evaluator.Preempt(t.Context(), s, asks, time.Unix(1_700_000_100, 0))
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
	require.ErrorIs(t, m.Sync([]fwk.NodeInfo{on}, nil), outrank.ErrInvalid)
	require.Len(t, m.Problems(), 1)
	require.NoError(t, m.Sync(nil, nil))
	require.Empty(t, m.Problems())
}

// A pending pod that was refused is named once for each node that it is nominated to.
func TestRefusedPodIsNominatedElsewhere(t *testing.T) {
	never := corev1.PreemptionPolicy("Perhaps")
	p := pod("first", "")
	p.UID, p.ResourceVersion, p.Spec.PreemptionPolicy = "u", "1", &never
	info := podInfo{pod: p}
	var nodes []fwk.NodeInfo
	for _, name := range []string{"n1", "n2"} {
		nodes = append(nodes, newNodeInfo(node(name)))
	}
	m := newMirror(t)
	for i, to := range []string{"n1", "n1", "n2", "n2"} {
		err := m.Sync(nodes, func(node string) []fwk.PodInfo {
			if node == to {
				return []fwk.PodInfo{info}
			}
			return nil
		})
		require.Equal(t, i%2 == 0, err != nil, "%d", i)
		require.Len(t, m.Problems(), 1)
		require.Equal(t, to, m.Problems()[0].Node)
	}
}
