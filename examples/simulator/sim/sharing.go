package sim

import (
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// sharing finds equal pods, for which one answer is enough.
type sharing struct {
	// on is set as long as answers are shared.
	on bool
	// related is set once the placement of some pod of the run depends on the labels of other pods.
	related bool
	// classes are the classes of pods without a nomination. Pods of one likeness may be in different classes.
	classes map[likeness][]*podClass

	present *present
	cluster *cluster
	line    *line
	lives   *lives
}

// likeness is a hash key for pods: equal pods have equal likenesses.
type likeness struct {
	scheduler   *schedulerState
	priority    int32
	prioritized bool
	cpu, memory int64
}

// show sets the snapshot for which answers are given.
func (s *sharing) show(snap *engine.Snapshot) { s.present.snap = snap }

// classOf returns the class of a waiting pod, or nil if it shares no answers.
func (s *sharing) classOf(p *pod) *podClass {
	if !s.on || !p.scheduler.shares || p.obj.Group != "" {
		return nil
	}
	if p.class == nil {
		p.class = s.find(p)
	}
	return p.class
}

// find returns the class of the pods that equal p. It makes one if there is none.
func (s *sharing) find(p *pod) *podClass {
	bare := s.stripped(p.obj)

	// A nominated pod is in the snapshot itself, and its attempt may clear the nomination. Its answer holds
	// for no other pod.
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

// newClass returns a class without an answer. bare is the pod without the fields that differ within the class.
func (s *sharing) newClass(p *pod, bare *outrank.Pod) *podClass {
	return &podClass{
		present: s.present, scheduler: p.scheduler, pod: bare,
		demand: demand{asks: p.asks, level: int64(p.obj.PriorityValue())}, plain: !s.related && plain(bare),
	}
}

// stripped returns a copy of a pod without the fields that no attempt reads and no hint of the queue. Labels matter
// only if pods have terms about other pods, and the namespace if they do or the pod has claims.
func (s *sharing) stripped(obj *outrank.Pod) *outrank.Pod {
	bare := *obj
	bare.Name, bare.UID, bare.NominatedNodeName, bare.Value = "", "", "", nil
	bare.Owner, bare.PriorityClassName = outrank.Owner{}, ""
	if !s.related {
		bare.Labels = nil
	}
	if !s.related && len(bare.Volumes) == 0 {
		bare.Namespace = ""
	}
	return &bare
}

// relate records a pod whose placement depends on the labels of other pods. From then on labels tell pods
// apart. If pods were compared without their labels before, sharing ends.
func (s *sharing) relate(p *pod) {
	if s.related || !relational(p.obj) {
		return
	}
	s.related = true

	// Existing classes may contain pods with different labels, which are no longer equal.
	if len(s.classes) > 0 {
		s.end()
	}
}

// end ends the sharing. Pods that were refused together have not recorded the state in which they were tried.
// Their queue entries have the number of the attempt, from which each pod gets its state here.
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
