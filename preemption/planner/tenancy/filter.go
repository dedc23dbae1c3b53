package tenancy

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Filter returns the filter QueueQuota: a pod fits on no node while its queue has too
// little left for it, which the loss of pods of its tree may change (rule 24.5.6). It is the same
// one each time, and its counts are the guard's, too.
func (r *Rules) Filter() *preemption.Filter { return &r.origin().filter }

// trackerOf returns the tracker of what the queues use in clusters of a release.
func (r *Rules) trackerOf(of outrank.Release) *preemption.Tracker {
	r = r.origin()
	known, _ := r.trackers.LoadOrStore(of, &preemption.Tracker{Concerns: r.queued, New: func() preemption.ClusterState {
		return clusterUsage{r.Tree.newUsage(), r, of}
	}})
	return known.(*preemption.Tracker)
}

// queued reports whether a pod is in any queue.
func (r *Rules) queued(p *outrank.Pod) bool { return r.QueueOf != nil && r.QueueOf(p) != "" }

// counted returns what the cluster's queues use, for the caller to change: their running pods,
// and those for which room is kept on a node but the ones that ask (rule 24.5.9). promised are
// these pods, nil for none.
func (r *Rules) counted(view preemption.View, ask []*outrank.Pod) (use clusterUsage, promised map[*outrank.Pod]bool) {
	use = view.Tracked(r.trackerOf(view.Release())).Clone().(clusterUsage)
	var asking map[podName]bool
	for p := range view.Nominated() {
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

func (r *Rules) startFilter(p *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	at, amounts, asked, err := r.asks(p, view.Release())
	if err != nil || at == none {
		return nil, err
	}
	s := &quotaState{at: at, amounts: amounts, asked: asked}
	s.clusterUsage, s.promised = r.counted(view, []*outrank.Pod{p})
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
