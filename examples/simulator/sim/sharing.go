package sim

import (
	"reflect"

	"github.com/outrank-go/outrank"
)

// sharing finds equal pods, which share answers.
type sharing struct {
	// on is set while answers are shared, related if some pod of the run depends
	// on the pods near it.
	on, related bool
	classes     map[likeness][]*podClass

	present *present
	cluster *cluster
	line    *line
	lives   *lives
}

// likeness finds pods that may be equal.
type likeness struct {
	scheduler   *schedulerState
	priority    int32
	prioritized bool
	cpu, memory int64
}

// classOf returns the class of a pod that waits, nil for one that shares nothing.
func (s *sharing) classOf(p *pod) *podClass {
	if !s.on || !p.scheduler.shares || p.obj.Group != "" {
		return nil
	}
	if p.class == nil {
		p.class = s.find(p)
	}
	return p.class
}

func (s *sharing) find(p *pod) *podClass {
	bare := s.stripped(p.obj)
	if node := p.obj.NominatedNodeName; node != "" || s.cluster.nominator.NodeOf(p.obj.Key()) != "" {
		a := s.newClass(p, bare)
		a.alone, a.host = true, s.cluster.hosts[node]
		return a
	}
	key := likeness{p.scheduler, p.obj.PriorityValue(), p.obj.Priority != nil, p.asks[cpuColumn], p.asks[memoryColumn]}
	for _, a := range s.classes[key] {
		if reflect.DeepEqual(a.pod, bare) {
			return a
		}
	}
	a := s.newClass(p, bare)
	s.classes[key] = append(s.classes[key], a)
	return a
}

func (s *sharing) newClass(p *pod, bare *outrank.Pod) *podClass {
	return &podClass{
		present: s.present, scheduler: p.scheduler, pod: bare,
		demand: demand{asks: p.asks, level: int64(p.obj.PriorityValue())}, plain: !s.related && plain(bare),
	}
}

// stripped returns a copy without the fields that no attempt looks at. Labels
// and namespace matter only where pods have terms about other pods.
func (s *sharing) stripped(obj *outrank.Pod) *outrank.Pod {
	bare := *obj
	bare.Name, bare.UID, bare.NominatedNodeName, bare.Value = "", "", "", nil
	bare.Owner, bare.PriorityClassName = outrank.Owner{}, ""
	if !s.related {
		bare.Namespace, bare.Labels = "", nil
	}
	return &bare
}

// relate records a pod that depends on the pods near it. Where the first of them
// comes after pods were compared without regard to that, nothing is shared any
// more.
func (s *sharing) relate(p *pod) {
	if s.related || !relational(p.obj) {
		return
	}
	s.related = true
	if len(s.classes) > 0 {
		s.end()
	}
}

// end ends sharing. From then on each pod knows the state in which it was tried.
func (s *sharing) end() {
	if !s.on {
		return
	}
	tries := s.present.tries
	pending := s.line.queue.Pending()
	for _, e := range podsOf(pending.Active, pending.Backoff, pending.Unschedulable, pending.Gated) {
		if e.Cycle > tries.since {
			s.lives.pods[e.Pod.Key()].tried = tries.state
		}
	}
	s.on = false
}
