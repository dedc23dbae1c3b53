package invariants

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Host is a node with the pods that are active on it, in plain numbers, and a pod that is to start there.
type Host struct {
	Release string
	// PriorityFirst is set if pods leave by priority, and by class within a priority.
	PriorityFirst bool
	// Amounts is what the node has of each resource, in the order of Resources.
	Amounts [numResources]int64
	Pods    []HostPod
	Asks    HostPod
}

// HostPod is a pod on a host. Its Amounts has 1 for its own place.
type HostPod struct {
	Name    string
	Amounts [numResources]int64
	// Class is the class that its status records.
	Class outrank.QOSClass
	// Priority means nothing if Unset.
	Priority       int32
	Unset          bool
	Static, Mirror bool
}

// Resources are what hosts have, in the order in which the kubelet checks them: places, whole cores, Gi of memory, and
// devices.
var Resources = []resource.Name{resource.Pods, resource.CPU, resource.Memory, gpu}

const (
	numResources = 4
	gpu          = resource.Name("example.com/gpu")
	// criticalPriority makes a pod critical (rule 17.1.1).
	criticalPriority = 2_000_000_000
)

// Hosts draws hosts that are nearly full.
var Hosts = rapid.Custom(func(t *rapid.T) *Host {
	n := numbers{t}
	h := &Host{Release: n.of("release", v137, v136), PriorityFirst: n.oneIn("priority first", 5)}
	h.Asks = drawHostPod(n, "asker", 8)
	switch n.of("how important", "priority", "static", "mirror", "priority", "not critical") {
	case "static":
		h.Asks.Static = true
	case "mirror":
		h.Asks.Mirror = true
	case "priority":
		h.Asks.Priority, h.Asks.Unset = criticalPriority, false
	}
	count := n.oneOf("pods", 3, 4, 2, 5, 1, 6, 7, 0)
	crowd, alike := n.oneIn("crowd", 12), n.oneIn("alike", 2)
	if crowd {
		// So many of one tier have to leave that the kubelet finds the nearest by an index.
		count = n.upTo("pods of a crowd", 140, 200)
	}
	for i := range count {
		p := drawHostPod(n, fmt.Sprint("p", i+1), 5)
		if crowd && alike {
			p.Amounts[1] = 1 // so that all are equally near
		}
		if crowd {
			p.Class = outrank.Burstable
		} else if n.oneIn("critical", 5) {
			p.Priority, p.Unset = criticalPriority+int32(n.oneOf("above", 0, -1, 1)), false
		}
		p.Static = n.oneIn("static", 10) && !crowd
		h.Pods = append(h.Pods, p)
	}
	if crowd {
		h.askForMost(n)
	}

	// What is left is less than what is asked for, more often than not.
	small, empty := n.oneIn("too small", 10), n.oneIn("nearly empty", 10)
	for r := range numResources {
		for _, p := range h.Pods {
			h.Amounts[r] += p.Amounts[r]
		}
		h.Amounts[r] = max(0, h.Amounts[r]+n.upTo("free", -1, max(0, h.Asks.Amounts[r]-1)))
		switch {
		case empty:
			h.Amounts[r] += h.Asks.Amounts[r] + 1
		case !small:
			h.Amounts[r] = max(h.Amounts[r], h.Asks.Amounts[r])
		}
	}
	return h
})

// askForMost has the pod that asks want half of what the pods have, or nearly all of it, so that nearly all leave.
func (h *Host) askForMost(n numbers) {
	var cpu int64
	for i := range h.Pods {
		cpu += h.Pods[i].Amounts[1]
	}
	h.Asks.Amounts[1] = cpu / 2
	if n.oneIn("nearly all", 2) {
		h.Asks.Amounts[1] = max(0, cpu-n.upTo("but", 0, 5))
	}
}

// drawHostPod draws a pod that asks for up to so much of each resource. Most pods are of one class, so that there is a
// choice within a tier.
func drawHostPod(n numbers, name string, most int64) HostPod {
	p := HostPod{
		Name: name, Class: []outrank.QOSClass{outrank.Burstable, outrank.Burstable, outrank.BestEffort, outrank.Guaranteed}[n.upTo("class", 0, 3)],
		Priority: int32(n.upTo("priority", -1, 2)),
		Amounts:  [numResources]int64{1, n.upTo("cpu", 0, most), n.upTo("memory", 0, most), n.upTo("devices", 0, most/3)},
	}
	p.Unset = n.oneIn("unset", 3)
	return p
}

// Node returns the node as the library's object.
func (h *Host) Node() *outrank.Node {
	return &outrank.Node{Name: "n1", Allocatable: listOf(h.Amounts)}
}

// Active returns the pods that run there, in their order.
func (h *Host) Active() (pods []*outrank.Pod) {
	for i := range h.Pods {
		p := h.Pods[i].Object()
		p.NodeName = "n1"
		pods = append(pods, p)
	}
	return pods
}

// Object returns the pod as the library's object.
func (p *HostPod) Object() *outrank.Pod {
	requests := listOf(p.Amounts)
	delete(requests, resource.Pods)
	o := &outrank.Pod{
		Name: p.Name, QOSClass: p.Class, Static: p.Static, Mirror: p.Mirror,
		Containers: []outrank.Container{{Name: "main", Requests: requests}},
	}
	if !p.Unset {
		o.Priority = &p.Priority
	}
	return o
}

func listOf(amounts [numResources]int64) resource.List {
	return resource.MustList("pods", text(amounts[0]), "cpu", text(amounts[1]), "memory", text(amounts[2])+"Gi", string(gpu), text(amounts[3]))
}

// mostShown is how many pods of a host a failure shows. Only a crowd has more.
const mostShown = 30

// GoString returns the host as a scenario, which is what a failure shows of it. Of a crowd it has the first pods.
func (h *Host) GoString() string {
	var b strings.Builder
	b.WriteString("\nhost\n")
	fmt.Fprintf(&b, "    release %s\n", h.Release)
	fmt.Fprintf(&b, "    node n1 pods=%d cpu=%d memory=%dGi offers=(%s=%d)\n", h.Amounts[0], h.Amounts[1], h.Amounts[2], gpu, h.Amounts[3])
	for i := range h.Pods[:min(mostShown, len(h.Pods))] {
		fmt.Fprintf(&b, "    pod %s\n", h.Pods[i].line())
	}
	if more := len(h.Pods) - mostShown; more > 0 {
		fmt.Fprintf(&b, "    # and %d more, which the seed draws again\n", more)
	}
	question := "admit"
	if h.PriorityFirst {
		question = "by-priority"
	}
	fmt.Fprintf(&b, "%s %s\n", question, h.Asks.line())
	return b.String()
}

func (p *HostPod) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s cpu=%d memory=%dGi asks=(%s=%d) qos=%s", p.Name, p.Amounts[1], p.Amounts[2], gpu, p.Amounts[3], p.Class)
	if !p.Unset {
		fmt.Fprintf(&b, " priority=%d", p.Priority)
	}
	writeFlag(&b, "static", p.Static)
	writeFlag(&b, "mirror", p.Mirror)
	return b.String()
}
