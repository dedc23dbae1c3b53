package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// process is shared by the profiles of one scheduler: the snapshot, the executor, which
// knows the victims that were told to go, and the preemptors that are under way. With
// an executor for each profile a victim that two of them need away would be told twice.
type process struct {
	terms terms
	// users is the number of plugins, which the registry guards.
	users int

	// deciding guards the three that follow. A scheduler asks for one preemption at a time; a
	// caller of its own may not.
	deciding sync.Mutex
	state    *state
	aside    aside

	executor *execution.Executor
	carrying *carrying
	under    underway
	devices  *deviceDesk // nil without DRAPreemption
	metrics  *metrics.Collector
	// unwatch ends the executor's news of pods that are gone; forget removes the
	// process from the registry.
	unwatch, forget func()
	// background has the executions that are under way; end ends them.
	background sync.WaitGroup
	ctx        context.Context
	end        context.CancelCauseFunc
}

// errClosed is why executions end when the scheduler does.
var errClosed = errors.New("the scheduler ends")

// terms are what the plugins of a process have to agree about.
type terms struct {
	release outrank.Release
	order   execution.Order
	// metrics are those of the options, nil for none.
	metrics *metrics.Collector
	// devices is set to preempt for devices.
	devices bool
}

// identity identifies a scheduler. Its profiles have these in common.
type identity struct {
	informers informers.SharedInformerFactory
	api       kubernetes.Interface
	snapshot  fwk.SharedLister
}

// registry has the processes that are in use.
type registry struct {
	mu sync.Mutex
	by map[identity]*process
}

// processes are those of this program. There is one for each scheduler in it, from its first
// plugin until all are closed or the context that they were made with has ended.
var processes = registry{by: map[identity]*process{}}

// join returns the process of a scheduler, which is made with its first plugin. Terms other
// than those of the first are an error.
func (r *registry) join(ctx context.Context, handle fwk.Handle, of terms) (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := identity{handle.SharedInformerFactory(), handle.ClientSet(), handle.SnapshotSharedLister()}
	p := r.by[id]
	if p == nil || p.ctx.Err() != nil {
		made, err := newProcess(ctx, handle, of)
		if err != nil {
			return nil, err
		}
		p, r.by[id] = made, made
		forget := sync.OnceFunc(func() { r.forget(id, made) })
		stop := context.AfterFunc(ctx, forget)
		made.forget = func() { stop(); forget() }
	}
	if p.terms != of {
		return nil, fmt.Errorf("profile %s differs from an earlier one in release, order, metrics or draPreemption, which the profiles of a scheduler share", handle.ProfileName())
	}
	p.users++
	p.carrying.add(handle)
	return p, nil
}

// leave takes one plugin from a process. With the last one the executions that are under way
// end, and leave waits for them.
func (r *registry) leave(p *process) {
	r.mu.Lock()
	p.users--
	last := p.users == 0
	r.mu.Unlock()
	if last {
		p.end(errClosed)
		p.forget()
		p.background.Wait()
	}
}

// forget removes a process. A later plugin of the same scheduler begins anew.
func (r *registry) forget(id identity, p *process) {
	r.mu.Lock()
	if r.by[id] == p {
		delete(r.by, id)
	}
	r.mu.Unlock()
	p.unwatch()
}

func newProcess(ctx context.Context, handle fwk.Handle, of terms) (*process, error) {
	p := &process{terms: of, metrics: of.metrics}
	if p.metrics == nil {
		p.metrics = metrics.New()
	}
	p.metrics.Release = of.release
	var err error
	if p.state, err = newState(handle, of.release); err != nil {
		return nil, err
	}
	if p.devices, err = newDeviceDesk(handle, of); err != nil {
		return nil, err
	}
	if p.carrying, err = newCarrying(handle, &p.under); err != nil {
		return nil, err
	}
	p.executor, err = execution.NewExecutor(execution.Config{
		Actions: p.carrying.actions(), Order: of.order, Wait: actions.Wait,
	})
	if err != nil {
		return nil, err
	}
	if p.unwatch, err = p.watch(handle.SharedInformerFactory().Core().V1().Pods().Informer()); err != nil {
		return nil, err
	}
	p.ctx, p.end = context.WithCancelCause(ctx)
	return p, nil
}

// watch tells the executor of pods that are gone, and the metrics of those that have a node
// as well, so that they need not remember them.
func (p *process) watch(pods cache.SharedIndexInformer) (unwatch func(), err error) {
	registration, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, object any) {
			pod, ok := object.(*v1.Pod)
			if ok && pod.Spec.NodeName != "" {
				p.metrics.EndPreemptor(string(pod.UID))
			}
			if was, known := before.(*v1.Pod); ok && known {
				p.devices.changed(was, pod)
			}
		},
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			if pod, ok := object.(*v1.Pod); ok {
				p.metrics.EndPreemptor(string(pod.UID))
				p.devices.changed(pod, nil)
				p.executor.Gone(&outrank.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
			}
		},
	})
	return func() { _ = pods.RemoveEventHandler(registration) }, err
}
