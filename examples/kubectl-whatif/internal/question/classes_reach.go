package question

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
)

// mostClasses is the largest number of classes in the answer, and mostNames the largest number of pods named
// for each class.
const (
	mostClasses = 256
	mostNames   = 100
)

// reaches finds for each class the pods that its new pods could push out.
func (q *classQuestion) reaches() {
	slices.SortFunc(q.running, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.now, a.now), priority.CompareIdentity(a.pod, b.pod))
	})

	// Classes that change themselves come first, so that the bound cuts off others.
	rows := q.rows()
	q.anybody(rows)
	shown := rows[:min(len(rows), mostClasses)]
	q.out.MoreClasses = len(rows) - len(shown)
	for i := range shown {
		q.reach(&shown[i])
	}

	// Only now is it known whether the reach of an unchanged class changes, so that such classes move up as
	// well.
	slices.SortStableFunc(shown, func(a, b ClassReach) int { return cmp.Or(compareBool(b.changes(), a.changes()), byValue(&a, &b)) })
	q.out.Classes = append(q.out.Classes, shown...)
}

// rows lists the classes before and after, and one without a name for pods that name no class. Classes that
// change come first, then the highest value.
func (q *classQuestion) rows() []ClassReach {
	known := map[string]bool{"": true}
	for _, t := range []*priority.Table{q.before, q.after} {
		for _, c := range t.Classes() {
			known[c.Name] = true
		}
	}

	var out []ClassReach
	for _, name := range slices.Sorted(maps.Keys(known)) {
		out = append(out, ClassReach{Class: name, Before: valueOf(q.before, name), After: valueOf(q.after, name)})
	}
	slices.SortStableFunc(out, func(a, b ClassReach) int {
		return cmp.Or(compareBool(b.classChanges(), a.classChanges()), byValue(&a, &b))
	})
	return out
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// byValue orders classes by their value after the change, the highest first. A class that no longer exists then
// counts with its value before.
func byValue(a, b *ClassReach) int {
	value := func(r *ClassReach) int32 {
		if r.After != nil {
			return r.After.Value
		}
		return r.Before.Value
	}
	return cmp.Compare(value(b), value(a))
}

// classChanges reports whether the class itself changes.
func (r *ClassReach) classChanges() bool {
	return (r.Before == nil) != (r.After == nil) || r.Before != nil && (r.Before.Value != r.After.Value || r.Before.Policy != r.After.Policy)
}

// changes reports whether anything changes for new pods of the class.
func (r *ClassReach) changes() bool {
	return r.classChanges() || r.AsTheyStand.Gained+r.AsTheyStand.Lost+r.Again.Gained+r.Again.Lost > 0
}

// preempts reports whether pods of a class may push out others: the class exists, its policy allows it, and the
// scheduler preempts at all. In v1.13 classes had no policy.
func (q *classQuestion) preempts(v *ClassValue) bool {
	config := q.set.Evaluator.Config()
	return v != nil && !slices.Contains(config.Profile.Off, preemption.DefaultPreemption) && (v.Policy != outrank.PreemptNever || config.Variant == outrank.VariantV1_13)
}

// anybody counts the pods that new pods of any class could push out. These are the pods that are less important
// than the most important class that preempts.
func (q *classQuestion) anybody(rows []ClassReach) {
	// Without a class that preempts, the value is below every priority, so that no pod counts.
	highest := func(value func(*ClassReach) *ClassValue) int64 {
		top := int64(math.MinInt64)
		for i := range rows {
			if v := value(&rows[i]); q.preempts(v) && !strings.HasPrefix(rows[i].Class, "system-") {
				top = max(top, int64(v.Value))
			}
		}
		return top
	}

	before := highest(func(r *ClassReach) *ClassValue { return r.Before })
	after := highest(func(r *ClassReach) *ClassValue { return r.After })

	anybody := &q.out.Anybody
	stand, again := newTally(&anybody.AsTheyStand), newTally(&anybody.Again)
	for i := range q.running {
		c := &q.running[i]
		was := int64(c.now) < before
		if was {
			anybody.Now++
		}
		stand.add(c, was, int64(c.now) < after)
		again.add(c, was, int64(c.recreated) < after)
	}
	stand.end()
	again.end()
}

// reach counts the pods that new pods of one class could push out.
func (q *classQuestion) reach(r *ClassReach) {
	// The value of a class that does not preempt must not be compared: the class may not even exist.
	before, after := q.preempts(r.Before), q.preempts(r.After)

	stand, again := newTally(&r.AsTheyStand), newTally(&r.Again)
	for i := range q.running {
		c := &q.running[i]
		was := before && c.now < r.Before.Value
		if was {
			r.Now++
		}
		stand.add(c, was, after && c.now < r.After.Value)
		again.add(c, was, after && c.recreated < r.After.Value)
	}
	stand.end()
	again.end()
}

// tally is a Reach whose pods are being counted.
type tally struct {
	*Reach
	gainedByClass map[string]int
}

// newTally begins the count of a reach.
func newTally(r *Reach) *tally {
	r.GainedBy, r.Names = []ClassCount{}, []outrank.Key{}
	return &tally{r, map[string]int{}}
}

// add counts a pod, given whether it could be pushed out before and whether it can be now. Pods have to come in
// the order of their importance.
func (t *tally) add(c *counted, was, is bool) {
	if is {
		t.Pods++
	}
	switch {
	case was && !is:
		t.Lost++
	case is && !was:
		t.Gained++
		t.gainedByClass[c.pod.PriorityClassName]++
		if len(t.Names) < mostNames {
			t.Names = append(t.Names, c.pod.Key())
		}
	}
}

// end finishes the count: it sorts the numbers of gained pods by class.
func (t *tally) end() {
	for class, pods := range t.gainedByClass {
		t.GainedBy = append(t.GainedBy, ClassCount{class, pods})
	}
	slices.SortFunc(t.GainedBy, func(a, b ClassCount) int {
		return cmp.Or(cmp.Compare(b.Pods, a.Pods), cmp.Compare(a.Class, b.Class))
	})
}
