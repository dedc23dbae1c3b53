package mirror_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
)

const (
	benchNodes = 5_000
	benchPods  = 150_000
)

func benchNode(i int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), UID: types.UID(fmt.Sprint("n", i)), ResourceVersion: "1"}}
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("32"), "memory": resource.MustParse("128Gi"), "pods": resource.MustParse("110")}
	return n
}

// benchPod is a version of a pod on a node.
func benchPod(i, version int) *corev1.Pod {
	priority := int32(i % 5 * 100)
	at := metav1.NewTime(time.Unix(1_700_000_000+int64(i), 0))
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprint("pod-", i), Namespace: "shop", UID: types.UID(fmt.Sprint("p", i)), ResourceVersion: strconv.Itoa(version),
		Labels: map[string]string{"app": fmt.Sprint("app-", i%50)}, CreationTimestamp: at,
	}}
	p.Spec.NodeName, p.Spec.Priority = fmt.Sprint("node-", i%benchNodes), &priority
	p.Spec.Containers = []corev1.Container{{Name: "web", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("512Mi")}}}}
	p.Spec.Tolerations = []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}}
	p.Status.Phase, p.Status.StartTime = corev1.PodRunning, &at
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: at}}
	return p
}

func benchMirror(b *testing.B) *mirror.Mirror {
	m, err := mirror.New(outrank.V1_37)
	if err != nil {
		b.Fatal(err)
	}
	for i := range benchNodes {
		if err := m.Put(benchNode(i)); err != nil {
			b.Fatal(err)
		}
	}
	for i := range benchPods {
		if err := m.Put(benchPod(i, 1)); err != nil {
			b.Fatal(err)
		}
	}
	return m
}

// The price of an event in a mirror of 5,000 nodes and 150,000 pods.
func BenchmarkPut(b *testing.B) {
	m := benchMirror(b)
	const versions = 1000
	pods := make([]*corev1.Pod, versions)
	b.Run("pod", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			if i%versions == 0 {
				b.StopTimer()
				for j := range pods {
					pods[j] = benchPod((i+j*37)%benchPods, i+j+2)
				}
				b.StartTimer()
			}
			if err := m.Put(pods[i%versions]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("deleted and back", func(b *testing.B) {
		p := benchPod(77, 1<<40)
		for b.Loop() {
			if err := m.Delete(p); err != nil {
				b.Fatal(err)
			}
			if err := m.Put(p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("node", func(b *testing.B) {
		n := benchNode(77)
		for b.Loop() {
			if err := m.Put(n); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("snapshot and a pod", func(b *testing.B) {
		p := benchPod(78, 1<<40)
		for b.Loop() {
			m.Snapshot()
			if err := m.Put(p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The price of a cycle of the scheduler: nothing has changed, or ten pods have.
func BenchmarkSync(b *testing.B) {
	infos := make([]infoOfNode, benchNodes)
	for i := range infos {
		infos[i] = newNodeInfo(benchNode(i))
	}
	for i := range benchPods {
		infos[i%benchNodes].(*nodeInfo).add(benchPod(i, 1))
	}
	m, err := mirror.New(outrank.V1_37)
	if err != nil {
		b.Fatal(err)
	}
	nominated := func(string) []infoOfPod { return nil }
	sync := func(b *testing.B) {
		if err := mirror.Sync(m, infos, nominated); err != nil {
			b.Fatal(err)
		}
	}
	began := time.Now()
	sync(b)
	b.Logf("first: %v", time.Since(began))
	b.Run("nothing changed", func(b *testing.B) {
		for b.Loop() {
			sync(b)
		}
	})
	b.Run("ten pods changed", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			b.StopTimer()
			for j := range 10 {
				n := (i*10 + j) * 31 % benchNodes
				infos[n].(*nodeInfo).add(benchPod(n+1*benchNodes, i*10+j+2))
			}
			b.StartTimer()
			sync(b)
		}
	})
}
