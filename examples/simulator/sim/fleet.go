package sim

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// fleet lets nodes come, change and go during a run.
type fleet struct {
	teller  *teller
	cluster *cluster
	line    *line
	// known are the names of all nodes that are there or have been.
	known map[string]bool
}

// add adds a node behind all others.
func (f *fleet) add(n *outrank.Node) error {
	if n != nil && f.cluster.hosts[n.Name] != nil {
		return knownNode(n.Name)
	}
	if err := f.cluster.snap.PutNode(n); err != nil {
		return err
	}
	f.cluster.addHost(n)
	f.known[n.Name] = true
	f.changed(n, queue.EventNodeAdded, "added")
	return nil
}

// update replaces a node. The text is for people.
func (f *fleet) update(n *outrank.Node, text string) {
	f.cluster.addHost(n)
	must(f.cluster.snap.PutNode(n))
	f.changed(n, queue.EventNodeUpdated, text)
}

// remove removes a node without pods.
func (f *fleet) remove(h *host) {
	must(f.cluster.snap.RemoveNode(h.node.Name))
	f.cluster.removeHost(h)
	f.changed(h.node, queue.EventNodeDeleted, "removed")
}

func (f *fleet) changed(n *outrank.Node, kind queue.ClusterEventKind, text string) {
	f.cluster.meter.stale = true
	f.cluster.tries.changed(nil)
	e := Event{Kind: Changed, Node: n.Name, Object: n}
	if kind == queue.EventNodeDeleted {
		e.Object = nil
	}
	f.teller.tell(e, "%s", text)
	f.line.move(kind, n, nil)
}
