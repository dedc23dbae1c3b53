package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/priority/queue"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// pressureKind is what a node can run short of, in the order in which kubelets see to it.
type pressureKind uint8

const (
	memoryPressure pressureKind = iota
	diskPressure
	kindsOfPressure
)

// pressureRules say what belongs to a kind.
var pressureRules = [kindsOfPressure]struct {
	name     kubeletadmit.Pressure
	resource resource.Name
	cause    cause
	taint    outrank.Taint
	of       func(*kubeletadmit.Usage) int64
}{
	{kubeletadmit.MemoryPressure, resource.Memory, underMemory, outrank.Taint{Key: "node.kubernetes.io/memory-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Memory }},
	{kubeletadmit.DiskPressure, resource.EphemeralStorage, underDisk, outrank.Taint{Key: "node.kubernetes.io/disk-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Disk }},
}

// pressureGrace is the time that a pod has to end which is evicted under pressure,
// whatever it asks for.
const pressureGrace = time.Second

// pressed is whether a node counts as under a pressure, and when it was seen so last.
type pressed struct {
	on   bool
	last time.Duration
}

// over reports whether more is used than the node can allocate. What the node does not
// speak of nobody knows the end of.
func (h *host) over(k pressureKind) bool {
	has, known := h.node.Allocatable[pressureRules[k].resource]
	return known && h.uses[k] > resource.Amount(pressureRules[k].resource, has)
}

// use counts what a pod uses of its node, or no more. Where that ends a pressure, the
// kubelet has seen it last when it looked last.
func (s *Simulation) use(p *pod, sign int64) {
	h := p.host
	for k := range kindsOfPressure {
		before := h.over(k)
		row := []int64{pressureRules[k].of(&p.uses)}
		addTo(h.uses[k:k+1], row, sign)
		if x := &h.pressures[k]; before && x.on && !h.over(k) && s.at > 0 {
			period := s.config.Kubelets.Period
			x.last = max(x.last, (s.at-1)/period*period)
		}
	}
}

// watchUse puts the kubelet's next look on the agenda, if something would come of it.
func (s *Simulation) watchUse(h *host) {
	at, ok := s.nextLook(h)
	if !ok || h.lookAt != 0 && h.lookAt <= at {
		return
	}
	h.lookAt = at
	s.agenda.add(moment{at: at, kind: lookMoment, host: h})
}

// nextLook is when a kubelet would do something about a pressure.
func (s *Simulation) nextLook(h *host) (at time.Duration, ok bool) {
	if h.removed {
		return 0, false
	}
	period := s.config.Kubelets.Period
	next := later(s.at/period*period, period)
	for k := range kindsOfPressure {
		x := h.pressures[k]
		when := next
		switch over := h.over(k); {
		case over && x.on && (h.relieved() || len(s.evictable(h)) == 0):
			continue // it waits for the one that goes, or can do nothing
		case !over && x.on:
			whole := later(x.last, s.config.Kubelets.Transition) + period - 1
			when = max(next, min(whole/period*period, horizon))
		case !over:
			continue
		}
		if !ok || when < at {
			at, ok = when, true
		}
	}
	return at, ok
}

// relieved reports whether the pod that was evicted last is still going.
func (h *host) relieved() bool { return h.relieving != nil && h.relieving.phase == Terminating }

// evictable are the pods on a node that its kubelet may evict under pressure.
func (s *Simulation) evictable(h *host) []*outrank.Pod {
	var out []*outrank.Pod
	for _, obj := range s.snap.PodsOn(h.node.Name) {
		if p := s.pods[obj.Key()]; p.phase == Running && !critical(p) {
			out = append(out, obj)
		}
	}
	return out
}

// look is when a kubelet looks at what its pods use: it says whether the node is under
// pressure, and evicts one pod for the first kind that it is short of.
func (s *Simulation) look(h *host) error {
	h.lookAt = 0
	for k := range kindsOfPressure {
		x := &h.pressures[k]
		switch over := h.over(k); {
		case over && !x.on:
			x.on = true
			s.kubelets.pressures++
			s.putTaint(h, k)
		case !over && x.on && s.at-x.last >= s.config.Kubelets.Transition:
			x.on = false
			s.takeTaint(h, k)
		}
	}
	for k := range kindsOfPressure {
		if h.over(k) {
			if err := s.relieve(h, k); err != nil {
				return err
			}
			break
		}
	}
	s.watchUse(h)
	return nil
}

// relieve evicts the pod that goes first, once the last one is gone.
func (s *Simulation) relieve(h *host, k pressureKind) error {
	pods := s.evictable(h)
	if h.relieved() || len(pods) == 0 {
		return nil
	}
	r := pressureRules[k]
	ranked, err := kubeletadmit.RankForEviction(pods, r.name, func(obj *outrank.Pod) (kubeletadmit.Usage, bool) {
		return s.pods[obj.Key()].uses, true
	})
	if err != nil {
		return err
	}
	first, grace := ranked[0], pressureGrace
	h.relieving = s.pods[first.Pod.Key()]
	h.relieving.lineage.failures++
	return s.kill(h.relieving, r.cause, &grace, nil, "under %s pressure, uses %s and requests %s",
		r.name, resource.NewBinary(first.Usage), resource.NewBinary(first.Request))
}

// putTaint keeps new pods away from a node under pressure, takeTaint ends that.
func (s *Simulation) putTaint(h *host, k pressureKind) {
	r := pressureRules[k]
	has := resource.NewBinary(resource.Amount(r.resource, h.node.Allocatable[r.resource]))
	s.retaint(h, append(slices.Clone(h.node.Taints), r.taint),
		fmt.Sprintf("under %s pressure: pods use %s of %s", r.name, resource.NewBinary(h.uses[k]), has))
}

func (s *Simulation) takeTaint(h *host, k pressureKind) {
	taints := slices.Clone(h.node.Taints)
	for i := len(taints) - 1; i >= 0; i-- {
		if taints[i] == pressureRules[k].taint { // the input may have one of its own before
			taints = slices.Delete(taints, i, i+1)
			break
		}
	}
	s.retaint(h, taints, fmt.Sprintf("no longer under %s pressure", pressureRules[k].name))
}

func (s *Simulation) retaint(h *host, taints []outrank.Taint, text string) {
	n := *h.node
	n.Taints = taints
	s.addHost(&n)
	must(s.snap.UpdateNode(&n))
	s.nodeChanged(&n, queue.EventNodeUpdated, text)
}

// turnsAway says why a node under pressure does not admit a pod; empty where it does.
// Critical pods are admitted, and under memory pressure alone also those that are not
// BestEffort or tolerate its taint.
func (h *host) turnsAway(release outrank.Release, obj *outrank.Pod) string {
	memory, disk := h.pressures[memoryPressure].on, h.pressures[diskPressure].on
	switch {
	case !memory && !disk, kubeletadmit.Critical(obj):
		return ""
	case !disk && (qos.OfIn(release, obj) != outrank.BestEffort || obj.Tolerates(pressureRules[memoryPressure].taint)):
		return ""
	case memory && disk:
		return "the node is under memory and disk pressure"
	case disk:
		return "the node is under disk pressure"
	}
	return "the node is under memory pressure"
}
