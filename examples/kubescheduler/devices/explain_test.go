package devices_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Every sentence of an explanation is true by the slow reference: the numbers, who holds what, the
// pods whose leaving frees a claim, all of them and no fewer, what does not come free with
// everybody gone, and whether that would be enough.
func TestSentencesAreTrue(t *testing.T) {
	said := map[string]int{}
	for seed := *slowSeed; seed < *slowSeed+uint64(*slowCases); seed++ {
		s, nodes := drawSlow(seed)
		s.waiting, s.nominations, s.objects.Nominations = nil, nil, nil
		snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: nodes, Pods: append(slices.Clone(s.running), s.pod)})
		require.NoError(t, err)
		filter, err := devices.New(s.objects, devices.Config{DRAPreemption: true})
		require.NoError(t, err)
		for _, n := range nodes {
			short, err := filter.Explain(snap, s.pod, n.Name)
			require.NoError(t, err)
			if short == nil || short.Refused != "" || slices.ContainsFunc(s.claimsOf(s.pod), func(c *resourcev1.ResourceClaim) bool { return c.Status.Allocation != nil }) {
				continue
			}
			at := fmt.Sprintf("seed %d, node %s:\n%s", seed, n.Name, short)
			require.Equal(t, s.devicesFit(n, nil, nil), !short.Short, at)
			requireHoldings(t, s, n, short, at)
			var leave []*outrank.Pod
			for _, h := range short.Held {
				if len(h.Sharing) > 0 {
					said["shares"]++
				}
				c := s.claim(h.Claim)
				if h.Stays != "" {
					said[strings.Fields(h.Stays)[0]]++
					require.False(t, s.frees(c, s.possible(n)), "%s%s", at, h.Claim)
					continue
				}
				said["free"]++
				gone := s.podsOf(h.Pods)
				require.True(t, s.frees(c, gone), "%s%s", at, h.Claim)
				for _, p := range gone {
					require.Less(t, p.PriorityValue(), s.pod.PriorityValue(), at)
					require.False(t, s.frees(c, without(gone, []*outrank.Pod{p})), "%s%s without %s", at, h.Claim, p.Name)
				}
				leave = append(leave, gone...)
			}
			require.Equal(t, s.devicesFit(n, leave, nil), short.Enough, at)
			require.Equal(t, s.devicesFit(n, s.possible(n), nil), short.Enough, "who else leaves frees nothing that matters: %s", at)
		}
	}
	require.Greater(t, said["free"], 20)
	require.Greater(t, said["shares"], 5)
	require.Len(t, said, 4, "what comes free, what shares counters alone, what stays for itself, and what stays for a pod")
	t.Log(said)
}

// A class that fails on a device that comes free leaves open whether that would be enough, and the
// rest of the explanation holds.
func TestExplainsWhatFailsOnceFreed(t *testing.T) {
	cluster, objects, pod := taken(1, 2, 1)
	broken := objects.Classes[0].DeepCopy()
	broken.Name, broken.Spec.Selectors[0].CEL.Expression = "broken", `device.attributes["`+driver+`"].model == 1`
	objects.Classes = append(objects.Classes, broken)
	mine := &objects.Claims[2].Spec.Devices
	second := *mine.Requests[0].DeepCopy()
	second.Name, second.Exactly.DeviceClassName = "more", "broken"
	mine.Requests = append(mine.Requests, second)
	snap, err := engine.NewSnapshot(cluster)
	require.NoError(t, err)
	filter, err := devices.New(objects, devices.Config{DRAPreemption: true})
	require.NoError(t, err)
	short, err := filter.Explain(snap, pod, "g0000")
	require.NoError(t, err)
	require.True(t, short.Short)
	require.False(t, short.Enough)
	require.Len(t, short.Held, 2)
	require.Contains(t, short.Failed, "class broken: selector #0 on device "+driver+"/g0000/gpu-")
	require.Contains(t, short.String(), "given back, the allocator fails: class broken")
}

// requireHoldings holds the figures and names of an explanation to plain loops: which devices match, which of these are
// untouched, and what each claim has of them or of the cards that they are cut from.
func requireHoldings(t *testing.T, s *slow, n *outrank.Node, short *devices.Shortage, at string) {
	t.Helper()
	matching, untouched := 0, 0
	want := map[outrank.Key][2][]string{}
	for _, x := range s.objects.Slices {
		if x.Spec.NodeName != nil && *x.Spec.NodeName != n.Name {
			continue
		}
		cut := false // a device that matches is cut from the card of this slice
		for i := range x.Spec.Devices {
			d := &x.Spec.Devices[i]
			if !s.wants(d) {
				continue
			}
			matching++
			cut = cut || len(d.ConsumesCounters) > 0
			if len(s.holders(x, d)) == 0 && s.cardHas(x, d) {
				untouched++
			}
		}
		for i := range x.Spec.Devices {
			d := &x.Spec.Devices[i]
			for _, c := range s.holders(x, d) {
				key, name := outrank.NewKey("", c.Name), x.Spec.Driver+"/"+x.Spec.Pool.Name+"/"+d.Name
				has := want[key]
				if s.wants(d) {
					has[0] = append(has[0], name)
				} else if cut {
					has[1] = append(has[1], name)
				} else {
					continue
				}
				want[key] = has
			}
		}
	}
	require.Equal(t, []int{matching, untouched}, []int{short.Matching, short.Untouched}, at)

	got := map[outrank.Key][2][]string{}
	for _, h := range short.Held {
		slices.Sort(h.Devices)
		slices.Sort(h.Sharing)
		got[h.Claim] = [2][]string{h.Devices, h.Sharing}
	}
	for _, has := range want {
		slices.Sort(has[0])
		slices.Sort(has[1])
	}
	require.Equal(t, want, got, at)
}

// holders are the claims that hold some of a device.
func (s *slow) holders(x *resourcev1.ResourceSlice, d *resourcev1.Device) (found []*resourcev1.ResourceClaim) {
	for _, c := range s.objects.Claims {
		if c.Status.Allocation != nil && slices.ContainsFunc(c.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
			return r.Pool == x.Spec.Pool.Name && r.Device == d.Name
		}) {
			found = append(found, c)
		}
	}
	return found
}

// cardHas reports whether the card of a slice has enough left for a device that is cut from it. Each device that is
// held takes its part once.
func (s *slow) cardHas(x *resourcev1.ResourceSlice, d *resourcev1.Device) bool {
	if len(d.ConsumesCounters) == 0 {
		return true
	}
	part := d.ConsumesCounters[0].Counters["memory"].Value
	sum := part.Value()
	for i := range x.Spec.Devices {
		if other := &x.Spec.Devices[i]; len(s.holders(x, other)) > 0 {
			part := other.ConsumesCounters[0].Counters["memory"].Value
			sum += part.Value()
		}
	}
	return sum <= 80<<30
}

// wants reports whether a device satisfies a request of the pod by itself: all devices are of the one class, and only
// their memory may be too small.
func (s *slow) wants(d *resourcev1.Device) bool {
	memory := d.Capacity["memory"].Value
	return slices.ContainsFunc(s.claimsOf(s.pod), func(c *resourcev1.ResourceClaim) bool {
		asks := c.Spec.Devices.Requests[0].Exactly.Capacity
		if asks == nil {
			return true
		}
		amount := asks.Requests["memory"]
		return amount.Cmp(memory) <= 0
	})
}

func (s *slow) claim(key outrank.Key) *resourcev1.ResourceClaim {
	_, name := key.Split()
	at := slices.IndexFunc(s.objects.Claims, func(c *resourcev1.ResourceClaim) bool { return c.Name == name })
	return s.objects.Claims[at]
}

func (s *slow) podsOf(keys []outrank.Key) (pods []*outrank.Pod) {
	for _, p := range s.running {
		if slices.Contains(keys, p.Key()) {
			pods = append(pods, p)
		}
	}
	return pods
}

// What was short, who holds it, and why a claim that is shared does not come free.
func ExampleFilter_Explain() {
	cluster, objects, pod := taken(1, 3, 2)
	web := *cluster.Pods[2] // as important as the pod itself, it shares the claim of another
	web.Priority = outrank.Priority(100)
	cluster.Pods[2] = &web
	objects.Claims[1].Status.ReservedFor = append(objects.Claims[1].Status.ReservedFor,
		resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: web.Name, UID: types.UID(web.UID)})
	snap, _ := engine.NewSnapshot(cluster)
	filter, _ := devices.New(objects, devices.Config{DRAPreemption: true})
	short, _ := filter.Explain(snap, pod, "g0000")
	fmt.Print(short)
	eval, _ := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
	plan, _ := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
	fmt.Println(plan.Outcome)
	// Output:
	// node g0000 has 3 devices for the claims of pod default/mine, 0 untouched; the claims cannot be allocated
	// claim default/p0000-0 holds gpu.example.com/g0000/gpu-0 and comes free once default/p0000-0 is gone
	// claim default/p0000-1 holds gpu.example.com/g0000/gpu-1 and does not come free: pod default/p0000-2, which it is reserved for, may not leave: its priority is 100
	// claim default/p0000-2 holds gpu.example.com/g0000/gpu-2 and does not come free: pod default/p0000-2, which it is reserved for, may not leave: its priority is 100
	// with all of these that come free given back, the claims cannot be allocated
	// nothing-helps
}
