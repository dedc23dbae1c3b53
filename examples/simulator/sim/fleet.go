package sim

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// fleet adds, changes and removes nodes during a run.
type fleet struct {
	teller  *teller
	cluster *cluster
	line    *line
	// known has the names of all present and former nodes.
	known map[string]bool
}

// add adds a node behind all others.
func (f *fleet) add(n *outrank.Node) error {
	if n != nil && f.cluster.hosts[n.Name] != nil {
		return knownNode(n.Name)
	}
	if err := f.cluster.addNode(n); err != nil {
		return err
	}
	f.known[n.Name] = true
	f.changed(n, queue.EventNodeAdded, "added")
	return nil
}

// update replaces a node by a new version. The text describes the change for people.
func (f *fleet) update(n *outrank.Node, text string) {
	f.cluster.updateNode(n)
	f.changed(n, queue.EventNodeUpdated, text)
}

// remove removes a node without pods.
func (f *fleet) remove(h *host) {
	f.cluster.removeNode(h)
	f.changed(h.node, queue.EventNodeDeleted, "removed")
}

// changed tells everybody about a change of a node, after which any pod may fit.
func (f *fleet) changed(n *outrank.Node, kind queue.ClusterEventKind, text string) {
	f.cluster.changed(nil)

	e := Event{Kind: Changed, Node: n.Name, Object: n}
	if kind == queue.EventNodeDeleted {
		e.Object = nil
	}
	f.teller.tell(e, "%s", text)

	f.line.move(kind, n, nil)
}
