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

// sync lets a kubelet go on with its pods, one after another, as far as it can.
func (ks *kubeletWork) sync(k *kubelet) error {
	for !k.host.removed {
		if k.starting != nil {
			if done, err := ks.killNext(k); err != nil || !done {
				return err
			}
			p := k.starting
			if k.starting = nil; p.phase == Admitting {
				ks.start(p)
			}
			continue
		}
		if len(k.inbox) == 0 {
			return nil
		}
		p := k.inbox[0]
		if k.inbox = k.inbox[1:]; p.phase != Admitting {
			continue // told to go meanwhile
		}
		if err := ks.decide(k, p); err != nil {
			return err
		}
	}
	return nil
}

// decide is the admission of one pod, beside those that have started.
func (ks *kubeletWork) decide(k *kubelet, p *pod) error {
	if why := k.turnsAway(ks.cluster.release, p.obj); why != "" {
		return ks.turnAway(p, "Evicted", why)
	}
	var active []*outrank.Pod
	for _, obj := range ks.cluster.snap.PodsOn(k.host.node.Name) {
		if ks.lives.pods[obj.Key()].started {
			active = append(active, obj)
		}
	}
	c := ks.config.Kubelets
	adm, err := kubeletadmit.Admit(k.host.node, active, p.obj, kubeletadmit.Config{Release: ks.cluster.release, PriorityFirst: c.PriorityFirst, Exact: c.Exact})
	switch {
	case err != nil:
		return err
	case adm.Outcome == kubeletadmit.Rejected:
		return ks.turnAway(p, adm.Reason, adm.Message)
	case adm.Outcome == kubeletadmit.Admitted:
		ks.start(p)
		return nil
	}
	k.starting, k.victims = p, nil
	for _, e := range adm.Evictions {
		k.victims = append(k.victims, ks.lives.pods[e.Pod.Key()])
	}
	return nil
}

// killNext kills victims one after another, and reports whether none is left
// (rule 17.7.1). Nobody is killed for a pod that was told to go itself meanwhile.
func (ks *kubeletWork) killNext(k *kubelet) (bool, error) {
	for ; len(k.victims) > 0; k.victims = k.victims[1:] {
		v := k.victims[0]
		switch {
		case v.phase == Terminating:
			return false, nil
		case v.phase != Running || k.starting.phase != Admitting:
			continue
		}
		err := ks.kill(v, eviction{cause: ForCritical, by: k.starting, why: fmt.Sprintf("by %s, which its kubelet starts", k.starting.obj.Key())})
		if err == nil {
			err = ks.tally.history.Record(history.Preemption{
				Time: ks.clock.time(), Node: k.host.node.Name, Preemptor: k.starting.lineage.name, Victims: []string{v.lineage.name},
			})
		}
		return false, err
	}
	return true, nil
}

// start lets a pod run.
func (ks *kubeletWork) start(p *pod) {
	p.phase = Running
	p.revise(func(o *outrank.Pod) { o.Phase, o.Ready = outrank.PhaseRunning, true })
	ks.stays.begin(p)
	ks.cluster.show(p)
	ks.cluster.budgets.touch(p)
	ks.table.counts.started++
	ks.teller.tell(Event{Kind: Started, Pod: p.obj, Node: p.obj.NodeName}, "")
	ks.table.use(p, 1)
	ks.watchUse(ks.table.of(p.host))
}

// turnAway makes a kubelet reject a pod. Its controller makes it anew.
func (ks *kubeletWork) turnAway(p *pod, reason, message string) error {
	ks.table.counts.reject(reason)
	if !strings.HasPrefix(message, reason+": ") {
		message = reason + ": " + message
	}
	ks.teller.tell(Event{Kind: Rejected, Pod: p.obj, Node: p.obj.NodeName}, "%s", message)
	p.lineage.failures++
	ks.stays.vacate(p, Gone)
	if ks.config.Recreate.Rule == RecreateNever {
		ks.controllers.gangs.retire(p)
		return nil
	}
	return ks.controllers.recreate(p)
}

// goOn lets the kubelet of a node continue after a pod has left. Without kubelets nothing
// follows.
func (ks *kubeletWork) goOn(h *host) error {
	if ks == nil {
		return nil
	}
	k := ks.table.of(h)
	ks.watchUse(k)
	return ks.sync(k)
}
