package mirror_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/apitest"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption/engine"
)

// world passes the mirror what it draws.
type world struct{ apitest.World }

// step passes the mirror an object that may be new, old, or unknown.
func (w *world) step(t rapid.TB, m *mirror.Mirror) {
	const kept = 1 // the CSINode that stays: without any, a list tells nothing of drivers
	switch n := w.IntN(20); {
	case n < 13 || len(w.Told) == 0:
		o := w.Another()
		w.Put(o)
		_ = m.Put(o)
	case n < 15: // again, or late
		o := w.Told[w.IntN(len(w.Told))]
		if i := w.Find(o); i >= 0 && w.Objects[i].GetUID() == o.GetUID() && !finished(w.Objects[i]) {
			m.OnUpdate(nil, o)
		}
	case n < 17: // the end of what there may have been
		if len(w.Told) == kept {
			return
		}
		o := w.Told[kept+w.IntN(len(w.Told)-kept)]
		if i := w.Find(o); i >= 0 && w.Objects[i].GetUID() == o.GetUID() {
			w.Delete(o)
		}
		m.OnDelete(o)
	default:
		if len(w.Objects) > kept {
			o := w.Objects[kept+w.IntN(len(w.Objects)-kept)]
			w.Delete(o)
			require.NoError(t, m.Delete(o))
		}
	}
}

// finished reports whether an object is a pod that is not remembered.
func finished(o metav1.Object) bool {
	p, ok := o.(*corev1.Pod)
	return ok && p.Status.Phase == corev1.PodFailed
}

// equal compares a snapshot with one that is built anew.
func equal(t rapid.TB, snap *engine.Snapshot, fresh *outrank.Cluster) {
	t.Helper()
	diff, err := apitest.Diff(fresh, snap)
	require.NoError(t, err)
	require.Empty(t, diff)
}

// compare compares the mirror with all present objects that make sense.
func (w *world) compare(t rapid.TB, m *mirror.Mirror) {
	t.Helper()
	o := w.All()
	refused := map[string]bool{}
	for {
		fresh, err := convert.Cluster(o)
		if err == nil {
			fresh.Release = outrank.V1_37
			require.NoError(t, m.View(func(s *engine.Snapshot) error { equal(t, s, fresh); return nil }))
			break
		}
		var invalid *outrank.InputError
		require.ErrorAs(t, err, &invalid)
		kind, name, _ := strings.Cut(invalid.Problems[0].Object, " ")
		name = strings.TrimPrefix(name, "default/")
		if kind == "node" {
			refused["node "+name] = true
			o.Nodes = slices.DeleteFunc(o.Nodes, func(n *corev1.Node) bool { return n.Name == name })
		}
		o.Pods = slices.DeleteFunc(o.Pods, func(p *corev1.Pod) bool {
			out := kind == "pod" && p.Name == name || kind == "persistentvolumeclaim" && names(p, name)
			if out && (kind == "pod" || p.Status.Phase != corev1.PodFailed) {
				refused["pod default/"+p.Name] = true
			}
			return out
		})
		o.Claims = slices.DeleteFunc(o.Claims, func(c *corev1.PersistentVolumeClaim) bool {
			return kind == "persistentvolumeclaim" && c.Name == name
		})
	}
	for _, p := range m.Problems() {
		require.ErrorIs(t, p.Err, outrank.ErrInvalid)
		require.Equal(t, w.nodeOf(p), p.Node, "%v", p)
		delete(refused, p.Kind+" "+p.Name)
	}
	require.Empty(t, refused, "what is refused is among the problems: %v", m.Problems())
}

// nodeOf is where a refused object is or wants to be.
func (w *world) nodeOf(p mirror.Problem) string {
	for _, o := range w.Objects {
		switch o := o.(type) {
		case *corev1.Node:
			if p.Kind == "node" && p.Name == o.Name {
				return o.Name
			}
		case *corev1.Pod:
			if p.Kind == "pod" && p.Name == "default/"+o.Name {
				return cmp.Or(o.Spec.NodeName, o.Status.NominatedNodeName)
			}
		}
	}
	return ""
}

// names reports whether a pod names a claim.
func names(p *corev1.Pod, claim string) bool {
	return slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim.ClaimName == claim })
}

// The mirror equals what would be built anew from the present objects, after any
// events of informers in any order, and decides the same.
func TestPropertyInformers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{apitest.World{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))}}
		m, err := mirror.New(outrank.V1_37)
		require.NoError(t, err)
		csi := &storagev1.CSINode{ObjectMeta: w.Meta("elsewhere", "", "c")}
		w.Put(csi)
		require.NoError(t, m.Put(csi))
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			w.step(t, m)
			if w.IntN(4) == 0 {
				w.compare(t, m)
			}
		}
		w.compare(t, m)
	})
}
