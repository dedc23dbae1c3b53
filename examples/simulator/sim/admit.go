package sim

import (
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
)

// admitAll takes in the pods that are there and those to come.
func (s *Simulation) admitAll(there []*outrank.Pod, work []Work) error {
	var ps problems
	for _, obj := range there {
		if obj.Finished() || obj.Terminating() && obj.NodeName == "" {
			continue
		}
		w := &Work{Pod: obj, Endless: true}
		if p := s.admit(w, &ps); p != nil && obj.NodeName != "" {
			s.settle(p, &ps)
		} else if p != nil {
			s.agenda.add(moment{kind: arriveMoment, pod: p})
		}
	}
	for i := range work {
		w := &work[i]
		if w.check(&ps, s.config.Kubelets != nil); w.Pod == nil {
			continue
		}
		if p := s.admit(w, &ps); p != nil {
			s.agenda.add(moment{at: w.Arrival, kind: arriveMoment, pod: p})
		}
	}
	return ps.err()
}

// check refuses work that makes no sense.
func (w *Work) check(ps *problems, kubelets bool) {
	if w.Pod == nil {
		ps.add("work", "Pod", "missing")
		return
	}
	object := "pod " + string(w.Pod.Key())
	ps.join(object, "", w.Pod.Validate())
	if w.Pod.NodeName != "" && !kubelets {
		ps.add(object, "NodeName", "%s: work comes without a node, unless there are kubelets", w.Pod.NodeName)
	}
	if w.Pod.NodeName == "" && kubelets && w.Pod.Static {
		ps.add(object, "NodeName", "a static pod comes to the node that has its file")
	}
	if w.Usage != nil {
		checkUsage(ps, object, w.Usage)
	}
	if w.Pod.Finished() || w.Pod.Terminating() {
		ps.add(object, "", "it is over, or being deleted, before it comes")
	}
	grace := time.Duration(0)
	if w.Grace != nil {
		grace = *w.Grace
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{{"Arrival", w.Arrival}, {"Duration", w.Duration}, {"Grace", grace}} {
		if d.value < 0 || d.value > horizon {
			ps.add(object, d.field, "%v is not between 0 and %v", d.value, horizon)
		}
	}
}

// admit makes a life for a piece of work, nil where that is not possible.
func (s *Simulation) admit(w *Work, ps *problems) *pod {
	key := w.Pod.Key()
	if before := s.pods[key]; before != nil && before.phase != Gone && before.phase != Finished {
		ps.add("pod "+string(key), "", "there is one of that name")
		return nil
	}
	scheduler := s.inOrder[0]
	if s.config.SchedulerOf != nil {
		name := s.config.SchedulerOf(w.Pod)
		if scheduler = s.schedulers[name]; scheduler == nil {
			ps.add("pod "+string(key), "", "no scheduler is called %s", name)
			return nil
		}
	}
	p := &pod{obj: w.Pod, work: w, scheduler: scheduler, phase: Coming, asks: s.amounts(w.Pod.RunningRequests())}
	if s.config.Kubelets != nil {
		p.uses = usageOf(w)
	}
	p.revise(func(o *outrank.Pod) {
		if s.uids++; o.UID == "" {
			o.UID = "sim-" + strconv.Itoa(s.uids)
		}
	})
	s.pods[key] = p
	s.join(p)
	s.relate(p)
	return p
}

// join puts a pod into its lineage.
func (s *Simulation) join(p *pod) {
	name := p.work.Lineage
	if name == "" {
		name = string(p.work.Pod.Key())
	}
	l := s.byLineage[name]
	if l == nil {
		l = &lineage{name: name}
		s.byLineage[name] = l
		s.lineages = append(s.lineages, l)
		s.progress.expect(p.work)
		p.lineage = l
		s.enlist(p)
	}
	l.lives = append(l.lives, p)
	l.priority = p.obj.PriorityValue()
	p.lineage = l
}

// settle puts a pod on its node that is there from the beginning.
func (s *Simulation) settle(p *pod, ps *problems) {
	h := s.hosts[p.obj.NodeName]
	if h == nil {
		ps.add("pod "+string(p.obj.Key()), "NodeName", "there is no node %s", p.obj.NodeName)
		return
	}
	p.phase, p.host, p.shown, p.ends, p.there = Running, h, p.obj, horizon, true
	p.started, p.lineage.arrived, p.lineage.placed = true, true, true
	s.progress.arrivals++
	s.take(p, 1)
	if s.config.Kubelets != nil {
		s.use(p, 1)
	}
	s.budgets.join(p)
	if p.obj.Terminating() {
		p.phase = Terminating
		p.until = max(0, p.obj.DeletionTimestamp.Sub(s.config.Start))
		s.agenda.add(moment{at: p.until, kind: goneMoment, pod: p})
	}
}
