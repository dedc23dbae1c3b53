// Package kubelet stands in for the kubelets of all nodes of a cluster. It makes nodes ready, reports that
// bound pods run, and ends pods that are being deleted. No container is really run.
package kubelet

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Config has the settings of the kubelets.
type Config struct {
	Client kubernetes.Interface
	// Version is the version of the kubelets.
	Version string
	// Delay is how long a pod takes to end.
	Delay time.Duration
	// Spread is the range of start times. The API stores whole seconds, so that without it many pods would have
	// started at the same time.
	Spread time.Duration
	// Workers is the number of pods that are handled concurrently.
	Workers int
	// Trouble, if set, is called with errors, after which the kubelets try again.
	Trouble func(error)
}

// Kubelets are the kubelets of all nodes.
type Kubelets struct {
	config Config
	pods   listers.PodLister
	queue  workqueue.TypedDelayingInterface[types.NamespacedName]
	// hold keeps pods that are being deleted from ending.
	hold atomic.Bool
	// idle keeps bound pods from starting.
	idle atomic.Bool
	done sync.WaitGroup

	mu sync.Mutex
	// leave has the time at which the deletion of a pod was first seen, by the pod's UID.
	leave map[types.UID]time.Time
}

// Start starts the kubelets. They work until the context ends, which Wait waits for. The caller starts the
// informers afterwards.
func Start(ctx context.Context, config Config, f informers.SharedInformerFactory) (*Kubelets, error) {
	k := &Kubelets{
		config: config, pods: f.Core().V1().Pods().Lister(),
		queue: workqueue.NewTypedDelayingQueue[types.NamespacedName](),
		leave: map[types.UID]time.Time{},
	}

	_, err := f.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    k.enqueue,
		UpdateFunc: func(_, now any) { k.enqueue(now) },
		DeleteFunc: k.forget,
	})
	if err != nil {
		return nil, err
	}
	_, err = f.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { k.report(k.register(ctx, o.(*corev1.Node))) },
	})
	if err != nil {
		return nil, err
	}

	for range config.Workers {
		k.done.Go(func() { k.work(ctx) })
	}
	k.done.Go(func() {
		<-ctx.Done()
		k.queue.ShutDown()
	})
	return k, nil
}

// Wait returns once the kubelets have ended.
func (k *Kubelets) Wait() { k.done.Wait() }

// Hold, while on, keeps pods that are being deleted as they are.
func (k *Kubelets) Hold(on bool) { k.hold.Store(on) }

// Idle, while on, keeps bound pods from starting.
func (k *Kubelets) Idle(on bool) { k.idle.Store(on) }

func (k *Kubelets) enqueue(o any) {
	p := o.(*corev1.Pod)
	k.queue.Add(types.NamespacedName{Namespace: p.Namespace, Name: p.Name})
}

func (k *Kubelets) forget(o any) {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	if p, ok := o.(*corev1.Pod); ok {
		k.mu.Lock()
		delete(k.leave, p.UID)
		k.mu.Unlock()
	}
}

func (k *Kubelets) work(ctx context.Context) {
	for {
		key, ended := k.queue.Get()
		if ended {
			return
		}
		if again := k.sync(ctx, key); again > 0 && ctx.Err() == nil {
			k.queue.AddAfter(key, again)
		}
		k.queue.Done(key)
	}
}

// heldAgain is the time after which a pod that is held back is examined again.
const heldAgain = 200 * time.Millisecond

// sync takes the next step for a pod. It returns the time after which to examine the pod again; 0 means when
// the pod changes.
func (k *Kubelets) sync(ctx context.Context, key types.NamespacedName) time.Duration {
	p, err := k.pods.Pods(key.Namespace).Get(key.Name)
	if err != nil || p.Spec.NodeName == "" {
		return 0
	}
	switch {
	case p.DeletionTimestamp != nil:
		return k.end(ctx, p)
	case p.Status.StartTime != nil || p.Status.Phase != corev1.PodPending:
		return 0
	case k.idle.Load():
		return heldAgain
	}
	_, err = k.config.Client.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, running(p, time.Now(), k.config.Spread), metav1.UpdateOptions{})
	return k.retry(err)
}

// end ends a pod once Delay has passed since its deletion was first seen.
func (k *Kubelets) end(ctx context.Context, p *corev1.Pod) time.Duration {
	k.mu.Lock()
	since, seen := k.leave[p.UID]
	if !seen {
		since = time.Now()
		k.leave[p.UID] = since
	}
	k.mu.Unlock()
	if k.hold.Load() {
		return heldAgain
	}
	if left := k.config.Delay - time.Since(since); left > 0 {
		return left
	}
	now := int64(0)
	return k.retry(k.config.Client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name,
		metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &p.UID}}))
}

// retry returns the time after which to try again after an error. A pod that is gone needs no further try, and
// a pod that has changed in the meantime is examined anyway.
func (k *Kubelets) retry(err error) time.Duration {
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return 0
	}
	k.report(err)
	return time.Second
}

func (k *Kubelets) report(err error) {
	if err != nil && k.config.Trouble != nil {
		k.config.Trouble(fmt.Errorf("kubelet: %w", err))
	}
}
