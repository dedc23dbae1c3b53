package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// pressureKind is a resource that a node can run short of, in the order of the kubelets.
type pressureKind uint8

const (
	memoryPressure pressureKind = iota
	diskPressure
	kindsOfPressure
)

// pressureRules has the resource, condition and taint of each kind.
var pressureRules = [kindsOfPressure]struct {
	name     kubeletadmit.Pressure
	resource resource.Name
	cause    Cause
	taint    outrank.Taint
	of       func(*kubeletadmit.Usage) int64
}{
	{kubeletadmit.MemoryPressure, resource.Memory, UnderMemory, outrank.Taint{Key: "node.kubernetes.io/memory-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Memory }},
	{kubeletadmit.DiskPressure, resource.EphemeralStorage, UnderDisk, outrank.Taint{Key: "node.kubernetes.io/disk-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Disk }},
}

// pressed says whether a node counts as under a pressure, and when it was seen so last.
type pressed struct {
	on   bool
	last time.Duration
}

// kubelet is the kubelet of a node.
type kubelet struct {
	host *host
	// inbox are pods that it has not looked at yet, in the order in which they came.
	inbox []*pod
	// starting waits until its victims are gone, which are killed one after
	// another. All of the inbox waits for that, too.
	starting *pod
	victims  []*pod
	// uses is the usage of the pods that have started, by kind of pressure.
	uses      [kindsOfPressure]int64
	pressures [kindsOfPressure]pressed
	// relieving was evicted last because of a pressure. lookAt is the time of the
	// next look at the usage, 0 where it would change nothing.
	relieving *pod
	lookAt    time.Duration
}

// over reports whether the usage exceeds the node's allocatable amount. A
// resource that the node does not name has no limit.
func (k *kubelet) over(kind pressureKind) bool {
	has, known := k.host.node.Allocatable[pressureRules[kind].resource]
	return known && k.uses[kind] > resource.Amount(pressureRules[kind].resource, has)
}

// relieved reports whether the pod that was evicted last is still going.
func (k *kubelet) relieved() bool { return k.relieving != nil && k.relieving.phase == Terminating }

// turnsAway returns why a node under pressure does not admit a pod; empty where
// it does. Critical pods are admitted, and under memory pressure alone also those
// that are not BestEffort or tolerate its taint.
func (k *kubelet) turnsAway(release outrank.Release, obj *outrank.Pod) string {
	memory, disk := k.pressures[memoryPressure].on, k.pressures[diskPressure].on
	switch {
	case !memory && !disk, kubeletadmit.Critical(obj):
		return ""
	case !disk && (qos.Of(release, obj) != outrank.BestEffort || obj.Tolerates(pressureRules[memoryPressure].taint)):
		return ""
	case memory && disk:
		return "the node is under memory and disk pressure"
	case disk:
		return "the node is under disk pressure"
	}
	return "the node is under memory pressure"
}

// kubeletTable holds the kubelets of a run by their nodes, and counts their actions.
type kubeletTable struct {
	period time.Duration
	clock  *clock
	byHost map[*host]*kubelet
	counts kubeletCounts
}

// kubeletCounts are those of all kubelets.
type kubeletCounts struct {
	started   int
	rejected  map[string]int // by reason
	evicted   [causeCount]int
	pressures int
}

func (c *kubeletCounts) reject(reason string) {
	if c.rejected == nil {
		c.rejected = map[string]int{}
	}
	c.rejected[reason]++
}

// of returns the kubelet of a node.
func (t *kubeletTable) of(h *host) *kubelet {
	k := t.byHost[h]
	if k == nil {
		k = &kubelet{host: h}
		t.byHost[h] = k
	}
	return k
}

// use counts a pod's usage of its node, or ends that. Where that ends a pressure,
// the kubelet saw it last at its last look.
func (t *kubeletTable) use(p *pod, sign int64) {
	k := t.of(p.host)
	for kind := range kindsOfPressure {
		before := k.over(kind)
		row := []int64{pressureRules[kind].of(&p.uses)}
		addTo(k.uses[kind:kind+1], row, sign)
		if x := &k.pressures[kind]; before && x.on && !k.over(kind) && t.clock.at > 0 {
			x.last = max(x.last, (t.clock.at-1)/t.period*t.period)
		}
	}
}

// sum counts the actions of kubelets and the fates of the pods that they evicted;
// nil where there are none.
func (t *kubeletTable) sum(lineages []*lineage) *report.Kubelets {
	if t == nil {
		return nil
	}
	c := &t.counts
	sum := &report.Kubelets{
		Started: c.started, Pressures: c.pressures, Rejected: report.ReasonsOf(c.rejected),
		ForCritical: c.evicted[ForCritical], UnderMemory: c.evicted[UnderMemory], UnderDisk: c.evicted[UnderDisk],
	}
	for _, l := range lineages {
		for i, p := range l.lives {
			if p.cause.byKubelet() {
				l.fate(i, &sum.Evicted)
			}
		}
		sum.GivenUp += one(l.givenUp)
	}
	return sum
}

// fate counts the fate of a life that a kubelet evicted.
func (l *lineage) fate(i int, f *report.Fates) {
	p := l.lives[i]
	for _, next := range l.lives[i+1:] {
		if next.started {
			f.Elsewhere += one(next.host.node.Name != p.host.node.Name)
			f.SameNode += one(next.host.node.Name == p.host.node.Name)
			return
		}
	}
	switch now := l.current(); {
	case p.phase == Finished:
		f.Finished++
	case now == p && p.phase == Terminating:
		f.Leaving++
	case now != p && now.phase != Gone:
		f.Waiting++
	default:
		f.Over++
	}
}
