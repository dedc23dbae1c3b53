package differential

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// DeviceFilter is the filter for devices, with what it does about the cluster and as a way out.
type DeviceFilter interface {
	Filter() *preemption.Filter
	Cluster(*outrank.Cluster) *outrank.Cluster
	WayOut(*preemption.Plan, *engine.Snapshot) (execution.WayOut, []*resourcev1.ResourceClaim, error)
}

const devicesName = "DynamicResources"

// prepareDevices tells the scheduler of allocations that are not yet written, and reports whether
// the preemptor has to wait for its claims before it comes into the queue.
func (r *reference) prepareDevices(ctx context.Context, profile framework.Framework, c *Case) (waits bool, err error) {
	for _, claim := range c.Devices.InFlight {
		if err := profile.SharedDRAManager().ResourceClaims().SignalClaimPendingAllocation(claim.UID, claim); err != nil {
			return false, err
		}
	}
	for _, plugin := range profile.PreEnqueuePlugins() {
		if plugin.Name() != devicesName {
			continue
		}
		status := plugin.PreEnqueue(ctx, c.Preemptor)
		if status.IsSuccess() {
			continue
		}
		status.SetPlugin(devicesName)
		for _, n := range c.Nodes {
			r.answer.Nodes[n.Name] = statusOf(status)
		}
		r.answer.Waits, waits = true, true
	}
	return waits, nil
}

// decideDevices decides a case with claims, as a scheduler does that ends an attempt in which a
// filter fails.
func (h *Harness) decideDevices(c *Case, cluster *outrank.Cluster, pod *outrank.Pod) (*decided, error) {
	filter, err := h.Filter(c)
	if err != nil {
		return nil, err
	}
	snap, err := engine.NewSnapshot(filter.Cluster(cluster))
	if err != nil {
		return nil, err
	}
	config := preemption.Config{Filters: []*preemption.Filter{filter.Filter()}, Profile: preemption.Profile{Schedulers: c.Profiles()}}
	now := time.Now()
	d, err := h.decideAbout(snap, config, pod, now)
	if err != nil {
		// An error of the filter's Start comes also where another filter refuses the pod before.
		if d, err := h.decideAbout(snap, preemption.Config{Profile: preemption.Profile{Schedulers: c.Profiles()}}, pod, now); err == nil && d.Refused.Code != preemption.Success {
			d.queued = true
			return d, nil
		}
		d = &decided{Plan: &preemption.Plan{}, pod: pod, release: h.Release, ended: true, queued: true}
		d.failure.Err = fmt.Errorf("running PreFilter plugin %q: %w", devicesName, err)
		return d, nil
	}
	d.queued = true
	for _, p := range c.Pods {
		d.importance[outrank.Key(podKey(p))] = importance(p)
	}
	if d.Outcome == preemption.Fits && len(d.Nodes) > d.Feasible && nominatedTakes(d) {
		return d, nil
	}
	for i := range d.Nodes {
		if s := &d.Nodes[i].Status; s.Code == preemption.Contradiction {
			d.errors = append(d.errors, s.Reasons[0])
		}
	}
	if len(d.errors) > 0 {
		d.told, d.ended = nil, true
		d.failure.Err = errors.New(d.errors[0])
		return d, nil
	}
	return d, h.giveUp(d, filter, snap, config)
}

// nominatedTakes reports whether the node that the pod is nominated to takes it, so that no other
// is asked.
func nominatedTakes(d *decided) bool {
	return slices.ContainsFunc(d.Nodes, func(n preemption.NodeReport) bool {
		return n.Node == d.pod.NominatedNodeName && n.Status.Code == preemption.Success
	})
}

// giveUp asks the step for devices before preemption.
func (h *Harness) giveUp(d *decided, filter DeviceFilter, snap *engine.Snapshot, config preemption.Config) error {
	if d.Refused.Code != preemption.Success && d.Refused.Filter != devicesName {
		return nil // the step has noted nothing of the pod
	}
	way, idle, err := filter.WayOut(d.Plan, snap)
	if err != nil || len(idle) == 0 && way.Says == "" || d.Outcome == preemption.Fits {
		return err
	}
	for _, c := range idle {
		d.idle = append(d.idle, c.Namespace+"/"+c.Name)
	}
	eval, err := engine.New(config)
	if err != nil {
		return err
	}
	plan, asked, err := execution.FirstWayOut(context.Background(), snap, preemption.Request{Pod: d.pod, Now: time.Now()}, way, execution.WayOut{Name: preemptorName, Ask: eval.Preempt})
	if asked == nil {
		return err
	}
	d.failure.Err, d.failure.Ways = err, asked
	if plan != nil {
		d.told = plan
	}
	return nil
}

// nodeErrors match what an error of a filter says of the node or device that it was about: of
// several nodes, the reference names any one.
var nodeErrors = regexp.MustCompile(`(on device|device|pool|node) \S+`)

// withoutAddresses drops those of memory, which are in some errors.
func withoutAddresses(text string) string { return addresses.ReplaceAllString(text, "0x") }

var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// v1.37 names the device of an error at run time, and says more about it.
var (
	shorter = regexp.MustCompile(`selector #\d+: CEL runtime error`)
	longer  = regexp.MustCompile(` on device( \S+)?(:? CEL runtime error)|\. consider using CEL[^\]]*?optional fields`)
)

// Some errors print a device with all fields, of which v1.36 calls one otherwise.
const fieldBefore = "NodeAllocatableResourceMappings:"

var fieldsBefore = strings.NewReplacer("NodeAllocatableResources:", fieldBefore, "]NodeAllocatableResource{", "]NodeAllocatableResourceMapping{")

// asBefore is a text of outrank as v1.36 has it, where the reference's is of v1.36.
func asBefore(reference, text string) string {
	if strings.Contains(reference, fieldBefore) {
		text = fieldsBefore.Replace(text)
	}
	if !shorter.MatchString(reference) {
		return text
	}
	return onceEach(longer.ReplaceAllStringFunc(text, func(part string) string {
		if strings.Contains(part, "runtime") {
			return ": CEL runtime error"
		}
		return ""
	}))
}

// onceEach is a message with each of its errors once: those of several devices that v1.36 does not
// name are one.
func onceEach(message string) string {
	before, after, found := strings.Cut(message, errorList)
	if !found || !strings.HasSuffix(after, "]") {
		return message
	}
	list := strings.Split(strings.TrimSuffix(after, "]"), ", ")
	slices.Sort(list)
	if list = slices.Compact(list); len(list) == 1 {
		return before + strings.TrimSuffix(errorList, "[") + list[0]
	}
	return before + errorList + strings.Join(list, ", ") + "]"
}

// comparableDevices makes permitted differences the same in both.
func (a *Answer) comparableDevices(c *Case, ours *Answer) *Answer {
	if c.Devices.Classes == nil {
		return a
	}

	// Texts: an allocator's error names an address in memory, and joins errors in any order.
	same := *a
	same.Message, same.Event = withoutAddresses(a.Message), withoutAddresses(a.Event)
	ours.Message, ours.Event = asBefore(a.Message, ours.Message), asBefore(a.Event, ours.Event)
	if same.Message != a.Message { // an event is cut at a length that addresses count for
		same.Event, ours.Event = "", ""
	}
	same.Message, ours.Message = sortedErrors(same.Message), sortedErrors(ours.Message)
	same.Event, ours.Event = sortedErrors(same.Event), sortedErrors(ours.Event)

	// The reasons of nodes on which preemption did not help, likewise.
	same.Unhelpful = map[string]Status{}
	for name, s := range a.Unhelpful {
		for i := range s.Reasons {
			s.Reasons[i] = withoutAddresses(s.Reasons[i])
			if our := ours.Unhelpful[name]; i < len(our.Reasons) {
				our.Reasons = slices.Clone(our.Reasons)
				our.Reasons[i] = asBefore(s.Reasons[i], our.Reasons[i])
				ours.Unhelpful[name] = our
			}
		}
		same.Unhelpful[name] = s
	}

	// What the two may tell in another way.
	a = &same
	switch {
	case a.Waits: // for its claims: no attempt is made, and nothing else is said
		ours.Fits, ours.Candidates, ours.Unhelpful = false, nil, map[string]Status{}
		ours.Preempts, ours.Nominated, ours.Evicted, ours.Cleared = false, a.Nominated, nil, nil
		ours.Event, ours.Reason, ours.Message, ours.Part = "", "", "", ""
		for name, s := range ours.Nodes { // a filter that refuses the pod before that for devices
			if s.Plugin != devicesName {
				same.Nodes = maps.Clone(same.Nodes)
				delete(same.Nodes, name)
			}
		}
		return &same
	case strings.Contains(a.Message, "running PreFilter plugin") && strings.Contains(ours.Message, "running PreFilter plugin"):
		_, reason, _ := strings.Cut(a.Message, `"`+devicesName+`": `)
		if !strings.Contains(ours.Message, reason) {
			return a
		}
		same.Message, same.Event = ours.Message, ours.Event
	case ours.saysOfSome(same.Message): // of nodes with errors, the reference tells that of any one
		same.Message, same.Event = ours.Message, ours.Event
	case strings.Contains(a.Message, "filter plugin:"):
		same.Message, same.Event = nodeErrors.ReplaceAllString(a.Message, "$1"), nodeErrors.ReplaceAllString(a.Event, "$1")
		ours.Message, ours.Event = nodeErrors.ReplaceAllString(ours.Message, "$1"), nodeErrors.ReplaceAllString(ours.Event, "$1")
	}

	if len(same.Deallocated) == 1 && slices.Contains(ours.Deallocated, same.Deallocated[0]) {
		same.Deallocated = ours.Deallocated // any one of them
	}
	return &same
}

// saysOfSome reports whether a text is the error of a node.
func (a *Answer) saysOfSome(text string) bool {
	return slices.ContainsFunc(a.Errors, func(e string) bool { return sortedErrors(asBefore(text, withoutAddresses(e))) == text })
}

// Judged is a case with the reference's answer, on its way to the command judge.
type Judged struct {
	Case   *Case
	Answer *Answer
}

// Distinct is the case as the reference can answer it settled: see [Harness].ClockEachTime.
func (h *Harness) Distinct(c *Case) *Case {
	if h.ClockEachTime {
		return oneWithoutStart(c)
	}
	return c
}

// AllocatorDiffers reports whether the allocator of v1.36 may decide otherwise than that of v1.37, by
// which outrank goes in both releases.
func (c *Case) AllocatorDiffers() bool {
	return c.allOfShared() || c.distinctOfSeveral() || c.shareOfCounters()
}

// shareOfCounters reports whether somebody holds a share, without an amount, of a device that can be
// allocated several times and consumes counters. The allocator of v1.36 takes these from the counters
// again for the next share.
func (c *Case) shareOfCounters() bool {
	return c.holds(func(r *resourcev1.DeviceRequestAllocationResult, d *resourcev1.Device) bool {
		return r.ShareID != nil && len(r.ConsumedCapacity) == 0 && len(d.ConsumesCounters) > 0
	})
}

// distinctOfSeveral reports whether a request for several devices has to have distinct attributes.
// The allocator of v1.36 remembers the last value of a request alone.
func (c *Case) distinctOfSeveral() bool {
	distinct := func(d resourcev1.DeviceConstraint) bool { return d.DistinctAttribute != nil }
	return c.asks(func(k *resourcev1.ResourceClaim, mode resourcev1.DeviceAllocationMode, count int64) bool {
		return (mode == resourcev1.DeviceAllocationModeAll || count > 1) && slices.ContainsFunc(k.Spec.Devices.Constraints, distinct)
	})
}

// allOfShared reports whether the preemptor asks for all devices where somebody holds an amount of one
// that can be allocated several times. The allocator of v1.36 leaves those out that have too little
// left; that of v1.37 then allocates none.
func (c *Case) allOfShared() bool {
	return c.asks(func(_ *resourcev1.ResourceClaim, mode resourcev1.DeviceAllocationMode, _ int64) bool {
		return mode == resourcev1.DeviceAllocationModeAll
	}) && c.holds(func(r *resourcev1.DeviceRequestAllocationResult, _ *resourcev1.Device) bool {
		return len(r.ConsumedCapacity) > 0
	})
}

// holds reports whether a claim holds something like this of a device that can be allocated several
// times.
func (c *Case) holds(like func(*resourcev1.DeviceRequestAllocationResult, *resourcev1.Device) bool) bool {
	several := map[[3]string]*resourcev1.Device{}
	for _, s := range c.Devices.Slices {
		for i := range s.Spec.Devices {
			if d := &s.Spec.Devices[i]; d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations {
				several[[3]string{s.Spec.Driver, s.Spec.Pool.Name, d.Name}] = d
			}
		}
	}
	for _, k := range slices.Concat(c.Devices.Claims, c.Devices.InFlight) {
		if k.Status.Allocation == nil {
			continue
		}
		for i := range k.Status.Allocation.Devices.Results {
			r := &k.Status.Allocation.Devices.Results[i]
			if d := several[[3]string{r.Driver, r.Pool, r.Device}]; d != nil && like(r, d) {
				return true
			}
		}
	}
	return false
}

// asks reports whether a claim of the preemptor's that is not allocated has a request like this, or a
// request with such an alternative.
func (c *Case) asks(like func(k *resourcev1.ResourceClaim, mode resourcev1.DeviceAllocationMode, count int64) bool) bool {
	for _, k := range c.Devices.Claims {
		if k.Status.Allocation != nil || !c.claims(k.Name) {
			continue
		}
		for _, r := range k.Spec.Devices.Requests {
			if r.Exactly != nil && like(k, r.Exactly.AllocationMode, r.Exactly.Count) ||
				slices.ContainsFunc(r.FirstAvailable, func(s resourcev1.DeviceSubRequest) bool { return like(k, s.AllocationMode, s.Count) }) {
				return true
			}
		}
	}
	return false
}

// claims reports whether the preemptor names a claim, by itself or by a template.
func (c *Case) claims(name string) bool {
	is := func(s *string) bool { return s != nil && *s == name }
	return slices.ContainsFunc(c.Preemptor.Spec.ResourceClaims, func(r corev1.PodResourceClaim) bool { return is(r.ResourceClaimName) }) ||
		slices.ContainsFunc(c.Preemptor.Status.ResourceClaimStatuses, func(r corev1.PodResourceClaimStatus) bool { return is(r.ResourceClaimName) })
}
