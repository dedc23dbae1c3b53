package preemption

import (
	"slices"

	"github.com/outrank-go/outrank/internal/fit"
)

// portSet is the filter NodePorts on one node: the taken ports that overlap
// one of the preemptor's. It is a set, as in the reference (HostPortInfo): two
// pods with the same port put it in once, and taking either away frees it.
type portSet struct {
	wanted []fit.HostPort
	taken  []fit.HostPort
}

func (s *portSet) enter(n *nodeState) {
	s.taken = s.taken[:0]
	if n.holding == 0 || len(s.wanted) == 0 {
		return
	}
	for _, p := range n.pods {
		s.add(p)
	}
}

func (s *portSet) add(p *podState) {
	for _, h := range s.overlapping(p) {
		if !slices.Contains(s.taken, h) {
			s.taken = append(s.taken, h)
		}
	}
}

func (s *portSet) remove(p *podState) {
	for _, h := range s.overlapping(p) {
		if i := slices.Index(s.taken, h); i >= 0 {
			s.taken = slices.Delete(s.taken, i, i+1)
		}
	}
}

// overlapping lists the ports of a pod that keep the preemptor out.
func (s *portSet) overlapping(p *podState) []fit.HostPort {
	if len(s.wanted) == 0 {
		return nil
	}
	return slices.DeleteFunc(fit.HostPorts(p.pod), func(h fit.HostPort) bool {
		return !slices.ContainsFunc(s.wanted, h.Overlaps)
	})
}

// check fails where a wanted port is taken, here or by a nominated pod.
func (s *portSet) check(nominated []*podState) status {
	taken := len(s.taken) > 0
	for _, p := range nominated {
		taken = taken || len(s.overlapping(p)) > 0
	}
	if taken {
		return status{code: Unschedulable, by: byPorts, text: portsText}
	}
	return status{}
}
