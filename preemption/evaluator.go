package preemption

import (
	"context"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Evaluator decides by one configuration. It holds nothing of any cluster; any
// number of goroutines may use it at once.
type Evaluator struct {
	config Config
	chunk  int // chunkSize, but for tests
}

// New checks the configuration and prepares an evaluator; see
// [Config.Validate] for the error. What the
// configuration points to must not change while the evaluator is used.
func NewEvaluator(config Config) (*Evaluator, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.Filters, config.Extenders = slices.Clone(config.Filters), slices.Clone(config.Extenders)
	config.Scorers, config.Policy.Ranks = slices.Clone(config.Scorers), slices.Clone(config.Policy.Ranks)
	return &Evaluator{config: config, chunk: chunkSize}, nil
}

// Preempt decides who has to leave so that the pod can run:
//
//  1. every node is asked whether it takes the pod as things are (chapter 7);
//     if one does, the pod fits;
//  2. may the pod preempt (chapter 8)?
//  3. on every node that failed with Unschedulable, the victims are found
//     (chapters 6 and 9);
//  4. the best of these nodes is chosen (chapter 11).
//
// The pod may be a pending pod of the snapshot or one it has never seen; now
// stands in for missing start times. The snapshot is only read. The error is
// the context's, a filter's own, or one about the pod: that of
// [outrank.Pod.Validate], or [ErrState] for a pod that runs already.
//
// Time is that of a look at every node, and of working out those that could be
// the best. For pods of a shape that the snapshot was asked about before (equal
// in priority, requests, tolerations and what they demand of nodes), with no
// rules about other pods, it is that of the nodes that changed since. Pods with
// affinity or spread rules cost a look at every kind of pod and its nodes in
// addition. It follows DefaultPreemption's PostFilter, with all nodes
// and no sample.
func (e *Evaluator) Preempt(ctx context.Context, snap *Snapshot, pod *outrank.Pod, now time.Time) (*Plan, error) {
	return e.PreemptRequest(ctx, snap, Request{Pod: pod, Now: now})
}

// PreemptRequest is Preempt for a question with more to it.
func (e *Evaluator) PreemptRequest(ctx context.Context, snap *Snapshot, req Request) (*Plan, error) {
	if e.config.prunable(&req) {
		return decidePruned(ctx, &e.config, e.chunk, snap, &req)
	}
	r, err := decideExhaustively(ctx, &e.config, e.chunk, snap, &req, false)
	if err != nil {
		return nil, err
	}
	return r.plan(), nil
}

// Explain decides as Preempt does, and keeps everything on the way: the status
// of every node and all candidates, worked out also where the pod fits or may
// not preempt. It takes memory for all of that.
func (e *Evaluator) Explain(ctx context.Context, snap *Snapshot, pod *outrank.Pod, now time.Time) (*Explanation, error) {
	return e.ExplainRequest(ctx, snap, Request{Pod: pod, Now: now})
}

// ExplainRequest is Explain for a question with more to it.
func (e *Evaluator) ExplainRequest(ctx context.Context, snap *Snapshot, req Request) (*Explanation, error) {
	r, err := decideExhaustively(ctx, &e.config, e.chunk, snap, &req, true)
	if err != nil {
		return nil, err
	}
	return r.explanation(), nil
}
