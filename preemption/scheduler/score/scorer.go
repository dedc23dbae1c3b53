package score

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Scorer gives nodes scores according to a [Config]. It holds no state of a cluster. Any number of goroutines
// may use it at once. The zero Scorer scores by the default profile.
type Scorer struct{ config Config }

// New checks a configuration and returns a scorer for it. It keeps no slice or map of the caller.
// The error joins all problems of the configuration, each wrapping [outrank.ErrInvalid].
func New(config Config) (*Scorer, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Scorer{config.clone()}, nil
}

// Rank scores the nodes that take the pod without preemption, in the cluster's order
// ([engine.Evaluator.Feasible]). If the node that the pod is nominated to takes it, only this node is scored.
// There may be none. The errors are those of [engine.Evaluator.Preempt] and of [Scorer.Score].
func (s *Scorer) Rank(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, pod *outrank.Pod) (*Ranking, error) {
	if s == nil || eval == nil || snap == nil || pod == nil || ctx == nil {
		return nil, errMissing
	}
	nodes, err := eval.Feasible(ctx, snap, pod)
	if err != nil {
		return nil, err
	}
	return s.score(ctx, snap, pod, nodes)
}

// Score scores these nodes of the snapshot for the pod. The normalized scores, and some raw
// ones, depend on which nodes are scored together. The snapshot is only read. The error is the
// context's; [preemption.ErrNotFound] for a node that is not in the snapshot; an error of
// [outrank.Pod.Validate]; or [outrank.ErrInvalid] for a term or selector of the pod that
// kube-scheduler cannot read, if there are two nodes or more (rule 27.1.7). Time is linear in the nodes and,
// the first time, in the pods of the snapshot.
func (s *Scorer) Score(ctx context.Context, snap *engine.Snapshot, pod *outrank.Pod, nodes []*outrank.Node) (*Ranking, error) {
	if s == nil || snap == nil || pod == nil || ctx == nil {
		return nil, errMissing
	}
	if err := pod.Validate(); err != nil {
		return nil, err
	}
	for i, n := range nodes {
		if n == nil {
			return nil, fmt.Errorf("node %d: %w: nil", i, outrank.ErrInvalid)
		}
		if there, ok := snap.Node(n.Name); !ok || there != n {
			return nil, fmt.Errorf("node %d, %q: %w", i, n.Name, preemption.ErrNotFound)
		}
	}
	return s.score(ctx, snap, pod, append([]*outrank.Node(nil), nodes...))
}

var errMissing = fmt.Errorf("%w: no scorer, context, evaluator, snapshot or pod", outrank.ErrInvalid)

// plugin is a plugin that gives scores to the nodes of a question (chapter 27).
type plugin struct {
	name string
	// raw returns a score for each node, nil if the plugin skips the pod.
	raw func(q *question) ([]int64, error)
	// normalize brings the scores to a scale from 0 to maxScore. It is nil if raw scores are on it already.
	normalize func(q *question, raw []int64) []int64
}

// plugins are the plugins of the default profile that give scores, in its order.
var plugins []plugin

func init() {
	plugins = []plugin{
		{preemption.TaintToleration, (*question).taints, reversed},
		{preemption.NodeAffinity, (*question).affinity, upwards},
		{preemption.NodeResourcesFit, (*question).fit, nil},
		{preemption.PodTopologySpread, (*question).spread, (*question).normalizeSpread},
		{preemption.InterPodAffinity, (*question).interPod, spanned},
		{BalancedAllocation, (*question).balance, nil},
		{ImageLocality, (*question).images, nil},
	}
}

// question is a pod with the nodes that are scored for it.
type question struct {
	work.Watch
	config *Config
	snap   *engine.Snapshot
	pod    *outrank.Pod
	// tolerations are the pod's tolerations, prepared for matching.
	tolerations fit.Tolerations
	nodes       []*outrank.Node
	counts      *counts
	table       *table
	// at has the index of each scored node in the table.
	at []int32
	// loads are the columns that sumLoads makes. They are nil until they are needed.
	loads [4][]int64
	// ignored marks the scored nodes that lack the topology key of a constraint (rule 27.5.5).
	ignored []bool
}

// score scores nodes of the snapshot for a pod. Its caller has checked the nodes and the pod.
func (s *Scorer) score(ctx context.Context, snap *engine.Snapshot, pod *outrank.Pod, nodes []*outrank.Node) (*Ranking, error) {
	r := &Ranking{Nodes: nodes, Totals: make([]int64, len(nodes))}
	if len(nodes) == 0 {
		return r, ctx.Err()
	}

	// If the context ended while the counts were made, they are not complete.
	q := &question{Watch: work.NewWatch(ctx), config: &s.config, snap: snap, pod: pod, tolerations: fit.NewTolerations(pod.Tolerations), nodes: nodes}
	q.counts = snap.Within(ctx).Tracked(trackerOf(snap.Release())).(*counts)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tables := q.counts.tables
	q.table = tables.tableOf(snap)
	q.at = q.table.indexOf(nodes)

	weights := s.config.Weights
	if weights == nil {
		weights = DefaultWeights()
	}
	for _, p := range plugins {
		weight, asked := weights[p.name]
		if !asked {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		// kube-scheduler takes a single node without asking for its score, so an error does not matter
		// then (rule 27.1.7). A plugin of weight 0 is asked only because it may fail.
		raw, err := p.raw(q)
		switch {
		case q.Err() != nil:
			return nil, q.Err()
		case err != nil && len(nodes) == 1:
			continue
		case err != nil:
			return nil, fmt.Errorf("pod %s: %s: %w: %w", pod.Key(), p.name, outrank.ErrInvalid, err)
		case raw == nil || weight == 0:
			continue
		}

		c := Column{Plugin: p.name, Weight: weight, Raw: raw, Normalized: raw}
		if p.normalize != nil {
			c.Normalized = p.normalize(q, raw)
		}
		for i := range r.Totals {
			r.Totals[i] += c.Normalized[i] * c.Weight
		}
		r.Plugins = append(r.Plugins, c)
	}
	return r, ctx.Err()
}
