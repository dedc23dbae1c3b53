package sim

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// life moves pods from one phase to the next: they come, get to a node, and go.
type life struct {
	config      *Config
	clock       *clock
	teller      *teller
	lives       *lives
	cluster     *cluster
	line        *line
	tally       *tally
	controllers *controllers
	stays       *stays
	kubelets    *kubeletWork // nil for none
}

// arrive puts a pod into the queue.
func (l *life) arrive(p *pod) error {
	if p.phase != Coming {
		return nil // it was deleted before
	}
	if p.obj.NodeName != "" {
		return l.arriveOn(p)
	}
	p.phase, p.queued = Queued, l.clock.at
	p.lineage.arrived = true
	l.tally.progress.arrived(p)
	l.cluster.budgets.join(p)
	l.line.count(p, 1)
	// A pod that is nominated when it comes has the nomination in its own fields.
	l.cluster.nominator.Add(p.obj, "")
	l.cluster.show(p)
	l.tellArrival(p)
	return l.line.queue.Add(p.obj, l.clock.time())
}

func (l *life) tellArrival(p *pod) {
	e := Event{Kind: Arrived, Pod: p.obj, Node: p.obj.NodeName}
	how := ""
	switch {
	case p.obj.Static:
		how = ", static"
	case e.Node != "":
		how = ", past the scheduler"
	}
	if n := len(p.lineage.lives); n > 1 {
		e.Related = p.lineage.lives[n-2].obj
		l.teller.tell(e, "priority %d%s, in place of %s", p.obj.PriorityValue(), how, e.Related.Key())
		return
	}
	l.teller.tell(e, "priority %d%s", p.obj.PriorityValue(), how)
}

// arriveOn lets a pod come to its node past the scheduler.
func (l *life) arriveOn(p *pod) error {
	p.lineage.arrived = true
	l.tally.progress.arrived(p)
	l.tellArrival(p)
	h := l.cluster.hosts[p.obj.NodeName]
	if h == nil {
		p.phase = Gone
		l.kubelets.table.counts.reject(noNode)
		l.teller.tell(Event{Kind: Rejected, Pod: p.obj, Node: p.obj.NodeName}, "%s: there is no such node", noNode)
		l.controllers.gangs.retire(p)
		return nil
	}
	p.phase, p.host = Admitting, h
	p.revise(func(o *outrank.Pod) { o.StartTime = l.clock.time() })
	l.cluster.budgets.join(p)
	l.cluster.show(p)
	l.cluster.take(p, 1)
	return l.kubelets.deliver(p)
}

// noNode is the reason of a pod that comes to a node which is not there.
const noNode = "NoNode"

// bind puts a pod on a node. It runs from then on, or as soon as the node's kubelet
// lets it.
func (l *life) bind(p *pod, h *host) error {
	l.line.count(p, -1)
	nominated := p.obj.NominatedNodeName
	p.phase, p.host = Admitting, h
	p.revise(func(o *outrank.Pod) { o.NodeName, o.NominatedNodeName, o.StartTime = h.node.Name, "", l.clock.time() })
	if l.config.Kubelets == nil {
		p.phase = Running
		p.revise(func(o *outrank.Pod) { o.Phase, o.Ready = outrank.PhaseRunning, true })
		l.stays.begin(p)
	}
	l.cluster.show(p)
	l.cluster.take(p, 1)
	l.cluster.budgets.touch(p)
	l.teller.tell(Event{Kind: Bound, Pod: p.obj, Node: h.node.Name}, "")
	if nominated != "" && nominated != h.node.Name {
		waited := *p.obj
		waited.NodeName = "" // there it counted for some only
		l.line.roomGivenUp(&waited)
	}
	if l.line.relational > 0 {
		l.line.queue.AssignedPodAdded(p.obj, l.clock.time())
		l.line.move(queue.EventAssignedPodAdded, h.node, p.obj)
	}
	if l.config.Kubelets == nil {
		return nil
	}
	return l.kubelets.deliver(p)
}

// end lets a pod leave its node because its work is done.
func (l *life) end(p *pod) error {
	if !p.onNode() || p.ends != l.clock.at {
		return nil
	}
	if p.evicted && l.config.Recreate.Rule == RecreateWhenEvicted {
		return l.leave(p) // another one does its work by now
	}
	p.lineage.finished = true
	l.tally.progress.ends++
	l.teller.tell(Event{Kind: Ended, Pod: p.obj, Node: p.obj.NodeName}, "")
	l.stays.vacate(p, Finished)
	l.controllers.gangs.retire(p)
	return l.kubelets.goOn(p.host)
}

// leave lets a pod go from its node before its end.
func (l *life) leave(p *pod) error {
	if p.started && (p.evicted || p.lost) {
		l.tally.lost.Add(l.clock.at-p.bound, p.asks[cpuColumn])
	}
	l.teller.tell(Event{Kind: Left, Pod: p.obj, Node: p.obj.NodeName}, "")
	l.stays.vacate(p, Gone)
	if err := l.controllers.replace(p); err != nil {
		return err
	}
	return l.kubelets.goOn(p.host)
}

// lose lets the pods of a removed node leave it.
func (l *life) lose(h *host) error {
	h.removed = true // its kubelet does nothing any more
	for _, obj := range l.cluster.snap.PodsOn(h.node.Name) {
		p := l.lives.pods[obj.Key()]
		p.lost = p.phase == Running || p.phase == Admitting || p.evicted
		if p.cause == NoCause {
			p.cause = NodeLost
		}
		if err := l.leave(p); err != nil {
			return err
		}
	}
	return nil
}
