package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// pressureKind is a resource of which a node can run short. Kubelets handle them in this order.
type pressureKind uint8

const (
	memoryPressure pressureKind = iota
	diskPressure
	kindsOfPressure
)

// pressureRules has the consequences of each kind of pressure.
var pressureRules = [kindsOfPressure]struct {
	name     kubeletadmit.Pressure
	resource resource.Name
	cause    Cause
	taint    outrank.Taint
	// amount returns the pod's usage of the resource.
	amount func(*kubeletadmit.Usage) int64
}{
	{kubeletadmit.MemoryPressure, resource.Memory, UnderMemory, outrank.Taint{Key: "node.kubernetes.io/memory-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Memory }},
	{kubeletadmit.DiskPressure, resource.EphemeralStorage, UnderDisk, outrank.Taint{Key: "node.kubernetes.io/disk-pressure", Effect: outrank.NoSchedule},
		func(u *kubeletadmit.Usage) int64 { return u.Disk }},
}

// pressed says whether a node counts as under one kind of pressure, even if that has just ended.
type pressed struct {
	on bool
	// last is the time at which the kubelet last saw the pressure.
	last time.Duration
}

// kubelet is the state of one node's kubelet.
type kubelet struct {
	host *host
	// inbox has the pods that the kubelet has not decided about yet, in the order of arrival.
	inbox []*pod
	// starting is the critical pod that waits until its victims are gone, or nil. All pods in the inbox wait,
	// too.
	starting *pod
	// victims are the pods that are still to be killed for it, one after another.
	victims []*pod
	// uses is the usage of all started pods, by kind of pressure.
	uses      [kindsOfPressure]int64
	pressures [kindsOfPressure]pressed
	// relieving is the pod that was last evicted because of a pressure.
	relieving *pod
	// lookAt is the time of the next look at usage. It is 0 if no look is planned.
	lookAt time.Duration
}

// node returns the present version of the kubelet's node.
func (k *kubelet) node() *outrank.Node { return k.host.node }

// over reports whether the usage exceeds what the node can allocate. A resource that the node does not name
// is unlimited.
func (k *kubelet) over(kind pressureKind) bool {
	has, known := k.node().Allocatable[pressureRules[kind].resource]
	return known && k.uses[kind] > resource.Amount(pressureRules[kind].resource, has)
}

// relieved reports whether the pod that was last evicted still terminates.
func (k *kubelet) relieved() bool { return k.relieving != nil && k.relieving.phase == Terminating }

// turnsAway returns why a node under pressure does not admit a pod, or "" if it does. Critical pods are
// always admitted. Under memory pressure alone, so are pods that are not BestEffort or that tolerate its
// taint.
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

// kubeletTable has the kubelets of all nodes, and counts their actions.
type kubeletTable struct {
	period time.Duration
	clock  *clock
	byHost map[*host]*kubelet

	// started counts the pods that kubelets have started.
	started int
	// rejected counts the pods that kubelets have rejected, by reason.
	rejected map[string]int
	// evicted counts the pods that kubelets have evicted, by cause.
	evicted [causeCount]int
	// pressures counts how often a node came under a pressure.
	pressures int
}

// reject counts a rejected pod.
func (t *kubeletTable) reject(reason string) {
	if t.rejected == nil {
		t.rejected = map[string]int{}
	}
	t.rejected[reason]++
}

// of returns the kubelet of a node. It makes one on the first call.
func (t *kubeletTable) of(h *host) *kubelet {
	k := t.byHost[h]
	if k == nil {
		k = &kubelet{host: h}
		t.byHost[h] = k
	}
	return k
}

// use adds a pod's usage to its node; with sign -1 it subtracts it.
func (t *kubeletTable) use(p *pod, sign int64) {
	k := t.of(p.host)
	for kind := range kindsOfPressure {
		before := k.over(kind)
		row := []int64{pressureRules[kind].amount(&p.uses)}
		addTo(k.uses[kind:kind+1], row, sign)

		// Looks that would change nothing are not on the agenda, and so do not set the time. If the pressure
		// ends now, the last look at which the kubelet saw it was at the last whole multiple of its period
		// before now.
		if x := &k.pressures[kind]; before && x.on && !k.over(kind) && t.clock.at > 0 {
			x.last = max(x.last, (t.clock.at-1)/t.period*t.period)
		}
	}
}

// sum counts the actions of the kubelets, and what happened to the pods that they evicted. It is nil without
// kubelets.
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

// countFate counts what happened after a kubelet evicted the i-th pod of a lineage: where a later pod of the
// lineage started or, if none has, what state the lineage is in.
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

	// A pod that finishes within its grace period needs no successor.
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
