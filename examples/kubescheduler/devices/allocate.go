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

// The search of the allocator is exhaustive and takes exponential time at worst. It is bounded by a number of
// steps in a decision about a pod. Each device that the allocator tries costs one step, and one more for every
// sixteen devices of the node, through which the allocator goes to find the next device. Each node has steps of
// its own, so that an answer does not depend on the order in which nodes are asked. kube-scheduler ends the
// search on a node after ten seconds.
const (
	// stepsOfNode are the steps that every node has.
	stepsOfNode = 50_000
	// stepsOfAll are further steps that all nodes share equally: each node gets more of them in a small cluster.
	stepsOfAll = 50_000
)

// errSteps ends the allocator's search.
var errSteps = errors.New("too many combinations of devices")

// timedOut is kube-scheduler's text about a node on which it has ended the search.
const timedOut = "timed out trying to allocate devices"

// Ended reports whether a reason of a status says that the search for devices was ended on a node. A longer
// search might have found some.
func Ended(reason string) bool { return strings.HasSuffix(reason, timedOut) }

func timeout(v *view) error { return fmt.Errorf("node %s: %s", v.node.Name, timedOut) }

// budget counts the steps of the searches of one decision on each node. Workers share it.
type budget struct {
	mu    sync.Mutex
	most  int
	spent map[string]int
}

func newBudget(nodes int) *budget {
	return &budget{most: stepsOfNode + stepsOfAll/max(1, nodes), spent: map[string]int{}}
}

// left returns how many steps a node still has.
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

// steps is a context that ends when the allocator has taken too many steps. The allocator asks it before each
// device that it tries.
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

// allocate asks the allocator for devices on a node, within a number of steps. It returns how many steps the
// search took, which is more than that number if the search was ended.
func (x *index) allocate(v *view, c *changes, claims []*resourcev1.ResourceClaim, most int) (results []resourcev1.AllocationResult, taken int, err error) {
	ctx := &steps{Context: context.Background(), each: 1 + len(v.devices)/16, most: most}

	// The claims were not validated as an API server does, and the allocator may panic about them.
	defer func() {
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

// answer is an answer of the allocator.
type answer struct {
	err error
	// by is the node that the error names; nil if it names none.
	by *view
	ok bool
	// steps is the number of steps that the answer took.
	steps int
	// ended says that the search ran out of steps. With more of them the answer may be another one.
	ended bool
}

// named reports whether a text may name this node, so that it is not about the other nodes of its kind.
func (v *view) named(text string) bool {
	return strings.Contains(text, v.node.Name) || slices.ContainsFunc(v.local, func(name string) bool { return strings.Contains(text, name) })
}

// answers keeps the answers of the allocator.
type answers struct {
	mu   sync.Mutex
	kept map[string]answer
	most int // the number of answers that are kept at a time
}

// mostAnswers is the number of answers that a filter keeps at a time.
const mostAnswers = 1 << 16

// canAllocate reports whether the allocator finds devices. An answer that was kept costs as many steps as the
// search did, so that no answer depends on earlier questions.
func (a *attempt) canAllocate(v *view, c *changes, claims []*resourcev1.ResourceClaim, request string) (bool, error) {
	var buffer [512]byte
	key := a.x.key(v, c, request, buffer[:0])
	return a.ask(v, key, func(most int) (bool, int, error) {
		results, taken, err := a.x.allocate(v, c, claims, most)
		return len(results) == len(claims), taken, err
	})
}

// ask looks an answer up, or calls find with the steps that the node still has.
func (a *attempt) ask(v *view, key []byte, find func(most int) (ok bool, taken int, err error)) (bool, error) {
	x, left := a.x, a.steps.left(v)
	x.answers.mu.Lock()
	now, known := x.answers.kept[string(key)]
	x.answers.mu.Unlock()

	// An answer that names another node does not count, nor does one of a search that was ended with fewer steps
	// than the node has.
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

// keep keeps an answer. If there are too many, all others are forgotten.
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
