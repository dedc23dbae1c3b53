package clientgo_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/apitest"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption/engine"
)

// cycle is the scheduler's own cache with its snapshot for each cycle.
type cycle struct {
	apitest.World
	cache    cache.Cache
	snapshot *cache.Snapshot
	pods     map[string]*corev1.Pod // on nodes, by name
	assumed  map[string]bool
	nodes    map[string]*corev1.Node
	pending  map[string]fwk.PodInfo // by name
	on       map[string]string      // where they are nominated to
}

func newCycle(ctx context.Context, seed uint64) *cycle {
	metrics.Register() // once
	return &cycle{
		World: apitest.World{Rand: rand.New(rand.NewPCG(seed, 2))},
		cache: cache.New(ctx, nil, false, false), snapshot: cache.NewEmptySnapshot(),
		pods: map[string]*corev1.Pod{}, assumed: map[string]bool{}, nodes: map[string]*corev1.Node{},
		pending: map[string]fwk.PodInfo{}, on: map[string]string{},
	}
}

// change changes a scheduler's cache, or objects that pods have claims on, which
// the mirror receives by itself.
func (c *cycle) change(t rapid.TB, m *mirror.Mirror) {
	logger := klog.Background()
	name := c.One("p0", "p1", "p2", "p3", "p4", "p5")
	p := c.Pod(name)
	p.UID, p.Spec.NodeName, p.Status.Phase = types.UID(name+p.ResourceVersion), "", ""
	known, there := c.pods[name]
	switch n := c.IntN(19); {
	case n > 15:
		c.store(t, m)
	case n < 3:
		n := c.Node(c.One(apitest.NodeNames...))
		if old := c.nodes[n.Name]; old == nil {
			c.cache.AddNode(logger, n)
		} else {
			c.cache.UpdateNode(logger, old, n)
		}
		c.nodes[n.Name] = n
	case n < 4:
		if n := c.nodes[c.One(apitest.NodeNames...)]; n != nil {
			require.NoError(t, c.cache.RemoveNode(logger, n))
			delete(c.nodes, n.Name)
		}
	case n < 7 && !there:
		p.Spec.NodeName = c.One(apitest.NodeNames...)
		require.NoError(t, c.cache.AddPod(logger, p))
		c.pods[name] = p
		if _, err := convert.Pod(p); err != nil || c.IntN(2) == 0 { // else the nominator is late
			delete(c.pending, name)
		}
	case n < 10 && !there:
		if info := c.pending[name]; info != nil { // the same version
			p = info.GetPod().DeepCopy()
		}
		p.Spec.NodeName = c.One(apitest.NodeNames...)
		require.NoError(t, c.cache.AssumePod(logger, p))
		c.pods[name], c.assumed[name] = p, true
		if c.IntN(2) == 0 { // else the nominator is late
			delete(c.pending, name)
		}
	case n < 10 && c.assumed[name] && c.IntN(2) == 0:
		require.NoError(t, c.cache.ForgetPod(logger, known))
		delete(c.pods, name)
		delete(c.assumed, name)
	case n < 10 && c.assumed[name]: // the binding is told
		again := known.DeepCopy()
		again.ResourceVersion = p.ResourceVersion
		require.NoError(t, c.cache.AddPod(logger, again))
		c.pods[name] = again
		delete(c.assumed, name)
	case n < 12 && there && !c.assumed[name]:
		p.UID, p.Spec.NodeName, p.Spec.Volumes = known.UID, known.Spec.NodeName, known.Spec.Volumes
		if c.IntN(3) == 0 { // told again, as another object
			p = known.DeepCopy()
		}
		require.NoError(t, c.cache.UpdatePod(logger, known, p))
		c.pods[name] = p
	case n < 13 && there && !c.assumed[name]:
		require.NoError(t, c.cache.RemovePod(logger, known))
		delete(c.pods, name)
	case n < 15 && !there:
		info, err := framework.NewPodInfo(p)
		require.NoError(t, err)
		c.pending[name], c.on[name] = info, c.One(apitest.NodeNames...)
	default:
		delete(c.pending, name)
	}
}

// store passes on a claim, a volume or a class.
func (c *cycle) store(t rapid.TB, m *mirror.Mirror) {
	var o metav1.Object
	switch c.IntN(3) {
	case 0:
		o = c.Claim(c.One("c0", "c1"))
	case 1:
		v := c.Volume(c.One("v0", "v1"))
		v.Spec.NodeAffinity = nil // odd ones are for TestPropertyInformers
		o = v
	default:
		o = &storagev1.StorageClass{ObjectMeta: c.Meta(c.One("s0", "s1"), "", "s"), Provisioner: c.One("d0", "d1")}
	}
	c.Put(o)
	require.NoError(t, m.Put(o))
}

func (c *cycle) nominated(node string) []fwk.PodInfo {
	var out []fwk.PodInfo
	for _, name := range []string{"p0", "p1", "p2", "p3", "p4", "p5"} {
		if info := c.pending[name]; info != nil && c.on[name] == node {
			out = append(out, info)
		}
	}
	return out
}

func (c *cycle) list(t rapid.TB) []fwk.NodeInfo {
	require.NoError(t, c.cache.UpdateSnapshot(klog.Background(), c.snapshot))
	nodes, err := c.snapshot.NodeInfos().List()
	require.NoError(t, err)
	return nodes
}

// anew is the framework's snapshot converted as a whole, and the nodes of the
// pods that are refused.
func (c *cycle) anew(t rapid.TB, nodes []fwk.NodeInfo, like *outrank.Cluster) (*outrank.Cluster, map[string]string) {
	o, refused := c.All(), map[string]string{}
	placed := map[string]bool{}
	add := func(p *corev1.Pod, node, nominated string) {
		if placed[p.Name] {
			return // on a node
		}
		placed[p.Name] = true
		p = p.DeepCopy()
		p.Spec.NodeName, p.Status.NominatedNodeName = node, nominated
		if node == "" { // which counts until it is taken out of the queue
			p.DeletionTimestamp = nil
		}
		if _, err := convert.Pod(p); err != nil {
			refused["default/"+p.Name] = node + nominated
			return
		}
		o.Pods = append(o.Pods, p)
	}
	for _, info := range nodes {
		o.Nodes = append(o.Nodes, info.Node())
		for _, p := range info.GetPods() {
			add(p.GetPod(), info.Node().Name, "")
		}
	}
	for _, info := range nodes {
		for _, p := range c.nominated(info.Node().Name) {
			add(p.GetPod(), "", info.Node().Name)
		}
	}
	fresh, err := convert.Cluster(o)
	require.NoError(t, err)
	fresh.Release = outrank.V1_37
	slices.SortFunc(fresh.Nodes, func(a, b *outrank.Node) int { return place(like, a) - place(like, b) })
	return fresh, refused
}

func place(c *outrank.Cluster, n *outrank.Node) int {
	return slices.IndexFunc(c.Nodes, func(o *outrank.Node) bool { return o.Name == n.Name })
}

// A mirror that follows the snapshots of the scheduler's cache equals one that is
// made from the latest, after any changes.
func TestPropertyFramework(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		c := newCycle(ctx, rapid.Uint64().Draw(t, "seed"))
		m, err := mirror.New(outrank.V1_37)
		require.NoError(t, err)
		for range rapid.IntRange(1, 60).Draw(t, "cycles") {
			for range c.IntN(5) {
				c.change(t, m)
			}
			nodes := c.list(t)
			syncErr := mirror.Sync(m, nodes, c.nominated)
			fresh, refused := c.anew(t, nodes, m.Cluster())
			problems := map[string]string{}
			for _, p := range m.Problems() {
				problems[p.Name] = p.Node
			}
			require.Equal(t, refused, problems)
			if len(refused) == 0 {
				require.NoError(t, syncErr)
			}
			require.NoError(t, m.View(func(s *engine.Snapshot) error {
				diff, err := apitest.Diff(fresh, s)
				require.NoError(t, err)
				require.Empty(t, diff)
				return nil
			}))
		}
	})
}
