package devices

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Nomination holds the devices of a pod that is nominated to a node: the devices that preemption found for the
// pod's claims, and the claims of its victims, which come back later than the victims go.
//
// It lives as long as the nomination to the node. Then its keeper drops Pod and Claims, and, when no claim of
// Freed has an allocation any more, all of it. While it is among the [Objects], the devices of the node's freed
// claims count as given back and those of the pod's own claims as taken, for every pod for which the nominated
// pod counts at all.
type Nomination struct {
	// Pod is the nominated pod; empty if the nomination has ended.
	Pod outrank.Key
	// Node is the node that the pod is nominated to.
	Node string
	// Claims are the pod's claims for which devices were found, with those allocations. Claims that had an
	// allocation already are not among them.
	Claims []*resourcev1.ResourceClaim
	// Freed are the claims that the victims leave. They count for every pod that is nominated to the node.
	Freed []types.UID
}

func (n *Nomination) name() named {
	namespace, name := n.Pod.Split()
	return named{namespace, name}
}

// pending returns what the pod will hold once its claims without an allocation have theirs.
func (n *Nomination) pending(x *index) []hold {
	var holds []hold
	for _, c := range n.Claims {
		if now := x.byName[named{namespaceOr(c.Namespace), c.Name}]; now == nil || now.Status.Allocation == nil {
			holds = append(holds, holdsOf(c.Status.Allocation)...)
		}
	}
	return holds
}

// Nomination returns the devices of the nomination that a plan makes; nil if the pod has no claims without an
// allocation. The snapshot is the one that the plan was made on. If there are enough devices, the nomination takes
// none that other nominated pods of the node will have, as in the first pass of a check. The error is about claims
// for which kube-scheduler ends the attempt with an error, too, or wraps [outrank.ErrInvalid] for a plan that does
// not preempt, or for which there are not enough devices.
func (f *Filter) Nomination(snap *engine.Snapshot, plan *preemption.Plan) (*Nomination, error) {
	if plan == nil || plan.Outcome != preemption.Preempts || !f.config.DRAPreemption {
		return nil, problem("plan", "", "is not to preempt for devices")
	}
	a, err := f.x.Load().start(plan.Pod, snap)
	if err != nil || a == nil {
		return nil, err
	}
	node, ok := snap.Node(plan.Node)
	if !ok {
		return nil, problem("node "+plan.Node, "", "is not in the snapshot")
	}

	// A claim comes back if all its consumers go: the victims, and pods that are leaving anyway.
	for i := range plan.Victims {
		a.leave(plan.Victims[i].Pod, 1)
	}
	n := &Nomination{Pod: plan.Pod.Key(), Node: plan.Node}
	for _, k := range a.x.claims {
		if a.gone[k] > 0 && k.stays == "" && a.gone[k]+a.terminating(snap, k, plan.Victims) == len(k.Status.ReservedFor) {
			n.Freed = append(n.Freed, k.UID)
		}
	}

	claims, _, reason := a.toAllocate(node)
	if reason != "" {
		return nil, problem("plan for pod "+string(n.Pod), "", "node "+plan.Node+": "+reason)
	}
	if len(claims) == 0 {
		return nil, nil
	}

	results := a.withNominated(snap, node, claims)
	if len(results) != len(claims) {
		return nil, problem("plan for pod "+string(n.Pod), "", "node "+plan.Node+": cannot allocate all claims")
	}
	for i, c := range claims {
		c = c.DeepCopy()
		c.Status.Allocation = settled(&results[i], c)
		n.Claims = append(n.Claims, c)
	}
	return n, nil
}

// terminating counts the consumers of a claim that are leaving and are no victims.
func (a *attempt) terminating(snap *engine.Snapshot, k *claim, victims []preemption.Victim) (n int) {
	for i := range k.Status.ReservedFor {
		p, ok := snap.Pod(outrank.NewKey(k.name.namespace, k.Status.ReservedFor[i].Name))
		if ok && p.Terminating() && p.UID == string(k.Status.ReservedFor[i].UID) && !slices.ContainsFunc(victims, func(v preemption.Victim) bool { return v.Pod.Key() == p.Key() }) {
			n++
		}
	}
	return n
}

// withNominated asks the allocator with the node's nominated pods in place, except those that are less important
// than the preemptor. If that finds nothing, it asks without nominated pods.
func (a *attempt) withNominated(snap *engine.Snapshot, node *outrank.Node, claims []*resourcev1.ResourceClaim) []resourcev1.AllocationResult {
	v := a.x.viewOf(node)
	first := a.Clone().(*attempt)
	for _, p := range snap.NominatedTo(node.Name) {
		if p.PriorityValue() >= a.asker.PriorityValue() && nameOf(p) != nameOf(a.asker) {
			first.nominate(p, node.Name, 1)
		}
	}
	for _, with := range []*attempt{first, a} {
		results, taken, err := a.x.allocate(v, &with.changes, claims, a.steps.left(v))
		if a.steps.spend(v, taken); err == nil && len(results) == len(claims) {
			return results
		}
	}
	return nil
}

// settled returns an allocation whose shares have the same names each time. The allocator draws random names.
func settled(r *resourcev1.AllocationResult, c *resourcev1.ResourceClaim) *resourcev1.AllocationResult {
	out := r.DeepCopy()
	for i := range out.Devices.Results {
		if out.Devices.Results[i].ShareID != nil {
			id := types.UID(fmt.Sprintf("%s/%s/%d", c.Namespace, c.Name, i))
			out.Devices.Results[i].ShareID = &id
		}
	}
	return out
}

// Refuse is the rule of KEP-5690 about who may preempt, for [preemption.Eligibility].Refuse. A pod that is
// nominated to a node on which claims of victims are still allocated may not preempt, because the devices are on
// their way. Otherwise the usual rules decide.
func (f *Filter) Refuse(pod *outrank.Pod, by preemption.Ineligibility, _ preemption.Status) preemption.Ineligibility {
	if !f.config.DRAPreemption || by != "" || pod.NominatedNodeName == "" {
		return by
	}
	waits := f.x.Load().returning[pod.NominatedNodeName]
	if len(waits) == 0 {
		return by
	}
	names := make([]string, len(waits))
	for i, k := range waits {
		names[i] = k.name.String()
	}
	slices.Sort(names)
	return preemption.Ineligibility("not eligible due to claims of its victims that are still allocated: " + strings.Join(names, ", ") + ".")
}

// Helps reports whether a change of a claim may help a pod for which there were no devices. By KEP-5690 it may if
// a claim lost its allocation, or if a claim of the pod changed. Before is nil for a new claim, and after is nil
// for a claim that is gone. A claim that comes free does not help a pod that is nominated to a node on which
// other claims of victims are still allocated. The filter's objects may be those before the change or after it.
// Helps is for a queue's own rule about events, for example [queue.Config].Helps. Time is linear in the number of
// claims that are on their way to the pod's node.
func (f *Filter) Helps(pod *outrank.Pod, before, after *resourcev1.ResourceClaim) bool {
	x := f.x.Load()
	if before == nil && after == nil {
		return false
	}
	if freed := before != nil && before.Status.Allocation != nil && (after == nil || after.Status.Allocation == nil); freed {
		return !f.config.DRAPreemption || !slices.ContainsFunc(x.returning[pod.NominatedNodeName], func(k *claim) bool { return k.UID != before.UID })
	}
	if after == nil {
		return false
	}
	object, err := x.podOf(pod)
	if err != nil || object == nil {
		return false
	}
	own := slices.ContainsFunc(object.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool {
		name, _, err := resourceclaim.Name(object, &c)
		return err == nil && name != nil && *name == after.Name && object.Namespace == after.Namespace
	})
	return own && (before == nil || !equality.Semantic.DeepEqual(&before.Status, &after.Status))
}

// MayHelp returns the status of a node, which kube-scheduler's plugin gave, as it would be with DRAPreemption: if
// devices are short, pods that leave may help.
func (f *Filter) MayHelp(s preemption.Status) preemption.Status {
	if f.config.DRAPreemption && s.Filter == Name && s.Code == preemption.UnschedulableAndUnresolvable && !slices.Equal(s.Reasons, []string{notAvailable}) {
		s.Code = preemption.Unschedulable
	}
	return s
}
