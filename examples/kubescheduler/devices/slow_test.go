package devices_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	amount "github.com/outrank-go/outrank/resource"
)

var (
	slowCases = flag.Int("cases", 300, "number of random cases against the slow reference")
	slowSeed  = flag.Uint64("seed", 1, "seed of the first")
)

// slow decides about claims as KEP-5690 says, in its own order and without keeping anything: the
// rules below are to be read beside the KEP.
type slow struct {
	objects     devices.Objects
	running     []*outrank.Pod
	waiting     []*outrank.Pod
	pod         *outrank.Pod
	nominations map[string]*devices.Nomination
}

// claimsOf are the claims that a pod names.
func (s *slow) claimsOf(p *outrank.Pod) []*resourcev1.ResourceClaim {
	var claims []*resourcev1.ResourceClaim
	for _, o := range s.objects.Pods {
		if o.Name != p.Name {
			continue
		}
		for _, named := range o.Spec.ResourceClaims {
			for _, c := range s.objects.Claims {
				if c.Name == *named.ResourceClaimName {
					claims = append(claims, c)
				}
			}
		}
	}
	return claims
}

// frees reports whether a claim comes free when these pods are gone: all of its consumers are
// among them, none of them is of a group, each of its devices, if any, is of one and the same node by
// name, and the preemptor does not use the claim itself.
func (s *slow) frees(c *resourcev1.ResourceClaim, gone []*outrank.Pod) bool {
	if c.Status.Allocation == nil || len(c.Status.ReservedFor) == 0 || slices.Contains(s.claimsOf(s.pod), c) {
		return false
	}
	for _, consumer := range c.Status.ReservedFor {
		if consumer.Resource != "pods" || !slices.ContainsFunc(gone, func(p *outrank.Pod) bool {
			return p.UID == string(consumer.UID) && p.Group == ""
		}) {
			return false
		}
	}
	nodes := sets.New[string]()
	for _, r := range c.Status.Allocation.Devices.Results {
		for _, slice := range s.objects.Slices {
			if slice.Spec.Pool.Name == r.Pool && slice.Spec.Driver == r.Driver && len(slice.Spec.Devices) > 0 {
				if slice.Spec.NodeName == nil {
					return false
				}
				nodes.Insert(*slice.Spec.NodeName)
			}
		}
	}
	return nodes.Len() <= 1
}

// allocated is everything that is allocated but for the claims that come free, and where nominated pods are
// counted their victims' claims away and their own there.
func (s *slow) allocated(node *outrank.Node, gone, nominated []*outrank.Pod) map[string]*resourcev1.AllocationResult {
	allocated := map[string]*resourcev1.AllocationResult{}
	for _, c := range s.objects.Claims {
		if c.Status.Allocation != nil && !s.frees(c, gone) {
			allocated[c.Name] = c.Status.Allocation
		}
	}
	for _, p := range nominated {
		if n := s.nominations[p.Name]; n == nil || n.Node != node.Name {
			continue
		}
		for _, n := range s.objects.Nominations { // also of pods that are not counted
			for _, c := range s.objects.Claims {
				if n.Node == node.Name && slices.Contains(n.Freed, c.UID) {
					delete(allocated, c.Name)
				}
			}
		}
	}
	for _, p := range nominated {
		if n := s.nominations[p.Name]; n != nil && n.Node == node.Name {
			for _, c := range n.Claims {
				if allocated[c.Name] == nil {
					allocated[c.Name] = c.Status.Allocation
				}
			}
		}
	}
	return allocated
}

// beside reports whether devices can be allocated beside others, by plain sums: a device is somebody's
// alone unless both have a share, and neither shares nor the cards that devices are cut from are given
// out beyond what there is.
func (s *slow) beside(allocated map[string]*resourcev1.AllocationResult, more []resourcev1.AllocationResult) bool {
	var all []resourcev1.DeviceRequestAllocationResult
	for _, a := range allocated {
		all = append(all, a.Devices.Results...)
	}
	for _, a := range more {
		for _, r := range a.Devices.Results {
			for _, other := range all {
				if r.Pool == other.Pool && r.Device == other.Device && (r.ShareID == nil || other.ShareID == nil) {
					return false
				}
			}
		}
	}
	taken := slices.Clone(all)
	for _, a := range more {
		all = append(all, a.Devices.Results...)
	}
	for _, slice := range s.objects.Slices {
		card, drawn := int64(0), false
		for _, d := range slice.Spec.Devices {
			shares, held := int64(0), false
			for _, r := range all {
				if r.Pool == slice.Spec.Pool.Name && r.Device == d.Name {
					amount := r.ConsumedCapacity["memory"]
					shares, held = shares+amount.Value(), true
				}
			}
			memory := d.Capacity["memory"].Value
			mine := slices.ContainsFunc(more, func(a resourcev1.AllocationResult) bool { // the others are as they are
				return slices.ContainsFunc(a.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
					return r.Pool == slice.Spec.Pool.Name && r.Device == d.Name
				})
			})
			if mine && shares > memory.Value() {
				return false
			}
			if held && len(d.ConsumesCounters) > 0 {
				draws := d.ConsumesCounters[0].Counters["memory"].Value
				before := slices.ContainsFunc(taken, func(r resourcev1.DeviceRequestAllocationResult) bool {
					return r.Pool == slice.Spec.Pool.Name && r.Device == d.Name
				})
				card, drawn = card+draws.Value(), drawn || mine && !before
			}
		}
		if drawn && card > 80<<30 {
			return false
		}
	}
	return true
}

// devicesFit asks the allocator anew.
func (s *slow) devicesFit(node *outrank.Node, gone, nominated []*outrank.Pod) bool {
	_, ok := s.devicesFor(node, gone, nominated)
	return ok
}

// devicesFor returns what the allocator finds.
func (s *slow) devicesFor(node *outrank.Node, gone, nominated []*outrank.Pod) ([]resourcev1.AllocationResult, bool) {
	allocated := s.allocated(node, gone, nominated)
	state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection()}
	for _, a := range allocated {
		for _, r := range a.Devices.Results {
			id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
			if r.ShareID == nil {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, r.ShareID))
			state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, r.ConsumedCapacity))
		}
	}
	var wanted []*resourcev1.ResourceClaim
	for _, c := range s.claimsOf(s.pod) {
		switch {
		case c.Status.Allocation == nil:
			wanted = append(wanted, c)
		case c.Status.Allocation.NodeSelector != nil && c.Status.Allocation.NodeSelector.NodeSelectorTerms[0].MatchFields[0].Values[0] != node.Name:
			return nil, false
		}
	}
	if len(wanted) == 0 {
		return nil, true
	}
	features := structured.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, DeviceBindingAndStatus: true, ConsumableCapacity: true, FractionalCapacityRange: true}
	allocator, err := structured.NewAllocator(context.Background(), features, state, oneClass{s.objects.Classes[0]}, s.objects.Slices, cel.NewCache(10, cel.Features{EnableConsumableCapacity: true}))
	if err != nil {
		panic(err)
	}
	results, err := allocator.Allocate(context.Background(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels}}, wanted)
	return results, err == nil && len(results) == len(wanted)
}

// now is a time of the tests.
var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

type oneClass struct{ *resourcev1.DeviceClass }

func (c oneClass) Get(string) (*resourcev1.DeviceClass, error) { return c.DeviceClass, nil }
func (c oneClass) List() ([]*resourcev1.DeviceClass, error) {
	return []*resourcev1.DeviceClass{c.DeviceClass}, nil
}
func cpuOf(p *outrank.Pod) int64 { return p.Containers[0].Requests["cpu"].MilliValue() }
func (s *slow) on(node string) []*outrank.Pod {
	return slices.DeleteFunc(slices.Clone(s.running), func(p *outrank.Pod) bool { return p.NodeName != node })
}
func without(all []*outrank.Pod, gone []*outrank.Pod) (l []*outrank.Pod) {
	return slices.DeleteFunc(slices.Clone(all), func(p *outrank.Pod) bool { return slices.Contains(gone, p) })
}

// fits reports whether the node takes the pod when these are gone: with the nominated pods of at
// least its priority, and what is found then without them (KEP-5690).
func (s *slow) fits(node *outrank.Node, gone []*outrank.Pod) bool {
	var nominated []*outrank.Pod
	for _, p := range s.waiting {
		if p.NominatedNodeName == node.Name && p.PriorityValue() >= s.pod.PriorityValue() {
			nominated = append(nominated, p)
		}
	}
	found, ok := s.devicesFor(node, gone, nominated)
	if !ok || !s.beside(s.allocated(node, gone, nil), found) {
		return false
	}
	for _, counted := range [][]*outrank.Pod{nominated, nil} {
		cpu := cpuOf(s.pod)
		for _, p := range append(without(s.on(node.Name), gone), counted...) {
			cpu += cpuOf(p)
		}
		if cpuOf(s.pod) > 0 && cpu > node.Allocatable["cpu"].MilliValue() {
			return false
		}
	}
	return true
}

// possible are the pods of the node that may leave, the most important first.
func (s *slow) possible(node *outrank.Node) []*outrank.Pod {
	list := slices.DeleteFunc(s.on(node.Name), func(p *outrank.Pod) bool { return p.PriorityValue() >= s.pod.PriorityValue() })
	slices.SortFunc(list, func(a, b *outrank.Pod) int {
		return cmp.Or(cmp.Compare(b.PriorityValue(), a.PriorityValue()), a.StartTime.Compare(b.StartTime))
	})
	return list
}

// reprieve removes all that may leave and puts back who can be; nil where that is not enough.
func (s *slow) reprieve(node *outrank.Node) []*outrank.Pod {
	gone := s.possible(node)
	if len(gone) == 0 || !s.fits(node, gone) {
		return nil
	}
	for _, p := range slices.Clone(gone) {
		if less := without(gone, []*outrank.Pod{p}); s.fits(node, less) {
			gone = less
		}
	}
	return gone
}

// best is the best of all sets on a node, by the reference's ranks: the lowest top priority, the
// lowest sum of priorities, the fewest victims.
func (s *slow) best(node *outrank.Node) []*outrank.Pod {
	possible := s.possible(node)
	var best []*outrank.Pod
	for mask := 1; mask < 1<<len(possible); mask++ {
		var set []*outrank.Pod
		for i, p := range possible {
			if mask>>i&1 == 1 {
				set = append(set, p)
			}
		}
		if s.fits(node, set) && (best == nil || slices.Compare(ranks(set), ranks(best)) < 0) {
			best = set
		}
	}
	return best
}

// ranks are those of a set: its top, its sum as the reference counts it, and its size.
func ranks(set []*outrank.Pod) []int64 {
	top, sum := int64(-1<<40), int64(0)
	for _, p := range set {
		top = max(top, int64(p.PriorityValue()))
		sum += int64(p.PriorityValue()) + 1<<31
	}
	return []int64{top, sum, int64(len(set))}
}

// drawSlow draws a small case.
func drawSlow(seed uint64) (*slow, []*outrank.Node) {
	r := rand.New(rand.NewPCG(seed, 5690))
	oneIn := func(n int) bool { return r.IntN(n) == 0 }
	s := &slow{nominations: map[string]*devices.Nomination{}}
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s.objects.Classes = []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}}
	var nodes []*outrank.Node
	pod := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, UID: "uid-" + name, Priority: outrank.Priority(priority), StartTime: start.Add(time.Duration(len(s.running)) * time.Hour),
			Containers: []outrank.Container{{Requests: amount.List{"cpu": amount.New(int64(r.IntN(2)))}}}}
	}
	uses := func(p *outrank.Pod, c *resourcev1.ResourceClaim) {
		o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: "default", UID: types.UID(p.UID)}}
		if at := slices.IndexFunc(s.objects.Pods, func(o *corev1.Pod) bool { return o.Name == p.Name }); at >= 0 {
			o = s.objects.Pods[at]
		} else {
			s.objects.Pods = append(s.objects.Pods, o)
		}
		o.Spec.ResourceClaims = append(o.Spec.ResourceClaims, corev1.PodResourceClaim{Name: c.Name, ResourceClaimName: &c.Name})
	}
	claim := func(name string) *resourcev1.ResourceClaim {
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name)}}
		s.objects.Claims = append(s.objects.Claims, c)
		return c
	}
	reserve := func(c *resourcev1.ResourceClaim, p *outrank.Pod) {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: p.Name, UID: types.UID(p.UID)})
		uses(p, c)
	}
	type free struct {
		slice  *resourcev1.ResourceSlice
		device *resourcev1.Device
	}
	var everywhere []free
	slice := func(name, node string) *resourcev1.ResourceSlice {
		x := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1.ResourceSliceSpec{Driver: driver, Pool: resourcev1.ResourcePool{Name: name, Generation: 1, ResourceSliceCount: 1}}}
		if node != "" {
			x.Spec.NodeName = &node
		} else {
			yes := true
			x.Spec.AllNodes = &yes
		}
		s.objects.Slices = append(s.objects.Slices, x)
		return x
	}
	fill := func(x *resourcev1.ResourceSlice) (list []free) {
		split := oneIn(2) && x.Spec.NodeName != nil
		for i := range 1 + r.IntN(3) {
			model := []string{"a", "b"}[r.IntN(2)]
			memory := func(amount string) map[resourcev1.QualifiedName]resourcev1.DeviceCapacity {
				return map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(amount)}}
			}
			d := resourcev1.Device{Name: fmt.Sprint("d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: &model}}, Capacity: memory("80Gi")}
			if oneIn(3) {
				yes := true
				d.AllowMultipleAllocations = &yes
			}
			if split {
				part := []string{"40Gi", "80Gi"}[r.IntN(2)] // half a card, or the whole of it
				d.Capacity = memory(part)
				d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "card", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(part)}}}}
			}
			x.Spec.Devices = append(x.Spec.Devices, d)
		}
		if split {
			x.Spec.Pool.ResourceSliceCount = 2
			card := slice(x.Name+"-card", *x.Spec.NodeName)
			card.Spec.Pool = x.Spec.Pool
			card.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "card", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("80Gi")}}}}
		}
		for i := range x.Spec.Devices {
			list = append(list, free{x, &x.Spec.Devices[i]})
		}
		return list
	}
	if oneIn(4) {
		everywhere = fill(slice("fabric", ""))
	}
	take := func(c *resourcev1.ResourceClaim, from *[]free, node string) {
		c.Status.Allocation = &resourcev1.AllocationResult{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}}
		for range 1 + r.IntN(2) {
			if len(*from) == 0 {
				return
			}
			f := (*from)[0]
			result := resourcev1.DeviceRequestAllocationResult{Request: "gpus", Driver: driver, Pool: f.slice.Spec.Pool.Name, Device: f.device.Name}
			if f.device.AllowMultipleAllocations != nil {
				share := types.UID(fmt.Sprintf("%s-%d", c.Name, len(c.Status.Allocation.Devices.Results)))
				result.ShareID, result.ConsumedCapacity = &share, map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse("40Gi")}
			}
			c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, result)
			if f.device.AllowMultipleAllocations == nil || oneIn(2) {
				*from = (*from)[1:]
			}
		}
	}
	for i := range 1 + r.IntN(2) {
		n := &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: amount.MustList("cpu", fmt.Sprint(1+r.IntN(4)), "pods", "100")}
		nodes = append(nodes, n)
		list := fill(slice(n.Name, n.Name))
		for j := range r.IntN(5) {
			p := pod(fmt.Sprintf("p%d-%d", i, j), int32(r.IntN(4)))
			p.NodeName = n.Name
			if oneIn(12) {
				p.Group = "crew"
			}
			s.running = append(s.running, p)
			if oneIn(4) {
				continue
			}
			c := claim(p.Name)
			if oneIn(6) {
				take(c, &everywhere, n.Name)
			} else {
				take(c, &list, n.Name)
			}
			reserve(c, p)
			if j > 0 && oneIn(4) {
				reserve(c, s.running[len(s.running)-2])
			}
			if oneIn(25) {
				c.Status.ReservedFor = nil
			}
			if oneIn(25) {
				c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: "ghost", UID: "uid-ghost"})
			}
		}
	}
	s.pod = pod("mine", int32(1+r.IntN(4)))
	for i := range 1 + r.IntN(2) {
		c := claim(fmt.Sprint("mine-", i))
		e := &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: int64(1 + r.IntN(2))}
		if oneIn(6) {
			e.AllocationMode, e.Count = resourcev1.DeviceAllocationModeAll, 0
		}
		if oneIn(2) {
			e.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse([]string{"20Gi", "40Gi", "60Gi", "80Gi"}[r.IntN(4)])}}
		}
		c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpus", Exactly: e}}
		if e.AllocationMode != resourcev1.DeviceAllocationModeAll && oneIn(3) {
			model := resourcev1.FullyQualifiedName(driver + "/model")
			c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &model}}
		}
		uses(s.pod, c)
	}
	if len(s.running) > 0 && oneIn(8) { // a claim of somebody who runs
		uses(s.pod, s.objects.Claims[r.IntN(len(s.objects.Claims))])
		o := s.objects.Pods[len(s.objects.Pods)-1]
		o.Spec.ResourceClaims = slices.CompactFunc(o.Spec.ResourceClaims, func(a, b corev1.PodResourceClaim) bool { return a.Name == b.Name })
	}
	for i := range r.IntN(3) {
		s.nominate(r, pod(fmt.Sprint("w", i), int32(1+r.IntN(4))), nodes[r.IntN(len(nodes))])
	}
	return s, nodes
}

// nominate draws a pod that waits for the claims of some of the node's pods, or of pods that are
// gone, and will have some of their devices.
func (s *slow) nominate(r *rand.Rand, p *outrank.Pod, node *outrank.Node) {
	p.NominatedNodeName = node.Name
	s.waiting = append(s.waiting, p)
	n := &devices.Nomination{Pod: p.Key(), Node: node.Name}
	if r.IntN(6) == 0 {
		n.Node = "another" // an earlier nomination, which has ended
	}
	own := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: "default", UID: types.UID("uid-" + p.Name)}}
	s.objects.Claims = append(s.objects.Claims, own)
	for _, c := range s.objects.Claims {
		if c.Status.Allocation == nil || r.IntN(2) == 0 || len(c.Status.Allocation.Devices.Results) == 0 {
			continue
		}
		n.Freed = append(n.Freed, c.UID)
		if len(n.Claims) == 0 && r.IntN(4) > 0 {
			mine := own.DeepCopy()
			mine.Status.Allocation = c.Status.Allocation.DeepCopy()
			mine.Status.Allocation.Devices.Results = mine.Status.Allocation.Devices.Results[:1]
			if share := mine.Status.Allocation.Devices.Results[0].ShareID; share != nil {
				id := types.UID("share-" + p.Name)
				mine.Status.Allocation.Devices.Results[0].ShareID = &id
			}
			n.Claims = append(n.Claims, mine)
		}
	}
	s.nominations[p.Name] = n
	s.objects.Nominations = append(s.objects.Nominations, n)
}

// With DRAPreemption the victims on every node are those that the slow reference finds, and with
// exact victims the best of all sets. How many cases is a flag.
func TestAgainstSlowReference(t *testing.T) {
	found := map[string]int{}
	for seed := *slowSeed; seed < *slowSeed+uint64(*slowCases); seed++ {
		s, nodes := drawSlow(seed)
		snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: nodes, Pods: slices.Concat(s.running, s.waiting, []*outrank.Pod{s.pod})})
		require.NoError(t, err)
		filter, err := devices.New(s.objects, devices.Config{DRAPreemption: true})
		require.NoError(t, err)
		for _, rule := range []preemption.VictimRule{nil, preemption.Exact{}} {
			exact := rule != nil
			eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}, Victims: rule})
			require.NoError(t, err)
			ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: s.pod})
			require.NoError(t, err)
			for i, n := range nodes {
				fits := s.fits(n, nil)
				require.Equal(t, fits, ex.Nodes[i].Status.Code == preemption.Success, "seed %d, node %s fits: %v", seed, n.Name, ex.Nodes[i].Status)
				if fits {
					found["fits"]++
					continue
				}
				find := s.reprieve
				if exact {
					find = s.best
				}
				want, got := find(n), candidate(ex, n.Name)
				if exact && want != nil && got != nil {
					require.Equal(t, ranks(want), ranks(got), "seed %d, node %s: best set %v, got %v", seed, n.Name, names(want), names(got))
				} else {
					require.Equal(t, names(want), names(got), "seed %d, node %s, exact %t", seed, n.Name, exact)
				}
				found[fmt.Sprintf("%d victims", len(want))]++
			}
			if plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: s.pod}); err != nil || plan.Outcome != ex.Outcome || plan.Node != ex.Node {
				t.Fatalf("seed %d: Preempt says %v (%v), Explain %v", seed, plan, err, plantest.Unexplained(ex))
			}
			if !exact && ex.Outcome == preemption.Preempts {
				n, err := filter.Nomination(snap, plantest.Unexplained(ex))
				require.NoError(t, err, "seed %d", seed)
				found["nominations"]++
				if n != nil {
					s.checkNomination(t, seed, n, ex.Victims)
				}
			}
		}
	}
	t.Logf("%d cases: %v", *slowCases, found)
}

// checkNomination: the claims that the nomination waits for are those that the victims free.
func (s *slow) checkNomination(t *testing.T, seed uint64, n *devices.Nomination, victims []preemption.Victim) {
	var gone []*outrank.Pod
	for i := range victims {
		gone = append(gone, victims[i].Pod)
	}
	var want []types.UID
	for _, c := range s.objects.Claims {
		if s.frees(c, gone) {
			want = append(want, c.UID)
		}
	}
	require.Equal(t, want, n.Freed, "seed %d", seed)
}

// candidate are the victims on a node; nil where it is no candidate.
func candidate(ex *preemption.Plan, node string) (pods []*outrank.Pod) {
	for i := range ex.Candidates {
		if ex.Candidates[i].Node == node {
			for _, v := range ex.Candidates[i].Victims {
				pods = append(pods, v.Pod)
			}
		}
	}
	return pods
}

func names(pods []*outrank.Pod) (list []string) {
	for _, p := range pods {
		list = append(list, p.Name)
	}
	return list
}
