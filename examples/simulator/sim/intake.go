package sim

import "github.com/outrank-go/outrank"

// admitAll admits the present pods and those to come.
func (s *Simulation) admitAll(there []*outrank.Pod, work []Work) error {
	var ps problems
	for _, obj := range there {
		if obj.Finished() || obj.Terminating() && obj.NodeName == "" {
			continue
		}
		w := &Work{Pod: obj, Endless: true}
		if p := s.controllers.admit(w, &ps); p != nil && obj.NodeName != "" {
			s.settle(p, &ps)
		} else if p != nil {
			s.controllers.expect(p)
		}
	}
	for i := range work {
		w := &work[i]
		if w.check(&ps, s.config.Kubelets != nil); w.Pod == nil {
			continue
		}
		if p := s.controllers.admit(w, &ps); p != nil {
			s.controllers.expect(p)
		}
	}
	return ps.err()
}

// settle puts a pod of the beginning on its node.
func (s *Simulation) settle(p *pod, ps *problems) {
	h := s.cluster.hosts[p.obj.NodeName]
	if h == nil {
		ps.add("pod "+string(p.obj.Key()), "NodeName", "there is no node %s", p.obj.NodeName)
		return
	}
	p.phase, p.host, p.shown, p.ends, p.there = Running, h, p.obj, horizon, true
	p.started, p.lineage.arrived, p.lineage.placed = true, true, true
	s.tally.progress.arrivals++
	s.cluster.take(p, 1)
	if s.table != nil {
		s.table.use(p, 1)
	}
	s.cluster.budgets.join(p)
	if p.obj.Terminating() {
		p.phase = Terminating
		p.until = max(0, p.obj.DeletionTimestamp.Sub(s.config.Start))
		s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
	}
}
