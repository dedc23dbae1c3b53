package fit

import (
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
)

// AnyIP is the address that overlaps every other (rule 7.6.3).
const AnyIP = "0.0.0.0"

// HostPort is a port on a node, with every default filled in.
type HostPort struct {
	IP, Protocol string
	Port         int32
}

// HostPorts lists the host ports that a pod takes on its node while it runs: the ports of its containers and
// sidecars, but not of plain init containers (rule 7.6.6). It is nil for most pods.
func HostPorts(pod *outrank.Pod) []HostPort { return slices.Collect(eachHostPort(pod)) }

// eachHostPort yields the ports of HostPorts.
func eachHostPort(pod *outrank.Pod) iter.Seq[HostPort] {
	return func(yield func(HostPort) bool) {
		for i := range pod.Containers {
			if !portsOf(&pod.Containers[i], yield) {
				return
			}
		}
		for i := range pod.InitContainers {
			if c := &pod.InitContainers[i]; c.Sidecar && !portsOf(c, yield) {
				return
			}
		}
	}
}

// portsOf yields the host ports of one container, and reports whether to go on. A port of 0 does not count
// (rule 7.6.5).
func portsOf(c *outrank.Container, yield func(HostPort) bool) bool {
	for _, p := range c.Ports {
		if p.HostPort > 0 && !yield(normal(p)) {
			return false
		}
	}
	return true
}

// TakesHostPorts reports whether the pod takes any host ports. It builds no list.
func TakesHostPorts(pod *outrank.Pod) bool {
	for range eachHostPort(pod) {
		return true
	}
	return false
}

// PortsClash reports whether host ports keep the two pods from running on the same node. It builds no list.
func PortsClash(a, b *outrank.Pod) bool {
	for p := range eachHostPort(a) {
		for q := range eachHostPort(b) {
			if p.Overlaps(q) {
				return true
			}
		}
	}
	return false
}

// normal fills in the defaults of a port (rules 7.6.3 and 7.6.4).
func normal(p outrank.Port) HostPort {
	h := HostPort{IP: p.HostIP, Protocol: p.Protocol, Port: p.HostPort}
	if h.IP == "" {
		h.IP = AnyIP
	}
	if h.Protocol == "" {
		h.Protocol = "TCP"
	}
	return h
}

// Overlaps reports whether two pods cannot have these ports on one node.
func (h HostPort) Overlaps(o HostPort) bool {
	return h.Port == o.Port && h.Protocol == o.Protocol &&
		(h.IP == o.IP || h.IP == AnyIP || o.IP == AnyIP)
}
