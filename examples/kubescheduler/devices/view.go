package devices

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/outrank-go/outrank"
)

// view has what the allocator looks at for a node.
type view struct {
	of   *outrank.Node
	node *corev1.Node
	// slices are all slices of the pools that have a device for the node.
	slices []*resourcev1.ResourceSlice
	// devices are the devices of the slices, in the order in which the allocator sees them.
	devices []structured.DeviceID
	// held are the holdings of each device.
	held [][]holding
	// kind is equal for two nodes that differ only in names.
	kind int
	// local are the names of pools that belong to the node alone.
	local []string
}

// viewOf returns the view of a node. It is made anew when the node is another object.
func (x *index) viewOf(n *outrank.Node) *view {
	if v, ok := x.views.Load(n.Name); ok && v.(*view).of == n {
		return v.(*view)
	}
	v := x.newView(n)
	x.views.Store(n.Name, v)
	return v
}

// newView makes the view of a node, and finds the node's kind: a text in which everything is written that the
// nodes of a kind must have in common.
func (x *index) newView(n *outrank.Node) *view {
	v := &view{of: n, node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}}
	var ids []poolID
	var kind strings.Builder
	add := func(s *slice) {
		if x.matches(v, s, &kind) && !slices.Contains(ids, s.id) {
			ids = append(ids, s.id)
		}
	}

	for _, s := range x.onNode[n.Name] {
		add(s)
	}
	for _, s := range x.anywhere {
		add(s)
	}

	// A pool with a device for the node counts with all its slices. What was written about single slices is not
	// needed: addPool writes it again for the pools that count.
	kind.Reset()
	slices.SortFunc(ids, func(a, b poolID) int { return cmp.Or(cmp.Compare(a.driver, b.driver), cmp.Compare(a.pool, b.pool)) })
	for _, id := range ids {
		x.addPool(v, id, &kind)
	}

	x.mu.Lock()
	defer x.mu.Unlock()
	at, known := x.kinds[kind.String()]
	if !known {
		at = len(x.kinds)
		x.kinds[kind.String()] = at
	}
	v.kind = at
	return v
}

// matches reports whether a slice has devices for the node, and writes into kind which. A selector that cannot be
// read counts as a match, so that the allocator says what is wrong with it. No other node is of the same kind
// then.
func (x *index) matches(v *view, s *slice, kind *strings.Builder) bool {
	one := func(name *string, all *bool, selector *corev1.NodeSelector) bool {
		ok, err := structured.NodeMatches(x.features, v.node, deref(name), deref(all), selector)
		if err != nil {
			fmt.Fprintf(kind, "!%q", v.node.Name)
			return true
		}
		kind.WriteString(strconv.FormatBool(ok)[:1])
		return ok
	}
	if !deref(s.Spec.PerDeviceNodeSelection) {
		return one(s.Spec.NodeName, s.Spec.AllNodes, s.Spec.NodeSelector)
	}
	any := false
	for i := range s.Spec.Devices {
		d := &s.Spec.Devices[i]
		any = one(d.NodeName, d.AllNodes, d.NodeSelector) || any
	}
	return any
}

func deref[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// addPool adds the slices of a pool to a view, and writes into kind what nodes of the same kind have in common.
// Of a pool that belongs to the node alone the names do not count.
func (x *index) addPool(v *view, id poolID, kind *strings.Builder) {
	pool, seen := x.pools[id], map[string]bool{} // slices of an older generation have the same devices
	isOwn := !slices.ContainsFunc(pool, func(s *slice) bool { return deref(s.Spec.NodeName) != v.node.Name })
	fmt.Fprintf(kind, "|%q", id.driver)
	if isOwn {
		v.local = append(v.local, id.pool)
	} else {
		fmt.Fprintf(kind, "/%q", id.pool)
	}
	for _, s := range pool {
		fmt.Fprintf(kind, ",%d", s.content)
		if !isOwn {
			kind.WriteString(s.Name)
			x.matches(v, s, kind)
		}
		v.slices = append(v.slices, s.ResourceSlice)
		for i := range s.Spec.Devices {
			if name := s.Spec.Devices[i].Name; !seen[name] {
				seen[name] = true
				id := structured.MakeDeviceID(s.Spec.Driver, s.Spec.Pool.Name, name)
				v.devices, v.held = append(v.devices, id), append(v.held, x.held[id])
			}
		}
	}
}

// key appends to the buffer a text that determines the allocator's answer: the kind of the node, the holds on each
// device, and the request.
func (x *index) key(v *view, c *changes, request string, buffer []byte) []byte {
	buffer = binary.AppendUvarint(buffer, uint64(v.kind))
	for i, id := range v.devices {
		// Of a device on which nothing is held, nothing is written. The place of the device comes first.
		from := len(buffer)
		buffer = binary.AppendUvarint(buffer, uint64(i)+1)
		head := len(buffer)
		for _, h := range v.held[i] {
			if !c.free(h.claim) {
				buffer = append(append(buffer, h.hold().like...), ';')
			}
		}
		for _, t := range c.taken {
			for j := range t.holds {
				if t.holds[j].device == id {
					buffer = append(append(buffer, t.holds[j].like...), ';')
				}
			}
		}
		if len(buffer) == head {
			buffer = buffer[:from]
		}
	}
	return append(append(buffer, 0), request...)
}

// heldBy returns the holds on the devices in a view after the changes.
func (x *index) heldBy(v *view, c *changes) []hold {
	var out []hold
	for i := range v.devices {
		for _, h := range v.held[i] {
			if !c.free(h.claim) {
				out = append(out, *h.hold())
			}
		}
	}
	for _, t := range c.taken {
		out = append(out, t.holds...)
	}
	return out
}

// state returns the holds on the devices in a view after the changes, in the form in which the allocator takes
// them.
func (x *index) state(v *view, c *changes) structured.AllocatedState {
	s := structured.AllocatedState{
		AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity: structured.NewConsumedCapacityCollection(),
	}
	for _, h := range x.heldBy(v, c) {
		if h.share == nil {
			s.AllocatedDevices.Insert(h.device)
			continue
		}
		s.AllocatedSharedDeviceIDs.Insert(*h.share)
		if h.consumed != nil {
			s.AggregatedCapacity.Insert(*h.consumed)
		}
	}
	return s
}
