package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/internal/bounded"
)

// mostEvictionSteps bounds the search for the pods to evict on a node (see
// [preemption.Exact].Limit).
const mostEvictionSteps = 2000

// eviction finds the fewest pods, and of as few the least important, whose eviction by hand
// makes room on one of the nodes that are tried: the best one if anybody might be evicted,
// and the example of each group where preemption is in vain, as far as the asking goes.
func (b *bench) eviction(groups []NodeGroup) (*Eviction, error) {
	nodes, err := b.evictionNodes(groups)
	if err != nil {
		return nil, err
	}
	config := b.anybody()
	config.Victims = preemption.Exact{Limit: mostEvictionSteps}
	anybody, err := engine.New(config)
	if err != nil {
		return nil, err
	}
	var best *evicting
	for _, node := range nodes {
		x := &evicting{bench: b, anybody: anybody, node: node}
		if err := b.trial(x.run); err != nil {
			return nil, err
		}
		if x.found != nil && (best == nil || x.cheaper(best)) {
			best = x
		}
	}
	if best == nil {
		return nil, nil
	}
	return &Eviction{Pods: b.refs(best.pods), Trial: Trial{best.node, best.found.outcome, b.victims(best.found.victims)}}, nil
}

// evictionNodes lists the nodes on which evictions are tried, the best one first.
func (b *bench) evictionNodes(groups []NodeGroup) (nodes []string, err error) {
	anybody, err := engine.New(b.anybody())
	if err != nil {
		return nil, err
	}
	plan, err := anybody.Preempt(b.ctx, b.snap, b.req)
	if err != nil {
		return nil, err
	}
	if plan.Outcome == preemption.Preempts {
		nodes = append(nodes, plan.Node)
	}
	for i := range groups {
		if g := &groups[i]; g.Stage == InVain && len(nodes) < b.most && !slices.Contains(nodes, g.Example) {
			nodes = append(nodes, g.Example)
		}
	}
	return nodes, nil
}

// anybody returns a configuration by which any pod may be evicted but copies of the
// preemptor, whatever is more important.
func (b *bench) anybody() preemption.Config {
	c := b.e.Config()
	c.Victims, c.Guard, c.Extenders, c.Sample = nil, nil, nil, nil
	c.Ranks = bounded.Ranks(c.Ranks)
	c.Eligibility.AnyPriority = true
	c.Eligibility.Take = func(_, victim *outrank.Pod) (string, bool) { return "by hand", !b.named.isCopy(victim) }
	if c.Budgets == preemption.NeverViolate {
		c.Budgets = preemption.ChargePossible
	}
	return c
}

// evicting evicts pods until a node has room.
type evicting struct {
	*bench
	anybody *engine.Evaluator
	node    string
	pods    []*outrank.Pod
	found   *trialAnswer // nil where there is none
}

func (x *evicting) run() error {
	chosen := false
	for range mostSteps {
		if x.left <= 0 {
			return nil
		}
		a, err := x.ask(x.req.Pod, x.node)
		if err != nil {
			return err
		}
		if a.behind == nil {
			if a.outcome != preemption.NotEligible {
				x.found = a
			}
			return nil
		}
		gone, err := x.evict(a.behind)
		if err != nil {
			return err
		}
		if len(gone) == 0 && !chosen {
			chosen = true
			if gone, err = x.choose(); err != nil {
				return err
			}
		}
		if len(gone) == 0 {
			return nil
		}
		x.pods = append(x.pods, gone...)
	}
	return nil
}

// choose evicts the pods of the node whose loss makes room.
func (x *evicting) choose() ([]*outrank.Pod, error) {
	report, err := x.anybody.ExplainNode(x.ctx, x.snap, x.req, x.node)
	c := report.Candidate
	if err != nil || c == nil {
		return nil, err
	}
	pods := make([]*outrank.Pod, len(c.Victims))
	for i := range c.Victims {
		pods[i] = c.Victims[i].Pod
	}
	return pods, x.remove(pods)
}

// cheaper reports whether fewer pods leave by hand than elsewhere, or less important ones.
func (x *evicting) cheaper(o *evicting) bool {
	if len(x.pods) != len(o.pods) {
		return len(x.pods) < len(o.pods)
	}
	return x.top() < o.top()
}

func (x *evicting) top() int32 {
	top := x.named.snap.CountsAs(x.pods[0])
	for _, p := range x.pods[1:] {
		top = max(top, x.named.snap.CountsAs(p))
	}
	return top
}

// hopeless reports whether no eviction makes room for certain: the pod, without demands for
// others beside it, fits on no node where there are no pods at all. The filters of the
// library turn a pod away for others that are there, and for others that are not in two cases,
// which are left out: those that it wants to be near, and those that have its volumes attached.
func (b *bench) hopeless() (bool, error) {
	if slices.ContainsFunc(b.e.Filters(b.snap.Release()), func(name string) bool { return !slices.Contains(filter.Names(), name) }) {
		return false, nil
	}
	c := b.e.Config()
	c.Profile.Off = append(slices.Clone(c.Profile.Off), filter.NodeVolumeLimits)
	e, err := engine.New(c)
	if err != nil {
		return false, err
	}
	pod := *b.req.Pod
	pod.Affinity.PodAffinity = nil
	bare := &outrank.Cluster{Release: b.snap.Release(), Nodes: slices.Collect(b.snap.Nodes()), Namespaces: slices.Collect(b.snap.Namespaces())}
	resize := pod.ResizeDeferred && pod.NodeName != ""
	if resize {
		bare.Pods = []*outrank.Pod{&pod}
	}
	snap, err := engine.NewSnapshot(bare)
	if err != nil {
		return false, err
	}
	if resize {
		s, err := e.Check(snap, &pod, pod.NodeName)
		return s.Code != preemption.Success, err
	}
	nodes, err := e.Feasible(b.ctx, snap, &pod)
	return len(nodes) == 0, err
}
