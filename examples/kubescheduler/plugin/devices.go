//go:build !kube136

package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"

	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Nomination holds the devices of the nomination of a pod that claims some.
type Nomination = devices.Nomination

// pair returns the evaluators for pods. They are the usual ones unless the profile has the scheduler's filter of
// devices: then this module's filter of devices takes its place.
func (d *deviceDesk) pair(all *evaluators) (*pair, error) {
	if d == nil || !slices.Contains(all.asks.unknown, devices.Name) {
		return all.usual, nil
	}

	// A filter is made anew whenever the objects about devices change, and evaluators keep theirs for good.
	filter := d.filter.Filter()
	if all.pods != nil && all.pods.devices == filter {
		return all.pods, nil
	}

	// The scheduler's filter of devices is no longer unknown: it must not be asked besides.
	c := all.config
	c.Filters, c.Eligibility.Refuse = []*preemption.Filter{filter}, d.filter.Refuse
	rest := slices.DeleteFunc(slices.Clone(all.asks.unknown), func(name string) bool { return name == devices.Name })
	e, err := newPair(c, all.workers, &framework{handle: all.asks.handle, unknown: rest, known: []string{devices.Name}})
	if err != nil {
		return nil, err
	}
	e.devices = filter
	return e, nil
}

// forDevices returns the plugin as one that preempts for devices.
func (p *Plugin) forDevices() fwk.Plugin { return withDevices{p} }

// withDevices is the plugin where DRAPreemption is on. Before the scheduler's own plugin for claims begins with a
// pod, it puts devices that wait for other pods out of its reach.
type withDevices struct{ *Plugin }

var (
	_ fwk.PreFilterPlugin = withDevices{}
	_ fwk.SignPlugin      = withDevices{}
)

// errOrder is the error of a profile in which the plugin comes too late.
var errOrder = fmt.Errorf("%s has to be enabled in preFilter, too, where it comes before %s: the argument draPreemption takes that", Name, devices.Name)

// PreFilter holds the devices of other pods' nominations. It says nothing about nodes.
func (p withDevices) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	desk := p.process.devices
	if desk.wants(pod) && p.tooLate() {
		return nil, fwk.AsStatus(errOrder)
	}
	if err := desk.hold(pod); err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("devices of nominated pods: %w", err))
	}
	return nil, fwk.NewStatus(fwk.Skip)
}

// PreFilterExtensions returns nil: PreFilter keeps no state about pods that come and go.
func (withDevices) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// SignPod adds nothing to a pod's signature: the scheduler's plugin signs no pod with claims.
func (withDevices) SignPod(context.Context, *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return nil, nil
}

// tooLate reports whether the scheduler's plugin for claims comes before this one in PreFilter.
func (p *Plugin) tooLate() bool {
	l, ok := p.handle.(lister)
	if !ok {
		return false
	}
	for _, on := range l.ListPlugins().PreFilter.Enabled {
		switch on.Name {
		case Name:
			return false
		case devices.Name:
			return true
		}
	}
	return false
}

// deviceGates returns an error if a gate about devices has another setting than its default, which the filter of
// devices takes for granted.
func deviceGates() error {
	// These gates change nothing about which devices a pod gets.
	elsewhere := []featuregate.Feature{features.DRAResourcePoolStatus, features.DRAResourceClaimGranularStatusAuthorization, features.DRASchedulerFilterTimeout}
	var wrong []string
	for name, usual := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if strings.HasPrefix(string(name), "DRA") && !slices.Contains(elsewhere, name) && utilfeature.DefaultFeatureGate.Enabled(name) != usual.Default {
			wrong = append(wrong, string(name))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("args: draPreemption: it takes the default of feature gate %s", strings.Join(wrong, ", "))
}

// wants reports whether the pod asks for devices.
func (d *deviceDesk) wants(pod *v1.Pod) bool {
	if d == nil {
		return false
	}
	return len(pod.Spec.ResourceClaims) > 0 || d.backed(pod)
}

// backed reports whether the pod asks for an extended resource that a device class backs.
func (d *deviceDesk) backed(pod *v1.Pod) bool {
	resolver := d.handle.SharedDRAManager().DeviceClassResolver()
	some := func(list []v1.Container) bool {
		return slices.ContainsFunc(list, func(c v1.Container) bool {
			for name := range c.Resources.Requests {
				if resolver.GetDeviceClass(name) != nil {
					return true
				}
			}
			return false
		})
	}
	return some(pod.Spec.Containers) || some(pod.Spec.InitContainers)
}

// follow brings the filter's objects up to date if they may matter to a decision about the pod.
func (d *deviceDesk) follow(pod *v1.Pod) error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()

	// Devices that are held for this attempt would look taken to the filter. It knows the nominations themselves.
	d.release()

	// For a pod that asks for no devices the filter need not be up to date, unless there are nominations with
	// devices or it still has some.
	if !d.wants(pod) && len(d.records)+len(d.ended)+len(d.set.Nominations) == 0 {
		return nil
	}

	// PreFilter has seen the objects when the attempt began, unless the attempt is another pod's.
	if d.seen.uid != pod.UID {
		if err := d.look(pod); err != nil {
			return err
		}
	}
	o := d.seen.objects
	if sameObjects(&o, &d.set) {
		return nil
	}
	if err := d.filter.Set(o); err != nil {
		return fmt.Errorf("objects about devices: %w", err)
	}
	d.set = o
	return nil
}

// look notes the objects as they are before the scheduler's plugin begins with the pod. The decision is made on
// them. With a device that comes free during the attempt the pod would seem to fit on a node that the scheduler
// has just refused, and would preempt elsewhere; the next attempt will find that device.
func (d *deviceDesk) look(pod *v1.Pod) error {
	o, err := d.objects()
	if err != nil {
		return fmt.Errorf("objects about devices: %w", err)
	}
	d.nominations(&o)
	d.seen.uid, d.seen.objects = pod.UID, o
	return nil
}

// objects lists what the scheduler allocates by, in the order of names. Included are allocations that it has
// decided about and not yet written, and the taints that rules put on devices.
func (d *deviceDesk) objects() (o devices.Objects, err error) {
	manager := d.handle.SharedDRAManager()
	if o.Claims, err = manager.ResourceClaims().List(); err != nil {
		return o, err
	}
	if o.Slices, err = manager.ResourceSlices().ListWithDeviceTaintRules(); err != nil {
		return o, err
	}
	if o.Classes, err = manager.DeviceClasses().List(); err != nil {
		return o, err
	}

	slices.SortFunc(o.Claims, func(a, b *resourcev1.ResourceClaim) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(o.Slices, func(a, b *resourcev1.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(o.Classes, func(a, b *resourcev1.DeviceClass) int { return cmp.Compare(a.Name, b.Name) })
	o.InFlight, err = inFlight(manager.ResourceClaims(), o.Claims)
	return o, err
}

// inFlight returns the claims whose allocation is decided and not yet written. Some taken devices belong to no
// claim in the API, because they were taken for extended resources: one claim without a name has all of them.
func inFlight(tracker fwk.ResourceClaimTracker, claims []*resourcev1.ResourceClaim) ([]*resourcev1.ResourceClaim, error) {
	taken, err := allocated(tracker)
	if err != nil {
		return nil, err
	}

	// Taken begins with every device that is allocated. What a claim has, written or pending, is taken off.
	var list []*resourcev1.ResourceClaim
	explain := func(a *resourcev1.AllocationResult) {
		for i := range a.Devices.Results {
			r := &a.Devices.Results[i]
			taken.Delete(structured.MakeDeviceID(r.Driver, r.Pool, r.Device))
		}
	}

	for _, c := range claims {
		if c.Status.Allocation != nil {
			explain(c.Status.Allocation)
		}
		if pending := tracker.GetPendingAllocation(c.UID); pending != nil {
			one := c.DeepCopy()
			one.Status.Allocation = pending
			list = append(list, one)
			explain(pending)
		}
	}

	if taken.Len() == 0 {
		return list, nil
	}
	return append(list, claimOf(taken)), nil
}

// claimOf makes one claim that holds the devices, in the order of their names. Its own name exists in no API.
func claimOf(taken sets.Set[structured.DeviceID]) *resourcev1.ResourceClaim {
	ids := taken.UnsortedList()
	slices.SortFunc(ids, func(a, b structured.DeviceID) int { return cmp.Compare(a.String(), b.String()) })
	allocation := &resourcev1.AllocationResult{}
	for _, id := range ids {
		allocation.Devices.Results = append(allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
			Driver: id.Driver.String(), Pool: id.Pool.String(), Device: id.Device.String(),
		})
	}

	claim := &resourcev1.ResourceClaim{}
	claim.Name, claim.Status.Allocation = nameless, allocation
	return claim
}

// allocated lists all devices that are allocated. The tracker fails if something changes while it lists them, so
// that it is asked again, at most ten times.
func allocated(tracker fwk.ResourceClaimTracker) (taken sets.Set[structured.DeviceID], err error) {
	for range 10 {
		if taken, err = tracker.ListAllAllocatedDevices(); err == nil {
			return taken, nil
		}
	}
	return nil, err
}

// sameObjects reports whether the objects are the same. Those with allocations that are not yet written never
// are, because each call of objects copies these claims.
func sameObjects(a, b *devices.Objects) bool {
	return len(a.InFlight)+len(b.InFlight) == 0 && slices.Equal(a.Claims, b.Claims) && slices.Equal(a.Slices, b.Slices) &&
		slices.Equal(a.Classes, b.Classes) && slices.Equal(a.Nominations, b.Nominations)
}

// viewFor calls decide with the snapshot for a pod. If the pod asks for extended resources that device classes
// back, the snapshot is a copy whose nodes leave those resources to the filter of devices.
func (p *Plugin) viewFor(pod *v1.Pod, decide func(*engine.Snapshot) error) error {
	d := p.process.devices
	if d == nil || !d.backed(pod) {
		return p.process.state.view(decide)
	}

	// A node that the filter returns as it was has nothing to leave to it.
	snap := p.process.state.mirror.Snapshot()
	for _, n := range d.filter.Cluster(snap.Cluster()).Nodes {
		if had, ok := snap.Node(n.Name); !ok || had == n {
			continue
		}
		if err := snap.PutNode(n); err != nil {
			return err
		}
	}
	return decide(snap)
}

// statuses changes the scheduler's answers about the nodes into those that DRAPreemption gives: where devices are
// missing preemption may help. It changes the slice and returns it.
func (d *deviceDesk) statuses(said []preemption.Status) []preemption.Status {
	if d != nil {
		for i := range said {
			said[i] = d.filter.MayHelp(said[i])
		}
	}
	return said
}

// nomination returns the devices of a plan's nomination; nil if the plan makes none.
func (d *deviceDesk) nomination(snap *engine.Snapshot, plan *preemption.Plan) (*devices.Nomination, error) {
	if d == nil || plan.Outcome != preemption.Preempts {
		return nil, nil
	}
	return d.filter.Nomination(snap, plan)
}

// errNoManager is the error of a scheduler that allocates no devices.
var errNoManager = errors.New("args: draPreemption: the scheduler allocates no devices")

// uidOf returns the UID under which devices are held for a claim of a nomination.
func uidOf(c *resourcev1.ResourceClaim) types.UID {
	return types.UID(Name + "/" + c.Namespace + "/" + c.Name + "/" + string(c.UID))
}
