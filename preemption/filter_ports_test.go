package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

// binds adds a container with one host port.
func binds(port int32, ip, protocol string) podOption {
	return func(p *outrank.Pod) {
		p.Containers = append(p.Containers, outrank.Container{
			Ports: []outrank.Port{{HostPort: port, HostIP: ip, Protocol: protocol}},
		})
	}
}

// initBinds adds an init container with one host port.
func initBinds(port int32, sidecar bool) podOption {
	return func(p *outrank.Pod) {
		p.InitContainers = append(p.InitContainers, outrank.Container{
			Sidecar: sidecar, Ports: []outrank.Port{{HostPort: port}},
		})
	}
}

// Host ports are an address, a protocol and a number (rules 7.6.1 to 7.6.6), and are asked about before resources
// (rule 7.1.5).
func TestPorts(t *testing.T) {
	const taken = "a: Unschedulable NodePorts [node(s) didn't have free ports for the requested pod ports]\n"
	runRows(t, []row{
		{
			name:    "a taken port is freed by its holder",
			why:     "The other pod is put back. Neither address nor protocol given means 0.0.0.0 and TCP.",
			cluster: []any{node("a"), pod("holder", "a", 1, binds(80, "0.0.0.0", "")), pod("other", "a", 1, binds(81, "", ""))},
			pod:     preemptor(binds(80, "", "TCP")),
			want:    taken + "a <- holder (0)\nbest a",
		},
		{
			name:    "another protocol",
			cluster: []any{node("a"), pod("x", "a", 1, binds(80, "", "UDP"))},
			pod:     preemptor(binds(80, "", "")),
			want:    `a: fits`,
		},
		{
			name:    "another address",
			cluster: []any{node("a"), pod("x", "a", 1, binds(80, "10.0.0.1", ""))},
			pod:     preemptor(binds(80, "10.0.0.2", "")),
			want:    `a: fits`,
		},
		{
			name:    "0.0.0.0 overlaps every address that is taken",
			cluster: []any{node("a"), pod("x", "a", 1, binds(80, "10.0.0.1", ""))},
			pod:     preemptor(binds(80, "", "")),
			want:    taken + "a <- x (0)\nbest a",
		},
		{
			name:    "every address overlaps 0.0.0.0",
			cluster: []any{node("a"), pod("x", "a", 1, binds(80, "", ""))},
			pod:     preemptor(binds(80, "10.0.0.2", "")),
			want:    taken + "a <- x (0)\nbest a",
		},
		{
			name:    "host port 0 takes nothing",
			cluster: []any{node("a"), pod("x", "a", 1, binds(0, "", ""))},
			pod:     preemptor(binds(0, "", "")),
			want:    `a: fits`,
		},
		{
			name:    "a sidecar's port is taken",
			cluster: []any{node("a"), pod("x", "a", 1, initBinds(80, true))},
			pod:     preemptor(initBinds(80, true)),
			want:    taken + "a <- x (0)\nbest a",
		},
		{
			name:    "an init container's port is not",
			cluster: []any{node("a"), pod("x", "a", 1, initBinds(80, false)), pod("y", "a", 1, binds(81, "", ""))},
			pod:     preemptor(binds(80, "", ""), initBinds(81, false)),
			want:    `a: fits`,
		},
		{
			name:    "ports come before resources",
			why:     "The node is far too small, and that only shows in the dry run (rule 7.1.5).",
			cluster: []any{node("a"), pod("x", "a", 1, binds(80, "", ""))},
			pod:     preemptor(binds(80, "", ""), cpu("9")),
			want:    taken + "a out: Unresolvable NodeResourcesFit [Insufficient cpu]",
		},
	})
}

// The ports of a node are a set (rule 7.6.7).
func TestPortsAreASet(t *testing.T) {
	const taken = "a: Unschedulable NodePorts [node(s) didn't have free ports for the requested pod ports]\n"
	runRows(t, []row{
		{
			name: "either holder frees the port",
			why:  "The important holder cannot be preempted and still has the port, but the dry run believes it free.",
			cluster: []any{
				node("a"), pod("important", "a", 200, binds(80, "", "")), pod("low", "a", 1, binds(80, "", "")),
			},
			pod:  preemptor(binds(80, "", "")),
			want: taken + "a <- low (0)\nbest a",
		},
		{
			name: "neither of two holders can come back",
			why:  "Each takes the port again, is in the way, and frees it as it goes.",
			cluster: []any{
				node("a"), pod("first", "a", 2, binds(80, "", "")), pod("second", "a", 1, binds(80, "", "")),
			},
			pod:  preemptor(binds(80, "", "")),
			want: taken + "a <- first, second (0)\nbest a",
		},
		{
			name: "an entry is an address, a protocol and a port",
			why:  "10.0.0.1 is still taken when the pod with 0.0.0.0 has gone.",
			cluster: []any{
				node("a"), pod("important", "a", 200, binds(80, "10.0.0.1", "")), pod("low", "a", 1, binds(80, "", "")),
			},
			pod: preemptor(binds(80, "10.0.0.1", "")),
			want: taken +
				"a out: Unschedulable NodePorts [node(s) didn't have free ports for the requested pod ports]",
		},
	})
}
