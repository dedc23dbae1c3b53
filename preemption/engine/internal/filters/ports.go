package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var portsText = []string{fit.ReasonNodePorts}

// PortsFilter is NodePorts.
var PortsFilter = descriptor{
	Entry: filter.Of(filter.NodePorts),
	begin: func(q *Question) PodFilter {
		return &WantedPorts{fit.HostPorts(q.Pod)}
	},
}

// portsTaken is the status of a node on which a pod holds a wanted port.
var portsTaken = Status{Code: Unschedulable, Text: portsText}

// WantedPorts are the host ports of one preemptor.
type WantedPorts struct{ ports []fit.HostPort }

// addColumns adds one column with the pods that may leave and hold a port which the preemptor wants. All of
// them must leave. If several pods have the same port, any one that leaves frees it (rule 7.6.7), so that a
// holder that stays is in the way only if no other holder of its port may leave.
func (w *WantedPorts) addColumns(h *holdings, c *Columns) bool {
	at, stay := c.beginColumn(), int64(0)
	for i := range h.ports {
		switch p := &h.ports[i]; {
		case !w.wants(&p.HostPort):
		case c.mayLeave(&p.hold):
			c.wantGone(at, p.hold)
		case !h.frees(c, &p.HostPort):
			stay++
		}
	}
	c.endColumn(at, stay, column{status: &portsTaken, early: true})
	return true
}

// wants reports whether a port overlaps with one of the preemptor's.
func (w *WantedPorts) wants(h *fit.HostPort) bool {
	for i := range w.ports {
		if h.Overlaps(w.ports[i]) {
			return true
		}
	}
	return false
}

// frees reports whether a pod that may leave holds the same port, down to the address and the protocol.
func (h *holdings) frees(c *Columns, port *fit.HostPort) bool {
	for i := range h.ports {
		if p := &h.ports[i]; c.mayLeave(&p.hold) && p.HostPort == *port {
			return true
		}
	}
	return false
}

func (w *WantedPorts) appendKey(key *state.KeyWriter) {
	key.Number(len(w.ports))
	for _, p := range w.ports {
		key.Text(p.IP)
		key.Text(p.Protocol)
		key.Amount(int64(p.Port))
	}
}

// Touches reports whether any pod of the node has a host port; see [PodFilter].
func (w *WantedPorts) Touches(n *state.NodeState) bool { return len(heldOn(n).ports) > 0 }

// OnNode returns the filter for one worker; see [PodFilter].
func (w *WantedPorts) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*portsOnNode)
	if !ok {
		n = &portsOnNode{}
	}
	n.wanted = w.ports
	return n
}

// portsOnNode is the set of ports taken on a node that overlap with a port of the preemptor. As in the
// reference (HostPortInfo), two pods with the same port put it in once, and removing either pod frees it
// (rule 7.6.7).
type portsOnNode struct {
	wanted []fit.HostPort
	taken  []fit.HostPort
}

func (s *portsOnNode) Enter(n *state.NodeState) {
	s.taken = s.taken[:0]
	if len(heldOn(n).ports) == 0 {
		return
	}
	for _, p := range n.Pods {
		s.Change(p, 1)
	}
}

func (s *portsOnNode) Change(p *state.PodState, by int) {
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

// overlapping returns the ports of a pod that overlap with one of the preemptor's.
func (s *portsOnNode) overlapping(p *outrank.Pod) []fit.HostPort {
	return slices.DeleteFunc(fit.HostPorts(p), func(h fit.HostPort) bool {
		return !slices.ContainsFunc(s.wanted, h.Overlaps)
	})
}

// Check fails if a pod on the node or a nominated pod holds a wanted port.
func (s *portsOnNode) Check(nominated []*state.PodState) Status {
	taken := len(s.taken) > 0
	for _, p := range nominated {
		taken = taken || len(s.overlapping(p.Pod)) > 0
	}
	if taken {
		return portsTaken
	}
	return Status{}
}

func (s *portsOnNode) Release() { s.wanted = nil }
