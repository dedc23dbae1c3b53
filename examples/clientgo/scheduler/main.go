// Scheduler is a custom scheduler on informers: a mirror follows the cluster, the most important
// pod that waits is decided first, and what a plan says is carried out. The cluster here is a fake
// clientset; any other clientset does as well.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/score"
)

func main() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("2"), "pods": resource.MustParse("110")}
	api := fake.NewClientset(node, pod("batch", 10, "n1"), pod("web", 100, "n1"), pod("urgent", 1000, ""))
	factory, m := informers.NewSharedInformerFactory(api, 0), must(mirror.New(outrank.V1_37))
	synced := must(m.Follow(factory, mirror.Everything...))
	pods := factory.Core().V1().Pods().Lister()
	executor := must(execution.NewExecutor(execution.Config{Retry: execution.Retry{Wait: actions.Wait},
		Actions: must(actions.New(actions.Config{API: api, Pods: pods, WriteNominations: true}))}))
	s := &scheduler{api, m, executor, must(preemption.NewEvaluator(preemption.Config{})), must(score.New(score.Config{}))}
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), synced...)
	for bound := false; !bound; time.Sleep(10 * time.Millisecond) { // a queue would wait for events
		waits := m.Snapshot().Cluster().Pods
		waits = slices.DeleteFunc(waits, func(p *outrank.Pod) bool { return p.NodeName != "" })
		slices.SortStableFunc(waits, func(a, b *outrank.Pod) int { return cmp.Compare(b.PriorityValue(), a.PriorityValue()) })
		for _, p := range waits {
			bound = must(s.attempt(ctx, p))
		}
	}
}

// scheduler decides about pods and carries the decisions out.
type scheduler struct {
	api       kubernetes.Interface
	mirror    *mirror.Mirror
	executor  *execution.Executor
	evaluator *preemption.Evaluator
	scorer    *score.Scorer
}

// attempt binds a pod that fits, and makes room for one that does not.
func (s *scheduler) attempt(ctx context.Context, p *outrank.Pod) (bound bool, err error) {
	snap := s.mirror.Snapshot()
	ranked, err := s.scorer.Rank(ctx, s.evaluator, snap, p)
	if err != nil {
		return false, err
	}
	if node := ranked.Choose(nil); node != nil {
		to := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.NamespaceName()}, Target: corev1.ObjectReference{Kind: "Node", Name: node.Name}}
		fmt.Println(p.Key(), "is bound to", node.Name)
		return true, s.api.CoreV1().Pods(p.NamespaceName()).Bind(ctx, to, metav1.CreateOptions{})
	}
	plan, err := s.evaluator.Preempt(ctx, snap, p, time.Now())
	if err != nil || plan.Outcome != preemption.Preempt || s.executor.Preempting(p.Key()) || p.NominatedNodeName != "" {
		return false, err
	}
	fmt.Println(p.Key(), "waits for", plan.Victims, "to leave", plan.Node)
	_, err = s.executor.Execute(ctx, plan)
	return false, err
}

func pod(name string, priority int32, node string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}}
	p.Spec = corev1.PodSpec{NodeName: node, Priority: &priority, Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}}
	return p
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
