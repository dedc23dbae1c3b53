// Package budgets holds pdb.Fill to the disruption controller of Kubernetes, over random clusters.
package budgets

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/controller/disruption"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of pods and budgets
)

var (
	cases = flag.Int("cases", 200, "how many clusters are drawn")
	seed  = flag.Uint64("seed", 1, "the first seed")
)

// The controller's one step for a budget. It writes the status through its client.
//
//go:linkname trySync k8s.io/kubernetes/pkg/controller/disruption.(*DisruptionController).trySync
func trySync(c *disruption.DisruptionController, ctx context.Context, b *policyv1.PodDisruptionBudget) error

type object = map[string]any

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// drawn is a cluster in the API's types and in plain ones. Left out are the cases of rules 6.4.6 to 6.4.9, in which
// the controller differs: pods without labels or a controller, and finished ones.
type drawn struct {
	budgets []*policyv1.PodDisruptionBudget
	pods    []*corev1.Pod
	scales  map[string]int32
	cluster *outrank.Cluster
}

func draw(t *testing.T, g *rand.Rand) *drawn {
	d := &drawn{scales: map[string]int32{"a": int32(g.IntN(6)), "b": int32(g.IntN(6))}, cluster: &outrank.Cluster{}}
	pick := func(all ...string) string { return all[g.IntN(len(all))] }
	for i := range g.IntN(10) {
		owner := pick("a", "b")
		o := object{
			"metadata": object{"name": fmt.Sprint("p", i), "namespace": pick("default", "default", "other"), "uid": fmt.Sprint(i), "labels": object{"app": pick("x", "y"), "tier": pick("front", "back")},
				"ownerReferences": []any{object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": true}}},
			"spec":   object{"containers": []any{object{"name": "c"}}},
			"status": object{"phase": "Running", "conditions": []any{object{"type": "Ready", "status": pick("True", "True", "False")}}},
		}
		if g.IntN(6) == 0 {
			o["metadata"].(object)["deletionTimestamp"] = now.Format(time.RFC3339)
		}
		theirs, ours := &corev1.Pod{}, &outrank.Pod{}
		both(t, o, theirs, ours)
		d.pods, d.cluster.Pods = append(d.pods, theirs), append(d.cluster.Pods, ours)
	}

	for i := range 1 + g.IntN(4) {
		figure := any(g.IntN(6))
		if g.IntN(2) == 0 {
			figure = pick("0%", "1%", "34%", "50%", "99%", "100%")
		}
		spec := object{pick("minAvailable", "maxUnavailable"): figure, "selector": object{"matchLabels": object{pick("app", "tier"): pick("x", "front")}}}
		o := object{"metadata": object{"name": fmt.Sprint("b", i), "namespace": "default", "generation": 1}, "spec": spec,
			"status": object{"disruptedPods": object{"p0": now.Add(-time.Duration(g.IntN(240)) * time.Second).Format(time.RFC3339)}}}
		theirs, ours := &policyv1.PodDisruptionBudget{}, &outrank.PodDisruptionBudget{}
		both(t, o, theirs, ours)
		d.budgets, d.cluster.Budgets = append(d.budgets, theirs), append(d.cluster.Budgets, ours)
	}
	return d
}

// both reads an object into both kinds of types.
func both(t *testing.T, o object, theirs, ours any) {
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, theirs))
	require.NoError(t, json.Unmarshal(text, ours))
}

// written returns the status that the controller writes for a budget.
func (d *drawn) written(t *testing.T, b *policyv1.PodDisruptionBudget) policyv1.PodDisruptionBudgetStatus {
	f := informers.NewSharedInformerFactory(nil, 0)
	for name, scale := range d.scales {
		for _, namespace := range []string{"default", "other"} {
			rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID(name)}, Spec: appsv1.ReplicaSetSpec{Replicas: &scale}}
			require.NoError(t, f.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(rs))
		}
	}
	for _, p := range d.pods {
		require.NoError(t, f.Core().V1().Pods().Informer().GetIndexer().Add(p))
	}
	require.NoError(t, f.Policy().V1().PodDisruptionBudgets().Informer().GetIndexer().Add(b))

	client := fake.NewClientset(b)
	c := disruption.NewDisruptionControllerInternal(t.Context(), f.Core().V1().Pods(), f.Policy().V1().PodDisruptionBudgets(), f.Core().V1().ReplicationControllers(),
		f.Apps().V1().ReplicaSets(), f.Apps().V1().Deployments(), f.Apps().V1().StatefulSets(), client, nil, nil, client.Discovery(), clocktesting.NewFakeClock(now), 2*time.Minute)
	require.NoError(t, trySync(c, t.Context(), b))
	status := b.Status // the controller writes nothing where nothing changes
	for _, action := range client.Actions() {
		if update, ok := action.(clienttesting.UpdateAction); ok {
			status = update.GetObject().(*policyv1.PodDisruptionBudget).Status
		}
	}
	return status
}

// Every budget of a cluster gets the status that the controller writes.
func TestFillIsTheController(t *testing.T) {
	allowing := 0
	for i := range *cases {
		d := draw(t, rand.New(rand.NewPCG(*seed, uint64(i))))
		filled, err := pdb.Fill(pdb.FillInput{
			Cluster: d.cluster, Now: now,
			Scale: func(o outrank.Owner, _ string) (int32, bool) { scale, ok := d.scales[o.Name]; return scale, ok },
		})
		require.NoError(t, err)
		for j, b := range d.budgets {
			want, got := d.written(t, b), filled[j]
			require.Equal(t, []int32{want.DisruptionsAllowed, want.CurrentHealthy, want.DesiredHealthy}, []int32{got.DisruptionsAllowed, got.CurrentHealthy, got.DesiredHealthy},
				"case %d, budget %d: allowed, healthy, desired", i, j)
			require.Equal(t, want.ObservedGeneration, got.ObservedGeneration)
			if want.DisruptionsAllowed > 0 {
				allowing++
			}
		}
	}
	require.Greater(t, allowing, *cases/10)
}
