package sim_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// optionSet maps the options of a statement to their setters.
type optionSet = map[string]func(string) error

// readNode reads a node. It carries its name as the label "name".
func (sc *scenario) readNode(s *statement) *outrank.Node {
	n := &outrank.Node{
		Name:        sc.declare(s, "node"),
		Allocatable: resource.MustList("cpu", "0", "memory", "64Gi", "pods", "110"),
	}
	s.options(optionSet{
		"cpu":    asAmount(n.Allocatable, resource.CPU),
		"memory": asAmount(n.Allocatable, resource.Memory),
		"disk":   asAmount(n.Allocatable, resource.EphemeralStorage),
		"pods":   asAmount(n.Allocatable, resource.Pods),
		"labels": asLabels(&n.Labels),
		"taint":  asTaint(&n.Taints),
	})
	n.Labels = maps.Clone(n.Labels)
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels["name"] = n.Name
	return n
}

func (sc *scenario) readClass(s *statement) {
	c := &outrank.PriorityClass{Name: sc.declare(s, "class")}
	s.options(optionSet{"value": asNumber(&c.Value), "policy": asPolicy(&c.PreemptionPolicy)})
	sc.classes = append(sc.classes, c)
}

// readBudget reads a budget. Once the story has begun it may take the place of
// one of its name, also of one that was lifted.
func (sc *scenario) readBudget(s *statement) {
	at := -1
	if len(s.words) > 0 && sc.began && sc.declared[s.words[0]] == "budget" {
		at = sc.budgetIndex(s.words[0])
		delete(sc.declared, s.words[0])
	}
	b := &outrank.PodDisruptionBudget{Name: sc.declare(s, "budget")}
	given := len(s.words)
	s.options(optionSet{
		"selector": asSelector(&b.Selector),
		"min":      asCount(&b.MinAvailable),
		"max":      asCount(&b.MaxUnavailable),
		"allowed":  asNumber(&b.DisruptionsAllowed),
	})
	if b.Selector == nil || given != 2 {
		s.fail("a budget has a selector, and one of min, max and allowed")
	}
	sc.budgets = slices.Clone(sc.budgets)
	if at < 0 {
		sc.budgets = append(sc.budgets, b)
	} else {
		sc.budgets[at] = b
	}
}

func (sc *scenario) budgetIndex(name string) int {
	return slices.IndexFunc(sc.budgets, func(b *outrank.PodDisruptionBudget) bool { return b.Name == name })
}

func (sc *scenario) readLift(s *statement) sim.Change {
	name := s.next("name of a budget")
	i := sc.budgetIndex(name)
	if i < 0 {
		s.fail("there is no budget called %s by now", name)
		return sim.Change{}
	}
	sc.budgets = slices.Delete(slices.Clone(sc.budgets), i, i+1)
	return sim.SetBudgets(sc.budgets)
}

// readPodThere reads a pod that runs from the beginning.
func (sc *scenario) readPodThere(s *statement) {
	w, node := sc.readWork(s)
	if node == "" {
		s.fail("a pod without a time has a node")
	}
	if !w.Endless || sc.schedulerOf[w.Pod.Name] != "" {
		s.fail("a pod that is there has neither runs nor scheduler")
	}
	w.Pod.NodeName, w.Pod.Ready, w.Pod.Grace = node, true, w.Grace
	sc.cluster.Pods = append(sc.cluster.Pods, w.Pod)
}

// readPod reads a pod that comes.
func (sc *scenario) readPod(s *statement) sim.Change {
	w, node := sc.readWork(s)
	if node != "" && sc.config.Kubelets == nil {
		s.fail("a pod that comes has no node yet")
	}
	if w.Pod.Static && node == "" {
		s.fail("a static pod has a node")
	}
	w.Pod.NodeName = node
	return sim.AddPod(w)
}

func (sc *scenario) readLabel(s *statement) sim.Change {
	name := sc.mention(s, "pod")
	var labels map[string]string
	if err := asLabels(&labels)(s.next("labels")); err != nil {
		s.fail("%v", err)
	}
	return sim.SetLabels(podKey(name), labels)
}

// readWork reads a pod with its work, and the node that it is on.
func (sc *scenario) readWork(s *statement) (w sim.Work, node string) {
	asks := resource.List{}
	p := &outrank.Pod{Name: sc.declare(s, "pod"), Containers: []outrank.Container{{Name: "main", Requests: asks}}}
	w = sim.Work{Pod: p, Endless: true}
	var grace time.Duration
	var value int32
	var scheduler, static string
	var uses kubeletadmit.Usage
	s.options(optionSet{
		"priority": func(v string) error { p.Priority = &value; return asNumber(&value)(v) },
		"class":    asString(&p.PriorityClassName),
		"policy":   asPolicy(&p.PreemptionPolicy),
		"cpu":      asAmount(asks, resource.CPU), "memory": asAmount(asks, resource.Memory), "disk": asAmount(asks, resource.EphemeralStorage),
		"uses":      func(v string) error { w.Usage = &uses; return asBytes(&uses.Memory)(v) },
		"uses-disk": func(v string) error { w.Usage = &uses; return asBytes(&uses.Disk)(v) },
		"qos":       func(v string) error { p.QOSClass = outrank.QOSClass(v); return nil },
		"static":    asString(&static),
		"runs":      func(v string) error { w.Endless = false; return asDuration(&w.Duration)(v) },
		"grace":     func(v string) error { w.Grace = &grace; return asDuration(&grace)(v) },
		"labels":    asLabels(&p.Labels), "on": asLabels(&p.NodeSelector),
		"affinity": asTerm(&p.Affinity.PodAffinity), "anti": asTerm(&p.Affinity.PodAntiAffinity),
		"tolerates": asToleration(&p.Tolerations),
		"gates":     func(v string) error { p.SchedulingGates = strings.Split(v, ","); return nil },
		"scheduler": asString(&scheduler), "node": asString(&node),
	})
	if p.Static = static != ""; p.Static && static != "yes" {
		s.fail("static: %q is not yes", static)
	}
	if p.PriorityClassName != "" {
		if err := sc.resolve(p); err != nil {
			s.fail("%v", err)
		}
	}
	for _, m := range []mention{{s, "scheduler", scheduler}, {s, "node", node}} {
		if m.name != "" {
			sc.mentioned = append(sc.mentioned, m)
		}
	}
	sc.schedulerOf[p.Name] = scheduler
	return w, node
}
