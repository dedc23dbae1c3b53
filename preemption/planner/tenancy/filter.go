package tenancy

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Filter returns the filter named QueueQuota: a pod fits on no node while its queue has too little quota left for it.
// Evicting pods of the same tree may change that (rule 24.5.6). Each call returns the same filter, which shares its
// counts with the guard.
func (r *Rules) Filter() *preemption.Filter { return &r.origin().filter }

// trackerOf returns the tracker of the amounts that the queues use in clusters of this release. It is created once.
func (r *Rules) trackerOf(of outrank.Release) *preemption.Tracker {
	r = r.origin()
	known, _ := r.trackers.LoadOrStore(of, &preemption.Tracker{Concerns: r.queued, New: func() preemption.ClusterState {
		return clusterUsage{r.Tree.newUsage(), r, of}
	}})
	return known.(*preemption.Tracker)
}

// queued reports whether a pod has a queue.
func (r *Rules) queued(p *outrank.Pod) bool { return r.QueueOf != nil && r.QueueOf(p) != "" }

// counted returns the amounts that the queues use, as a copy that the caller may change. Running and nominated pods
// count, except the pods that ask (rule 24.5.9). promised has the nominated pods that were counted; it is nil if no pod
// is nominated.
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

// podName identifies a pod in the cluster.
type podName struct{ namespace, name string }

// nameOf returns the namespace and the name of a pod.
func nameOf(p *outrank.Pod) podName { return podName{p.NamespaceName(), p.Name} }

// startFilter returns the filter's state for a pod. It is nil for a pod without a queue.
func (r *Rules) startFilter(p *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	at, amounts, asked, err := r.asks(p, view.Release())
	if err != nil || at == none {
		return nil, err
	}
	s := &quotaState{at: at, amounts: amounts, asked: asked}
	s.clusterUsage, s.promised = r.counted(view, []*outrank.Pod{p})
	return s, nil
}

// quotaState is the filter's state for one pod.
type quotaState struct {
	clusterUsage
	at      int     // the pod's queue
	amounts []int64 // by resource, the amounts that the pod asks for
	asked   []bool  // by resource, whether it asks for any
	// promised has the nominated pods that were counted at the start. All clones share it.
	promised map[*outrank.Pod]bool
}

// Add counts a pod that comes to a node. A nominated pod that was counted at the start does not count twice.
func (s *quotaState) Add(p *outrank.Pod, _ *outrank.Node) {
	if !s.promised[p] {
		s.change(p, 1)
	}
}

// Remove no longer counts a pod. A nominated pod that was counted at the start stays counted.
func (s *quotaState) Remove(p *outrank.Pod, _ *outrank.Node) {
	if !s.promised[p] {
		s.change(p, -1)
	}
}

// Clone returns a copy with usage of its own.
func (s *quotaState) Clone() preemption.FilterState {
	c := *s
	c.clusterUsage = s.clusterUsage.Clone().(clusterUsage)
	return &c
}

// Check compares the pod's amounts with those available to its queue. If an amount would be too large even without any
// other pod, no eviction helps (rule 24.5.6).
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
