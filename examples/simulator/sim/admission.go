package sim

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption/planner/history"
)

// deliver hands a pod to the kubelet of its node.
func (ks *kubeletWork) deliver(p *pod) error {
	k := ks.table.of(p.host)
	k.inbox = append(k.inbox, p)
	return ks.sync(k)
}

// sync lets a kubelet process the pods in its inbox, in order, until one has to wait.
func (ks *kubeletWork) sync(k *kubelet) error {
	for !k.host.removed {
		// A critical pod whose victims still leave holds up all pods behind it (rule 17.7.1).
		if k.starting != nil {
			if done, err := ks.killNext(k); err != nil || !done {
				return err
			}
			p := k.starting
			k.starting = nil
			if p.phase == Admitting {
				ks.start(p)
			}
			continue
		}

		if len(k.inbox) == 0 {
			return nil
		}

		p := k.inbox[0]
		k.inbox = k.inbox[1:]
		if p.phase != Admitting {
			continue // evicted or deleted before the kubelet saw it
		}
		if err := ks.decide(k, p); err != nil {
			return err
		}
	}
	return nil
}

// decide admits one pod beside those that have started, or rejects it. For a critical pod it may choose
// victims, which the kubelet kills before the pod starts.
func (ks *kubeletWork) decide(k *kubelet, p *pod) error {
	release := ks.cluster.release
	if why := k.turnsAway(release, p.obj); why != "" {
		return ks.turnAway(p, "Evicted", why)
	}

	// A kubelet only counts pods that it has started. Pods further back in its inbox take no room yet.
	var active []*outrank.Pod
	for _, obj := range ks.cluster.podsOn(k.host) {
		if ks.lives.pods[obj.Key()].started {
			active = append(active, obj)
		}
	}

	config := kubeletadmit.Config{Release: release, PriorityFirst: ks.rules.PriorityFirst, Exact: ks.rules.Exact}
	adm, err := kubeletadmit.Admit(k.host.node, active, p.obj, config)
	switch {
	case err != nil:
		return err
	case adm.Outcome == kubeletadmit.Rejected:
		return ks.turnAway(p, adm.Reason, adm.Message)
	case adm.Outcome == kubeletadmit.Admitted:
		ks.start(p)
		return nil
	}

	// The pod starts once its victims have left. It is not decided again then, because the inbox waits and
	// nobody else can take the room.
	k.starting, k.victims = p, nil
	for _, e := range adm.Evictions {
		k.victims = append(k.victims, ks.lives.pods[e.Pod.Key()])
	}
	return nil
}

// killNext kills the next victim once the one before has left (rule 17.7.1). It reports true once no victim
// remains. It kills nobody if the pod itself has been evicted or deleted meanwhile.
func (ks *kubeletWork) killNext(k *kubelet) (done bool, err error) {
	for ; len(k.victims) > 0; k.victims = k.victims[1:] {
		v := k.victims[0]
		switch {
		case v.phase == Terminating:
			return false, nil
		case v.phase != Running || k.starting.phase != Admitting:
			continue
		}
		return false, ks.killFor(k.starting, v)
	}
	return true, nil
}

// killFor makes the kubelet evict a victim of the critical pod that it starts, and records that in the
// history.
func (ks *kubeletWork) killFor(critical, victim *pod) error {
	why := fmt.Sprintf("by %s, which its kubelet starts", critical.obj.Key())
	if err := ks.kill(victim, eviction{cause: ForCritical, by: critical, why: why}); err != nil {
		return err
	}
	return ks.tally.record(history.Preemption{
		Time: ks.clock.time(), Node: critical.host.name(), Preemptor: critical.lineage.name, Victims: []string{victim.lineage.name},
	})
}

// start lets an admitted pod run.
func (ks *kubeletWork) start(p *pod) {
	p.phase = Running
	p.revise(func(o *outrank.Pod) { o.Phase, o.Ready = outrank.PhaseRunning, true })
	ks.stays.begin(p)
	ks.cluster.show(p)
	ks.cluster.touchBudgets(p)
	ks.table.started++
	ks.teller.tell(Event{Kind: Started, Pod: p.obj, Node: p.obj.NodeName}, "")

	ks.table.use(p, 1)
	ks.watchUse(ks.table.of(p.host))
}

// turnAway lets a kubelet reject a pod. Its controller may recreate it.
func (ks *kubeletWork) turnAway(p *pod, reason, message string) error {
	ks.countRejected(reason)
	if !strings.HasPrefix(message, reason+": ") {
		message = reason + ": " + message
	}
	ks.teller.tell(Event{Kind: Rejected, Pod: p.obj, Node: p.obj.NodeName}, "%s", message)

	// The schedulers have counted the pod on its node until now.
	p.lineage.failures++
	ks.stays.vacate(p, Gone)
	return ks.controllers.replaceRejected(p)
}

// goOn lets the kubelet of a node continue after a pod has left. It does nothing in a run without kubelets.
func (ks *kubeletWork) goOn(h *host) error {
	if ks == nil {
		return nil
	}

	// The departure may have ended a pressure, or may be the one that a starting pod waits for.
	k := ks.table.of(h)
	ks.watchUse(k)
	return ks.sync(k)
}
