package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// behind lists the obstacles behind the first one, as the continuation of a sentence. It is empty if there are none.
func (w *Way) behind() string {
	if w == nil {
		return ""
	}

	// The sentence has already named the obstacle of the first step.
	var b strings.Builder
	for i := range w.Steps {
		switch i {
		case 0:
			continue
		case 1:
			b.WriteString("; behind it: ")
		default:
			b.WriteString("; behind that: ")
		}
		b.WriteString(w.Steps[i].Obstacle.Text())
	}

	if w.Limited {
		b.WriteString("; more may stand behind that")
	}
	return b.String()
}

// Help says in a sentence with which changes the example of the group takes the pod. It is empty if no sensible changes
// were found.
func (g *NodeGroup) Help() string {
	if !g.Way.sensible() {
		return ""
	}
	return fmt.Sprintf("%s: %s.", prose.Plural(g.Names.Len(), "node"), g.Way.text())
}

// sensible reports whether the node takes the pod after the changes, and the changes make sense. They do not if the pod
// may ask for nothing at all of some resource: it could not run like that.
func (w *Way) sensible() bool {
	return w.helps() && !slices.ContainsFunc(w.Steps, func(s Step) bool {
		return slices.Contains(s.Changes, askLess) && slices.ContainsFunc(s.Obstacle.Short, func(r Room) bool {
			return r.Resource != resource.Pods && r.Short.Cmp(r.Needed) >= 0
		})
	})
}

// text says with which changes the pod finds room.
func (w *Way) text() string {
	var changed []string
	for i := range w.Steps {
		for _, c := range w.Steps[i].Changes {
			changed = append(changed, w.Steps[i].changed(c))
		}
	}

	text := fmt.Sprintf("%s it fits on %s", joined(changed), prose.Name(w.Node))
	if w.Outcome == preemption.Preempts {
		return text + " once " + haveLeft(w.Victims)
	}
	return text
}

// haveLeft says that pods have left.
func haveLeft(list List[Pod]) string {
	if list.Len() == 1 {
		return pods(list) + " has left"
	}
	return pods(list) + " have left"
}

// changed returns the words for the change c of the step, such as "without its node affinity".
func (s *Step) changed(c string) string {
	o := s.Obstacle

	switch c {
	case tolerate:
		return "with the toleration " + joined(textsOf(o.Taints, func(t *outrank.Taint) string { return tolerationText(t.Toleration()) }))
	case uncordon:
		return "with the node uncordoned"
	case dropNodeName:
		return "without its spec.nodeName"
	case dropNodeSelector:
		return "without its node selector for " + joined(textsOf(o.Labels, func(l *Label) string { return prose.Name(l.Key) }))
	case dropNodeAffinity:
		return "without its node affinity"
	case dropPorts:
		return "without host port " + joined(textsOf(o.Ports, func(p *Port) string { return fmt.Sprint(p.HostPort) }))
	case askLess:
		return "with " + joined(s.room(" less", ""))
	case enlargeNode:
		return "with " + joined(s.room(" more", " on the node"))
	case dropVolumes:
		return "without " + joined(s.volumes())
	case installDriver:
		return "with the CSI driver installed on the node"
	case dropSpread:
		return "without its topology spread constraint on " + joined(textsOf(o.Spread, func(s *Spread) string { return prose.Name(s.TopologyKey) }))
	case dropAffinity:
		return "without its pod affinity"
	case dropAntiAffinity:
		return "without its pod anti-affinity"
	case evict:
		return "with " + joined(textsOf(s.Evicted.Items, (*Pod).placed)) + " evicted by hand"
	case declareFeatures:
		return "with a node that declares " + joined(prose.Names(o.Names))
	case allowResize:
		return "with the node's spec.podPreemptionPolicy taken back"
	}
	return "with " + prose.Text(c) // a stored report may have an unknown change
}

// joined joins texts with "and" before the last one, and commas before that.
func joined(list []string) string {
	if last := len(list) - 1; last > 1 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, " and ")
}

// room returns texts about the amounts that are short, followed by than and where, such as "2 more cpu on the node".
// Room for one more pod can only be given by the node, so it is left out if where is empty.
func (s *Step) room(than, where string) (parts []string) {
	for i := range s.Obstacle.Short {
		short := &s.Obstacle.Short[i]
		switch places := short.Resource == resource.Pods; {
		case places && where != "":
			parts = append(parts, "room for one pod more"+where)
		case !places:
			parts = append(parts, fmt.Sprintf("%s%s %s%s", short.Short, than, prose.Resource(short.Resource), where))
		}
	}
	return parts
}

// volumes names the volumes that the change drops.
func (s *Step) volumes() (names []string) {
	for i := range s.Obstacle.Volumes {
		v := &s.Obstacle.Volumes[i]
		if v.Claim != "" {
			names = append(names, "claim "+prose.Name(v.Claim))
		} else {
			names = append(names, "disk "+prose.Name(v.Disk))
		}
	}
	for i := range s.Obstacle.Short {
		if driver := s.Obstacle.Short[i].driver(); driver != "" {
			names = append(names, "volumes of driver "+prose.Name(driver))
		}
	}
	return names
}

// Text says which pods the preemptor waits for, as the end of a sentence about it.
func (l *Leaving) Text() string {
	where := "node " + prose.Name(l.Node)
	if l.Nodes > 1 {
		where += fmt.Sprintf(" (and on %d more)", l.Nodes-1)
	}

	// Most of the pods are on the node itself. Only the others are named with their nodes.
	names := textsOf(l.Pods.Items, (*Pod).text)
	for i := range l.Pods.Items {
		if l.Pods.Items[i].Node != l.Node {
			names[i] = l.Pods.Items[i].placed()
		}
	}

	verb := "have left, which are"
	if l.Pods.Len() == 1 {
		verb = "has left, which is"
	}
	return fmt.Sprintf("fits on %s once %s %s being deleted already.", where, prose.List(names, l.Pods.More), verb)
}
