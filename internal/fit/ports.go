package fit

import (
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
)

// AnyIP is the address that overlaps every other.
const AnyIP = "0.0.0.0"

// HostPort is a port on a node with every default filled in.
type HostPort struct {
	IP, Protocol string
	Port         int32
}

// HostPorts lists the ports that a pod takes on its node while it runs: those
// of its containers and sidecars, not those of plain init containers. It is nil
// for most pods.
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

// portsOf yields the ports of one container, and reports whether to continue.
func portsOf(c *outrank.Container, yield func(HostPort) bool) bool {
	for _, p := range c.Ports {
		if p.HostPort > 0 && !yield(normal(p)) {
			return false
		}
	}
	return true
}

// TakesHostPorts reports whether HostPorts has any.
func TakesHostPorts(pod *outrank.Pod) bool {
	for range eachHostPort(pod) {
		return true
	}
	return false
}

// PortsClash reports whether the host ports of the pods keep them from running
// on one node. It builds no list.
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
