package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// pressureGrace is the grace period of a pod that is evicted under pressure, whatever the pod asks for.
const pressureGrace = time.Second

// watchUse plans the kubelet's next look, if a look would change anything.
func (ks *kubeletWork) watchUse(k *kubelet) {
	// A look that is planned no later than that will plan the next one itself.
	at, ok := ks.nextLook(k)
	if !ok || k.lookAt != 0 && k.lookAt <= at {
		return
	}
	k.lookAt = at
	ks.agenda.add(moment{at: at, kind: lookMoment, host: k.host})
}

// nextLook returns the time of the first look at which a kubelet would act: find a pressure, evict a pod, or
// find that a pressure has been over for long enough. ok is false if no look would.
func (ks *kubeletWork) nextLook(k *kubelet) (at time.Duration, ok bool) {
	if k.host.removed {
		return 0, false
	}

	// Looks come at whole multiples of the period, the next one after now.
	period := ks.rules.Period
	next := later(ks.clock.at/period*period, period)
	for kind := range kindsOfPressure {
		x := k.pressures[kind]
		when := next
		switch over := k.over(kind); {
		case over && x.on && (k.relieved() || len(ks.evictable(k.host)) == 0):
			continue // it waits for an evicted pod to leave, or has none to evict

		case !over && x.on:
			// The pressure ends at the first look at or after the end of the transition.
			roundingUp := later(x.last, ks.rules.Transition) + period - 1
			when = max(next, min(roundingUp/period*period, horizon))

		case !over:
			continue
		}

		if !ok || when < at {
			at, ok = when, true
		}
	}
	return at, ok
}

// evictable lists the pods on a node that its kubelet may evict under pressure.
func (ks *kubeletWork) evictable(h *host) []*outrank.Pod {
	var out []*outrank.Pod
	for _, obj := range ks.cluster.podsOn(h) {
		if p := ks.lives.pods[obj.Key()]; p.phase == Running && !kubeletadmit.Critical(p.obj) {
			out = append(out, obj)
		}
	}
	return out
}

// lookAt lets the kubelet of a node look, unless the look was replaced by an earlier one. The replaced look
// stays on the agenda without effect.
func (ks *kubeletWork) lookAt(h *host, at time.Duration) error {
	if k := ks.table.of(h); !h.removed && k.lookAt == at {
		return ks.look(k)
	}
	return nil
}

// look lets a kubelet look at what its pods use. It notes which kinds of pressure begin or end, and evicts
// one pod because of the first kind.
func (ks *kubeletWork) look(k *kubelet) error {
	k.lookAt = 0

	// All kinds of pressure are noted before a pod is evicted, because the kubelet rejects pods from now on.
	for kind := range kindsOfPressure {
		x := &k.pressures[kind]
		switch over := k.over(kind); {
		case over && !x.on:
			x.on = true
			ks.table.pressures++
			ks.putTaint(k, kind)

		// A pressure that has ended still counts for a while, as Kubelets.Transition says.
		case !over && x.on && ks.clock.at-x.last >= ks.rules.Transition:
			x.on = false
			ks.takeTaint(k, kind)
		}
	}

	// Only one pod is evicted, for the first kind. The next look finds out whether that was enough.
	for kind := range kindsOfPressure {
		if k.over(kind) {
			if err := ks.relieve(k, kind); err != nil {
				return err
			}
			break
		}
	}

	ks.watchUse(k)
	return nil
}

// relieve evicts the first pod in the order of eviction, unless the pod that was evicted before it still
// terminates.
func (ks *kubeletWork) relieve(k *kubelet, kind pressureKind) error {
	pods := ks.evictable(k.host)
	if k.relieved() || len(pods) == 0 {
		return nil
	}

	r := pressureRules[kind]
	ranked, err := kubeletadmit.RankForEviction(pods, r.name, func(obj *outrank.Pod) (kubeletadmit.Usage, bool) {
		return ks.lives.pods[obj.Key()].uses, true
	})
	if err != nil {
		return err
	}

	first, grace := ranked[0], pressureGrace
	p := ks.lives.pods[first.Pod.Key()]
	p.lineage.failures++
	k.relieving = p
	why := fmt.Sprintf("under %s pressure, uses %s and requests %s", r.name, resource.NewBinary(first.Usage), first.Request)
	return ks.kill(p, eviction{cause: r.cause, grace: &grace, why: why})
}

// putTaint adds the taint of a pressure to a node.
func (ks *kubeletWork) putTaint(k *kubelet, kind pressureKind) {
	r, node := pressureRules[kind], k.node()
	has := resource.NewBinary(resource.Amount(r.resource, node.Allocatable[r.resource]))
	ks.retaint(k.host, append(slices.Clone(node.Taints), r.taint),
		fmt.Sprintf("under %s pressure: pods use %s of %s", r.name, resource.NewBinary(k.uses[kind]), has))
}

// takeTaint removes the taint of a pressure from a node.
func (ks *kubeletWork) takeTaint(k *kubelet, kind pressureKind) {
	taints := withoutLast(k.node().Taints, pressureRules[kind].taint)
	ks.retaint(k.host, taints, fmt.Sprintf("no longer under %s pressure", pressureRules[kind].name))
}

// withoutLast returns the taints without the last one that equals taint. The kubelet has added that one: an
// equal taint of the input comes before it.
func withoutLast(taints []outrank.Taint, taint outrank.Taint) []outrank.Taint {
	for i := len(taints) - 1; i >= 0; i-- {
		if taints[i] == taint {
			return slices.Delete(slices.Clone(taints), i, i+1)
		}
	}
	return taints
}

// retaint replaces the taints of a node.
func (ks *kubeletWork) retaint(h *host, taints []outrank.Taint, text string) {
	n := *h.node
	n.Taints = taints
	ks.fleet.update(&n, text)
}
