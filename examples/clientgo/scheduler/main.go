// Scheduler is a custom scheduler on informers: a mirror follows the cluster, and a loop makes the attempts.
// The cluster here is a fake clientset; any other clientset will do as well.
//
// The mirror owns the snapshot. The loop decides on it and records in it what it has bound. It is
// called only while the mirror is locked: by Update for an attempt, and by Tell for what informers deliver. So
// no decision is about an older state, and informers wait while an attempt calls the API.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

func main() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()

	// An API server in memory with a full node.
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("2"), "pods": resource.MustParse("110")}
	api := fake.NewClientset(node, pod("batch", 10, "n1"), pod("web", 100, "n1"), pod("urgent", 1000, ""))

	// The loop works on a snapshot that informers keep up to date.
	factory, m := informers.NewSharedInformerFactory(api, 0), must(mirror.New(outrank.V1_37))
	config := attempt.Config{Queue: must(queue.New(queue.Config{})), Execution: execution.Config{Wait: actions.Wait}}
	config.Execution.Actions = must(actions.New(actions.Config{API: api, Pods: factory.Core().V1().Pods().Lister()})).Actions()
	var loop *attempt.Loop
	check(m.Update(func(s *engine.Snapshot) (err error) {
		config.Snapshot = s
		loop, err = attempt.New(config)
		return err
	}))

	// What an informer delivers is passed to the loop, and wakes it.
	news := make(chan struct{}, 1)
	m.Tell(func(old, new any) { must(loop.Observe(old, new, time.Now())) })
	m.Notify(news)
	synced := must(m.Follow(factory, mirror.Everything...))
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), synced...)

	for r := (&attempt.Result{}); r.Outcome != attempt.Bound; { // a real scheduler goes on forever
		check(m.Update(func(*engine.Snapshot) (err error) {
			r, err = loop.Next(ctx, time.Now())
			return err
		}))
		switch r.Outcome {
		case attempt.Preempting:
			fmt.Println(r.Entry.Pod.Key(), "waits for", r.Plan.(*preemption.Plan).Victims, "to leave", r.Node)
		case attempt.Bound:
			fmt.Println(r.Entry.Pod.Key(), "is bound to", r.Node)
		case attempt.Idle: // waits until something happens, and looks once a second for backoffs that are over
			select {
			case <-news:
			case <-time.After(time.Second):
			case <-ctx.Done():
				log.Fatal(context.Cause(ctx))
			}
		}
	}
}

func pod(name string, priority int32, node string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}}
	p.Spec = corev1.PodSpec{NodeName: node, Priority: &priority, Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}}
	return p
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
