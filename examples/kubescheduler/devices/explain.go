package devices

import (
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Shortage says which devices of a node a pod lacks, and who holds them. Its String has one sentence in each
// line.
type Shortage struct {
	Pod  outrank.Key
	Node string
	// Refused is the reason why the node cannot take the pod, whichever devices are free. If it is not empty, all
	// fields below are.
	Refused string
	// Short says that the pod's claims cannot be allocated on the node while all its pods stay.
	Short bool
	// Matching counts the devices that match a request of the pod's claims.
	Matching int
	// Untouched counts the matching devices that no claim holds, not even in part.
	Untouched int
	// Held are the claims that hold some of the matching devices, in the order of their names.
	Held []Held
	// Enough says that the pod's claims could be allocated if every claim of Held that comes free were given
	// back.
	Enough bool
	// Failed is the reason why the allocator cannot tell that; empty if it can. An example is a class whose CEL
	// fails on a device that comes free.
	Failed string
}

// Held is a claim that holds devices.
type Held struct {
	Claim outrank.Key
	// Devices are the matching devices that it holds, as driver/pool/device.
	Devices []string
	// Pods are the pods that must all leave for the claim to come free. They are empty if it does not come free.
	Pods []outrank.Key
	// Stays says why the claim does not come free; empty if it does.
	Stays string
}

// Explain looks at the devices of a node for a pod. It takes for granted that the pods on the node with a lower
// priority may leave, and no others. It returns nil for a pod that claims nothing on the node. The error is about
// claims for which kube-scheduler ends the attempt with an error, too, or about a node that does not exist.
// Explain asks the allocator about each device of the node.
func (f *Filter) Explain(snap *engine.Snapshot, pod *outrank.Pod, node string) (*Shortage, error) {
	a, err := f.x.Load().start(pod, snap)
	if err != nil || a == nil {
		return nil, err
	}
	n, ok := snap.Node(node)
	if !ok {
		return nil, problem("node "+node, "", "is not in the snapshot")
	}

	s := &Shortage{Pod: pod.Key(), Node: node, Refused: a.refusal}
	if a.refusal != "" {
		return s, nil
	}
	claims, request, reason := a.toAllocate(n)
	if reason != "" {
		s.Refused = reason
		return s, nil
	}
	if len(claims) == 0 {
		return nil, nil
	}

	v := a.x.viewOf(n)
	ok, err = a.canAllocate(v, &a.changes, claims, request)
	if err != nil {
		s.Refused = told(err)
		return s, nil
	}
	s.Short = !ok

	// The allocator is asked again with all claims given back that come free. A pod that uses several of them
	// leaves once.
	held := s.count(a, v, claims)
	for _, k := range held {
		s.Held = append(s.Held, a.holder(snap, k, v))
	}
	for i := range s.Held {
		for _, key := range s.Held[i].Pods {
			if p, ok := snap.Pod(key); ok && !slices.ContainsFunc(s.Held[:i], func(h Held) bool { return slices.Contains(h.Pods, key) }) {
				a.leave(p, 1)
			}
		}
	}
	if s.Enough, err = a.canAllocate(v, &a.changes, claims, request); err != nil {
		s.Failed = told(err)
	}
	return s, nil
}

// told returns the text of an error of the allocator without what differs from run to run.
func told(err error) string { return addresses.ReplaceAllString(err.Error(), "0x") }

// count counts the devices that match, and returns the claims that hold some of them, in the order of their
// names.
func (s *Shortage) count(a *attempt, v *view, claims []*resourcev1.ResourceClaim) []*claim {
	var held []*claim
	for i, id := range v.devices {
		if !a.x.matchesAny(v, id, claims) {
			continue
		}
		s.Matching++
		if len(v.held[i]) == 0 {
			s.Untouched++
		}
		for _, h := range v.held[i] {
			if !slices.Contains(held, h.claim) {
				held = append(held, h.claim)
			}
		}
	}
	slices.SortFunc(held, func(a, b *claim) int { return strings.Compare(a.name.String(), b.name.String()) })
	return held
}

// matchesAny reports whether a device satisfies one of the requests by itself. The allocator is asked for one
// device, while the node has no other and nothing is allocated.
func (x *index) matchesAny(v *view, id structured.DeviceID, claims []*resourcev1.ResourceClaim) bool {
	alone := &view{node: v.node}
	for _, s := range v.slices {
		one := *s
		one.Spec.Devices = slices.DeleteFunc(slices.Clone(s.Spec.Devices), func(d resourcev1.Device) bool {
			return structured.MakeDeviceID(s.Spec.Driver, s.Spec.Pool.Name, d.Name) != id
		})
		alone.slices = append(alone.slices, &one)
	}

	for _, c := range claims {
		for _, r := range c.Spec.Devices.Requests {
			for _, exact := range alternatives(&r) {
				exact.AllocationMode, exact.Count = resourcev1.DeviceAllocationModeExactCount, 1
				one := &resourcev1.ResourceClaim{ObjectMeta: c.ObjectMeta}
				one.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: r.Name, Exactly: &exact}}
				if results, _, err := x.allocate(alone, &changes{}, []*resourcev1.ResourceClaim{one}, stepsOfNode); err == nil && len(results) == 1 {
					return true
				}
			}
		}
	}
	return false
}

// alternatives returns the ways to satisfy a request.
func alternatives(r *resourcev1.DeviceRequest) []resourcev1.ExactDeviceRequest {
	if r.Exactly != nil {
		return []resourcev1.ExactDeviceRequest{*r.Exactly}
	}
	var list []resourcev1.ExactDeviceRequest
	for _, sub := range r.FirstAvailable {
		list = append(list, resourcev1.ExactDeviceRequest{DeviceClassName: sub.DeviceClassName, Selectors: sub.Selectors, Tolerations: sub.Tolerations, Capacity: sub.Capacity})
	}
	return list
}

// holder says which pods must leave for a claim to come free, or why it does not come free. The first reason
// counts.
func (a *attempt) holder(snap *engine.Snapshot, k *claim, v *view) Held {
	h := Held{Claim: outrank.NewKey(k.name.namespace, k.name.name)}
	for i := range k.holds {
		if name := k.holds[i].device.String(); slices.Contains(v.devices, k.holds[i].device) && !slices.Contains(h.Devices, name) {
			h.Devices = append(h.Devices, name)
		}
	}

	switch {
	case !a.config.DRAPreemption:
		h.Stays = "no release frees devices for a preemption"
	case k.stays != "":
		h.Stays = string(k.stays)
	case a.own(k):
		h.Stays = "the pod uses it itself"
	}

	// All pods for which the claim is reserved must be on the node, less important and of no group.
	for i := range k.Status.ReservedFor {
		if h.Stays != "" {
			break
		}
		key := outrank.NewKey(k.name.namespace, k.Status.ReservedFor[i].Name)
		p, ok := snap.Pod(key)
		switch {
		case !ok || !k.isFor(p) || p.UID != "" && p.UID != string(k.Status.ReservedFor[i].UID):
			h.Stays = fmt.Sprintf("pod %s, which it is reserved for, is not in the cluster", key)
		case p.Group != "":
			h.Stays = fmt.Sprintf("pod %s, which it is reserved for, is of a group, which KEP-5690 leaves out", key)
		case p.NodeName != v.node.Name:
			h.Stays = fmt.Sprintf("pod %s, which it is reserved for, does not run on the node", key)
		case p.PriorityValue() >= a.asker.PriorityValue():
			h.Stays = fmt.Sprintf("pod %s, which it is reserved for, may not leave: its priority is %d", key, p.PriorityValue())
		default:
			h.Pods = append(h.Pods, key)
		}
	}

	if h.Stays != "" {
		h.Pods = nil
	}
	return h
}

// String returns the shortage in sentences, one in each line.
func (s *Shortage) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if s.Refused != "" {
		line("node %s: %s", s.Node, s.Refused)
		return b.String()
	}
	line("node %s has %s for the claims of pod %s, %d untouched; the claims %s be allocated", s.Node, number(s.Matching, "device"), s.Pod, s.Untouched, word(s.Short, "cannot", "can"))

	for i := range s.Held {
		h := &s.Held[i]
		list := strings.Join(h.Devices, ", ")
		if h.Stays != "" {
			line("claim %s holds %s and does not come free: %s", h.Claim, list, h.Stays)
			continue
		}
		var pods []string
		for _, p := range h.Pods {
			pods = append(pods, string(p))
		}
		line("claim %s holds %s and comes free once %s is gone", h.Claim, list, strings.Join(pods, " and "))
	}

	switch {
	case s.Failed != "":
		line("with all of these that come free given back, the allocator fails: %s", s.Failed)
	case s.Short:
		line("with all of these that come free given back, the claims %s be allocated", word(s.Enough, "can", "cannot"))
	}
	return b.String()
}

func word(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
