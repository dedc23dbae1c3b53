//go:build !kube136

package plugin

import (
	"maps"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
)

// deviceDesk holds what the plugins of a scheduler share about devices: the filter, and the nominations with
// allocations. A nomination stands as long as the scheduler's own nomination of the pod does. The methods of a
// nil desk do nothing. Any number of goroutines may use a desk at once.
type deviceDesk struct {
	handle fwk.Handle
	pods   corelisters.PodLister
	filter *devices.Filter

	mu sync.Mutex
	// set are the objects that the filter has.
	set devices.Objects
	// seen has the objects with which the present attempt began, and its pod.
	seen struct {
		uid     types.UID
		objects devices.Objects
	}
	// records are the nominations that have not ended, by the UID of the preemptor.
	records map[types.UID]*record
	// ended are nominations that have ended while claims of their victims have not come back, oldest first.
	ended []*record
	// held are the UIDs under which devices are held.
	held map[types.UID]bool
	// waiting are the pods that were tried while devices were held against them, since the last nomination ended.
	waiting map[types.UID]*v1.Pod
}

// record is a nomination with its preemptor and the UIDs of its victims.
type record struct {
	nomination *devices.Nomination
	pod        *v1.Pod
	victims    map[types.UID]bool
}

func newDeviceDesk(handle fwk.Handle, agreed terms) (*deviceDesk, error) {
	if !agreed.devices {
		return nil, nil
	}
	if handle.SharedDRAManager() == nil {
		return nil, errNoManager
	}
	filter, err := devices.New(devices.Objects{}, devices.Config{Release: agreed.release, DRAPreemption: true})
	if err != nil {
		return nil, err
	}
	return &deviceDesk{
		handle: handle, pods: handle.SharedInformerFactory().Core().V1().Pods().Lister(), filter: filter,
		records: map[types.UID]*record{}, held: map[types.UID]bool{}, waiting: map[types.UID]*v1.Pod{},
	}, nil
}

// inOrder lists the records in the order of their preemptors' UIDs.
func (d *deviceDesk) inOrder() []*record {
	list := make([]*record, 0, len(d.records))
	for _, uid := range slices.Sorted(maps.Keys(d.records)) {
		list = append(list, d.records[uid])
	}
	return list
}

// stands reports whether the scheduler still has the nomination. It has no nomination of a pod that is about to
// be bound: the pod's claims have the devices by then, or it does not need them.
func (d *deviceDesk) stands(r *record) bool {
	return slices.ContainsFunc(d.handle.NominatedPodsForNode(r.nomination.Node), func(p fwk.PodInfo) bool { return p.GetPod().UID == r.pod.UID })
}

// nominations adds the nominations to the objects, and forgets claims that have come back. A nomination that no
// longer stands holds no devices, but the claims of its victims are still on their way.
func (d *deviceDesk) nominations(o *devices.Objects) {
	claims := make(map[types.UID]*resourcev1.ResourceClaim, len(o.Claims))
	for _, c := range o.Claims {
		claims[c.UID] = c
	}
	for _, r := range d.inOrder() {
		d.prune(r, claims)
		if d.stands(r) {
			o.Nominations = append(o.Nominations, r.nomination)
		} else if len(r.nomination.Freed) > 0 {
			o.Nominations = append(o.Nominations, &devices.Nomination{Node: r.nomination.Node, Freed: r.nomination.Freed})
		}
	}

	d.ended = slices.DeleteFunc(d.ended, func(r *record) bool {
		d.prune(r, claims)
		return len(r.nomination.Freed) == 0
	})
	for _, r := range d.ended {
		o.Nominations = append(o.Nominations, r.nomination)
	}
}

// prune drops from a nomination the claims that its victims will not free any more: claims that came back, and
// claims that are reserved for another pod by now, which runs and is not leaving.
func (d *deviceDesk) prune(r *record, claims map[types.UID]*resourcev1.ResourceClaim) {
	stays := func(namespace string) func(resourcev1.ResourceClaimConsumerReference) bool {
		return func(by resourcev1.ResourceClaimConsumerReference) bool {
			pod, err := d.pods.Pods(namespace).Get(by.Name)
			return err == nil && pod.UID == by.UID && pod.DeletionTimestamp == nil && !r.victims[by.UID]
		}
	}

	// The filter may have the nomination, so that it is replaced and not changed.
	var freed []types.UID
	for _, uid := range r.nomination.Freed {
		if c := claims[uid]; c != nil && c.Status.Allocation != nil && !slices.ContainsFunc(c.Status.ReservedFor, stays(c.Namespace)) {
			freed = append(freed, uid)
		}
	}
	if len(freed) < len(r.nomination.Freed) {
		one := *r.nomination
		one.Freed, r.nomination = freed, &one
	}
}

// nominated returns the preemptor with the nomination that the scheduler has for it. If the API has the same one,
// or the scheduler has none, it returns the pod itself.
func (d *deviceDesk) nominated(pod *outrank.Pod) *outrank.Pod {
	if d == nil {
		return pod
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.records[types.UID(pod.UID)]
	if r == nil || r.nomination.Node == pod.NominatedNodeName || !d.stands(r) {
		return pod
	}
	one := *pod
	one.NominatedNodeName = r.nomination.Node
	return &one
}

// keep records the devices of a plan's nomination, in place of an earlier nomination of the pod.
func (d *deviceDesk) keep(pod *v1.Pod, decided Decision) {
	if d == nil {
		return
	}
	d.end(pod.UID)
	if decided.Nomination == nil {
		return
	}

	r := &record{nomination: decided.Nomination, pod: pod, victims: map[types.UID]bool{}}
	for i := range decided.Plan.Victims {
		r.victims[types.UID(decided.Plan.Victims[i].Pod.UID)] = true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records[pod.UID] = r
}

// drop forgets the nomination of a plan that was not carried out to its end.
func (d *deviceDesk) drop(uid types.UID) {
	if d == nil {
		return
	}
	d.mu.Lock()
	delete(d.records, uid)
	d.mu.Unlock()
	d.wake()
}

// end ends the nomination of a pod. The victims may have been told to go, so that their claims stay on their way.
func (d *deviceDesk) end(uid types.UID) {
	if d == nil {
		return
	}
	d.mu.Lock()
	r := d.records[uid]
	if r != nil {
		delete(d.records, uid)
		d.ended = append(d.ended, &record{nomination: &devices.Nomination{Node: r.nomination.Node, Freed: r.nomination.Freed}})
	}
	d.mu.Unlock()
	if r != nil {
		d.wake()
	}
}

// has reports whether the pod has a nomination with devices.
func (d *deviceDesk) has(uid types.UID) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.records[uid] != nil
}

// wake activates the waiting pods, so that the scheduler tries them again.
func (d *deviceDesk) wake() {
	d.mu.Lock()
	pods := map[string]*v1.Pod{}
	for _, pod := range d.waiting {
		pods[pod.Namespace+"/"+pod.Name] = pod
	}
	clear(d.waiting)
	d.mu.Unlock()
	if len(pods) > 0 {
		d.handle.Activate(klog.Background(), pods)
	}
}

// changed hears of a pod that has changed or, if now is nil, has gone. The pod's nomination ends when it gets a
// node, loses the nomination in the API, or goes.
func (d *deviceDesk) changed(before, now *v1.Pod) {
	if d == nil {
		return
	}
	d.mu.Lock()
	if now == nil || now.Spec.NodeName != "" {
		delete(d.waiting, before.UID)
	}
	r := d.records[before.UID]
	d.mu.Unlock()
	if r == nil {
		return
	}
	node := r.nomination.Node
	if now == nil || now.UID != before.UID || now.Spec.NodeName != "" || before.Status.NominatedNodeName == node && now.Status.NominatedNodeName != node {
		d.end(before.UID)
	}
}

const (
	// special is the name that the scheduler gives claims that are not in the API. Its tracker takes an
	// allocation for such a claim without looking for the claim.
	special = "<extended-resources>"
	// nameless is the name of the claim that has the devices of no known claim.
	nameless = "<in flight>"
)

// hold puts the devices of other pods' nominations out of the pod's reach, as if their allocation were being
// written, if those pods are at least as important. Devices that were held for an earlier attempt are released.
func (d *deviceDesk) hold(pod *v1.Pod) error {
	d.mu.Lock()
	defer d.mu.Unlock()

	d.release()
	d.seen.uid = ""
	if !d.wants(pod) {
		return nil
	}
	if err := d.look(pod); err != nil {
		return err
	}

	// A less important pod's devices are not held: the scheduler gives room that is nominated to it away, too.
	for _, r := range d.inOrder() {
		if r.pod.UID == pod.UID || helpers.PodPriority(r.pod) < helpers.PodPriority(pod) || !d.stands(r) {
			continue
		}
		d.waiting[pod.UID] = pod
		if err := d.holdFor(r); err != nil {
			return err
		}
	}
	return nil
}

// holdFor holds the devices of one nomination. A claim that is allocated by now holds them itself.
func (d *deviceDesk) holdFor(r *record) error {
	tracker := d.handle.SharedDRAManager().ResourceClaims()
	for _, c := range r.nomination.Claims {
		if now, err := tracker.Get(c.Namespace, c.Name); err == nil && now.UID == c.UID && now.Status.Allocation != nil {
			continue
		}
		held := &resourcev1.ResourceClaim{Status: c.Status}
		held.Namespace, held.Name, held.UID = c.Namespace, special, uidOf(c)
		if err := tracker.SignalClaimPendingAllocation(held.UID, held); err != nil {
			return err
		}
		d.held[held.UID] = true
	}
	return nil
}

// release ends all holds.
func (d *deviceDesk) release() {
	for uid := range d.held { // in any order: they do not depend on each other
		d.handle.SharedDRAManager().ResourceClaims().MaybeRemoveClaimPendingAllocation(uid, true)
	}
	clear(d.held)
}
