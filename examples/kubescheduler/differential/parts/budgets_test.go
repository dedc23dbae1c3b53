package parts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "unsafe" // for the function of the controller that it does not export

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
)

//go:linkname trySync k8s.io/kubernetes/pkg/controller/disruption.(*DisruptionController).trySync
func trySync(c *disruption.DisruptionController, ctx context.Context, b *policyv1.PodDisruptionBudget) error

// controlled is a namespace as the disruption controller sees it.
type controlled struct {
	draw
	now    time.Time
	known  informers.SharedInformerFactory
	scales map[outrank.Owner]int32
	// deployments are the replica sets whose scale is that of a deployment.
	deployments map[string]string
	text        string
}

// controllerKinds are the kinds of controllers with the versions of their API.
var controllerKinds = map[string]string{"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "ReplicationController": "v1"}

func uidOf(kind, name string) types.UID { return types.UID(kind + "/" + name) }

// control makes two controllers of each kind. The replica sets belong to one deployment in half of the cases, as they
// do while it is rolled out.
func control(t *testing.T, d draw) *controlled {
	c := &controlled{
		draw: d, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), known: informers.NewSharedInformerFactory(nil, 0),
		scales: map[outrank.Owner]int32{}, deployments: map[string]string{},
	}
	meta := func(kind, name string) metav1.ObjectMeta {
		c.scales[outrank.Owner{Kind: kind, Name: name}] = int32(c.IntN(6))
		return metav1.ObjectMeta{Name: name, Namespace: "default", UID: uidOf(kind, name)}
	}
	scale := func(kind, name string) *int32 { n := c.scales[outrank.Owner{Kind: kind, Name: name}]; return &n }
	add := func(err error) { require.NoError(t, err) }
	rolled := c.oneIn(2)
	if deployed := meta("Deployment", "d"); rolled {
		add(c.known.Apps().V1().Deployments().Informer().GetIndexer().Add(&appsv1.Deployment{ObjectMeta: deployed, Spec: appsv1.DeploymentSpec{Replicas: scale("Deployment", "d")}}))
	}
	for _, name := range []string{"a", "b"} {
		set := meta("ReplicaSet", name)
		if yes := true; rolled {
			c.deployments[name] = "d"
			set.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "d", UID: uidOf("Deployment", "d"), Controller: &yes}}
		}
		add(c.known.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(&appsv1.ReplicaSet{ObjectMeta: set, Spec: appsv1.ReplicaSetSpec{Replicas: scale("ReplicaSet", name)}}))
		stateful := meta("StatefulSet", name)
		add(c.known.Apps().V1().StatefulSets().Informer().GetIndexer().Add(&appsv1.StatefulSet{ObjectMeta: stateful, Spec: appsv1.StatefulSetSpec{Replicas: scale("StatefulSet", name)}}))
		old := meta("ReplicationController", name)
		add(c.known.Core().V1().ReplicationControllers().Informer().GetIndexer().Add(&corev1.ReplicationController{ObjectMeta: old, Spec: corev1.ReplicationControllerSpec{Replicas: scale("ReplicationController", name)}}))
	}
	return c
}

// budget draws a budget of one figure, or of none. summed says that the scales of controllers decide what it expects.
func (c *controlled) budget(t *testing.T) (theirs *policyv1.PodDisruptionBudget, ours *outrank.PodDisruptionBudget, summed bool) {
	figure := func() any {
		if c.oneIn(2) {
			return c.IntN(7)
		}
		return c.pick("0%", "1%", "33%", "34%", "50%", "66%", "99%", "100%")
	}
	spec := object{}
	switch c.IntN(5) {
	case 0, 1:
		least := figure()
		_, number := least.(int)
		spec["minAvailable"], summed = least, !number
	case 2, 3:
		spec["maxUnavailable"], summed = figure(), true
	}
	expression := func(key, operator string, values ...string) object {
		return object{"matchExpressions": []object{{"key": key, "operator": operator, "values": values}}}
	}
	spec["selector"] = []object{
		{"matchLabels": object{"app": "x"}}, expression("app", "In", "x", "y"), expression("tier", "NotIn", "back"), expression("none", "DoesNotExist"),
	}[c.IntN(4)]

	disrupted := object{}
	for i := range c.IntN(4) {
		ago := []time.Duration{0, 119 * time.Second, 2 * time.Minute, 121 * time.Second, -50 * time.Second, time.Hour}[c.IntN(6)]
		disrupted[fmt.Sprint("p", i)] = c.now.Add(-ago).Format(time.RFC3339)
	}
	theirs, ours = &policyv1.PodDisruptionBudget{}, &outrank.PodDisruptionBudget{}
	c.text += both(t, object{"metadata": object{"name": "b", "namespace": "default", "generation": 1}, "spec": spec, "status": object{
		"disruptedPods": disrupted, "disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0,
	}}, theirs, ours)
	return theirs, ours, summed
}

// pods draws pods, each of which has a controller where the scales decide (rule 6.4.8).
func (c *controlled) pods(t *testing.T, summed bool) (pods []*outrank.Pod) {
	for i := range c.IntN(9) {
		meta := object{
			"name": fmt.Sprint("p", i), "uid": fmt.Sprint(i), "namespace": c.pick("default", "default", "default", "other"),
			"labels": object{"app": c.pick("x", "y", "z"), "tier": c.pick("front", "back")},
		}
		if kind, name := c.pick("ReplicaSet", "ReplicaSet", "StatefulSet", "ReplicationController"), c.pick("a", "b"); summed || c.oneIn(2) {
			meta["ownerReferences"] = []object{{"apiVersion": controllerKinds[kind], "kind": kind, "name": name, "uid": uidOf(kind, name), "controller": true}}
		}
		if c.oneIn(6) {
			meta["deletionTimestamp"] = c.now.Format(time.RFC3339)
		}
		status := object{"phase": "Running"}
		if !c.oneIn(6) {
			status["conditions"] = []object{{"type": "Ready", "status": c.pick("True", "True", "True", "False", "Unknown")}}
		}
		theirs, ours := &corev1.Pod{}, &outrank.Pod{}
		c.text += "\n" + both(t, object{"metadata": meta, "spec": object{"containers": []object{{"name": "c"}}}, "status": status}, theirs, ours)
		require.NoError(t, c.known.Core().V1().Pods().Informer().GetIndexer().Add(theirs))
		pods = append(pods, ours)
	}
	return pods
}

// sync has the disruption controller write the status of a budget. It is nil if nothing was written.
func (c *controlled) sync(t *testing.T, b *policyv1.PodDisruptionBudget) (*policyv1.PodDisruptionBudgetStatus, error) {
	client := fake.NewSimpleClientset(b)
	apps, pods, budgets := c.known.Apps().V1(), c.known.Core().V1(), c.known.Policy().V1().PodDisruptionBudgets()
	controller := disruption.NewDisruptionControllerInternal(t.Context(), pods.Pods(), budgets, pods.ReplicationControllers(), apps.ReplicaSets(), apps.Deployments(),
		apps.StatefulSets(), client, nil, nil, client.Discovery(), clocktesting.NewFakeClock(c.now), 2*time.Minute)
	require.NoError(t, budgets.Informer().GetIndexer().Add(b))
	if err := trySync(controller, t.Context(), b); err != nil {
		return nil, err
	}
	for _, a := range client.Actions() {
		if written, ok := a.(clienttesting.UpdateAction); ok {
			return &written.GetObject().(*policyv1.PodDisruptionBudget).Status, nil
		}
	}
	return nil, nil
}

// scale and controller answer as the objects of the namespace do.
func (c *controlled) scale(o outrank.Owner, namespace string) (int32, bool) {
	n, ok := c.scales[o]
	return n, ok && namespace == "default"
}

func (c *controlled) controller(o outrank.Owner, _ string) outrank.Owner {
	if d := c.deployments[o.Name]; o.Kind == "ReplicaSet" && d != "" {
		return outrank.Owner{Kind: "Deployment", Name: d}
	}
	return outrank.Owner{}
}

// The status of a budget is what the disruption controller writes (group 6.4), for one budget and for all of a cluster.
// Cases of rules 6.4.6 to 6.4.9, in which outrank differs on purpose, are not drawn.
func TestBudgetStatus(t *testing.T) {
	allows, rolled := 0, 0
	for i := range *cases / 4 {
		c := control(t, draw{rand.New(rand.NewPCG(*seed, uint64(i)))})
		theirs, ours, summed := c.budget(t)
		pods := c.pods(t, summed)
		want, wantErr := c.sync(t, theirs)
		got, err := pdb.StatusOf(pdb.StatusInput{Budget: ours, Pods: pods, Now: c.now, Scale: c.scale, Controller: c.controller})
		require.Equal(t, wantErr == nil, err == nil, "the reference says %v, outrank %v\n%s", wantErr, err, c.text)
		if err != nil {
			continue
		}
		require.NotNil(t, want, c.text)
		require.Equal(t, pdb.BudgetStatus{Healthy: want.CurrentHealthy, Desired: want.DesiredHealthy, Expected: want.ExpectedPods, Allowed: want.DisruptionsAllowed},
			got, "%s\nscales %v", c.text, c.scales)

		// A budget beside it takes nothing away from it.
		_, beside, _ := c.budget(t)
		filled, err := pdb.Fill(pdb.FillInput{
			Cluster: &outrank.Cluster{Pods: pods, Budgets: []*outrank.PodDisruptionBudget{beside, ours}}, Now: c.now, Scale: c.scale, Controller: c.controller,
		})
		require.NoError(t, err, c.text)
		b := filled[1]
		require.Equal(t, []any{want.CurrentHealthy, want.DesiredHealthy, want.DisruptionsAllowed, want.ObservedGeneration},
			[]any{b.CurrentHealthy, b.DesiredHealthy, b.DisruptionsAllowed, b.ObservedGeneration}, c.text)

		if got.Allowed > 0 {
			allows++
		}
		if len(c.deployments) > 0 {
			rolled++
		}
	}
	t.Logf("%d budgets from seed %d: %d allow somebody to go, %d with a deployment", *cases/4, *seed, allows, rolled)
	require.Positive(t, allows)
}
