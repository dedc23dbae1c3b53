package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/history"
)

func missingKey(key outrank.Key) error { return fmt.Errorf("pod %s: %w", key, preemption.ErrNotFound) }

// arriveOn has a pod come to its node past the scheduler.
func (s *Simulation) arriveOn(p *pod) error {
	p.lineage.arrived = true
	s.progress.arrived(p)
	s.tellArrival(p)
	h := s.hosts[p.obj.NodeName]
	if h == nil {
		p.phase = Gone
		s.kubelets.reject(noNode)
		s.tell(Event{Kind: Rejected, Pod: p.obj, Node: p.obj.NodeName}, "%s: there is no such node", noNode)
		s.retire(p)
		return nil
	}
	p.phase, p.host = Admitting, h
	p.revise(func(o *outrank.Pod) { o.StartTime = s.Time() })
	s.budgets.join(p)
	s.show(p)
	s.take(p, 1)
	return s.deliver(p)
}

// noNode is the reason of a pod that comes to a node which is not there.
const noNode = "NoNode"

// deliver hands a pod to the kubelet of its node.
func (s *Simulation) deliver(p *pod) error {
	p.host.inbox = append(p.host.inbox, p)
	return s.sync(p.host)
}

// sync has a kubelet go on with its pods, one after another, as far as it comes.
func (s *Simulation) sync(h *host) error {
	for !h.removed {
		if h.starting != nil {
			if done, err := s.killNext(h); err != nil || !done {
				return err
			}
			p := h.starting
			if h.starting = nil; p.phase == Admitting {
				s.start(p)
			}
			continue
		}
		if len(h.inbox) == 0 {
			return nil
		}
		p := h.inbox[0]
		if h.inbox = h.inbox[1:]; p.phase != Admitting {
			continue // told to go meanwhile
		}
		if err := s.decide(h, p); err != nil {
			return err
		}
	}
	return nil
}

// decide is the admission of one pod, beside those that have started.
func (s *Simulation) decide(h *host, p *pod) error {
	if why := h.turnsAway(s.release, p.obj); why != "" {
		return s.turnAway(p, "Evicted", why)
	}
	var active []*outrank.Pod
	for _, obj := range s.snap.PodsOn(h.node.Name) {
		if s.pods[obj.Key()].started {
			active = append(active, obj)
		}
	}
	k := s.config.Kubelets
	adm, err := kubeletadmit.Admitter{Release: s.release, PriorityFirst: k.PriorityFirst, Exact: k.Exact}.Admit(h.node, active, p.obj)
	switch {
	case err != nil:
		return err
	case adm.Outcome == kubeletadmit.Rejected:
		return s.turnAway(p, adm.Reason, adm.Message)
	case adm.Outcome == kubeletadmit.Admitted:
		s.start(p)
		return nil
	}
	h.starting, h.victims = p, nil
	for _, e := range adm.Evictions {
		h.victims = append(h.victims, s.pods[e.Pod.Key()])
	}
	return nil
}

// killNext kills victims one after another, and reports whether none is left (rule
// 17.7.1). Nobody goes for a pod that was told to go itself meanwhile.
func (s *Simulation) killNext(h *host) (bool, error) {
	for ; len(h.victims) > 0; h.victims = h.victims[1:] {
		v := h.victims[0]
		switch {
		case v.phase == Terminating:
			return false, nil
		case v.phase != Running || h.starting.phase != Admitting:
			continue
		}
		err := s.kill(v, forCritical, nil, h.starting, "by %s, which its kubelet starts", h.starting.obj.Key())
		if err == nil {
			err = s.history.Record(history.Preemption{
				Time: s.Time(), Node: h.node.Name, Preemptor: h.starting.lineage.name, Victims: []string{v.lineage.name},
			})
		}
		return false, err
	}
	return true, nil
}

// kill has a kubelet evict a pod, for another one or for none.
func (s *Simulation) kill(p *pod, why cause, grace *time.Duration, by *pod, format string, args ...any) error {
	s.countEviction(p)
	p.cause = why
	s.kubelets.evicted[why]++
	s.tellToGo(p, grace, outrank.TerminationByKubelet)
	e := Event{Kind: Evicted, Pod: p.obj, Node: p.obj.NodeName}
	if by != nil {
		e.Related = by.obj
	}
	s.tell(e, format+", gone by %.3f", append(args, p.until.Seconds())...)
	if s.config.Recreate.Rule == RecreateWhenEvicted {
		return s.recreate(p)
	}
	return nil
}

// start lets a pod run.
func (s *Simulation) start(p *pod) {
	p.phase = Running
	p.revise(func(o *outrank.Pod) { o.Phase, o.Ready = outrank.PhaseRunning, true })
	s.begin(p)
	s.show(p)
	s.budgets.touch(p)
	s.kubelets.started++
	s.tell(Event{Kind: Started, Pod: p.obj, Node: p.obj.NodeName}, "")
	s.use(p, 1)
	s.watchUse(p.host)
}

// begin is when a pod begins its work.
func (s *Simulation) begin(p *pod) {
	p.started, p.bound, p.lineage.placed = true, s.at, true
	if p.ends = horizon; !p.work.Endless {
		p.ends = later(s.at, p.work.Duration)
		s.agenda.add(moment{at: p.ends, kind: endMoment, pod: p})
	}
}

// turnAway is when a kubelet does not admit a pod. Its controller makes it anew.
func (s *Simulation) turnAway(p *pod, reason, message string) error {
	s.kubelets.reject(reason)
	if !strings.HasPrefix(message, reason+": ") {
		message = reason + ": " + message
	}
	s.tell(Event{Kind: Rejected, Pod: p.obj, Node: p.obj.NodeName}, "%s", message)
	p.lineage.failures++
	s.vacate(p, Gone)
	if s.config.Recreate.Rule == RecreateNever {
		s.retire(p)
		return nil
	}
	return s.recreate(p)
}

func (c *kubeletCounts) reject(reason string) {
	if c.rejected == nil {
		c.rejected = map[string]int{}
	}
	c.rejected[reason]++
}

// goOn is when a pod has gone from a node with a kubelet.
func (s *Simulation) goOn(h *host) error {
	if s.config.Kubelets == nil {
		return nil
	}
	s.watchUse(h)
	return s.sync(h)
}
