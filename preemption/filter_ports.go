package preemption

import "github.com/outrank-go/outrank"

// NodePorts (group 7.6).

// hostPort is a port that a pod takes on its node, with the defaults filled in.
type hostPort struct {
	address, protocol string
	port              int32
}

// anyAddress overlaps every other address (rule 7.6.3).
const anyAddress = "0.0.0.0"

// hostPortsOf lists the ports that a pod takes on its node: the host ports of its containers and sidecars,
// which keep running. A plain init container takes none (rule 7.6.6), and a port of 0 does not count (rule
// 7.6.5).
func hostPortsOf(p *outrank.Pod) []hostPort {
	var ports []hostPort
	take := func(c *outrank.Container) {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				ports = append(ports, filledIn(port))
			}
		}
	}

	for i := range p.Containers {
		take(&p.Containers[i])
	}
	for i := range p.InitContainers {
		if p.InitContainers[i].Sidecar {
			take(&p.InitContainers[i])
		}
	}
	return ports
}

// filledIn returns a port with its defaults for the fields that it leaves out (rules 7.6.3 and 7.6.4).
func filledIn(p outrank.Port) hostPort {
	full := hostPort{address: p.HostIP, protocol: p.Protocol, port: p.HostPort}
	if full.address == "" {
		full.address = anyAddress
	}
	if full.protocol == "" {
		full.protocol = "TCP"
	}
	return full
}

// overlaps reports whether two ports cannot both be taken: they have one number, one protocol and one
// address, where 0.0.0.0 stands for every address (rules 7.6.1 and 7.6.3).
func (h hostPort) overlaps(o hostPort) bool {
	sameAddress := h.address == o.address || h.address == anyAddress || o.address == anyAddress
	return sameAddress && h.protocol == o.protocol && h.port == o.port
}

// beginPorts has nothing to say about a pod without host ports (rule 7.6.1).
func (a *attempt) beginPorts() bool {
	a.ports = hostPortsOf(a.pod)
	return len(a.ports) > 0
}

// enterPorts begins with the ports of the pods on the node. They are a set: two pods that hold one port hold
// it once, and either of them frees it by leaving (rule 7.6.7).
func (d *dryRun) enterPorts() {
	d.takenPorts = map[hostPort]bool{}
	for _, p := range d.pods {
		d.followPorts(p, 1)
	}
}

// followPorts adds the ports of a pod to the set, or frees them. Ports on other nodes are not counted.
func (d *dryRun) followPorts(p *occupant, by int) {
	if !d.here(p) {
		return
	}
	for _, port := range hostPortsOf(p.pod) {
		if by > 0 {
			d.takenPorts[port] = true
		} else {
			delete(d.takenPorts, port)
		}
	}
}

// askPorts fails if a port that the pod wants is taken (rule 7.6.1).
func (d *dryRun) askPorts() Status {
	for _, want := range d.attempt.ports {
		for taken := range d.takenPorts {
			if want.overlaps(taken) {
				return unschedulableBy(NodePorts, "node(s) didn't have free ports for the requested pod ports")
			}
		}
	}
	return Status{}
}
