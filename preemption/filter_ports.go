package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

var portsText = []string{fit.ReasonNodePorts}

var portsFilter = descriptor{
	name:            filter.NodePorts,
	concernsPod:     fit.TakesHostPorts,
	concernsRunning: fit.TakesHostPorts,
	begin: func(q *question) podFilter {
		return &wantedPorts{fit.HostPorts(q.pod)}
	},
}

// wantedPorts are the host ports of one preemptor.
type wantedPorts struct{ ports []fit.HostPort }

func (w *wantedPorts) touches(n *state.NodeState) bool { return n.Concerned[portsFilter.index] > 0 }

func (w *wantedPorts) onNode(earlier nodeFilter) nodeFilter {
	n, ok := earlier.(*portsOnNode)
	if !ok {
		n = &portsOnNode{}
	}
	n.wanted = w.ports
	return n
}

// portsOnNode is the set of taken ports of a node that overlap a port of the
// preemptor. As in the reference (HostPortInfo), two pods with the same port
// put it in once, and removing either pod frees it (rule 7.6.7).
type portsOnNode struct {
	wanted []fit.HostPort
	taken  []fit.HostPort
}

func (s *portsOnNode) enter(n *state.NodeState) {
	s.taken = s.taken[:0]
	if n.Concerned[portsFilter.index] == 0 {
		return
	}
	for _, p := range n.Pods {
		s.change(p, 1)
	}
}

func (s *portsOnNode) change(p *state.PodState, by int) {
	for _, h := range s.overlapping(p.Pod) {
		at := slices.Index(s.taken, h)
		switch {
		case by > 0 && at < 0:
			s.taken = append(s.taken, h)
		case by < 0 && at >= 0:
			s.taken = slices.Delete(s.taken, at, at+1)
		}
	}
}

// overlapping returns the ports of a pod that keep the preemptor out.
func (s *portsOnNode) overlapping(p *outrank.Pod) []fit.HostPort {
	return slices.DeleteFunc(fit.HostPorts(p), func(h fit.HostPort) bool {
		return !slices.ContainsFunc(s.wanted, h.Overlaps)
	})
}

// check fails if a pod on the node or a nominated pod holds a wanted port.
func (s *portsOnNode) check(nominated []*state.PodState) filterStatus {
	taken := len(s.taken) > 0
	for _, p := range nominated {
		taken = taken || len(s.overlapping(p.Pod)) > 0
	}
	if taken {
		return filterStatus{code: decision.Unschedulable, text: portsText}
	}
	return filterStatus{}
}

func (s *portsOnNode) release() { s.wanted = nil }
