package sim

import (
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// sharing finds equal pods, which share answers.
type sharing struct {
	// on is set while answers are shared.
	on bool
	// related is set once the place of some pod of the run depends on other pods' labels.
	related bool
	// classes are those of pods without a nomination. Pods of one likeness may be in different classes.
	classes map[likeness][]*podClass

	present *present
	cluster *cluster
	line    *line
	lives   *lives
}

// likeness is the key by which pods are found that may be equal. Equal pods have the same likeness.
type likeness struct {
	scheduler   *schedulerState
	priority    int32
	prioritized bool
	cpu, memory int64
}

// show gives the classes the snapshot that answers are made of.
func (s *sharing) show(snap *engine.Snapshot) { s.present.snap = snap }

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

// find returns the class of the pods that equal p, a new one if there is none.
func (s *sharing) find(p *pod) *podClass {
	bare := s.stripped(p.obj)

	// A nominated pod stands in the snapshot itself, and its attempt may lose the nomination: the answer to
	// it is no other pod's.
	if node := p.obj.NominatedNodeName; node != "" || s.cluster.nominationOf(p.obj.Key()) != "" {
		a := s.newClass(p, bare)
		a.alone = true
		a.host = s.cluster.hosts[node]
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

// relate records a pod whose place depends on other pods' labels. From then on labels tell pods apart, so
// where the first of them comes after pods were compared without their labels, nothing is shared any more.
func (s *sharing) relate(p *pod) {
	if s.related || !relational(p.obj) {
		return
	}
	s.related = true

	// Classes that were formed before may hold pods with different labels, which are not equal any more.
	if len(s.classes) > 0 {
		s.end()
	}
}

// end ends sharing. Pods that were refused together do not know yet in which state they were tried. Their
// entries in the queue do, by the number of the attempt, and each pod learns it here.
func (s *sharing) end() {
	if !s.on {
		return
	}

	pending := s.line.pending()
	for _, e := range podsOf(pending.Active, pending.Backoff, pending.Unschedulable, pending.Gated) {
		if e.Cycle > s.present.lastBefore() {
			s.lives.pods[e.Pod.Key()].tried = s.present.state()
		}
	}
	s.on = false
}
