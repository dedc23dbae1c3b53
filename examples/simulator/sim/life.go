package sim

import "github.com/outrank-go/outrank"

// life moves pods from one phase to the next: they arrive, get a node, and leave.
type life struct {
	clock       *clock
	teller      *teller
	lives       *lives
	cluster     *cluster
	line        *line
	gangs       *gangs
	tally       *tally
	controllers *controllers
	stays       *stays
	kubelets    *kubeletWork // nil without kubelets
}

// arrive puts a pod into the queue.
func (l *life) arrive(p *pod) error {
	if p.phase != Coming {
		return nil // it was deleted before it arrived
	}
	if p.obj.NodeName != "" {
		return l.arriveOn(p)
	}

	p.phase = Queued
	p.queued = l.clock.at
	p.lineage.arrived = true
	l.tally.arrived(p)
	l.cluster.coverByBudgets(p)
	l.line.count(p, 1)

	// A pod may arrive with a nomination. The snapshot shows the pod only once the nominator knows that.
	l.cluster.nominate(p.obj)
	l.cluster.show(p)
	l.tellArrival(p)
	return l.line.add(p.obj)
}

// tellArrival reports that a pod has arrived, and how.
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

// arriveOn lets a pod arrive on its node without a scheduler.
func (l *life) arriveOn(p *pod) error {
	p.lineage.arrived = true
	l.tally.arrived(p)
	l.tellArrival(p)

	// A pod whose node does not exist is not replaced, because its successor would go to the same node.
	h := l.cluster.hosts[p.obj.NodeName]
	if h == nil {
		p.phase = Gone
		l.kubelets.countRejected(noNode)
		l.teller.tell(Event{Kind: Rejected, Pod: p.obj, Node: p.obj.NodeName}, "%s: there is no such node", noNode)
		l.gangs.retire(p)
		return nil
	}

	p.phase, p.host = Admitting, h
	p.revise(func(o *outrank.Pod) { o.StartTime = l.clock.time() })
	l.cluster.coverByBudgets(p)
	l.cluster.show(p)
	l.cluster.take(p, 1)
	return l.kubelets.deliver(p)
}

// noNode is the reason for rejecting a pod whose node does not exist.
const noNode = "NoNode"

// bind puts a pod on a node. It runs at once or, with kubelets, once the kubelet of the node has admitted it.
func (l *life) bind(p *pod, h *host) error {
	l.line.count(p, -1)
	nominated := p.obj.NominatedNodeName
	p.phase, p.host = Admitting, h
	p.revise(func(o *outrank.Pod) {
		o.NodeName, o.NominatedNodeName = h.name(), ""
		o.StartTime = l.clock.time()
	})

	if l.kubelets == nil {
		p.phase = Running
		p.revise(func(o *outrank.Pod) { o.Phase, o.Ready = outrank.PhaseRunning, true })
		l.stays.begin(p)
	}

	l.cluster.show(p)
	l.cluster.take(p, 1)
	l.cluster.touchBudgets(p)
	l.teller.tell(Event{Kind: Bound, Pod: p.obj, Node: h.name()}, "")

	// A pod that is bound to another node than the nominated one gives up its reservation there. The queue is
	// shown the pod without a node, because the reservation counted only for pods of its priority or a lower
	// one.
	if nominated != "" && nominated != h.name() {
		waited := *p.obj
		waited.NodeName = ""
		l.line.roomGivenUp(&waited)
	}

	// A bound pod only helps waiting pods whose placement depends on the labels of other pods.
	if l.line.relational > 0 {
		l.line.assigned(p.obj, h.node)
	}

	if l.kubelets == nil {
		return nil
	}
	return l.kubelets.deliver(p)
}

// end lets a pod leave its node because its work is done.
func (l *life) end(p *pod) error {
	// The moment stays on the agenda even if the pod leaves earlier or ends at another time.
	if !p.onNode() || p.ends != l.clock.at {
		return nil
	}
	if p.evicted && l.controllers.replaceAtOnce() {
		return l.leave(p) // its successor does the work
	}

	p.lineage.finished = true
	l.tally.ended()
	l.teller.tell(Event{Kind: Ended, Pod: p.obj, Node: p.obj.NodeName}, "")
	l.stays.vacate(p, Finished)
	l.gangs.retire(p)
	return l.kubelets.goOn(p.host)
}

// leave lets a pod leave its node before its work is done.
func (l *life) leave(p *pod) error {
	if p.started && (p.evicted || p.lost) {
		l.tally.lose(l.clock.at-p.bound, p.asks[cpuColumn])
	}
	l.teller.tell(Event{Kind: Left, Pod: p.obj, Node: p.obj.NodeName}, "")
	l.stays.vacate(p, Gone)
	if err := l.controllers.replace(p); err != nil {
		return err
	}
	return l.kubelets.goOn(p.host)
}

// lose lets all pods of a removed node leave it.
func (l *life) lose(h *host) error {
	h.removed = true // so that its kubelet does nothing more
	for _, obj := range l.cluster.podsOn(h) {
		p := l.lives.pods[obj.Key()]

		// A pod that already had to leave keeps its first cause. It counts as lost unless it was deleted from
		// outside.
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
