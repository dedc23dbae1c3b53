package devices

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/outrank-go/outrank"
)

// view is what the allocator looks at for a node.
type view struct {
	of   *outrank.Node
	node *corev1.Node
	// slices are all slices of the pools that have a device for the node.
	slices []*resourcev1.ResourceSlice
	// devices are those of the slices, in the order in which the allocator sees them.
	devices []structured.DeviceID
	// held are the holdings of each device.
	held [][]holding
	// kind is equal for two nodes that differ in names alone.
	kind int
	// local are the names of pools that are the node's own.
	local []string
}

// viewOf returns the view of a node.
func (x *index) viewOf(n *outrank.Node) *view {
	if v, ok := x.views.Load(n.Name); ok && v.(*view).of == n {
		return v.(*view)
	}
	v := x.newView(n)
	x.views.Store(n.Name, v)
	return v
}

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

// matches reports whether a slice has devices for the node, and writes which. A selector that
// cannot be read counts as a match, about which the allocator says what is wrong; no other
// node is of that kind.
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

// addPool adds a pool's slices, and writes what a node of the same kind has in common.
func (x *index) addPool(v *view, id poolID, kind *strings.Builder) {
	pool, seen := x.pools[id], map[string]bool{} // older generations have the same devices
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

// key is equal for two states of nodes of a kind by which the allocator decides the same.
func (x *index) key(v *view, c *changes, request string, buffer []byte) []byte {
	buffer = binary.AppendUvarint(buffer, uint64(v.kind))
	for i, id := range v.devices {
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

// state is what is allocated of the devices that a view has.
func (x *index) state(v *view, c *changes) structured.AllocatedState {
	s := structured.AllocatedState{
		AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity: structured.NewConsumedCapacityCollection(),
	}
	add := func(h *hold) {
		if h.share == nil {
			s.AllocatedDevices.Insert(h.device)
			return
		}
		s.AllocatedSharedDeviceIDs.Insert(*h.share)
		if h.consumed != nil {
			s.AggregatedCapacity.Insert(*h.consumed)
		}
	}
	for i := range v.devices {
		for _, h := range v.held[i] {
			if !c.free(h.claim) {
				add(h.hold())
			}
		}
	}
	for _, t := range c.taken {
		for i := range t.holds {
			add(&t.holds[i])
		}
	}
	return s
}

// mostSteps bounds the search of the allocator, which is exhaustive, in devices tried.
// kube-scheduler ends it after ten seconds.
const mostSteps = 500_000

// errSteps ends the allocator's search.
var errSteps = errors.New("too many combinations of devices")

// steps is a context that ends when it has been asked so often. The allocator asks before each
// device that it tries.
type steps struct {
	context.Context
	left int
}

func (s *steps) Err() error {
	if s.left--; s.left < 0 {
		return errSteps
	}
	return nil
}

// allocate asks the allocator for devices on a node.
func (x *index) allocate(v *view, c *changes, claims []*resourcev1.ResourceClaim) (results []resourcev1.AllocationResult, err error) {
	defer func() { // the claims were not validated as an API server does
		if p := recover(); p != nil {
			results, err = nil, fmt.Errorf("the allocator failed: %v", p)
		}
	}()
	ctx := &steps{context.Background(), mostSteps}
	allocator, err := structured.NewAllocator(ctx, x.features, x.state(v, c), x.classes, v.slices, x.cel)
	if err != nil {
		return nil, err
	}
	results, err = allocator.Allocate(ctx, v.node, claims)
	if errors.Is(err, errSteps) {
		return nil, fmt.Errorf("node %s: timed out trying to allocate devices", v.node.Name)
	}
	return results, err
}

// answer is what the allocator said.
type answer struct {
	err error
	by  *view // that the error is about; nil where it is about none
	ok  bool
}

// named reports whether a text may be about this node and no other of its kind.
func (v *view) named(text string) bool {
	return strings.Contains(text, v.node.Name) || slices.ContainsFunc(v.local, func(name string) bool { return strings.Contains(text, name) })
}

// answers keeps what the allocator said.
type answers struct {
	mu   sync.Mutex
	kept map[string]answer
	most int // that are kept
}

const mostAnswers = 1 << 16

// canAllocate reports whether the allocator finds devices.
func (x *index) canAllocate(v *view, c *changes, claims []*resourcev1.ResourceClaim, request string) (bool, error) {
	var buffer [512]byte
	key := x.key(v, c, request, buffer[:0])
	x.answers.mu.Lock()
	kept, known := x.answers.kept[string(key)]
	x.answers.mu.Unlock()
	if known && (kept.by == nil || kept.by == v) {
		return kept.ok, kept.err
	}
	results, err := x.allocate(v, c, claims)
	now := answer{err: err, ok: err == nil && len(results) == len(claims)}
	if err != nil && v.named(err.Error()) {
		now.by = v
	}
	x.answers.mu.Lock()
	defer x.answers.mu.Unlock()
	if x.asked++; x.answers.kept == nil || len(x.answers.kept) >= x.answers.most {
		x.answers.kept = map[string]answer{}
	}
	if x.answers.most > 0 {
		x.answers.kept[string(key)] = now
	}
	return now.ok, now.err
}
