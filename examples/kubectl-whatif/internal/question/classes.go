package question

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// ClassImpact says what a change of priority classes would do.
//
// A pod keeps the priority with which it was created, whatever becomes of its class. So a change has no effect
// at first, and takes effect pod by pod as pods are created. At first new pods meet running pods with their old
// priorities; in the end controllers have recreated all pods. The answer tells the two apart, because the time
// between them is the dangerous one. In Grafana Labs' outage of July 2019 a new class became the default. Its
// pods met copies of the same service that had been created earlier and counted as priority 0, and pushed them
// out one after another.
type ClassImpact struct {
	// Changes lists the classes that are new or have other values, by name.
	Changes []ClassChange `json:"changes"`
	// DefaultBefore and DefaultAfter name the class of pods that name none. They are empty if there is no
	// default class.
	DefaultBefore string `json:"defaultBefore,omitempty"`
	DefaultAfter  string `json:"defaultAfter,omitempty"`
	// Running counts the pods on nodes. Remade counts those of them that would get another priority or policy
	// when their controllers recreate them.
	Running int `json:"running"`
	Remade  int `json:"remade"`
	// Classes counts, for each class, the running pods that its new pods could push out. Classes for which
	// something changes come first, then the highest value. The entry without a name stands for pods that name
	// no class. There are at most 256 entries; MoreClasses counts the rest.
	Classes     []ClassReach `json:"classes"`
	MoreClasses int          `json:"moreClasses,omitempty"`
	// Anybody counts the running pods that a new pod of any class could push out. The pods that it gains could
	// be pushed out by no class before. It leaves out classes whose names begin with system-, because their
	// pods could push out nearly everything and they are not for applications.
	Anybody AnyReach `json:"anybody"`
	// Pending lists the waiting pods for which the change makes a difference, by name. PendingPods counts the
	// waiting pods that were looked at. NotAsked counts the others: pods that are gated, being deleted, of
	// another scheduler, or scheduled with a group.
	Pending     []PendingImpact `json:"pending"`
	PendingPods int             `json:"pendingPods"`
	NotAsked    int             `json:"notAsked"`
	// NamedDefault counts the pods that carry the name of the old default class while another class becomes the
	// default. Such a pod may have named the class itself, or got it because it named none; it counts as naming
	// it. UnknownClass counts the pods that name an unknown class; they keep their priority.
	NamedDefault int `json:"namedDefault,omitempty"`
	UnknownClass int `json:"unknownClass,omitempty"`
}

// ClassChange is a class before and after the change. Before is nil for a new class.
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

// ClassReach counts the running pods that new pods of a class could push out.
type ClassReach struct {
	Class  string      `json:"class"`
	Before *ClassValue `json:"before,omitempty"`
	After  *ClassValue `json:"after,omitempty"`
	// Now counts the pods before the change.
	Now int `json:"now"`
	// AsTheyStand counts the pods after the change while running pods keep their priorities. Again counts them
	// once controllers have recreated all pods.
	AsTheyStand Reach `json:"asTheyStand"`
	Again       Reach `json:"again"`
}

// AnyReach counts the running pods that new pods of any class could push out, in the same three states as
// ClassReach.
type AnyReach struct {
	Now         int   `json:"now"`
	AsTheyStand Reach `json:"asTheyStand"`
	Again       Reach `json:"again"`
}

// Reach counts the pods that can be pushed out, and compares that with the state before the change.
type Reach struct {
	Pods int `json:"pods"`
	// Gained counts the pods that can be pushed out and could not be before. Lost counts the pods for which the
	// opposite is true.
	Gained int `json:"gained"`
	Lost   int `json:"lost"`
	// GainedBy counts the gained pods by their class, the largest number first. Names has the first hundred
	// gained pods, the most important first.
	GainedBy []ClassCount  `json:"gainedBy"`
	Names    []outrank.Key `json:"names"`
}

// ClassCount is a number of pods of a class.
type ClassCount struct {
	Class string `json:"class"`
	Pods  int    `json:"pods"`
}

// PendingImpact says what a change of classes means for a waiting pod, if no other pod has a turn.
type PendingImpact struct {
	Pod Pod `json:"pod"`
	// After is the pod's priority once it is recreated. Until then it keeps its own, as a running pod does.
	After int32 `json:"priorityAfter"`
	// Now is the pod's turn before the change. AsTheyStand is its turn once it is recreated, while running pods
	// keep their priorities. Again is its turn once they are recreated, too.
	Now         Turn `json:"now"`
	AsTheyStand Turn `json:"asTheyStand"`
	Again       Turn `json:"again"`
}

// tables returns the table of the classes, and the table after some of them have changed.
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

// valueOf returns the values that a class gives a new pod. It is nil for a class that does not exist. Pods that
// name no class get the values of the default class, or 0 without one.
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

// classQuestion holds the question about a change of classes while it is being answered.
type classQuestion struct {
	*scene
	before, after *priority.Table
	out           *ClassImpact
	// running lists the pods on nodes. reaches sorts it, the most important first.
	running []counted
	// recreated is the cluster once controllers have recreated all pods. It is nil if that changes no pod.
	recreated *scene
}

// counted is a running pod with its priority as a victim, now and once all pods are recreated.
type counted struct {
	pod            *outrank.Pod
	now, recreated int32
}

// recreatedAs returns a pod as its controller would recreate it after the change, or the pod itself if nothing
// would differ. It also counts the pods about whose class something is unknown.
func (q *classQuestion) recreatedAs(p *outrank.Pod) *outrank.Pod {
	value := valueOf(q.after, p.PriorityClassName)
	switch {
	case value == nil:
		q.out.UnknownClass++
		return p
	case p.PriorityClassName != "" && p.PriorityClassName == q.out.DefaultBefore && q.out.DefaultAfter != q.out.DefaultBefore:
		q.out.NamedDefault++
	}

	// If the class does not change, a difference between it and the pod comes from an older value of the class,
	// and is no effect of this change.
	if was := valueOf(q.before, p.PriorityClassName); was != nil && was.Value == value.Value && was.Policy == value.Policy {
		return p
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

// policyOf returns the pod's preemption policy, or the default one.
func policyOf(p *outrank.Pod) outrank.PreemptionPolicy {
	if p.PreemptionPolicy == "" {
		return outrank.PreemptLowerPriority
	}
	return p.PreemptionPolicy
}

// census lists the running pods, and makes the scene in which all of them are recreated.
func (q *classQuestion) census() error {
	snap := q.snap
	again := snap.Clone()
	for p := range snap.Pods() {
		// A pod on a node that does not exist takes no room, and cannot be pushed out.
		node := snap.NodeOf(p.Key())
		if _, ok := snap.Node(node); node == "" || !ok {
			continue
		}
		q.running = append(q.running, counted{pod: p})

		// Other pods are not recreated.
		if p.Owner == (outrank.Owner{}) || p.Mirror || p.Static || p.Terminating() {
			continue
		}
		if next := q.recreatedAs(p); next != p {
			if _, err := again.PutPod(next); err != nil {
				return err
			}
			q.out.Remade++
		}
	}

	q.out.Running = len(q.running)
	if q.out.Remade > 0 {
		q.recreated = &scene{ctx: q.ctx, set: q.set, snap: again}
	}
	q.findPriorities()
	return nil
}

// findPriorities finds the priority of each running pod as a victim. If victims leave in groups, it is the
// priority of the pod's group.
func (q *classQuestion) findPriorities() {
	snap := q.snap
	again := snap
	if q.recreated != nil {
		again = q.recreated.snap
	}

	for i := range q.running {
		c := &q.running[i]
		c.now = snap.CountsAs(c.pod)
		known, _ := again.Pod(c.pod.Key())
		c.recreated = again.CountsAs(known)
	}
}
