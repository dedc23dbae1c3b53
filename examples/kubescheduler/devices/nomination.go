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

// Nomination goes with the node that a pod is nominated to: the devices that preemption found for
// the pod's claims, and the claims of its victims, which come back later than the victims go. It
// lives as long as the nomination to the node does; who keeps nominations drops Pod and Claims
// then, and all of it once no claim of Freed has an allocation. While one is among the [Objects],
// other pods find the devices of the node's freed claims given back and those of the pod's own
// claims taken, as far as they count the nominated pod at all.
type Nomination struct {
	// Pod is the pod that is nominated, empty where the nomination has ended, and Node where to.
	Pod  outrank.Key
	Node string
	// Claims are the pod's claims with the allocations that were found, beside those that had
	// one already.
	Claims []*resourcev1.ResourceClaim
	// Freed are the claims that the victims leave. They count for the node, whoever else is
	// nominated to it.
	Freed []types.UID
}

func (n *Nomination) name() named {
	namespace, name := n.Pod.Split()
	return named{namespace, name}
}

// pending is what the pod will hold by claims that have no allocation yet.
func (n *Nomination) pending(x *index) []hold {
	var holds []hold
	for _, c := range n.Claims {
		if now := x.byName[named{namespaceOr(c.Namespace), c.Name}]; now == nil || now.Status.Allocation == nil {
			holds = append(holds, holdsOf(c.Status.Allocation)...)
		}
	}
	return holds
}

// Nomination returns what goes with the nomination that a plan makes, nil where the pod has no
// claims without an allocation or nobody is to leave. The snapshot is that of the plan. The
// devices are those that are free with the nominated pods of the node counted, where that is
// enough, as in the first pass of a check. The error is about claims that kube-scheduler ends the attempt for with an error, too, or
// [outrank.ErrInvalid] for a plan that is not to preempt, or that the devices do not allow.
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

// terminating counts the consumers of a claim that end without being victims.
func (a *attempt) terminating(snap *engine.Snapshot, k *claim, victims []preemption.Victim) (n int) {
	for i := range k.Status.ReservedFor {
		p, ok := snap.Pod(outrank.NewKey(k.name.namespace, k.Status.ReservedFor[i].Name))
		if ok && p.Terminating() && p.UID == string(k.Status.ReservedFor[i].UID) && !slices.ContainsFunc(victims, func(v preemption.Victim) bool { return v.Pod.Key() == p.Key() }) {
			n++
		}
	}
	return n
}

// withNominated asks the allocator with the node's nominated pods that count, and where that
// finds nothing without them.
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

// settled gives shares names that are the same each time; the allocator draws them.
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

// Refuse is the rule of KEP-5690 about who may preempt, for [preemption.Eligibility].Refuse: a
// pod that is nominated to a node on which claims of victims are still allocated may not, because
// the devices are on their way. It agrees with the usual rules otherwise.
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

// Helps reports whether a change of a claim may help a pod for which there were no devices, as
// KEP-5690 has it: a claim lost its allocation, or one of the pod's own changed. before is nil for
// a new claim, and after for one that is gone. A pod that is nominated to a node on which
// other claims of victims are still allocated is not helped by one that comes free. The objects
// may be those before the change or after it. It is for a queue's own rule about events, such as
// [queue.Config].Helps; time is linear in the claims that are on their way to the pod's node.
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

// MayHelp returns a status that kube-scheduler's plugin gave to a node as it is with
// DRAPreemption: where devices are short, pods that leave may help.
func (f *Filter) MayHelp(s preemption.Status) preemption.Status {
	if f.config.DRAPreemption && s.Filter == Name && s.Code == preemption.UnschedulableAndUnresolvable && !slices.Equal(s.Reasons, []string{notAvailable}) {
		s.Code = preemption.Unschedulable
	}
	return s
}
