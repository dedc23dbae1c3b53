package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// The numbers of colours. Darker colours are more important. Priorities below the preemptor's have colours of
// their own, because only such pods can be victims.
const (
	stepsBelow = 4
	stepsAbove = 3
)

// step is a colour with the priorities that have it.
type step struct {
	Class string
	Text  string
	// Above says that the priorities are at or above the preemptor's.
	Above bool
	// least is the lowest priority of the step.
	least int32
}

// scale assigns colours to priorities. Its steps are ascending.
type scale []step

// newScale distributes the colours over the priorities of the pods on nodes. asker is the priority of the
// preemptor.
func newScale(snap *engine.Snapshot, asker int32) scale {
	classes := map[int32]map[string]int{}
	for p := range snap.Pods() {
		// Pods that wait appear in no picture.
		if snap.NodeOf(p.Key()) == "" {
			continue
		}
		of := classes[p.PriorityValue()]
		if of == nil {
			of = map[string]int{}
			classes[p.PriorityValue()] = of
		}
		of[p.PriorityClassName]++
	}

	all := slices.Sorted(maps.Keys(classes))
	cut, _ := slices.BinarySearch(all, asker)
	s := steps(all[:cut], stepsBelow, "low", classes)
	return append(s, steps(all[cut:], stepsAbove, "high", classes)...)
}

// steps distributes colours evenly over priorities, which are ascending. most is the number of colours, and
// class is the prefix of their names.
func steps(all []int32, most int, class string, classes map[int32]map[string]int) scale {
	n := min(most, len(all))
	var s scale
	for i := range n {
		part := all[i*len(all)/n : (i+1)*len(all)/n]
		// If there are few priorities, they use the ends of the range of colours, so that they differ most.
		at := i
		if n > 1 {
			at = i * (most - 1) / (n - 1)
		}
		s = append(s, step{Class: fmt.Sprint(class, at), Text: stepText(part, classes), Above: class == "high", least: part[0]})
	}
	return s
}

// stepText names the priorities of a step. If there is only one, it adds the class.
func stepText(part []int32, classes map[int32]map[string]int) string {
	if len(part) > 1 {
		return fmt.Sprintf("%d to %d", part[0], part[len(part)-1])
	}
	text := fmt.Sprint(part[0])
	if class := commonest(classes[part[0]]); class != "" {
		text = clipped(class, 40) + " " + text
	}
	return text
}

// commonest returns the class that most pods of a priority name. Among equals it is the first by name.
func commonest(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names[0]
}

// parts splits the scale into the steps below the preemptor's priority and the others.
func (s scale) parts() (below, above scale) {
	for i := range s {
		if s[i].Above {
			return s[:i], s[i:]
		}
	}
	return s, nil
}

// class returns the colour of a pod: that of the last step whose least priority is not above the pod's.
func (s scale) class(p *outrank.Pod) string {
	found := "low0"
	for i := range s {
		if s[i].least > p.PriorityValue() {
			break
		}
		found = s[i].Class
	}
	return found
}
