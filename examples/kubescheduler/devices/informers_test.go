package devices_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
)

// listed are the objects as listers of informers have them, in whichever order.
func listed(t *testing.T, f informers.SharedInformerFactory) (o devices.Objects) {
	t.Helper()
	var err error
	r := f.Resource().V1()
	o.Pods, err = f.Core().V1().Pods().Lister().List(labels.Everything())
	require.NoError(t, err)
	o.Claims, err = r.ResourceClaims().Lister().List(labels.Everything())
	require.NoError(t, err)
	o.Slices, err = r.ResourceSlices().Lister().List(labels.Everything())
	require.NoError(t, err)
	o.Classes, err = r.DeviceClasses().Lister().List(labels.Everything())
	require.NoError(t, err)
	o.TaintRules, err = r.DeviceTaintRules().Lister().List(labels.Everything())
	require.NoError(t, err)
	return o
}

// all are the objects in one list.
func all(o devices.Objects) (list []runtime.Object) {
	add := func(kind string, gv schema.GroupVersion, object interface {
		runtime.Object
		SetGroupVersionKind(schema.GroupVersionKind)
	}) {
		object.SetGroupVersionKind(gv.WithKind(kind))
		list = append(list, object)
	}
	for _, p := range o.Pods {
		add("Pod", schema.GroupVersion{Version: "v1"}, p)
	}
	for _, c := range o.Claims {
		add("ResourceClaim", resourcev1.SchemeGroupVersion, c)
	}
	for _, s := range o.Slices {
		add("ResourceSlice", resourcev1.SchemeGroupVersion, s)
	}
	for _, c := range o.Classes {
		add("DeviceClass", resourcev1.SchemeGroupVersion, c)
	}
	return list
}

// dumped are the objects as a dump has them.
func dumped(t *testing.T, o devices.Objects) devices.Objects {
	t.Helper()
	var dump bytes.Buffer
	for _, object := range all(o) {
		require.NoError(t, json.NewEncoder(&dump).Encode(object))
	}
	read, err := devices.Read(&dump)
	require.NoError(t, err)
	return read
}

// The answers are the same from a dump and from the listers of informers, whose order is another
// each time, also after the objects have changed.
func TestObjectsOfInformers(t *testing.T) {
	outcomes := map[preemption.Outcome]int{}
	for seed := uint64(1); seed <= 25; seed++ {
		s, nodes := drawSlow(seed)
		client := fake.NewClientset(all(s.objects)...)
		factory := informers.NewSharedInformerFactory(client, 0)
		listed(t, factory) // makes the informers
		ctx, stop := context.WithCancel(t.Context())
		factory.StartWithContext(ctx)
		factory.WaitForCacheSyncWithContext(ctx)
		cluster := &outrank.Cluster{Nodes: nodes, Pods: slices.Concat(s.running, s.waiting, []*outrank.Pod{s.pod})}
		compare := func(from devices.Objects) {
			for _, proposed := range []bool{false, true} {
				config := devices.Config{DRAPreemption: proposed}
				here, there := listed(t, factory), dumped(t, from)
				here.Nominations, there.Nominations = s.objects.Nominations, s.objects.Nominations
				want, err := explain(t, cluster, s.pod, there, config)
				require.NoError(t, err)
				got, err := explain(t, cluster, s.pod, here, config)
				require.NoError(t, err)
				assert.Equal(t, text(t, want), text(t, got), "seed %d, DRAPreemption %v", seed, proposed)
				outcomes[want.Outcome]++
			}
		}
		compare(s.objects)
		if s.freeOne(t, client) {
			require.Eventually(t, func() bool { return claimed(listed(t, factory)) < claimed(s.objects) }, 10*time.Second, time.Millisecond)
			now := s.objects
			now.Claims = listed(t, factory).Claims
			compare(now)
		}
		stop()
		factory.Shutdown()
	}
	t.Logf("outcomes: %v", outcomes)
	assert.Len(t, outcomes, 3)
}

// freeOne takes an allocation away, if there is one.
func (s *slow) freeOne(t *testing.T, client *fake.Clientset) bool {
	for _, c := range s.objects.Claims {
		if c.Status.Allocation == nil {
			continue
		}
		c = c.DeepCopy()
		c.Status = resourcev1.ResourceClaimStatus{}
		_, err := client.ResourceV1().ResourceClaims(c.Namespace).UpdateStatus(t.Context(), c, metav1.UpdateOptions{})
		require.NoError(t, err)
		return true
	}
	return false
}

// claimed is how many claims have an allocation.
func claimed(o devices.Objects) (n int) {
	for _, c := range o.Claims {
		if c.Status.Allocation != nil {
			n++
		}
	}
	return n
}

func text(t *testing.T, ex *preemption.Plan) string {
	t.Helper()
	out, err := json.Marshal(ex)
	require.NoError(t, err)
	return string(out)
}
