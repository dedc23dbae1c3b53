package engine

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/across"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Evaluator decides by one configuration. It holds no state of any cluster. Any
// number of goroutines may use it at once. The zero Evaluator decides by the zero [preemption.Config].
type Evaluator struct {
	terms dryrun.Terms
}

var errNoEvaluator = fmt.Errorf("%w: no evaluator", outrank.ErrInvalid)

// opened returns the state of the snapshot that a question is about. The zero Snapshot stands for an empty
// cluster, and is not changed, because other readers may use it.
func opened(ctx context.Context, cluster *Snapshot) (*state.Snapshot, error) {
	switch {
	case ctx == nil:
		return nil, fmt.Errorf("%w: no context", outrank.ErrInvalid)
	case cluster == nil:
		return nil, fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)
	case cluster.of == nil:
		return state.Empty(), nil
	}
	return cluster.of, nil
}

// New checks the configuration and returns an evaluator. It returns the error of
// [preemption.Config.Validate]. The caller must not change anything that the configuration points to.
func New(config preemption.Config) (*Evaluator, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	t := dryrun.TermsOf(config)
	if t.Chooser != nil {
		t.Chooser = shownTo(t.Chooser)
	}
	return &Evaluator{terms: t}, nil
}

// shownTo wraps a rule so that it sees a node only during the call. If the rule keeps the view, it finds no
// node in it afterwards.
func shownTo(rule *preemption.Chooser) *preemption.Chooser {
	choose := func(node preemption.NodeView) []*outrank.Pod {
		shown := &shownNode{node}
		victims := rule.Choose(shown)

		shown.NodeView = noNode{}
		return victims
	}
	return &preemption.Chooser{Name: rule.Name, Choose: choose}
}

// mostWorkers is the largest number of goroutines that share a call. It guards against a mistaken argument of
// Parallel.
const mostWorkers = 1024

// Parallel returns an evaluator that shares the work of one call among this many goroutines, 1,024 at most.
// They end with the call. Below 2 the caller's goroutine works alone. The answers are the same. It helps from
// a few thousand nodes on: with the default configuration Preempt uses one goroutine for fewer than 1,024
// nodes.
func (e *Evaluator) Parallel(workers int) *Evaluator {
	if e == nil {
		return nil
	}
	parallel := *e
	parallel.terms.Workers = min(workers, mostWorkers)
	return &parallel
}

// Filters returns the names of the filters in the order in which a release runs them: the built-in ones, then
// the caller's (rules 7.1.4 and 7.1.7). The zero release stands for the default one.
// [preemption.Status.Filter] has these names, by which a scheduling queue records the filters that a pod
// failed. The slice is the caller's. Time is linear in the filters.
func (e *Evaluator) Filters(of outrank.Release) []string {
	names := make([]string, 0, len(filters.BuiltIn)+len(e.terms.Filters))
	rules := release.Of(release.Release(of.OrDefault()))

	// Older releases run the first node filters in another order. The filter for deferred resizes exists only
	// in releases that have such resizes.
	for i := range filters.BuiltIn {
		if i < filters.NumFirst {
			i = filters.FirstOrder(rules)[i]
		}
		if i != filters.DeferredFilter.Index || rules.DeferredResizes {
			names = append(names, filters.BuiltInNames[i])
		}
	}

	for _, f := range e.terms.Filters {
		names = append(names, f.Name)
	}
	return names
}

// Preempt decides which pods have to leave so that the pod can run:
//
//  1. Every node is asked whether it takes the pod without preemption (chapter 7). If one does, the pod fits.
//  2. The pod has to be eligible to preempt (chapter 8).
//  3. On every node that failed with Unschedulable the victims are found
//     (chapters 6 and 9).
//  4. The best of these nodes is chosen (chapter 11).
//
// The rules stand in RULES.md in the folder of package preemption. Preempt decides what
// DefaultPreemption's PostFilter decides with all nodes and no sample.
//
// The pod may be a pending pod of the snapshot or one that the snapshot does not know. The snapshot is only
// read, and any number of calls may run on it at once. The error is the context's, a filter's, an extender's,
// or one of these about the pod:
//
//   - the error of [outrank.Pod.Validate];
//   - an [outrank.InputError] for a pod that names a group, if the release has groups preempt
//     (rule 12.8.8; see [Evaluator.PreemptGroup]);
//   - [preemption.ErrState] for a pod that runs already, unless its resize in place is deferred and such pods
//     preempt on their node in the release (group 7.19; [preemption.Plan.Resize]);
//   - [preemption.ErrState] if the snapshot has a pod of its name with another UID, which
//     [Snapshot.PutPod] replaces.
//
// Only together with the error of an extender there is a plan, which has the answers of the nodes. Its
// outcome is NothingHelps: the error decides about this pod, and does not stop the scheduler (rule 8.12).
//
// Time is that of reading a summary of every node and of evaluating the nodes that could be the best. By the
// default rules, if the snapshot was asked before about pods with the same priority, requests, tolerations
// and demands on nodes, only the nodes that have changed since cost time. Affinity and spread rules add the
// nodes of the domains whose counts have changed. The first pod with new affinity or spread rules also costs
// a look at every class of pods and its nodes. With a filter of the caller that looks at other pods, every
// node is asked anew.
func (e *Evaluator) Preempt(ctx context.Context, cluster *Snapshot, req preemption.Request) (*preemption.Plan, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return nil, err
	}

	// The exhaustive search answers questions for which no bound is valid.
	if e.terms.Across {
		return across.Preempt(ctx, &e.terms, snap, &req, false)
	}
	if search.Prunes(&e.terms, &req) {
		return search.Decide(ctx, &e.terms, snap, &req)
	}
	r, err := dryrun.DecideExhaustively(ctx, &e.terms, snap, &req, false)
	if err != nil {
		return nil, err
	}
	return r.AsPlan(), r.Failed
}

// Explain decides as Preempt does, and gives every reason: the plan has the answer of every node,
// and all candidates. Candidates are evaluated
// even if the pod fits or may not preempt. Time and memory are those of finding the
// victims on every node. [Evaluator.ExplainNode] looks at a single node, and
// [Evaluator.Candidates] finds the best few candidates at their own cost each.
func (e *Evaluator) Explain(ctx context.Context, cluster *Snapshot, req preemption.Request) (*preemption.Plan, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return nil, err
	}

	// The pruned search explains a question if it can find most candidates from the rows of the nodes.
	if e.terms.Across {
		return across.Preempt(ctx, &e.terms, snap, &req, true)
	}
	if search.Prunes(&e.terms, &req) {
		if plan, ok, err := search.Explain(ctx, &e.terms, snap, &req); ok || err != nil {
			return plan, err
		}
	}

	r, err := dryrun.DecideExhaustively(ctx, &e.terms, snap, &req, true)
	if err != nil {
		return nil, err
	}
	if r.Failed != nil {
		return nil, r.Failed
	}
	return r.Explained()
}

// Config returns a copy of the configuration, which the caller may change to make another evaluator. If the
// configuration named no ranks and has a variant, Ranks has those of the variant. Built-in ranks that compare
// costs have their Cost. The slices are the caller's. What they and the functions point to is shared, and
// must not change.
func (e *Evaluator) Config() preemption.Config {
	return dryrun.CopyOf(e.terms.Config)
}
