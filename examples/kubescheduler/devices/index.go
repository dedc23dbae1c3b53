package devices

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// named is the namespace and name of an object.
type named struct{ namespace, name string }

func (n named) String() string { return n.namespace + "/" + n.name }

func nameOf(p *outrank.Pod) named { return named{p.NamespaceName(), p.Name} }

// index has what the filter knows about a set of objects. After it is made it does not change, except for the
// answers and views that it keeps.
type index struct {
	config *Config
	filter preemption.Filter

	features structured.Features
	pods     map[named]*corev1.Pod
	claims   []*claim
	byName   map[named]*claim
	byUID    map[types.UID]*claim
	// inFlight has the claims whose allocation is decided and not yet written.
	inFlight map[types.UID]bool
	// consumed lists the claims by the pod for which they are reserved.
	consumed map[named][]*claim
	// nominations are the nominations by pod.
	nominations map[named]*Nomination
	// returning are the claims, by node, that preemption has freed there and that still have an allocation.
	returning map[string][]*claim
	classes   classes
	// backing finds the class that backs an extended resource.
	backing *extendedresourcecache.ExtendedResourceCache

	slices   []*slice
	onNode   map[string][]*slice // by nodeName
	anywhere []*slice            // all others
	pools    map[poolID][]*slice // each in the order of names
	held     map[structured.DeviceID][]holding

	cel     *cel.Cache
	answers answers
	views   sync.Map // of *view, by the name of the node
	mu      sync.Mutex
	kinds   map[string]int // the kinds of nodes, by what nodes of a kind have in common
	asked   int            // how often the allocator was asked
}

// poolID names a pool of devices.
type poolID struct{ driver, pool string }

// slice is a slice with its pool.
type slice struct {
	*resourcev1.ResourceSlice
	id poolID
	// content is equal for two slices that differ only in the names of the slice, its pool and its node.
	content int
}

// claim is a claim with what it holds.
type claim struct {
	*resourcev1.ResourceClaim
	name  named
	order int
	holds []hold
	// stays says why the claim does not come free with its consumers; empty if it does.
	stays stays
}

// hold is a device, or a part of one, that a claim holds.
type hold struct {
	device structured.DeviceID
	// share names the part of a device that may be allocated several times; nil for a whole device.
	share *structured.SharedDeviceID
	// consumed is the amount that the part takes; nil for none.
	consumed *structured.DeviceConsumedCapacity
	// like is equal for two holds that make no difference to the allocator.
	like string
}

// holding is a hold as its claim has it.
type holding struct {
	claim *claim
	at    int
}

func (h holding) hold() *hold { return &h.claim.holds[h.at] }

// classes looks up device classes for the allocator.
type classes map[string]*resourcev1.DeviceClass

func (c classes) Get(name string) (*resourcev1.DeviceClass, error) {
	if class := c[name]; class != nil {
		return class, nil
	}
	return nil, apierrors.NewNotFound(resourcev1.Resource("deviceclass"), name)
}

func (c classes) List() ([]*resourcev1.DeviceClass, error) {
	list := make([]*resourcev1.DeviceClass, 0, len(c))
	for _, class := range c {
		list = append(list, class)
	}
	slices.SortFunc(list, func(a, b *resourcev1.DeviceClass) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// newIndex indexes objects in which Validate has found nothing wrong.
func newIndex(o *Objects, release outrank.Release) (*index, error) {
	x := &index{
		features: featuresOf(release),
		pods:     map[named]*corev1.Pod{}, byName: map[named]*claim{}, byUID: map[types.UID]*claim{}, inFlight: map[types.UID]bool{},
		consumed: map[named][]*claim{}, classes: classes{}, backing: extendedresourcecache.NewExtendedResourceCache(klog.Background()),
		onNode: map[string][]*slice{}, pools: map[poolID][]*slice{}, held: map[structured.DeviceID][]holding{}, kinds: map[string]int{}, answers: answers{most: mostAnswers}, nominations: map[named]*Nomination{}, returning: map[string][]*claim{},
	}

	x.cel = cel.NewCache(1000, cel.Features{EnableConsumableCapacity: x.features.ConsumableCapacity, EnableListTypeAttributes: x.features.ListTypeAttributes})
	for _, p := range o.Pods {
		x.pods[named{namespaceOr(p.Namespace), p.Name}] = p
	}
	for _, c := range o.Classes {
		x.classes[c.Name] = c
		x.backing.OnAdd(c, true)
	}

	// Whether a claim comes free depends on its slices, and a nomination names claims: this is their order.
	rules := o.TaintRules
	if release == outrank.V1_36 {
		rules = nil
	}
	if err := x.addSlices(o.Slices, rules); err != nil {
		return nil, err
	}
	for _, c := range o.Claims {
		x.addClaim(c)
	}
	for _, c := range o.InFlight {
		x.addInFlight(c)
	}
	for _, n := range o.Nominations {
		x.addNomination(n)
	}
	return x, nil
}

// addNomination adds a nomination, and the claims that it waits for.
func (x *index) addNomination(n *Nomination) {
	if n.Pod != "" {
		x.nominations[n.name()] = n
	}
	for _, uid := range n.Freed {
		if k := x.byUID[uid]; k != nil && k.Status.Allocation != nil && !slices.Contains(x.returning[n.Node], k) {
			x.returning[n.Node] = append(x.returning[n.Node], k)
		}
	}
}

func namespaceOr(name string) string { return cmp.Or(name, outrank.DefaultNamespace) }

// featuresOf returns the allocator's features that are on by default in a release.
func featuresOf(release outrank.Release) structured.Features {
	return structured.Features{
		AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
		DeviceBindingAndStatus: true, ConsumableCapacity: true, FractionalCapacityRange: release != outrank.V1_36,
	}
}

// addSlices adds slices, and the taints that rules put on their devices.
func (x *index) addSlices(all []*resourcev1.ResourceSlice, rules []*resourcev1.DeviceTaintRule) error {
	// Two slices have the same content if they are written alike without the names of their pools and nodes.
	contents := map[string]int{}
	for _, given := range all {
		s := &slice{ResourceSlice: tainted(given, rules), id: poolID{given.Spec.Driver, given.Spec.Pool.Name}}
		alike := s.Spec
		alike.Pool.Name, alike.NodeName = "", nil
		text, err := json.Marshal(&alike)
		if err != nil {
			return problem("resourceslice "+given.Name, "spec", err.Error())
		}
		if _, known := contents[string(text)]; !known {
			contents[string(text)] = len(contents)
		}
		s.content = contents[string(text)]

		x.slices = append(x.slices, s)
		if node := s.Spec.NodeName; node != nil && *node != "" {
			x.onNode[*node] = append(x.onNode[*node], s)
		} else {
			x.anywhere = append(x.anywhere, s)
		}
		x.pools[s.id] = append(x.pools[s.id], s)
	}

	for _, pool := range x.pools {
		slices.SortFunc(pool, func(a, b *slice) int { return cmp.Compare(a.Name, b.Name) })
	}
	return nil
}

// tainted returns a slice with the taints of the rules that select its devices. If no rule does, it is the slice
// itself.
func tainted(s *resourcev1.ResourceSlice, rules []*resourcev1.DeviceTaintRule) *resourcev1.ResourceSlice {
	selects := func(wanted *string, have string) bool { return wanted == nil || *wanted == have }
	out := s
	for _, r := range rules {
		by := r.Spec.DeviceSelector
		if by == nil || !selects(by.Driver, s.Spec.Driver) || !selects(by.Pool, s.Spec.Pool.Name) {
			continue
		}
		for i := range s.Spec.Devices {
			if !selects(by.Device, s.Spec.Devices[i].Name) {
				continue
			}
			if out == s {
				out = s.DeepCopy()
			}
			out.Spec.Devices[i].Taints = append(out.Spec.Devices[i].Taints, r.Spec.Taint)
		}
	}
	return out
}

// addClaim adds a claim and what it holds.
func (x *index) addClaim(c *resourcev1.ResourceClaim) {
	one := &claim{ResourceClaim: c, name: named{namespaceOr(c.Namespace), c.Name}, order: len(x.claims)}
	x.claims = append(x.claims, one)
	x.byName[one.name] = one
	if c.UID != "" {
		x.byUID[c.UID] = one
	}
	x.take(one, c.Status.Allocation)
	one.stays = x.staysOf(one)
	for _, consumer := range c.Status.ReservedFor {
		if isPod(&consumer) {
			of := named{one.name.namespace, consumer.Name}
			x.consumed[of] = append(x.consumed[of], one)
		}
	}
}

// addInFlight adds what a claim will hold once its allocation is written. Nothing frees it.
func (x *index) addInFlight(c *resourcev1.ResourceClaim) {
	one := &claim{ResourceClaim: c, name: named{namespaceOr(c.Namespace), c.Name}, order: len(x.claims), stays: staysInFlight}
	x.claims = append(x.claims, one)
	if x.take(one, c.Status.Allocation); c.UID != "" && c.Status.Allocation != nil {
		x.inFlight[c.UID] = true
	}
}

// take notes what a claim holds.
func (x *index) take(c *claim, a *resourcev1.AllocationResult) {
	c.holds = holdsOf(a)
	for i := range c.holds {
		x.held[c.holds[i].device] = append(x.held[c.holds[i].device], holding{c, i})
	}
}

// holdsOf returns what an allocation holds. A device with admin access is not held.
func holdsOf(a *resourcev1.AllocationResult) []hold {
	if a == nil {
		return nil
	}
	var holds []hold
	for i := range a.Devices.Results {
		r := &a.Devices.Results[i]
		if r.AdminAccess != nil && *r.AdminAccess {
			continue
		}
		h := hold{device: structured.MakeDeviceID(r.Driver, r.Pool, r.Device), like: "w"}
		if r.ShareID != nil {
			share := structured.MakeSharedDeviceID(h.device, r.ShareID)
			h.share, h.like = &share, "s"
			if r.ConsumedCapacity != nil {
				consumed := structured.NewDeviceConsumedCapacity(h.device, r.ConsumedCapacity)
				h.consumed = &consumed
				text, _ := json.Marshal(r.ConsumedCapacity) // a map of amounts can always be written, and is sorted
				h.like += string(text)
			}
		}
		holds = append(holds, h)
	}
	return holds
}

func isPod(c *resourcev1.ResourceClaimConsumerReference) bool {
	return c.APIGroup == "" && c.Resource == "pods"
}

// isFor reports whether a claim is reserved for a pod.
func (c *claim) isFor(p *outrank.Pod) bool {
	return slices.ContainsFunc(c.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
		return isPod(&r) && r.Name == p.Name && (p.UID == "" || r.UID == "" || string(r.UID) == p.UID)
	})
}

// podOf returns the API's object of a pod; nil if the filter does not know it. A pod that brings its object along
// need not be among the filter's.
func (x *index) podOf(p *outrank.Pod) (*corev1.Pod, error) {
	if own, ok := p.Value.(*corev1.Pod); ok && own != nil {
		return own, nil
	}
	known := x.pods[nameOf(p)]
	if known != nil && p.UID != "" && known.UID != "" && string(known.UID) != p.UID {
		return nil, problem("pod "+nameOf(p).String(), "metadata.uid", fmt.Sprintf("the filter knows the pod of this name with UID %s, not %s", known.UID, p.UID))
	}
	return known, nil
}
