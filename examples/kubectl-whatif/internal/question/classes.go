package question

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// ClassImpact is what a change of priority classes would do.
//
// A pod keeps the priority that it was created with, whatever becomes of its class. So a
// change does nothing at first, and takes effect pod by pod as pods are created: first
// for new pods against all that run as they stand, in the end for everybody, once
// controllers have made their pods again. The two are told apart, because the time between
// them is the dangerous one: in Grafana Labs' outage of July 2019 pods of a new class, which
// was the default, met copies of the same service that had been created before it, counted
// with 0, and were pushed out one after another.
type ClassImpact struct {
	// Changes are the classes that are new or have other values, by name.
	Changes []ClassChange `json:"changes"`
	// DefaultBefore and DefaultAfter name the class of pods that name none; empty for none.
	DefaultBefore string `json:"defaultBefore,omitempty"`
	DefaultAfter  string `json:"defaultAfter,omitempty"`
	// Running counts the pods on nodes. Remade of them would get another priority or policy
	// when their controllers recreate them.
	Running int `json:"running"`
	Remade  int `json:"remade"`
	// Classes has for each class the pods that its new pods could push out, the
	// highest value first, those that change before the others; no more than 256.
	// The one without a name is for pods that name no class.
	Classes     []ClassReach `json:"classes"`
	MoreClasses int          `json:"moreClasses,omitempty"`
	// Anybody has the running pods that a new pod of some class could push out: those that are
	// gained were out of everybody's reach. The classes of the system, whose names begin with
	// system-, are left out: they could push out nearly everybody, and are not for applications.
	Anybody AnyReach `json:"anybody"`
	// Pending are the waiting pods for which the change makes a difference, by name, of
	// PendingPods that were looked at. NotAsked are those that were not: they are gated
	// or being deleted, of another scheduler, or scheduled with a group.
	Pending     []PendingImpact `json:"pending"`
	PendingPods int             `json:"pendingPods"`
	NotAsked    int             `json:"notAsked"`
	// NamedDefault counts pods that carry the name of the default class while
	// another becomes it: nobody can tell whether they name it, or named none
	// when they were created. They count as naming it. UnknownClass counts pods
	// that name an unknown class; they keep their priority.
	NamedDefault int `json:"namedDefault,omitempty"`
	UnknownClass int `json:"unknownClass,omitempty"`
}

// ClassChange is a class before and after; nil for a missing one.
type ClassChange struct {
	Name   string      `json:"name"`
	Before *ClassValue `json:"before,omitempty"`
	After  *ClassValue `json:"after,omitempty"`
}

// ClassValue has the values of a class.
type ClassValue struct {
	Value         int32                    `json:"value"`
	Policy        outrank.PreemptionPolicy `json:"preemptionPolicy"`
	GlobalDefault bool                     `json:"globalDefault,omitempty"`
}

// ClassReach is the reach of new pods of a class.
type ClassReach struct {
	Class  string      `json:"class"`
	Before *ClassValue `json:"before,omitempty"`
	After  *ClassValue `json:"after,omitempty"`
	// Now counts the running pods that a new pod of the class could push out before the
	// change.
	Now int `json:"now"`
	// AsTheyStand is after the change, with the running pods as they stand, and
	// Again once controllers have made all pods again.
	AsTheyStand Reach `json:"asTheyStand"`
	Again       Reach `json:"again"`
}

// AnyReach is the reach of all classes together.
type AnyReach struct {
	Now         int   `json:"now"`
	AsTheyStand Reach `json:"asTheyStand"`
	Again       Reach `json:"again"`
}

// Reach is a number of pods that can be pushed out, compared with before.
type Reach struct {
	Pods int `json:"pods"`
	// Gained could not be pushed out before, and Lost could.
	Gained int `json:"gained"`
	Lost   int `json:"lost"`
	// GainedBy counts the gained pods by their class, the most first, and Names
	// are the first hundred of them, the most important first.
	GainedBy []ClassCount  `json:"gainedBy"`
	Names    []outrank.Key `json:"names"`
}

// ClassCount is a number of pods of a class.
type ClassCount struct {
	Class string `json:"class"`
	Pods  int    `json:"pods"`
}

// PendingImpact is a pod that waits, and its fate when it is asked about alone.
type PendingImpact struct {
	Pod Pod `json:"pod"`
	// After is its priority once it is created again; a pod that waits keeps its own, too.
	After int32 `json:"priorityAfter"`
	// Now is as things are. AsTheyStand is after it was created again, with the
	// running pods as they stand, and Again with these created again, too.
	Now         Turn `json:"now"`
	AsTheyStand Turn `json:"asTheyStand"`
	Again       Turn `json:"again"`
}

// tables are the classes before and after.
func tables(classes, changed []*outrank.PriorityClass) (before, after *priority.Table, err error) {
	if before, err = priority.NewTable(classes); err != nil {
		return nil, nil, err
	}
	all := slices.DeleteFunc(slices.Clone(classes), func(c *outrank.PriorityClass) bool {
		return slices.ContainsFunc(changed, func(o *outrank.PriorityClass) bool { return o.Name == c.Name })
	})
	after, err = priority.NewTable(append(all, changed...))
	return before, after, err
}

func valueOf(t *priority.Table, name string) *ClassValue {
	if name == "" {
		if c, ok := t.Default(); ok {
			return &ClassValue{c.Value, c.PreemptionPolicy, true}
		}
		return &ClassValue{0, outrank.PreemptLowerPriority, false}
	}
	c, ok := t.Lookup(name)
	if !ok {
		return nil
	}
	return &ClassValue{c.Value, c.PreemptionPolicy, c.GlobalDefault}
}

// classQuestion is a change of classes while it is looked at.
type classQuestion struct {
	scene         *scene
	before, after *priority.Table
	out           *ClassImpact
	running       []counted
	// again is the cluster once controllers have made all pods again; nil where
	// none would change.
	recreated *scene
}

// counted is a running pod with its priorities as a victim.
type counted struct {
	pod            *outrank.Pod
	now, recreated int32
	remade         *outrank.Pod // nil where nothing of it changes
}

// next is a pod as it would be if it were created again after the change; the pod
// itself where it would be the same.
func (q *classQuestion) recreatedAs(p *outrank.Pod) *outrank.Pod {
	value := valueOf(q.after, p.PriorityClassName)
	switch {
	case value == nil:
		q.out.UnknownClass++
		return p
	case p.PriorityClassName != "" && p.PriorityClassName == q.out.DefaultBefore && q.out.DefaultAfter != q.out.DefaultBefore:
		q.out.NamedDefault++
	}
	if was := valueOf(q.before, p.PriorityClassName); was != nil && was.Value == value.Value && was.Policy == value.Policy {
		return p // a difference comes from elsewhere
	}
	if p.PriorityValue() == value.Value && policyOf(p) == value.Policy {
		return p
	}
	c := *p
	c.Priority, c.PreemptionPolicy = outrank.Priority(value.Value), value.Policy
	if c.PriorityClassName == "" {
		c.PriorityClassName = q.out.DefaultAfter
	}
	return &c
}

func policyOf(p *outrank.Pod) outrank.PreemptionPolicy {
	if p.PreemptionPolicy == "" {
		return outrank.PreemptLowerPriority
	}
	return p.PreemptionPolicy
}

// census counts the running pods as they are and as they would be recreated.
func (q *classQuestion) census() error {
	again := q.scene.snap.Clone()
	for p := range q.scene.snap.Pods() {
		if q.scene.snap.NodeOf(p.Key()) == "" {
			continue
		}
		if _, ok := q.scene.snap.Node(q.scene.snap.NodeOf(p.Key())); !ok {
			continue
		}
		c := counted{pod: p}
		if p.Owner != (outrank.Owner{}) && !p.Mirror && !p.Static && !p.Terminating() {
			if next := q.recreatedAs(p); next != p {
				c.remade = next
				if _, err := again.PutPod(next); err != nil {
					return err
				}
				q.out.Remade++
			}
		}
		q.running = append(q.running, c)
	}
	q.out.Running = len(q.running)
	if q.out.Remade > 0 {
		q.recreated = &scene{ctx: q.scene.ctx, set: q.scene.set, snap: again}
	}
	q.findPriorities()
	return nil
}

// count finds the priority of each pod as a victim, which is not its own where
// victims leave in groups.
func (q *classQuestion) findPriorities() {
	for i := range q.running {
		c := &q.running[i]
		c.now = q.scene.snap.CountsAs(c.pod)
		c.recreated = c.now
		if q.recreated != nil {
			known, _ := q.recreated.snap.Pod(c.pod.Key())
			c.recreated = q.recreated.snap.CountsAs(known)
		}
	}
}
