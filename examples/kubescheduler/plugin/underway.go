package plugin

import (
	"context"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// underway knows the preemptors whose plans are being carried out, by UID. A preemptor is under way from the
// moment that its plan is made: the goroutine that carries it out may begin later. Any number of goroutines may
// use it at once.
type underway struct {
	mu sync.Mutex
	by map[types.UID]*flight
}

// flight is one plan while it is carried out.
type flight struct {
	uid types.UID
	// members are the pods of a group.
	members []types.UID
	// victims are the victims that were not leaving when the plan was made.
	victims []*outrank.Pod
	// rejected has the UIDs of victims that were rejected in memory: the API will never say that they go.
	rejected map[string]bool
	// unbound is true if a victim was not bound when the plan was made. The scheduler does not ask PreEnqueue again
	// when such a pod ends.
	unbound bool
	// before is closed when an earlier flight of the same preemptor is over; nil if there is none.
	before chan struct{}
	// done is closed when this flight is over.
	done chan struct{}
}

// begin records a plan of the preemptor with these victims.
func (u *underway) begin(uid types.UID, victims []*outrank.Pod, members ...types.UID) *flight {
	u.mu.Lock()
	defer u.mu.Unlock()
	f := &flight{uid: uid, members: members, rejected: map[string]bool{}, done: make(chan struct{})}
	for _, v := range victims {
		if !v.Terminating() {
			f.victims = append(f.victims, v)
		}
	}

	if last := u.by[uid]; last != nil {
		f.before = last.done
	}
	if u.by == nil {
		u.by = map[types.UID]*flight{}
	}
	u.by[uid] = f
	return f
}

// land takes the preemptor out, unless a later plan of it is under way.
func (u *underway) land(f *flight) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.by[f.uid] == f {
		delete(u.by, f.uid)
	}
}

// end removes the pod, and the group that it is a member of: they no longer wait for their victims.
func (u *underway) end(pod types.UID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.by, pod)
	for uid, f := range u.by {
		if slices.Contains(f.members, pod) {
			delete(u.by, uid)
		}
	}
}

// reject records that a victim was rejected in memory.
func (u *underway) reject(uid string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, f := range u.by {
		f.rejected[uid] = true
	}
}

// waits reports whether the preemptor still waits for a victim to be told to go.
//
// It does not ask whether the plan is being carried out. The last victim may end before the goroutine has
// returned, and a pod that is kept out then would miss the event that makes room for it. The informer's
// store knows that the victim has ended before any handler hears of it, those of the scheduling queue included.
func (u *underway) waits(uid types.UID, pods corelisters.PodLister) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	f := u.by[uid]
	if f == nil {
		return false
	}
	for _, v := range f.victims {
		if f.rejected[v.UID] {
			continue
		}
		now, err := pods.Pods(v.NamespaceName()).Get(v.Name)
		if err == nil && string(now.UID) == v.UID && now.DeletionTimestamp == nil {
			return true
		}
	}
	return false
}

// The texts of DefaultPreemption about a pod that it keeps out of the queue.
const (
	waitingForPodPreemption   = "waiting for the preemption for this pod to be finished"
	waitingForGroupPreemption = "waiting for the preemption for this pod group to be finished"
)

// PreEnqueue keeps a pod out of the queue while room is being made for it.
func (p *Plugin) PreEnqueue(ctx context.Context, pod *v1.Pod) *fwk.Status {
	if p.fallback != nil {
		if said := p.fallback.PreEnqueue(ctx, pod); !said.IsSuccess() {
			return said
		}
	}
	if !p.options.asynchronous() {
		return nil
	}

	// A member of a group is queued with it, so that plans for the pod alone do not keep it out.
	if pod.Spec.SchedulingGroup != nil && p.groupsCount() {
		if root, ok := p.rootUID(pod); ok && p.process.under.waits(root, p.pods) {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, waitingForGroupPreemption)
		}
		return nil
	}
	if p.process.under.waits(pod.UID, p.pods) {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, waitingForPodPreemption)
	}
	return nil
}

// podsOf lists the victims of a plan.
func podsOf(victims []preemption.Victim) []*outrank.Pod {
	pods := make([]*outrank.Pod, len(victims))
	for i := range victims {
		pods[i] = victims[i].Pod
	}
	return pods
}
