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

// eviction finds a small set of pods whose eviction by hand makes room; nil where none is found. Of the nodes
// that are tried it takes the one where the fewest pods leave, and among equals the one where the most
// important of them is least important.
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

// evictionNodes lists the nodes on which evictions are tried: first the one that preemption would choose if
// anybody might be evicted, then the example of each group where preemption is in vain.
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

// anybody returns a configuration by which any pod may be evicted except copies of the preemptor, whatever
// its priority.
func (b *bench) anybody() preemption.Config {
	c := b.e.Config()

	// Rules of the caller about victims do not bind somebody who evicts by hand, and a sample of the nodes
	// would miss some. The search for exact victims works only with ranks that it can bound, and refuses
	// extenders and guards (rules 13.4.9 and 13.6.11).
	c.Victims, c.Guard = nil, nil
	c.Extenders, c.Sample = nil, nil
	c.Ranks = bounded.Ranks(c.Ranks)

	c.Eligibility.AnyPriority = true
	c.Eligibility.Take = func(_, victim *outrank.Pod) (string, bool) { return "by hand", !b.named.isCopy(victim) }
	if c.Budgets == preemption.NeverViolate {
		c.Budgets = preemption.ChargePossible
	}
	return c
}

// evicting evicts pods by hand until a node has room.
type evicting struct {
	*bench
	// anybody is an evaluator with the configuration of bench.anybody and exact victims.
	anybody *engine.Evaluator
	node    string
	// pods are the pods that were evicted.
	pods []*outrank.Pod
	// found is the answer of the node that has room; nil where it has none.
	found *trialAnswer
}

// run evicts what holds the obstacles on the node, one obstacle after the other. Once, where nobody holds an
// obstacle, it evicts the pods that the evaluator chooses on the node. It gives up where that does not help.
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

// choose evicts the pods whose loss makes room on the node, and returns them; none where no pods do.
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

// cheaper reports whether fewer pods leave by hand than in o or, of as many, less important ones.
func (x *evicting) cheaper(o *evicting) bool {
	if len(x.pods) != len(o.pods) {
		return len(x.pods) < len(o.pods)
	}
	return x.top() < o.top()
}

// top is the highest priority that a pod evicted by hand counts with. It is asked only of nodes with as many evictions,
// and so never of one without any: only the node that is tried first, which a sample may have passed over, can do
// without.
func (x *evicting) top() int32 {
	top := x.named.snap.CountsAs(x.pods[0])
	for _, p := range x.pods[1:] {
		top = max(top, x.named.snap.CountsAs(p))
	}
	return top
}

// hopeless reports whether it is certain that no eviction makes room. It asks about a cluster without any
// pods.
//
// The filters of the library turn a pod away because of pods that are there, and in two cases because of
// pods that are not: those that the pod wants to be near, and those that have its volumes attached already
// (rule 7.9.3). Without these two demands a pod that fits on no node of the empty cluster fits on none
// whoever is evicted. About filters of the caller nothing is known.
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

	// A pod that grows in place is on its node itself, also when all others are gone.
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
