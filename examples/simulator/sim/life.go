package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/priority/queue"
)

// arrive puts a pod into the queue.
func (s *Simulation) arrive(p *pod) error {
	if p.phase != Coming {
		return nil // it was deleted before
	}
	if p.obj.NodeName != "" {
		return s.arriveOn(p)
	}
	p.phase, p.queued = Queued, s.at
	p.lineage.arrived = true
	s.progress.arrived(p)
	s.budgets.join(p)
	s.count(p, 1)
	// A pod that is nominated when it comes says so itself.
	s.nominator.Add(p.obj, "")
	s.show(p)
	s.tellArrival(p)
	return s.queue.Add(p.obj, s.Time())
}

func (s *Simulation) tellArrival(p *pod) {
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
		s.tell(e, "priority %d%s, in place of %s", p.obj.PriorityValue(), how, e.Related.Key())
		return
	}
	s.tell(e, "priority %d%s", p.obj.PriorityValue(), how)
}

// count counts a pod in the queue, or no more.
func (s *Simulation) count(p *pod, sign int) {
	s.inQueue += sign
	s.waiting[p.obj.PriorityValue()] += sign
	if relational(p.obj) {
		s.relational += sign
	}
	if sign < 0 {
		p.lineage.waited += s.at - p.queued
		if p.tried == s.state {
			s.tried--
		}
	}
	s.unsampled = true
}

// show brings the snapshot in line with what is known of the pod.
func (s *Simulation) show(p *pod) {
	want := p.obj
	if p.phase == Queued && s.nominator.NodeOf(want.Key()) == "" || p.phase != Queued && !p.onNode() {
		want = nil
	}
	before := p.shown
	if want == before {
		return
	}
	if p.shown = want; before != nil {
		must(s.snap.RemovePod(before.Key()))
		s.changed(s.hostOf(before))
	}
	if want != nil {
		must(s.snap.AddPod(want))
		s.changed(s.hostOf(want))
	}
	s.reserve(p)
}

// must is for what only a mistake in this package can make fail.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("simulator: %v", err))
	}
}

// bind puts a pod on a node, and ends the attempt of the entry with that. It runs from
// then on, or as soon as the node's kubelet lets it.
func (s *Simulation) bind(entry queue.Entry, p *pod, h *host) error {
	s.count(p, -1)
	nominated := p.obj.NominatedNodeName
	s.nominator.Remove(p.obj)
	p.phase, p.host = Admitting, h
	p.revise(func(o *outrank.Pod) { o.NodeName, o.NominatedNodeName, o.StartTime = h.node.Name, "", s.Time() })
	if s.config.Kubelets == nil {
		p.phase = Running
		p.revise(func(o *outrank.Pod) { o.Phase, o.Ready = outrank.PhaseRunning, true })
		s.begin(p)
	}
	s.show(p)
	s.take(p, 1)
	s.budgets.touch(p)
	s.tell(Event{Kind: Bound, Pod: p.obj, Node: h.node.Name}, "")
	s.queue.Done(entry)
	attempt := execution.Attempt{Result: execution.ResultScheduled, Profile: p.scheduler.name}
	s.metrics.AddAttempt(attempt)
	s.metrics.AddAttemptDuration(attempt, s.config.Cycle)
	s.metrics.AddScheduled(entry.Attempts, s.Time().Sub(entry.FirstEnqueued))
	if nominated != "" && nominated != h.node.Name {
		waited := *p.obj
		waited.NodeName = "" // there it counted for some only
		s.queue.RoomGivenUp(&waited, s.Time())
	}
	if s.relational > 0 {
		s.queue.AssignedPodAdded(p.obj, s.Time())
		s.queue.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodAdded, Node: h.node, Pod: p.obj}, s.Time())
	}
	if s.config.Kubelets == nil {
		return nil
	}
	return s.deliver(p)
}

// tellToGo begins the grace period of a pod on a node. The reason is that of the
// condition DisruptionTarget, empty where it is deleted from outside.
func (s *Simulation) tellToGo(p *pod, grace *time.Duration, reason string) {
	d := p.obj.GracePeriod(s.config.grace())
	if p.work.Grace != nil {
		d = *p.work.Grace
	}
	if grace != nil {
		d = *grace
	}
	if p.phase == Admitting {
		d = 0 // there is nothing to stop
	}
	p.phase, p.until = Terminating, later(s.at, d)
	p.revise(func(o *outrank.Pod) {
		o.DeletionTimestamp, o.DisruptionReason = s.config.Start.Add(p.until), reason
	})
	s.show(p)
	s.budgets.touch(p)
	s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
}

// hasten has a pod that is told again to go leave sooner, where it gets less time now than
// it has left.
func (s *Simulation) hasten(p *pod, grace *time.Duration) {
	if grace == nil || later(s.at, *grace) >= p.until {
		return
	}
	p.until = later(s.at, *grace)
	p.revise(func(o *outrank.Pod) { o.DeletionTimestamp = s.config.Start.Add(p.until) })
	s.show(p)
	s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
}

// end is when a pod's work is done.
func (s *Simulation) end(p *pod) error {
	if !p.onNode() || p.ends != s.at {
		return nil
	}
	if p.evicted && s.config.Recreate.Rule == RecreateWhenEvicted {
		return s.leave(p) // another one does its work by now
	}
	p.lineage.finished = true
	s.progress.ended(p)
	s.tell(Event{Kind: Ended, Pod: p.obj, Node: p.obj.NodeName}, "")
	s.vacate(p, Finished)
	s.retire(p)
	return s.goOn(p.host)
}

// leave is when a pod goes from its node without having come to its end.
func (s *Simulation) leave(p *pod) error {
	if p.started && (p.evicted || p.lost) {
		s.lost.Add(s.at-p.bound, p.asks[cpuColumn])
	}
	s.tell(Event{Kind: Left, Pod: p.obj, Node: p.obj.NodeName}, "")
	s.vacate(p, Gone)
	if err := s.replace(p); err != nil {
		return err
	}
	return s.goOn(p.host)
}

// replace has a controller make up for a pod that has gone, if it is one that does so
// then.
func (s *Simulation) replace(p *pod) error {
	rule := s.config.Recreate.Rule
	if p.evicted && rule == RecreateWhenGone || p.lost && !p.evicted && rule != RecreateNever {
		return s.recreate(p)
	}
	if !p.evicted || rule != RecreateWhenEvicted {
		s.retire(p)
	}
	return nil
}

// vacate takes a pod off its node for good.
func (s *Simulation) vacate(p *pod, phase Phase) {
	p.phase = phase
	s.show(p)
	s.take(p, -1)
	if s.config.Kubelets != nil && p.started {
		s.use(p, -1)
	}
	s.budgets.leave(p)
	for _, x := range s.inOrder {
		x.executor.Gone(p.obj)
	}
	s.queue.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted, Node: p.host.node, Pod: p.obj}, s.Time())
}

// recreate has a controller make a pod in place of another, unless it gives up. A pod
// that came to a node past the scheduler comes to it again.
func (s *Simulation) recreate(p *pod) error {
	if !s.anew(p) {
		s.retire(p)
		return nil
	}
	l, first := p.lineage, p.lineage.lives[0]
	made := *first.work.Pod
	if first.there {
		made.NodeName = ""
	}
	made.NominatedNodeName, made.UID = "", ""
	made.StartTime, made.DeletionTimestamp, made.DisruptionReason = time.Time{}, time.Time{}, ""
	made.Ready, made.Phase = false, ""
	if s.config.Recreate.Change != nil {
		s.config.Recreate.Change(&made, l.evictions)
	}
	for n := len(l.lives); ; n++ {
		if made.Name = first.work.Pod.Name + "-r" + strconv.Itoa(n); s.pods[made.Key()] == nil {
			break
		}
	}
	w := *first.work
	w.Pod, w.Arrival, w.Lineage = &made, later(s.at, s.delayOf(l)), l.name
	var ps problems
	w.check(&ps, s.config.Kubelets != nil)
	if len(ps) == 0 {
		if next := s.admit(&w, &ps); next != nil {
			s.agenda.add(moment{at: w.Arrival, kind: arriveMoment, pod: next})
		}
	}
	return ps.err()
}
