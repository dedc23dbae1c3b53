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

// eviction finds a small set of pods whose eviction by hand makes room, or nil. Of the nodes that are tried it
// chooses the one with the fewest evictions. Of equal ones it chooses the one whose evicted pods have the lowest
// top priority.
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

	// Each node is tried on the same scratch, which is put back after each trial.
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

// evictionNodes lists the nodes on which evictions are tried: first the node that preemption would choose if any
// pod could be a victim, then the example of each group on which preemption is in vain.
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

// anybody returns a configuration in which every pod may be evicted, whatever its priority, except copies of the
// preemptor.
func (b *bench) anybody() preemption.Config {
	c := b.e.Config()

	// The caller's rules about victims do not apply to evictions by hand, and a sample of the nodes would miss some.
	// The search for exact victims needs ranks that it can bound, and rejects extenders and guards (rules 13.4.9
	// and 13.6.11).
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
	// pods lists the pods that were evicted so far.
	pods []*outrank.Pod
	// found is the answer of the node once it has room, and nil before.
	found *trialAnswer
}

// run evicts the pods that cause the obstacles on the node, one obstacle after the other. The first time that no pod
// causes an obstacle, such as missing room, it evicts the victims that the evaluator chooses on the node. The second
// time it gives up.
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

		// No obstacle is left. The pod may still have to wait for terminating victims; that is no room.
		if a.behind == nil {
			if a.outcome != preemption.NotEligible {
				x.found = a
			}
			return nil
		}

		// The pods that hold a port or a volume, or whose anti-affinity is in the way.
		gone, err := x.evict(a.behind)
		if err != nil {
			return err
		}
		// Nobody holds what is missing, as with too little cpu: the evaluator has to choose.
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

// choose evicts the victims that the evaluator finds on the node, and returns them. It returns none if no victims make
// room.
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

// cheaper reports whether fewer pods are evicted than in o, or as many with a lower top priority.
func (x *evicting) cheaper(o *evicting) bool {
	if len(x.pods) != len(o.pods) {
		return len(x.pods) < len(o.pods)
	}
	return x.top() < o.top()
}

// top returns the highest priority of the evicted pods. There is at least one: top is only called to compare nodes with
// equally many evictions, and only the first node that is tried can have none (a sample may have skipped it before).
func (x *evicting) top() int32 {
	top := x.named.snap.CountsAs(x.pods[0])
	for _, p := range x.pods[1:] {
		top = max(top, x.named.snap.CountsAs(p))
	}
	return top
}

// hopeless reports whether it is certain that no eviction makes room. It asks about a cluster without any pods.
//
// The filters of the library reject a pod because of other pods on nodes. In two cases they reject it because
// pods are missing: pods that it has affinity to, and pods that have its volumes attached already (rule 7.9.3).
// So the two demands are dropped: if the pod then fits on no node of the empty cluster, it fits on none whoever is
// evicted. Nothing is known about filters of the caller, so hopeless returns false if there are any.
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

	// A pod that is resized in place stays on its node when all others are gone.
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
