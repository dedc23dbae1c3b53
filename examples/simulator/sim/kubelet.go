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

// pressureRules has what follows from each kind of pressure.
var pressureRules = [kindsOfPressure]struct {
	name     kubeletadmit.Pressure
	resource resource.Name
	cause    Cause
	taint    outrank.Taint
	// amount reads the resource from a pod's usage.
	amount func(*kubeletadmit.Usage) int64
}{
	{kubeletadmit.MemoryPressure, resource.Memory, UnderMemory, outrank.Taint{Key: "node.kubernetes.io/memory-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Memory }},
	{kubeletadmit.DiskPressure, resource.EphemeralStorage, UnderDisk, outrank.Taint{Key: "node.kubernetes.io/disk-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Disk }},
}

// pressed says whether a node counts as under one kind of pressure.
type pressed struct {
	on bool
	// last is when its kubelet saw the pressure last.
	last time.Duration
}

// kubelet is the kubelet of a node.
type kubelet struct {
	host *host
	// inbox holds the pods that the kubelet has not looked at yet, in the order in which they came.
	inbox []*pod
	// starting is the critical pod that waits until its victims are gone, nil for none. The whole inbox
	// waits with it.
	starting *pod
	// victims are the pods still to be killed for it, one after another.
	victims []*pod
	// uses is the usage of the pods that have started, by kind of pressure.
	uses      [kindsOfPressure]int64
	pressures [kindsOfPressure]pressed
	// relieving is the pod that was evicted last because of a pressure.
	relieving *pod
	// lookAt is the time of the next look at the usage, 0 where a look would change nothing.
	lookAt time.Duration
}

// node returns the present version of the kubelet's node.
func (k *kubelet) node() *outrank.Node { return k.host.node }

// over reports whether the usage exceeds the node's allocatable amount. A
// resource that the node does not name has no limit.
func (k *kubelet) over(kind pressureKind) bool {
	has, known := k.node().Allocatable[pressureRules[kind].resource]
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

	// started counts the pods that kubelets have started.
	started int
	// rejected counts the pods that they have turned away, by reason.
	rejected map[string]int
	// evicted counts the pods that they have evicted, by cause.
	evicted [causeCount]int
	// pressures counts the times that a node came under a pressure.
	pressures int
}

// reject counts a pod that a kubelet has turned away.
func (t *kubeletTable) reject(reason string) {
	if t.rejected == nil {
		t.rejected = map[string]int{}
	}
	t.rejected[reason]++
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

// use counts a pod's usage of its node; with sign -1 it counts it no longer.
func (t *kubeletTable) use(p *pod, sign int64) {
	k := t.of(p.host)
	for kind := range kindsOfPressure {
		before := k.over(kind)
		row := []int64{pressureRules[kind].amount(&p.uses)}
		addTo(k.uses[kind:kind+1], row, sign)

		// Looks that would change nothing are not on the agenda, so they set no time. Where the pressure
		// ends now the kubelet has seen it last at the last whole multiple of its period before now.
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

	sum := &report.Kubelets{
		Started: t.started, Pressures: t.pressures, Rejected: report.ReasonsOf(t.rejected),
		ForCritical: t.evicted[ForCritical], UnderMemory: t.evicted[UnderMemory], UnderDisk: t.evicted[UnderDisk],
	}
	for _, l := range lineages {
		for i, p := range l.lives {
			if p.cause.byKubelet() {
				l.countFate(i, &sum.Evicted)
			}
		}
		sum.GivenUp += one(l.givenUp)
	}
	return sum
}

// countFate counts what became of a life that a kubelet evicted, the i-th of its lineage: whether a later
// life has started or, if none has, how the lineage stands now.
func (l *lineage) countFate(i int, f *report.Fates) {
	p := l.lives[i]
	for _, next := range l.lives[i+1:] {
		if next.started {
			same := next.host.name() == p.host.name()
			f.Elsewhere += one(!same)
			f.SameNode += one(same)
			return
		}
	}

	// A pod may come to its end in its grace period, and then needs no other one.
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
