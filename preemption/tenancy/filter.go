package tenancy

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// quotaFilter keeps pods away whose queue has too little left.
type quotaFilter struct{ *Rules }

// Filter returns the filter QueueQuota: a pod fits on no node while its queue has too
// little left for it, which the loss of pods of its tree may change (rule 24.5.6). Attach
// it to a snapshot ([engine.Snapshot.Attach]), so that decisions do not count the
// cluster each time; the guard then uses its counts, too.
func (r *Rules) Filter() engine.StatefulFilter { return quotaFilter{r.origin()} }

func (quotaFilter) Name() string                   { return "QueueQuota" }
func (f quotaFilter) Concerns(p *outrank.Pod) bool { return f.QueueOf != nil && f.QueueOf(p) != "" }

// NewState returns nil, which no snapshot attaches, where there is nothing to count by.
func (f quotaFilter) NewState() preemption.ClusterState {
	if f.Tree == nil || f.QueueOf == nil {
		return nil
	}
	return clusterUsage{f.Tree.newUsage(), f.Rules}
}

// counted returns what the cluster's queues use, for the caller to change: their running pods,
// and those for which room is kept on a node but the ones that ask (rule 24.5.9). promised are
// these pods, nil for none.
func (r *Rules) counted(snap *engine.Snapshot, ask []*outrank.Pod) (use clusterUsage, promised map[*outrank.Pod]bool) {
	use = snap.StateOf(r.Filter()).Clone().(clusterUsage)
	var asking map[podName]bool
	for p := range snap.Nominated() {
		if asking == nil {
			asking, promised = map[podName]bool{}, map[*outrank.Pod]bool{}
			for _, q := range ask {
				asking[nameOf(q)] = true
			}
		}
		if !asking[nameOf(p)] && r.QueueOf(p) != "" {
			promised[p] = true
			use.change(p, 1)
		}
	}
	return use, promised
}

// podName tells a pod from the others in a cluster.
type podName struct{ namespace, name string }

func nameOf(p *outrank.Pod) podName { return podName{p.NamespaceName(), p.Name} }

func (f quotaFilter) Start(p *outrank.Pod, snap *engine.Snapshot) (preemption.FilterState, error) {
	at, amounts, asked, err := f.asks(p)
	if err != nil || at == none {
		return nil, err
	}
	s := &quotaState{at: at, amounts: amounts, asked: asked}
	s.clusterUsage, s.promised = f.counted(snap, []*outrank.Pod{p})
	return s, nil
}

// quotaState is the filter for one pod.
type quotaState struct {
	clusterUsage
	at      int
	amounts []int64
	asked   []bool
	// promised are the nominated pods that have been counted, which is shared by all clones.
	promised map[*outrank.Pod]bool
}

// Add counts a pod that is back on a node, or nominated to one, where it is not counted.
func (s *quotaState) Add(p *outrank.Pod, _ *outrank.Node) {
	if !s.promised[p] {
		s.change(p, 1)
	}
}

func (s *quotaState) Remove(p *outrank.Pod, _ *outrank.Node) {
	if !s.promised[p] {
		s.change(p, -1)
	}
}

func (s *quotaState) Clone() preemption.FilterState {
	c := *s
	c.clusterUsage = s.clusterUsage.Clone().(clusterUsage)
	return &c
}

func (s *quotaState) Check(*outrank.Node) preemption.Status {
	var out preemption.Status
	for r, v := range s.amounts {
		switch {
		case !s.asked[r] || v <= s.available(s.at, r):
		case v > s.most(s.at, r):
			return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: []string{
				fmt.Sprintf("queue %s can never have as much %s", s.nodes[s.at].name, s.names[r]),
			}}
		default:
			out.Code = preemption.Unschedulable
			out.Reasons = append(out.Reasons, fmt.Sprintf("queue %s has too little %s left", s.nodes[s.at].name, s.names[r]))
		}
	}
	return out
}
