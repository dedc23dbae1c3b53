package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodePortsEntry = Entry{
	Name:       NodePorts,
	Reads:      Reads{Pod: fit.TakesHostPorts, Running: fit.TakesHostPorts},
	Fails:      CurableFailure,
	Gains:      always,
	Conclusive: CurableFailure,
	Helped: Hints{
		EventNodeAdded:          anyway,
		EventAssignedPodDeleted: func(w *Waiting, c *Change) bool { return fit.PortsClash(w.Pod, c.Pod) },
		EventPodUpdated:         itself(func(p *outrank.Pod) []any { return []any{fit.HostPorts(p)} }),
	},
	Draw: Draw{
		Topic:   Ports,
		Running: drawPorts,
		Asking:  alike(drawPorts),
		Room:    true,
	},
}

// drawPorts gives the first container of every second pod host ports, and some of its init containers one.
func drawPorts(s draw.Source, p *outrank.Pod) {
	if !draw.OneIn(s, "has ports", 2) {
		return
	}

	p.Containers[0].Ports = draw.List(s, "ports", draw.Between(1, 2), drawPort)
	for i := range p.InitContainers {
		if draw.OneIn(s, "init port", 3) {
			p.InitContainers[i].Ports = []outrank.Port{drawPort(s)}
		}
	}
}

func drawPort(s draw.Source) outrank.Port {
	return outrank.Port{
		HostPort: draw.Pick[int32](s, "host port", 80, 80, 443, 0),
		HostIP:   draw.Pick(s, "host ip", "", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
		Protocol: draw.Pick(s, "protocol", "", "TCP", "UDP"),
	}
}
