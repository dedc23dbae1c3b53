package fit

import "github.com/outrank-go/outrank"

// AnyIP is the address that overlaps every other.
const AnyIP = "0.0.0.0"

// HostPort is a port on a node with every default filled in.
type HostPort struct {
	IP, Protocol string
	Port         int32
}

// HostPorts lists the ports a pod takes on its node while it runs: those of
// its containers and sidecars, not those of plain init containers. It is nil
// for most pods.
func HostPorts(pod *outrank.Pod) []HostPort {
	var ports []HostPort
	add := func(c *outrank.Container) {
		for _, p := range c.Ports {
			if p.HostPort > 0 {
				ports = append(ports, normal(p))
			}
		}
	}
	for i := range pod.Containers {
		add(&pod.Containers[i])
	}
	for i := range pod.InitContainers {
		if pod.InitContainers[i].Sidecar {
			add(&pod.InitContainers[i])
		}
	}
	return ports
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
