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

// counted returns what the cluster's queues use, for the caller to change. Running pods count, and pods for which
// room is kept on a node, but not the pods that ask (rule 24.5.9). promised has the pods for which room is
// kept, nil for none.
func (r *Rules) counted(view preemption.View, ask []*outrank.Pod) (use clusterUsage, promised map[*outrank.Pod]bool) {
	use = view.Tracked(r.trackerOf(view.Release())).Clone().(clusterUsage)
	var asking map[podName]bool
	for p := range view.Nominated() {
		if asking == nil {
			asking = map[podName]bool{}
			promised = map[*outrank.Pod]bool{}
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

// podName tells a pod from the others of a cluster.
type podName struct{ namespace, name string }

func nameOf(p *outrank.Pod) podName { return podName{p.NamespaceName(), p.Name} }

// startFilter returns the filter's state for a pod, nil for one without a queue.
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
	at      int // the pod's queue
	amounts []int64
	asked   []bool
	// promised has the nominated pods that have been counted. All clones share it.
	promised map[*outrank.Pod]bool
}

// Add counts a pod that is back on a node, or nominated to one, unless it has been counted as nominated.
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

// Check compares what the pod asks for with what its queue may still have. What it could not have even with nobody
// else there no eviction helps (rule 24.5.6).
func (s *quotaState) Check(*outrank.Node) preemption.Status {
	var out preemption.Status
	queue := s.nodes[s.at].name
	for r, v := range s.amounts {
		switch {
		case !s.asked[r] || v <= s.available(s.at, r):
		case v > s.most(s.at, r):
			return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: []string{
				fmt.Sprintf("queue %s can never have as much %s", queue, s.names[r]),
			}}
		default:
			out.Code = preemption.Unschedulable
			out.Reasons = append(out.Reasons, fmt.Sprintf("queue %s has too little %s left", queue, s.names[r]))
		}
	}
	return out
}
