package sim_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// readRecreate reads the rule of controllers. With raise, a pod that is
// recreated has so much more priority for every time that it was evicted.
func (sc *scenario) readRecreate(s *statement) {
	r := &sc.config.Recreate
	switch rule := s.next("rule"); rule {
	case "when-gone":
		r.Rule = sim.RecreateWhenGone
	case "when-evicted":
		r.Rule = sim.RecreateWhenEvicted
	default:
		s.fail("unknown word %q", rule)
	}
	var raise int32
	s.options(optionSet{"delay": asDuration(&r.Delay), "raise": asNumber(&raise)})
	if raise != 0 {
		r.Change = func(made *outrank.Pod, evictions int) {
			made.Priority = outrank.Priority(made.PriorityValue() + int32(evictions)*raise)
		}
	}
}

// readKubelets puts a kubelet on every node.
func (sc *scenario) readKubelets(s *statement) {
	var k sim.Kubelets
	var retries int32
	s.options(optionSet{
		"period": asDuration(&k.Period), "transition": asDuration(&k.Transition), "retries": asNumber(&retries),
		"order": func(value string) error {
			if k.PriorityFirst = value == "priority"; !k.PriorityFirst {
				return fmt.Errorf("%q is not priority", value)
			}
			return nil
		},
	})
	k.Retries = int(retries)
	sc.config.Kubelets = &k
}

// readUse reads the usage of a pod from then on.
func (sc *scenario) readUse(s *statement) sim.Change {
	name := sc.mention(s, "pod")
	var u kubeletadmit.Usage
	s.options(optionSet{"memory": asBytes(&u.Memory), "disk": asBytes(&u.Disk)})
	return sim.SetUsage(podKey(name), u)
}

// readOrders reads the orders of carrying plans out for which the story holds.
func (sc *scenario) readOrders(s *statement) {
	switch word := s.next("order"); word {
	case "asynchronous":
		sc.orders = []execution.Order{execution.Asynchronous}
	case "other-than-asynchronous":
		sc.orders = []execution.Order{execution.Synchronous}
	default:
		s.fail("unknown word %q", word)
	}
}

// readBackoff reads whether pods wait to the end of their backoff.
func (sc *scenario) readBackoff(s *statement) {
	switch word := s.next("kind of backoff"); word {
	case "to-its-end":
		sc.config.Queue.NoEarlyPop = true
	case "may-end-early":
		sc.config.Queue.NoEarlyPop = false
	default:
		s.fail("unknown word %q", word)
	}
}

// readScheduler reads a scheduler, the first being that of pods that name none.
// It does not touch pods with the labels that it spares, and where it takes pods
// with some labels it takes the first such pod of a node in place of the victims
// that were found there.
func (sc *scenario) readScheduler(s *statement) {
	x := sim.Scheduler{Name: sc.declare(s, "scheduler")}
	var spares, takes map[string]string
	s.options(optionSet{"spares": asLabels(&spares), "takes": asLabels(&takes)})
	if spares != nil {
		x.Preemption.Eligibility.Take = func(_, victim *outrank.Pod) (rule string, ok bool) { return "", !carries(victim, spares) }
	}
	if takes != nil {
		x.Preemption.Extenders = []preemption.Extender{sc.taker(takes)}
	}
	sc.config.Schedulers = append(sc.config.Schedulers, x)
}

// carries reports whether a pod has all these labels.
func carries(p *outrank.Pod, labels map[string]string) bool {
	return (&outrank.LabelSelector{MatchLabels: labels}).Matches(p.Labels)
}

// taker returns an extender with a taste of its own in victims. It asks the scene, which is set
// while a scenario is played.
func (sc *scenario) taker(likes map[string]string) preemption.Extender {
	return preemption.Extender{Name: "taker", Process: func(_ context.Context, _ *outrank.Pod, ps []preemption.Candidate) ([]preemption.Candidate, error) {
		for i := range ps {
			for _, p := range sc.scene.run.Snapshot().PodsOn(ps[i].Node) {
				if carries(p, likes) && !p.Terminating() {
					ps[i].Victims = []preemption.Victim{{Pod: p}}
					break
				}
			}
		}
		return ps, nil
	}}
}
