package explain

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Text says in one line what became of the nodes of the group, and why.
func (g *NodeGroup) Text() string {
	text := fmt.Sprintf("%s (%s) ", prose.Plural(g.Names.Len(), "node"), prose.List(prose.Names(g.Names.Items), g.Names.More))
	switch g.Stage {
	case Chosen:
		return text + "chosen; as things are, " + g.Before.Text()
	case Fits:
		return text + "take the pod as things are"
	case Candidate:
		text += "would do, too"
		if g.LostBy != "" {
			text += "; lost by " + RankText(g.LostBy)
		}
		return text
	case NotTried:
		return text + "not tried: " + g.where() + g.Before.Text()
	case InVain:
		return text + "preemption makes no room: " + g.where() + g.beforeAndAfter() + g.Way.behind()
	}
	return text + "out: " + g.where() + g.Before.Text() + g.Way.behind()
}

// beforeAndAfter says what keeps the pod out, without preemption and with all possible victims gone. If the same filter
// fails both times, only the second is described.
func (g *NodeGroup) beforeAndAfter() string {
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

// where says on which node the following obstacle was found. It is empty if the group has only one node.
func (g *NodeGroup) where() string {
	switch {
	case g.Before == nil:
		return "not asked"
	case g.Names.Len() == 1:
		return ""
	}
	return "on " + prose.Name(g.Example) + ", "
}

// Texts returns sentences about what is missing, and what would help.
func (n *Nothing) Texts() []string {
	var out []string

	// The sentence of hopeless describes the node of Alone, so Nearest is left out if it is the same node.
	if n.Nearest != nil && (n.Alone == nil || n.Nearest.Node != n.Alone.Node) {
		out = append(out, fmt.Sprintf("Of the nodes that lack room the nearest is %s: %s.", n.Nearest.where(), shortages(n.Nearest.Missing)))
	}
	if n.Enough != nil {
		out = append(out, n.Enough.text())
	}
	if n.Lower != nil {
		out = append(out, n.Lower.lowerText())
	}

	switch {
	case n.SearchedTo != nil:
		out = append(out, fmt.Sprintf("Priority %d is not enough; whether one farther from its own is was not found.", *n.SearchedTo))
	case n.Hopeless:
		out = append(out, n.hopeless())
	}

	if n.Eviction != nil {
		out = append(out, n.Eviction.text())
	}
	return out
}

// hopeless says that no priority would be enough, and why.
func (n *Nothing) hopeless() string {
	const none = "No priority would be enough"
	switch {
	case n.Copies != nil && n.Copies.Outcome == preemption.Fits:
		return none + ": its own copies are in the way, and have the same priority."
	case n.Copies != nil:
		return fmt.Sprintf("%s: it would have to push out its own copies, as with %s on node %s, and they have the same priority.",
			none, pods(n.Copies.Victims), prose.Name(n.Copies.Node))
	case n.Alone != nil:
		return fmt.Sprintf("%s: on %s, %s.", none, n.Alone.where(), shortages(n.Alone.Missing))
	case n.NoEviction:
		return none + ": no eviction changes what keeps the pod out."
	case n.Eviction == nil:
		return none + ", and no eviction that was tried makes room."
	}
	return none + "."
}

// where names the node, and the number of pods that are taken to be gone.
func (n *Nearest) where() string {
	if n.Gone == 0 {
		return "node " + prose.Name(n.Node)
	}
	return fmt.Sprintf("node %s without %s", prose.Name(n.Node), prose.Plural(n.Gone, "pod"))
}

// text says that a higher priority would be enough.
func (e *Enough) text() string {
	if e.beyondUsers() && e.Class == "" {
		return fmt.Sprintf("Only a class of the system (system-...) could be enough, with priority %d, and those are not for applications: %s.", e.Priority, e.what())
	}

	text := fmt.Sprintf("Priority %d would be enough, and %d is not: %s", e.Priority, int64(e.Priority)-1, e.what())
	if e.Class != "" {
		text += "; class " + prose.Name(e.Class) + " has as much"
	}
	return text + "."
}

// lowerText says that a lower priority would be enough.
func (e *Enough) lowerText() string {
	return fmt.Sprintf("A lower priority would be enough, %d and not %d: %s.", e.Priority, int64(e.Priority)+1, e.what())
}

// what says what would become of the pod with the priority. If it fits without preemption, it need not respect some
// nominated pods any more.
func (e *Enough) what() string {
	if e.Outcome == preemption.Fits {
		return "the pod would fit before pods that are nominated"
	}
	return fmt.Sprintf("on node %s it would push out %s", prose.Name(e.Node), pods(e.Victims))
}

// text says what becomes of the pod after the evictions.
func (e *Eviction) text() string {
	names := textsOf(e.Pods.Items, (*Pod).placed)
	text := fmt.Sprintf("With %s evicted by hand ", prose.List(names, e.Pods.More))
	if e.Outcome == preemption.Fits {
		return text + "it fits on node " + prose.Name(e.Node) + "."
	}
	return text + fmt.Sprintf("it pushes out %s on node %s.", pods(e.Victims), prose.Name(e.Node))
}
