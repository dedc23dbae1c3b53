package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/kubeletadmit"
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

// pressed is whether a node counts as under a pressure, and when it was seen so last.
type pressed struct {
	on   bool
	last time.Duration
}

// kubelet is that of a node.
type kubelet struct {
	host *host
	// inbox are pods that it has not looked at yet, in the order in which they came.
	inbox []*pod
	// starting waits until the victims are gone, which are killed one after another. All
	// of the inbox waits for that, too.
	starting *pod
	victims  []*pod
	// uses is what the pods that have started use, by kind of pressure.
	uses      [kindsOfPressure]int64
	pressures [kindsOfPressure]pressed
	// relieving was evicted last because of a pressure. lookAt is when it looks next at
	// what is in use, 0 where nothing would come of that.
	relieving *pod
	lookAt    time.Duration
}

// over reports whether more is used than the node can allocate. What the node does not
// speak of nobody knows the end of.
func (k *kubelet) over(kind pressureKind) bool {
	has, known := k.host.node.Allocatable[pressureRules[kind].resource]
	return known && k.uses[kind] > resource.Amount(pressureRules[kind].resource, has)
}

// relieved reports whether the pod that was evicted last is still going.
func (k *kubelet) relieved() bool { return k.relieving != nil && k.relieving.phase == Terminating }

// turnsAway says why a node under pressure does not admit a pod; empty where it does.
// Critical pods are admitted, and under memory pressure alone also those that are not
// BestEffort or tolerate its taint.
func (k *kubelet) turnsAway(release outrank.Release, obj *outrank.Pod) string {
	memory, disk := k.pressures[memoryPressure].on, k.pressures[diskPressure].on
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

// kubeletTable holds the kubelets of a run by their nodes, and counts what they did.
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
	evicted   [causes]int
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

// use counts what a pod uses of its node, or no more. Where that ends a pressure, the
// kubelet has seen it last when it looked last.
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

// sum counts what kubelets did, and what became of the pods that they evicted; nil where
// there are none.
func (t *kubeletTable) sum(lineages []*lineage) *report.Kubelets {
	if t == nil {
		return nil
	}
	c := &t.counts
	sum := &report.Kubelets{
		Started: c.started, Pressures: c.pressures, Rejected: report.ReasonsOf(c.rejected),
		ForCritical: c.evicted[forCritical], UnderMemory: c.evicted[underMemory], UnderDisk: c.evicted[underDisk],
	}
	for _, l := range lineages {
		for i, p := range l.lives {
			if p.cause != noCause {
				l.fate(i, &sum.Evicted)
			}
		}
		sum.GivenUp += one(l.givenUp)
	}
	return sum
}

// fate counts what became of a life that a kubelet evicted.
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
