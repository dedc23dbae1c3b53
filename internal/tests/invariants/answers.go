package invariants

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank/preemption"
)

// said is what a node answers about a pod: a code, the filter that fails, and its reasons.
type said struct {
	code            preemption.Code
	filter, reasons string
	excludedBy      string
}

// takesIt is the answer of a node that takes the pod.
var takesIt said

// curable is the answer of a node that might take the pod without some of its pods, and hopeless that of one that cannot.
func curable(filter string, reasons ...string) said {
	return said{code: preemption.Unschedulable, filter: filter, reasons: strings.Join(reasons, ", ")}
}

func hopeless(filter string, reasons ...string) said {
	return said{code: preemption.UnschedulableAndUnresolvable, filter: filter, reasons: strings.Join(reasons, ", ")}
}

// String says it as a failure does.
func (s said) String() string {
	by := s.filter
	if s.excludedBy != "" {
		by = "excluded by " + s.excludedBy
	}
	if s == takesIt {
		return "has room"
	}
	return strings.Join(slices.DeleteFunc([]string{string(s.code), by, s.reasons}, func(part string) bool { return part == "" }), ", ")
}

// readStatus takes a status of the library apart.
func readStatus(s preemption.Status) said {
	return said{code: s.Code, filter: s.Filter, reasons: strings.Join(s.Reasons, ", "), excludedBy: s.ExcludedBy}
}

// answer is what a node says about a pod beside the pods that are there. It asks in the order of the filters, of which
// the first that fails decides (rule 7.1.3).
func (w *World) answer(n *Node, there []*Pod, asks *Pod) said {
	var cpu, memory, ofA int64
	portTaken := false
	for _, p := range there {
		cpu += p.CPU
		memory += p.Memory
		portTaken = portTaken || asks.Port > 0 && p.Port == asks.Port
		if p.App == "a" {
			ofA++
		}
	}

	switch {
	case n.Cordoned:
		return hopeless(preemption.NodeUnschedulable, "node(s) were unschedulable")
	case len(asks.Names) > 0 && !slices.Contains(asks.Names, n.Name):
		return hopeless(preemption.NodeAffinity, "node(s) didn't match Pod's node affinity/selector")
	case portTaken:
		return curable(preemption.NodePorts, "node(s) didn't have free ports for the requested pod ports")
	}
	if short := n.short(cpu, memory, int64(len(there)), asks); short != takesIt {
		if w.Policy == v113 { // a node that is too small may be tried, and no filter behind says that nothing helps (rule 13.2.15)
			short.code = preemption.Unschedulable
		}
		return short
	}
	switch avoided := func(p *Pod) bool { return p.Avoids != "" && p.Avoids == asks.App }; {
	case asks.Avoids != "" && slices.ContainsFunc(there, func(p *Pod) bool { return p.App == asks.Avoids }):
		return curable(preemption.InterPodAffinity, "node(s) didn't match pod anti-affinity rules")
	case slices.ContainsFunc(there, avoided):
		return curable(preemption.InterPodAffinity, "node(s) didn't satisfy existing pods anti-affinity rules")
	}
	if asks.App == "a" && w.MostOfA >= 0 && ofA >= int64(w.MostOfA) {
		return curable(filterName, thereOfA(int(ofA)))
	}
	return takesIt
}

// short says what a node lacks for a pod beside pods that take so much. It names all that is short, and it is hopeless if
// the pod asks for more of one than the whole node has (rules 7.7.3 to 7.7.5).
func (n *Node) short(cpu, memory, pods int64, asks *Pod) said {
	var reasons []string
	if pods+1 > n.Pods {
		reasons = append(reasons, "Too many pods")
	}
	if asks.CPU > 0 && cpu+asks.CPU > n.CPU {
		reasons = append(reasons, "Insufficient cpu")
	}
	if asks.Memory > 0 && memory+asks.Memory > n.Memory {
		reasons = append(reasons, "Insufficient memory")
	}
	switch {
	case len(reasons) == 0:
		return takesIt
	case asks.CPU > n.CPU, asks.Memory > n.Memory:
		return hopeless(preemption.NodeResourcesFit, reasons...)
	}
	return curable(preemption.NodeResourcesFit, reasons...)
}

// beside is what a node says about a pod beside these, with those who keep their room and then without them (rules 7.16.1
// and 7.16.2).
func (w *World) beside(n *Node, there []*Pod, asks *Pod) said {
	if with := w.nominated(n.Name, asks); len(with) > 0 {
		if said := w.answer(n, slices.Concat(there, with), asks); said != takesIt {
			return said
		}
	}
	return w.answer(n, there, asks)
}

// fits reports whether a node takes the pod beside these.
func (w *World) fits(n *Node, there []*Pod, asks *Pod) bool {
	return w.beside(n, there, asks) == takesIt
}

// onceGone is what a node says about the pod that asks once these pods are gone.
func (w *World) onceGone(n *Node, gone []*Pod) said {
	return w.beside(n, without(w.on(n.Name), gone), &w.Asks[0])
}

// now is what a node says about the pod that asks with everybody there: what the caller's scheduler has found, or what
// the filters say, or that the pod does not name it (group 7.15).
func (w *World) now(n *Node) said {
	asks := &w.Asks[0]
	switch n.Found {
	case "fits":
		return takesIt
	case "unschedulable":
		return curable("", foundSo)
	case "unresolvable":
		return hopeless("", foundSo)
	case "unasked":
		return w.unasked()
	}

	named := len(asks.Names) == 0 || slices.Contains(asks.Names, n.Name)
	if named || w.askedFirst() == n {
		return w.beside(n, w.on(n.Name), asks)
	}
	return w.leftOut()
}

// unasked is the answer of a node that the caller's scheduler did not ask. Only v1.13 tries it (rule 13.2.10).
func (w *World) unasked() said {
	const reason = "the node was not filtered"
	if w.Policy == v113 {
		return curable("", reason)
	}
	return hopeless("", reason)
}

// askedFirst is the node that is asked before all others, also if the pod does not name it (rule 7.15.9); nil for none.
func (w *World) askedFirst() *Node {
	if w.Policy == v113 {
		return nil
	}
	return w.node(w.Asks[0].Nominated)
}

// leftOut is the answer of a node that the pod does not name. It names the filter that the nominated node fails, too
// (rules 7.15.2 and 7.15.9).
func (w *World) leftOut() said {
	filters := []string{preemption.NodeAffinity}
	if n := w.askedFirst(); n != nil {
		if by := w.beside(n, w.on(n.Name), &w.Asks[0]).filter; by != "" {
			filters = append(filters, by)
		}
	}
	slices.Sort(filters)
	out := hopeless("", "node(s) didn't satisfy plugin(s) ["+strings.Join(slices.Compact(filters), " ")+"]")
	out.excludedBy = preemption.NodeAffinity
	return out
}
