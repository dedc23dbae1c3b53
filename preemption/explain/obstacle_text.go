package explain

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/prose"
)

// Text says in one line what keeps the pod out. It uses only the fields of the obstacle. An
// obstacle that names nothing is described in the filter's own words.
func (o *Obstacle) Text() string {
	if o == nil {
		return ""
	}
	parts := o.things()
	if len(parts) == 0 {
		return o.reasons()
	}
	if o.More > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", o.More))
	}
	return strings.Join(parts, "; ")
}

// reasons repeats the words of the filter, with its name.
func (o *Obstacle) reasons() string {
	texts := make([]string, len(o.Reasons))
	for i, r := range o.Reasons {
		texts[i] = prose.Text(r)
	}
	text := strings.Join(texts, ", ")
	if o.Filter != "" {
		text = prose.Text(o.Filter) + ": " + text
	}
	return text
}

// things returns a text for each thing that the obstacle names, in the order of its fields.
func (o *Obstacle) things() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }

	out = append(out, textsOf(o.Short, (*Room).text)...)
	if o.Nobody != nil {
		add("%s", o.Nobody.text())
	}
	out = append(out, o.names()...)

	// For a cordoned node the only taint stands for the cordon.
	for i := range o.Taints {
		if o.cordoned() {
			add("the node is cordoned")
			continue
		}
		add("taint %s", taintText(&o.Taints[i]))
	}
	for i := range o.Labels {
		add("the pod's node selector wants %s", o.Labels[i].text())
	}

	out = append(out, textsOf(o.Terms, (*Term).text)...)
	out = append(out, textsOf(o.Ports, (*Port).text)...)
	out = append(out, textsOf(o.Volumes, (*Volume).text)...)
	out = append(out, textsOf(o.Spread, (*Spread).text)...)
	return append(out, textsOf(o.Neighbours, (*Neighbour).text)...)
}

// names returns the texts about Names: one for each name or one for all of them, as the table of filters says. There is
// none if the filter has no words for names.
func (o *Obstacle) names() []string {
	entry := filter.Of(o.subject())
	if len(o.Names) == 0 || entry == nil || entry.Names.Text == "" {
		return nil
	}

	names := prose.Names(o.Names)
	if !entry.Names.Each {
		names = []string{prose.List(names, 0)}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf(entry.Names.Text, name)
	}
	return names
}

// text says why nobody on the node may be evicted.
func (n *Nobody) text() string {
	var text string
	switch rest := n.Pods - n.Protected; {
	case n.Pods == 0:
		return "no pod runs there that could leave"
	case rest == 0:
		return fmt.Sprintf("the %s there may not be evicted", prose.Plural(n.Pods, "pod"))
	default:
		text = fmt.Sprintf("nobody there is less important: %s with priority %d or more", prose.Plural(rest, "pod"), n.Least)
	}
	if n.Protected > 0 {
		text += fmt.Sprintf(", and %d that may not be evicted", n.Protected)
	}
	return text
}

// text says what is required, and what the node has.
func (l *Label) text() string {
	text := prose.Text(requirementText(l.Key, l.Operator, l.Values))
	switch {
	case l.Key == outrank.FieldName:
		return text + ", and this is node " + prose.Name(orEmpty(l.Have))
	case l.Have == nil:
		return text + ", and there is no label " + prose.Name(l.Key)
	}
	return text + ", and the node has " + prose.Name(l.Key) + "=" + prose.Name(*l.Have)
}

// text says whose term it is, and which of its requirements the node does not meet.
func (t *Term) text() string {
	whose := "the pod's node affinity"
	if t.Added {
		whose = "the scheduler's configuration"
	}
	if len(t.Unmet) == 0 {
		return whose + " has a term that no node meets"
	}
	return whose + " wants " + strings.Join(textsOf(t.Unmet, (*Label).text), "; ")
}

// text says which port is taken, and by which pod.
func (p *Port) text() string {
	text := fmt.Sprintf("host port %d/%s", p.HostPort, prose.Text(p.Protocol))
	if p.HostIP != "0.0.0.0" {
		text += " of " + prose.Name(p.HostIP)
	}
	if p.Holder == nil {
		return text + " is taken"
	}
	return text + " is held by " + p.Holder.text()
}

// text says what is wrong with the volume: which pod uses it, what its claim lacks, or where it can be used instead.
func (v *Volume) text() string {
	name := "disk " + prose.Name(v.Disk)
	if v.Claim != "" {
		name = "claim " + prose.Name(v.Claim)
	}

	switch {
	case v.Holder != nil && v.Claim != "":
		return name + " allows a single pod, and is in use by " + v.Holder.placed()
	case v.Holder != nil:
		return name + " is mounted by " + v.Holder.text()
	case v.State == outrank.ClaimDeleting:
		return name + " is being deleted"
	case v.State == outrank.ClaimUnbound:
		return name + " has no volume"
	case v.State != "":
		return name + " is bound to volume " + prose.Name(v.MissingVolume) + ", which does not exist"
	case v.Zone != nil:
		return fmt.Sprintf("the volume of %s is in %s, and the node has %s", name,
			prose.Text(requirementText(v.Zone.Key, v.Zone.Operator, v.Zone.Values)), prose.Name(orEmpty(v.Zone.Have)))
	}

	// What remains is the volume's own node affinity. A node has to meet one of its terms.
	texts := make([]string, 0, len(v.Terms))
	for i := range v.Terms {
		for j := range v.Terms[i].Unmet {
			texts = append(texts, v.Terms[i].Unmet[j].text())
		}
	}
	if len(texts) == 0 {
		return "the volume of " + name + " can be used on no node"
	}
	return "the volume of " + name + " wants " + strings.Join(texts, "; ")
}

// text says how uneven the pods would be spread, or that the node lacks the key.
func (s *Spread) text() string {
	if s.Domain == nil {
		return "the node has no label " + prose.Name(s.TopologyKey) + ", which a topology spread constraint needs"
	}
	return fmt.Sprintf("%s=%s would have %s of %s, and the emptiest domain has %d: more than %d apart",
		prose.Name(s.TopologyKey), prose.Name(*s.Domain), prose.Plural(s.With, "pod"), prose.Text(s.Selector), s.Least, s.MaxSkew)
}

// text says which pods are missing or too near, or that the node lacks the key.
func (n *Neighbour) text() string {
	where := prose.Name(n.TopologyKey) + "=" + prose.Name(orEmpty(n.Domain))
	switch {
	case n.Domain == nil:
		return "the node has no label " + prose.Name(n.TopologyKey) + ", which the pod's affinity needs"
	case n.Side == ownAffinity:
		return fmt.Sprintf("the pod wants to be near %s, and there is none in %s", prose.Text(n.Selector), where)
	case n.Side == ownAntiAffinity:
		return fmt.Sprintf("the pod keeps away from %s, and %s is in %s", prose.Text(n.Selector), n.Pod.placed(), where)
	}
	return fmt.Sprintf("%s in %s keeps away from %s, which the pod is", n.Pod.placed(), where, prose.Text(n.Selector))
}
