package reference

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// anyAddress overlaps every other address.
const anyAddress = "0.0.0.0"

// hostPorts are the ports a pod takes on its node: those of the containers that
// keep running, sidecars included. Host port 0 takes none.
func hostPorts(p *outrank.Pod) []hostPort {
	var ports []hostPort
	take := func(c outrank.Container) {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				ports = append(ports, fullPort(port))
			}
		}
	}
	for _, c := range p.Containers {
		take(c)
	}
	for _, c := range p.InitContainers {
		if c.Sidecar {
			take(c)
		}
	}
	return ports
}

// fullPort fills in the fields that a port may leave out.
func fullPort(p outrank.Port) hostPort {
	full := hostPort{ip: p.HostIP, protocol: p.Protocol, port: p.HostPort}
	if full.ip == "" {
		full.ip = anyAddress
	}
	if full.protocol == "" {
		full.protocol = "TCP"
	}
	return full
}

func (h hostPort) overlaps(o hostPort) bool {
	sameAddress := h.ip == o.ip || h.ip == anyAddress || o.ip == anyAddress
	return sameAddress && h.protocol == o.protocol && h.port == o.port
}

// filterPorts: a port that the pod wants must not be taken.
func (s *scene) filterPorts() Status {
	for _, want := range hostPorts(s.a.pod) {
		for taken := range s.ports {
			if want.overlaps(taken) {
				return unschedulableBy(filter.NodePorts, "node(s) didn't have free ports for the requested pod ports")
			}
		}
	}
	return Status{}
}

// takePorts and freePorts keep the node's ports as a set: two pods that hold
// the same port hold it once, and either of them frees it by leaving.
func (s *scene) takePorts(p *outrank.Pod) {
	for _, port := range hostPorts(p) {
		s.ports[port] = true
	}
}

func (s *scene) freePorts(p *outrank.Pod) {
	for _, port := range hostPorts(p) {
		delete(s.ports, port)
	}
}
