package devices

import (
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Nomination goes with the node that a pod is nominated to: the devices that preemption found for
// the pod's claims, and the claims of its victims, which come back later than the victims go. It
// lives as long as the nomination to the node does; who keeps nominations drops it then. While
// one is among the [Objects], other pods find the devices of the victims' claims given back and
// those of the pod's own claims taken, as far as they count the nominated pod at all.
type Nomination struct {
	// Pod is the pod that is nominated, and Node where to.
	Pod  outrank.Key
	Node string
	// Claims are the pod's claims with the allocations that were found, beside those that had
	// one already.
	Claims []*resourcev1.ResourceClaim
	// Freed are the claims that the victims leave.
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
// enough, as in the first pass of a check. The error is that of [Filter.Start], or
// [outrank.ErrInvalid] for a plan that is not to preempt, or that the devices do not allow.
func (f *Filter) Nomination(snap *preemption.Snapshot, plan *preemption.Plan) (*Nomination, error) {
	if plan == nil || plan.Outcome != preemption.Preempt || !f.config.DRAPreemption {
		return nil, problem("plan", "", "is not to preempt for devices")
	}
	a, err := f.start(plan.Pod)
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
		if len(a.gone) > 0 && a.gone[k] > 0 && a.free(k) {
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

// withNominated asks the allocator with the node's nominated pods that count, and where that
// finds nothing without them.
func (a *attempt) withNominated(snap *preemption.Snapshot, node *outrank.Node, claims []*resourcev1.ResourceClaim) []resourcev1.AllocationResult {
	v := a.x.viewOf(node)
	first := a.Clone().(*attempt)
	for _, p := range snap.NominatedTo(node.Name) {
		if p.PriorityValue() >= a.asker.PriorityValue() && nameOf(p) != nameOf(a.asker) {
			first.nominate(p, node.Name, 1)
		}
	}
	for _, with := range []*attempt{first, a} {
		if results, err := a.x.allocate(v, &with.changes, claims); err == nil && len(results) == len(claims) {
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

// MayPreempt is the rule of KEP-5690 about who may preempt, for [preemption.Config].MayPreempt: a
// pod whose nomination has claims of victims that are still allocated may not, because its
// devices are on their way. It agrees with the usual rules otherwise.
func (f *Filter) MayPreempt(pod *outrank.Pod, _ preemption.Status, by preemption.Ineligibility) string {
	x := f.x.Load()
	n := x.nominations[nameOf(pod)]
	if !f.config.DRAPreemption || by != preemption.Eligible || n == nil || n.Node != pod.NominatedNodeName {
		return by.String()
	}
	if waits := n.waitsFor(x); len(waits) > 0 {
		return fmt.Sprintf("not eligible due to claims of its victims that are still allocated: %s.", strings.Join(waits, ", "))
	}
	return by.String()
}

// waitsFor lists the claims of the victims that are still allocated, sorted.
func (n *Nomination) waitsFor(x *index) []string {
	var names []string
	for _, uid := range n.Freed {
		if k := x.byUID[uid]; k != nil && k.Status.Allocation != nil {
			names = append(names, k.name.String())
		}
	}
	slices.Sort(names)
	return names
}
