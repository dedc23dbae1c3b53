package schedules_test

import (
	"context"
	"errors"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/internal/tests/schedules"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// brain is a scheduler as package scheduler has one: a mirror owns the snapshot and tells the loop what changes,
// and actions reach the server. The store is that of an informer, which knows an object before its handlers do.
type brain struct {
	*schedules.Library
	mirror *mirror.Mirror
	store  cache.Indexer
	// former has the version of each pod before the last, which a watch may deliver once more.
	former map[string]*corev1.Pod
}

// newBrain is a schedules.Maker.
func newBrain(s *schedules.Schedule, port *schedules.Port) (schedules.Brain, error) {
	m, err := mirror.New(outrank.DefaultRelease)
	if err != nil {
		return nil, err
	}
	b := &brain{
		mirror: m, former: map[string]*corev1.Pod{},
		store: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
	}
	client, err := actions.New(actions.Config{API: api{port: port}, Pods: corelisters.NewPodLister(b.store), Scheduler: b, WriteNominations: true})
	if err != nil {
		return nil, err
	}
	carry := client.Actions()
	carry.Evict = func(ctx context.Context, e execution.Eviction) error {
		err := client.Evict(context.WithValue(ctx, forKey{}, e.Preemptor.UID), e)
		if errors.Is(err, preemption.ErrNotFound) {
			port.Missed(e.Preemptor.UID)
		}
		return err
	}
	err = m.Update(func(snap *engine.Snapshot) (err error) {
		b.Library, err = schedules.Over(snap, s, port, &carry)
		return err
	})
	m.Tell(func(old, new any) { b.Library.Observe(old, new) })
	return b, err
}

// These three are for the client: nobody waits to be bound, and nominations are written.

func (b *brain) Reject(types.UID) bool                      { return false }
func (b *brain) Nominate(*corev1.Pod, string) (bool, error) { return false, nil }
func (b *brain) Activate(p *corev1.Pod) {
	if one, err := convert.Pod(p); err == nil {
		b.Library.Activate(one)
	}
}

// Next makes an attempt while the mirror is locked.
func (b *brain) Next(ctx context.Context) (tried bool) {
	_ = b.mirror.Update(func(*engine.Snapshot) error {
		tried = b.Library.Next(ctx)
		return nil
	})
	return tried
}

// Pod does what an informer does: the store first, then the handler. A version that is delivered once more is
// followed by an older one, and an end that a list tells of has no last version.
func (b *brain) Pod(old, new *schedules.Pod) {
	switch {
	case new == nil:
		last := objectOf(old)
		_ = b.store.Delete(last)
		b.mirror.OnDelete(cache.DeletedFinalStateUnknown{Key: "default/" + old.Name, Obj: last})
	case old == nil:
		o := objectOf(new)
		_ = b.store.Add(o)
		b.mirror.OnAdd(o, false)
	default:
		was, o := objectOf(old), objectOf(new)
		_ = b.store.Update(o)
		b.mirror.OnUpdate(was, o)
		if old != new {
			b.former[new.Name] = was
		} else if former := b.former[new.Name]; former != nil && former.UID == o.UID {
			b.mirror.OnUpdate(o, former)
		}
	}
}

// Node delivers a node.
func (b *brain) Node(old, new *schedules.Node) {
	if new == nil {
		b.mirror.OnDelete(nodeOf(old, 0))
		return
	}
	b.mirror.OnUpdate(nil, nodeOf(new, 0))
}

// objectOf is a pod as the API has it.
func objectOf(p *schedules.Pod) *corev1.Pod {
	o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: p.Name, Namespace: "default", UID: types.UID(p.UID), ResourceVersion: strconv.Itoa(p.Version),
	}}
	o.Spec = corev1.PodSpec{NodeName: p.Node, Priority: &p.Priority, SchedulerName: p.Profile, Containers: []corev1.Container{{
		Name: "c", Resources: corev1.ResourceRequirements{Requests: cores(p.CPU)},
	}}}
	o.Status.NominatedNodeName = p.Nominated
	past := metav1.NewTime(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	if p.Leaves {
		o.DeletionTimestamp = &past
	}
	if p.Node != "" {
		o.Status.StartTime = &past
	}
	if p.Preempted {
		o.Status.Conditions = append(o.Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler,
		})
	}
	if p.Told != "" {
		o.Status.Conditions = append(o.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: p.Told,
		})
	}
	return o
}

// nodeOf is a node as the API has it.
func nodeOf(n *schedules.Node, version int) *corev1.Node {
	o := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, ResourceVersion: strconv.Itoa(version)}}
	o.Status.Allocatable = cores(n.CPU)
	o.Status.Allocatable[corev1.ResourcePods] = quantity.MustParse("110")
	return o
}

func cores(n int64) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: *quantity.NewQuantity(n, quantity.DecimalSI)}
}
