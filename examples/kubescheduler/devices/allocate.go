package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
)

// The search of the allocator is exhaustive, and takes exponential time at worst. What bounds it is the
// work of a whole decision about a pod, in steps. A step is a device that the allocator tries, times the
// number of devices that it goes through to find the next one, in sixteens. Each node has its own steps, so that
// an answer does not depend on the order in which nodes are asked: so many, and an equal part of some more, of
// which a cluster of few nodes has most. kube-scheduler ends the search on a node after ten seconds.
const (
	stepsOfNode = 50_000
	stepsOfAll  = 50_000
)

// errSteps ends the allocator's search.
var errSteps = errors.New("too many combinations of devices")

// timedOut is what kube-scheduler says of a node where its search was ended.
const timedOut = "timed out trying to allocate devices"

// Ended reports whether a reason of a status says that the search for devices was ended on a node: there may
// be some that it would have found.
func Ended(reason string) bool { return strings.HasSuffix(reason, timedOut) }

func timeout(v *view) error { return fmt.Errorf("node %s: %s", v.node.Name, timedOut) }

// budget is what the searches of one decision may take on each node. Workers share it.
type budget struct {
	mu    sync.Mutex
	most  int
	spent map[string]int
}

func newBudget(nodes int) *budget {
	return &budget{most: stepsOfNode + stepsOfAll/max(1, nodes), spent: map[string]int{}}
}

// left is how many steps a node still has.
func (b *budget) left(v *view) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.most - b.spent[v.node.Name]
}

func (b *budget) spend(v *view, steps int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent[v.node.Name] += min(steps, b.most-b.spent[v.node.Name])
}

// steps is a context that ends once the allocator, which asks it before each device that it tries, has
// taken so many.
type steps struct {
	context.Context
	each, taken, most int
}

func (s *steps) Err() error {
	if s.taken += s.each; s.taken > s.most {
		return errSteps
	}
	return nil
}

// allocate asks the allocator for devices on a node, with at most so many steps. It returns how many it
// took; those are more where the search was ended.
func (x *index) allocate(v *view, c *changes, claims []*resourcev1.ResourceClaim, most int) (results []resourcev1.AllocationResult, taken int, err error) {
	ctx := &steps{Context: context.Background(), each: 1 + len(v.devices)/16, most: most}
	defer func() { // the claims were not validated as an API server does
		taken = ctx.taken
		if p := recover(); p != nil {
			results, err = nil, fmt.Errorf("the allocator failed: %v", p)
		}
	}()
	allocator, err := structured.NewAllocator(ctx, x.features, x.state(v, c), x.classes, v.slices, x.cel)
	if err != nil {
		return nil, 0, err
	}
	results, err = allocator.Allocate(ctx, v.node, claims)
	if errors.Is(err, errSteps) {
		return nil, 0, timeout(v)
	}
	return results, 0, err
}

// answer is what the allocator said, and how many steps it took to say so.
type answer struct {
	err   error
	by    *view // that the error is about; nil where it is about none
	ok    bool
	steps int
	// ended is set where there were no more steps, so that more may be known with more of them.
	ended bool
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

// canAllocate reports whether the allocator finds devices. An answer that is kept takes as many steps as
// it took, so that no answer depends on what was asked before.
func (a *attempt) canAllocate(v *view, c *changes, claims []*resourcev1.ResourceClaim, request string) (bool, error) {
	var buffer [512]byte
	key := a.x.key(v, c, request, buffer[:0])
	return a.ask(v, key, func(most int) (bool, int, error) {
		results, taken, err := a.x.allocate(v, c, claims, most)
		return len(results) == len(claims), taken, err
	})
}

// ask looks an answer up, or finds it with at most so many steps.
func (a *attempt) ask(v *view, key []byte, find func(most int) (ok bool, taken int, err error)) (bool, error) {
	x, left := a.x, a.steps.left(v)
	x.answers.mu.Lock()
	now, known := x.answers.kept[string(key)]
	x.answers.mu.Unlock()
	if !known || now.by != nil && now.by != v || now.ended && now.steps < left {
		ok, taken, err := find(left)
		now = answer{err: err, ok: err == nil && ok, steps: taken}
		if now.ended = taken > left; now.ended {
			now.steps = left
		}
		if err != nil && !now.ended && v.named(err.Error()) {
			now.by = v
		}
		x.keep(key, now)
	}
	a.steps.spend(v, now.steps)
	if now.ended || now.steps > left {
		return false, timeout(v)
	}
	return now.ok, now.err
}

// keep remembers an answer.
func (x *index) keep(key []byte, now answer) {
	x.answers.mu.Lock()
	defer x.answers.mu.Unlock()
	if x.asked++; x.answers.kept == nil || len(x.answers.kept) >= x.answers.most {
		x.answers.kept = map[string]answer{}
	}
	if x.answers.most > 0 {
		x.answers.kept[string(key)] = now
	}
}
