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

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// DeviceFilter has the methods of devices.Filter that are needed here. Module v136 cannot import that package.
type DeviceFilter interface {
	// Filter returns the filter for the configuration of a decision.
	Filter() *preemption.Filter
	// Cluster returns the cluster with nodes that offer, without limit, the extended resources that are left to
	// the filter.
	Cluster(*outrank.Cluster) *outrank.Cluster
	// WayOut returns the step that comes before preemption and gives a claim up, with the claims that it may give
	// up.
	WayOut(*preemption.Plan, *engine.Snapshot) (execution.WayOut, []*resourcev1.ResourceClaim, error)
}

const devicesName = "DynamicResources"

// prepareDevices tells the scheduler of allocations that are not yet written. It reports whether the preemptor
// waits for its claims: then it does not come into the queue, and each node has that status.
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

// decideDevices decides a case with claims. As in the scheduler an attempt in which a filter fails ends with its
// error.
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
		// All filters begin before any of them is asked here. In the reference a filter that refuses the pod
		// comes before the error, and the pod is refused.
		others := preemption.Config{Profile: config.Profile}
		if refused, otherErr := h.decideAbout(snap, others, pod, now); otherErr == nil && refused.Refused.Code != preemption.Success {
			refused.queued = true
			return refused, nil
		}
		return h.failedPreFilter(pod, err), nil
	}
	d.queued = true
	for _, p := range c.Pods {
		d.importance[outrank.Key(podKey(p))] = importance(p)
	}

	d.errors = h.Failed(d.Plan)
	if len(d.errors) > 0 {
		d.told, d.ended = nil, true
		d.failure.Err = errors.New(d.errors[0])
		return d, nil
	}
	return d, h.giveUp(d, filter, snap, config)
}

// failedPreFilter returns the result of an attempt that ends because the filter of devices cannot begin with the
// pod.
func (h *Harness) failedPreFilter(pod *outrank.Pod, failed error) *decided {
	d := &decided{Plan: &preemption.Plan{}, pod: pod, release: h.Release, ended: true, queued: true}
	d.failure.Err = fmt.Errorf("running PreFilter plugin %q: %w", devicesName, failed)
	return d
}

// giveUp asks the step for devices, and then preemption, as an attempt does that finds no node.
func (h *Harness) giveUp(d *decided, filter DeviceFilter, snap *engine.Snapshot, config preemption.Config) error {
	// The scheduler's step knows nothing of a pod that another filter refused before it began.
	if d.Refused.Code != preemption.Success && d.Refused.Filter != devicesName {
		return nil
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

// nodeErrors matches the node or the device in the error of a filter. If several nodes have an error, the
// reference names one of them, by chance.
var nodeErrors = regexp.MustCompile(`(on device|device|pool|node) \S+`)

// withoutAddresses drops addresses of memory, which are in some errors.
func withoutAddresses(text string) string { return addresses.ReplaceAllString(text, "0x") }

var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// An error of a selector at run time is longer in v1.37 than in v1.36: it names the device and gives advice.
// Shorter matches the text of v1.36, longer the parts that v1.37 adds.
var (
	shorter = regexp.MustCompile(`selector #\d+: CEL runtime error`)
	longer  = regexp.MustCompile(` on device( \S+)?(:? CEL runtime error)|\. consider using CEL[^\]]*?optional fields`)
)

// fieldBefore is a field of a device that has another name in v1.37. Some errors print a device with all its
// fields.
const fieldBefore = "NodeAllocatableResourceMappings:"

var fieldsBefore = strings.NewReplacer("NodeAllocatableResources:", fieldBefore, "]NodeAllocatableResource{", "]NodeAllocatableResourceMapping{")

// asBefore returns a text of outrank, in the form of v1.36 if the reference's text is of v1.36.
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

// onceEach returns a message with each of its errors once. Errors of several devices are equal if they do not
// name the devices, as in v1.36.
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

// comparableDevices removes permitted differences from two answers about claims. It changes ours, and returns a
// copy of the reference's answer to compare it with.
func (a *Answer) comparableDevices(c *Case, ours *Answer) *Answer {
	if c.Devices.Classes == nil {
		return a
	}
	same := *a
	comparableTexts(&same, a, ours)

	switch reference := same.Message; {
	case same.Waits:
		comparableWaiting(&same, ours)
		return &same

	// Both fail before any node is looked at. Outrank's error must contain the reference's reason.
	case strings.Contains(reference, "running PreFilter plugin") && strings.Contains(ours.Message, "running PreFilter plugin"):
		_, reason, _ := strings.Cut(reference, `"`+devicesName+`": `)
		if !strings.Contains(ours.Message, reason) {
			return &same
		}
		same.Message, same.Event = ours.Message, ours.Event

	// Of several nodes with errors the reference reports the error of one, by chance.
	case ours.saysOfSome(reference):
		same.Message, same.Event = ours.Message, ours.Event

	case strings.Contains(reference, "filter plugin:"):
		same.Message, same.Event = nodeErrors.ReplaceAllString(same.Message, "$1"), nodeErrors.ReplaceAllString(same.Event, "$1")
		ours.Message, ours.Event = nodeErrors.ReplaceAllString(ours.Message, "$1"), nodeErrors.ReplaceAllString(ours.Event, "$1")
	}

	// The reference may give up any one of the claims that outrank names.
	if len(same.Deallocated) == 1 && slices.Contains(ours.Deallocated, same.Deallocated[0]) {
		same.Deallocated = ours.Deallocated
	}
	return &same
}

// comparableTexts puts the texts of the reference's answer a into same, and changes those of ours, so that
// permitted differences do not count. An error of the allocator names an address in memory, joins errors in any
// order, and depends on the release.
func comparableTexts(same, a, ours *Answer) {
	same.Message, same.Event = withoutAddresses(a.Message), withoutAddresses(a.Event)
	ours.Message, ours.Event = asBefore(a.Message, ours.Message), asBefore(a.Event, ours.Event)

	// An event is cut at a length, for which addresses count.
	if same.Message != a.Message {
		same.Event, ours.Event = "", ""
	}
	same.Message, ours.Message = sortedErrors(same.Message), sortedErrors(ours.Message)
	same.Event, ours.Event = sortedErrors(same.Event), sortedErrors(ours.Event)

	// The reasons of nodes on which preemption did not help have the same errors.
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
}

// comparableWaiting reduces both answers to the statuses of nodes: the pod waits for its claims, so that the
// reference makes no attempt. A node is left out if outrank names another filter that refuses the pod there.
func comparableWaiting(same, ours *Answer) {
	nodes := ours.Nodes
	*ours = Answer{
		Nodes: nodes, Unhelpful: map[string]Status{}, Nominated: same.Nominated,
		Deallocated: ours.Deallocated, Errors: ours.Errors, Waits: ours.Waits,
	}
	for name, s := range nodes {
		if s.Plugin != devicesName {
			same.Nodes = maps.Clone(same.Nodes)
			delete(same.Nodes, name)
		}
	}
}

// saysOfSome reports whether a text is the error of one of the nodes.
func (a *Answer) saysOfSome(text string) bool {
	return slices.ContainsFunc(a.Errors, func(e string) bool { return sortedErrors(asBefore(text, withoutAddresses(e))) == text })
}

// Judged is a case with the reference's answer, on its way to the command judge.
type Judged struct {
	Case   *Case
	Answer *Answer
}

// Distinct returns the case in a form about which the reference always gives the same answer, see
// [Harness].ClockEachTime.
func (h *Harness) Distinct(c *Case) *Case {
	if h.ClockEachTime {
		return oneWithoutStart(c)
	}
	return c
}
