package explain

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Text says in a line what became of the nodes of the group, and why.
func (g *NodeGroup) Text() string {
	text := fmt.Sprintf("%s (%s) ", prose.Plural(g.Count, "node"), prose.List(prose.Names(g.Names), g.Count-len(g.Names)))
	switch g.Stage {
	case Chosen:
		return text + "chosen; as things are, " + g.Before.Text()
	case Fits:
		return text + "take the pod as things are"
	case Candidate:
		text += "would do, too"
		if g.LostBy != 0 {
			text += "; lost by " + g.LostBy.String()
		}
		return text
	case NotTried:
		return text + "not tried: " + g.where() + g.Before.Text()
	case InVain:
		return text + "no use: " + g.where() + g.vain()
	}
	return text + "out: " + g.where() + g.Before.Text()
}

// vain tells apart what is in the way before and after preemption.
func (g *NodeGroup) vain() string {
	if g.After == nil {
		return g.Before.Text()
	}
	if g.Victims == 0 {
		return fmt.Sprintf("%s; and %s", g.Before.Text(), g.After.Text())
	}
	gone := fmt.Sprintf("with the %s gone that could leave", prose.Plural(g.Victims, "pod"))
	if g.Before != nil && g.Before.Filter == g.After.Filter {
		return fmt.Sprintf("also %s, %s", gone, g.After.Text())
	}
	return fmt.Sprintf("as things are, %s; %s, %s", g.Before.Text(), gone, g.After.Text())
}

func (g *NodeGroup) where() string {
	switch {
	case g.Before == nil:
		return "not asked"
	case g.Count == 1:
		return ""
	}
	return "on " + prose.Name(g.Example) + ", "
}

// Texts says in sentences what is missing, and what would help.
func (n *Nothing) Texts() []string {
	var out []string
	if n.Nearest != nil {
		out = append(out, fmt.Sprintf("Of the nodes that lack room the nearest is %s: %s.", n.Nearest.where(), shortages(n.Nearest.Missing)))
	}
	switch e := n.Enough; {
	case e != nil:
		out = append(out, e.text())
	case n.SearchedTo != nil:
		out = append(out, fmt.Sprintf("Priority %d is not enough; whether a higher one is was not found.", *n.SearchedTo))
	case n.Hopeless && n.Alone == nil:
		out = append(out, "No priority would be enough: no eviction changes what keeps the pod out.")
	case n.Hopeless:
		out = append(out, fmt.Sprintf("No priority would be enough: on %s, %s.", n.Alone.where(), shortages(n.Alone.Missing)))
	}
	return out
}

func (n *Nearest) where() string {
	if n.Gone == 0 {
		return "node " + prose.Name(n.Node)
	}
	return fmt.Sprintf("node %s without %s", prose.Name(n.Node), prose.Plural(n.Gone, "pod"))
}

func (e *Enough) text() string {
	text := fmt.Sprintf("Priority %d would be enough, and %d is not: ", e.Priority, int64(e.Priority)-1)
	if e.Outcome == preemption.Fits {
		text += "the pod would fit before pods that are nominated"
	} else {
		text += fmt.Sprintf("on node %s it would push out %s", prose.Name(e.Node), pods(e.Victims, e.MoreVictims))
	}
	switch {
	case e.Class != "":
		text += "; class " + prose.Name(e.Class) + " has as much"
	case e.BeyondUsers:
		text += "; only classes of the system have as much"
	}
	return text + "."
}
