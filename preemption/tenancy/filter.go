package tenancy

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// quotaFilter keeps pods away whose queue has too little left.
type quotaFilter struct{ *Rules }

// Filter returns the filter QueueQuota: a pod fits on no node while its queue has too
// little left for it, which the loss of pods of its tree may change (rule 24.5.6). Attach
// it to a snapshot ([preemption.Snapshot.Attach]), so that decisions do not count the
// cluster each time; the guard then uses its counts, too.
func (r *Rules) Filter() preemption.StatefulFilter { return quotaFilter{r} }

func (quotaFilter) Name() string                   { return "QueueQuota" }
func (f quotaFilter) Concerns(p *outrank.Pod) bool { return f.QueueOf != nil && f.QueueOf(p) != "" }

// NewState returns nil, which no snapshot attaches, where there is nothing to count by.
func (f quotaFilter) NewState() preemption.ClusterState {
	if f.Tree == nil || f.QueueOf == nil {
		return nil
	}
	return clusterUsage{f.Tree.newUsage(), f.Rules}
}

// counted returns what the cluster's queues use, for the caller to change.
func (r *Rules) counted(snap *preemption.Snapshot) clusterUsage {
	return snap.StateOf(r.Filter()).Clone().(clusterUsage)
}

func (f quotaFilter) Start(p *outrank.Pod, snap *preemption.Snapshot) (preemption.FilterState, error) {
	at, amounts, asked, err := f.asks(p)
	if err != nil || at == none {
		return nil, err
	}
	return &quotaState{f.counted(snap), at, amounts, asked}, nil
}

// quotaState is the filter for one pod.
type quotaState struct {
	clusterUsage
	at      int
	amounts []int64
	asked   []bool
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
