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

// mostClasses is the most classes in the answer, and mostNames the most pods of each that
// are named.
const (
	mostClasses = 256
	mostNames   = 100
)

func compareText(a, b string) int { return cmp.Compare(a, b) }

// reaches finds for each class the pods that its new pods could push out.
func (q *classQuestion) reaches() {
	slices.SortFunc(q.running, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.now, a.now), priority.CompareIdentity(a.pod, b.pod))
	})
	rows := q.rows()
	q.anybody(rows)
	told := rows[:min(len(rows), mostClasses)]
	q.out.MoreClasses = len(rows) - len(told)
	for i := range told {
		q.reach(&told[i])
	}
	slices.SortStableFunc(told, func(a, b ClassReach) int { return cmp.Or(compareBool(b.changes(), a.changes()), byValue(&a, &b)) })
	q.out.Classes = append(q.out.Classes, told...)
}

// rows are the classes before and after, those that change first, and the one for pods that
// name none.
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

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func byValue(a, b *ClassReach) int {
	of := func(r *ClassReach) int32 {
		if r.After != nil {
			return r.After.Value
		}
		return r.Before.Value
	}
	return cmp.Compare(of(b), of(a))
}

// other reports whether the class itself changes.
func (r *ClassReach) classChanges() bool {
	return (r.Before == nil) != (r.After == nil) || r.Before != nil && (r.Before.Value != r.After.Value || r.Before.Policy != r.After.Policy)
}

// changes reports whether anything changes for new pods of the class.
func (r *ClassReach) changes() bool {
	return r.classChanges() || r.AsTheyStand.Gained+r.AsTheyStand.Lost+r.Again.Gained+r.Again.Lost > 0
}

// preempts reports whether pods of a class may push out others.
func (q *classQuestion) preempts(v *ClassValue) bool {
	config := q.scene.set.Evaluator.Config()
	return v != nil && !slices.Contains(config.Profile.Off, preemption.DefaultPreemption) && (v.Policy != outrank.PreemptNever || config.Variant == outrank.VariantV1_13)
}

// anybody counts the pods that new pods of any class could push out: those that are less
// important than the most important class that preempts.
func (q *classQuestion) anybody(rows []ClassReach) {
	most := func(of func(*ClassReach) *ClassValue) int64 {
		top := int64(math.MinInt64)
		for i := range rows {
			if v := of(&rows[i]); q.preempts(v) && !strings.HasPrefix(rows[i].Class, "system-") {
				top = max(top, int64(v.Value))
			}
		}
		return top
	}
	before := most(func(r *ClassReach) *ClassValue { return r.Before })
	after := most(func(r *ClassReach) *ClassValue { return r.After })
	any := &q.out.Anybody
	stand, again := newTally(&any.AsTheyStand), newTally(&any.Again)
	for i := range q.running {
		c := &q.running[i]
		was := int64(c.now) < before
		if was {
			any.Now++
		}
		stand.add(c, was, int64(c.now) < after)
		again.add(c, was, int64(c.recreated) < after)
	}
	stand.end()
	again.end()
}

// reach counts the pods that new pods of one class could push out.
func (q *classQuestion) reach(r *ClassReach) {
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

// tally counts a reach.
type tally struct {
	*Reach
	gainedByClass map[string]int
}

func newTally(r *Reach) *tally {
	r.GainedBy, r.Names = []ClassCount{}, []outrank.Key{}
	return &tally{r, map[string]int{}}
}

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

func (t *tally) end() {
	for class, pods := range t.gainedByClass {
		t.GainedBy = append(t.GainedBy, ClassCount{class, pods})
	}
	slices.SortFunc(t.GainedBy, func(a, b ClassCount) int {
		return cmp.Or(cmp.Compare(b.Pods, a.Pods), cmp.Compare(a.Class, b.Class))
	})
}
