// Package observe answers whether the pods of a cluster are at rest, and what has happened to each of them
// since a given moment.
package observe

import (
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Pods follows all pods. Any number of goroutines may use it at once. The pods that it returns are shared and
// must not be changed.
type Pods struct {
	lister listers.PodLister

	mu      sync.Mutex
	changed time.Time // the last change that matters to scheduling
	journal map[types.UID][]Version
	moves   []Move
}

// Version is a version of a pod.
type Version struct {
	Pod *corev1.Pod
	// Gone says that this is the last version of a pod that no longer exists.
	Gone bool
}

// Move is a change of a pod on which a decision may depend.
type Move struct {
	Pod  *corev1.Pod
	What string
	// Deleted says that the pod began to leave. Lost is the node of a nomination that the pod has lost.
	Deleted bool
	Lost    string
}

// String returns the pod and its change.
func (m Move) String() string { return fmt.Sprintf("%s/%s %s", m.Pod.Namespace, m.Pod.Name, m.What) }

// Follow begins to follow the pods. The caller starts the informers afterwards.
func Follow(f informers.SharedInformerFactory) (*Pods, error) {
	o := &Pods{lister: f.Core().V1().Pods().Lister(), journal: map[types.UID][]Version{}, changed: time.Now()}
	_, err := f.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(now any) { o.note(nil, now.(*corev1.Pod), false) },
		UpdateFunc: func(was, now any) { o.note(was.(*corev1.Pod), now.(*corev1.Pod), false) },
		DeleteFunc: func(last any) {
			if gone, ok := last.(cache.DeletedFinalStateUnknown); ok {
				last = gone.Obj
			}
			if p, ok := last.(*corev1.Pod); ok {
				o.note(p, p, true)
			}
		},
	})
	return o, err
}

func (o *Pods) note(was, now *corev1.Pod, gone bool) {
	what := change(was, now, gone)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.journal[now.UID] = append(o.journal[now.UID], Version{Pod: now, Gone: gone})
	if what != "" {
		o.changed = time.Now()
		m := Move{Pod: now, What: what}
		if was != nil && !gone {
			m.Deleted = was.DeletionTimestamp == nil && now.DeletionTimestamp != nil
			if was.Status.NominatedNodeName != now.Status.NominatedNodeName && now.Spec.NodeName == "" {
				m.Lost = was.Status.NominatedNodeName
			}
		}
		o.moves = append(o.moves, m)
	}
}

// change names a change of a pod on which a decision may depend. It is empty for any other change.
func change(was, now *corev1.Pod, gone bool) string {
	if gone {
		return "is gone"
	}
	if was == nil {
		return "was created"
	}
	var out []string
	add := func(changed bool, what string) {
		if changed {
			out = append(out, what)
		}
	}
	add(was.Spec.NodeName != now.Spec.NodeName, "was bound to "+now.Spec.NodeName)
	add(was.DeletionTimestamp == nil && now.DeletionTimestamp != nil, "is being deleted")
	add(was.Status.NominatedNodeName != now.Status.NominatedNodeName && now.Spec.NodeName == "", "was nominated to "+fmt.Sprintf("%q", now.Status.NominatedNodeName))
	add(was.Status.StartTime == nil && now.Status.StartTime != nil, "started")
	add(was.Status.Phase != now.Status.Phase && now.Status.StartTime == nil, "is "+string(now.Status.Phase))
	a, b := Condition(was, corev1.PodScheduled), Condition(now, corev1.PodScheduled)
	add(b != nil && b.Status == corev1.ConditionFalse && (a == nil || a.Message != b.Message), "failed to be scheduled")
	return strings.Join(out, ", ")
}

// Condition returns a pod's condition of a type. It is nil if the pod has none.
func Condition(p *corev1.Pod, t corev1.PodConditionType) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == t {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// Forget discards the changes so far.
func (o *Pods) Forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.journal = map[types.UID][]Version{}
	o.moves = nil
}

// History returns the versions of a pod since Forget, in order.
func (o *Pods) History(uid types.UID) []Version {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]Version(nil), o.journal[uid]...)
}

// Moves returns the changes since Forget, in order.
func (o *Pods) Moves() []Move {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]Move(nil), o.moves...)
}

// All returns the present versions of all pods.
func (o *Pods) All() []*corev1.Pod {
	all, err := o.lister.List(labels.Everything())
	if err != nil {
		panic(err) // reading the informer's cache does not fail
	}
	return all
}
