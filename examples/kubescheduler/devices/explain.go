package devices

import (
	"fmt"
	"slices"
	"strings"

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
	// Untouched counts the matching devices that no claim holds, not even in part, and for which the counters that
	// they draw on have enough left.
	Untouched int
	// Held are the claims that hold some of the matching devices, or devices that share counters with these, in the
	// order of their names.
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
	// Sharing are the other devices that it holds and that share counters with a matching one, such as parts of the
	// card that the pod wants as a whole: while they are held, less of the counters is left.
	Sharing []string
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
	of := a.x.stockOf(v, claims)
	s.Matching, s.Untouched = len(of.matching), of.untouched
	for _, k := range of.claims() {
		s.Held = append(s.Held, a.holder(snap, k, of))
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

// holder says which pods must leave for a claim to come free, or why it does not come free. The first reason
// counts.
func (a *attempt) holder(snap *engine.Snapshot, k *claim, of *stock) Held {
	h := Held{Claim: outrank.NewKey(k.name.namespace, k.name.name)}
	h.Devices, h.Sharing = of.heldBy(k)

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
		case p.NodeName != of.view.node.Name:
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
		list := h.devices()
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
	case len(s.Held) == 0 && s.Failed == "":
		if s.Short && s.Matching > 0 {
			line("no claim holds any of them")
		}
	case s.Failed != "":
		line("with all of these that come free given back, the allocator fails: %s", s.Failed)
	case s.Short:
		line("with all of these that come free given back, the claims %s be allocated", word(s.Enough, "can", "cannot"))
	}
	return b.String()
}

// devices lists what the claim holds, and says of which devices it matters for their counters alone.
func (h *Held) devices() string {
	list := slices.Clone(h.Devices)
	for _, name := range h.Sharing {
		list = append(list, name+" (shares counters with a device that matches)")
	}
	return strings.Join(list, ", ")
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
