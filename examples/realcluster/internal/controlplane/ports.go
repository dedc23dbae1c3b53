package controlplane

import (
	"fmt"
	"net"
)

// Ports are the ports of the servers on 127.0.0.1.
type Ports struct {
	EtcdClient, EtcdPeer, APIServer, Controllers, Scheduler int
}

// FreePorts asks the system for free ports. It holds each port until it has all of them, so that they differ.
func FreePorts() (Ports, error) {
	var p Ports
	for _, at := range []*int{&p.EtcdClient, &p.EtcdPeer, &p.APIServer, &p.Controllers, &p.Scheduler} {
		l, err := listen()
		if err != nil {
			return Ports{}, err
		}
		defer l.Close()
		*at = portOf(l)
	}
	return p, nil
}

// FreePort asks the system for a free port.
func FreePort() (int, error) {
	l, err := listen()
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return portOf(l), nil
}

func listen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no free port: %w", err)
	}
	return l, nil
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

func local(scheme string, port int) string { return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port) }
