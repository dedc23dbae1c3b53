package inverse

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// mostNamed is the most victims that a row names.
const mostNamed = 5

// WriteText prints the least priorities for people, and at most limit of the levels that were tried, or all if
// limit is 0. The error is that of w.
func (l *LeastPriority) WriteText(w io.Writer, limit int) error {
	out := console.SheetFor(w)
	// A DaemonSet may find no node to make a pod for.
	if l.Pods == 0 {
		out.Say("%s makes no pod here, and nothing needs a priority.", l.Workload)
		return out.To(w)
	}

	out.Say("%s", l.sentence())
	for _, also := range l.furtherSentences() {
		out.Say("%s", also)
	}
	if l.Waiting != nil {
		out.Line("")
		out.Line("With %s, the highest that was tried, %s stays pending:", priorityText(l.Levels[len(l.Levels)-1].Priority), l.Waiting.Pod.Key)
		for _, note := range l.Waiting.Notes(limit) {
			out.Line("  %s", note)
		}
	}

	out.Line("")
	out.Line("From which priority on, and at whose cost:")
	l.table(limit).Print(out.Page)
	return out.To(w)
}

// who names the pod, or the pods of the workload.
func (l *LeastPriority) who() string {
	if l.Workload != "" {
		return "all " + console.Plural(l.Pods, "pod") + " of " + l.Workload
	}
	return string(l.Pod.Key)
}

// finds returns "finds a place" or "find a place", to agree with who.
func (l *LeastPriority) finds() string {
	if l.Workload != "" {
		return "find a place"
	}
	return "finds a place"
}

// sentence says which is the least priority with which there is a place.
func (l *LeastPriority) sentence() string {
	e := l.ForPlace
	switch {
	case e == nil && l.Untried > 0:
		return fmt.Sprintf("None of the priorities that were tried is enough until %s %s; %s were not tried.", l.who(), l.finds(), console.Plural(l.Untried, "other"))
	case e == nil:
		return fmt.Sprintf("No priority up to %d is enough until %s %s.", l.Most, l.who(), l.finds())
	case e.Priority == math.MinInt32 && e.fresh() == 0:
		return fmt.Sprintf("Any priority is enough: %s %s as the least important pod, and nobody has to leave.", l.who(), l.finds())
	case e.Priority == math.MinInt32:
		return fmt.Sprintf("Any priority is enough: %s %s as the least important pod, with room that is being freed.", l.who(), l.finds())
	}
	return fmt.Sprintf("Priority %d is the least with which %s %s, %s%s; %d is not enough.", e.Priority, l.who(), l.finds(), e.cost(), e.classText(), e.Priority-1)
}

// cost says where a single pod goes, and how many pods leave.
func (l *Level) cost() string {
	text := ""
	if l.Node != "" {
		text = "on " + l.Node + ", "
	}
	switch n := l.fresh(); n {
	case 0:
		return text + "and nobody has to leave"
	case 1:
		return text + "and 1 pod has to leave"
	default:
		return text + fmt.Sprintf("and %d pods have to leave", n)
	}
}

// classText names the class that is enough.
func (e *Enough) classText() string {
	switch {
	case e.Class == "":
		return "; no class of the dump will do"
	case e.Value == e.Priority:
		return " (class " + e.Class + ")"
	}
	return fmt.Sprintf(" (class %s, %d, will do)", e.Class, e.Value)
}

// furtherSentences says which is the least priority with which no pod leaves, and what limits the answer.
func (l *LeastPriority) furtherSentences() (out []string) {
	e, free := l.ForPlace, l.ForNobody
	if i := l.Instead; i != nil {
		return []string{fmt.Sprintf("Its policy is Never. With class %s (%d), which may push others out, it %s: %s.", i.Class, i.Value, l.finds(), i.With.cost())}
	}
	if e == nil {
		return nil
	}

	switch {
	case free == nil && l.Untried > 0:
		out = append(out, "With none of those that were tried it goes without anybody leaving.")
	case free == nil:
		out = append(out, fmt.Sprintf("No priority up to %d lets it go without anybody leaving.", l.Most))
	case free.Priority != e.Priority:
		out = append(out, fmt.Sprintf("Priority %d is the least with which nobody has to leave%s; with %d somebody has to.", free.Priority, free.classText(), free.Priority-1))
	}

	if n := len(e.NotAbove); n > 0 {
		out = append(out, "Not every higher one is enough: not "+listed(e.NotAbove, mostNamed, func(p int32) string { return strconv.Itoa(int(p)) })+".")
	}
	if l.Untried > 0 {
		out = append(out, fmt.Sprintf("There are too many priorities to try: %s were left out, and a lower one may do.", console.Plural(l.Untried, "level")))
	}
	return out
}

// priorityText returns a priority as a text. The lowest one is written as a word.
func priorityText(p int32) string {
	if p == math.MinInt32 {
		return "lowest"
	}
	return strconv.Itoa(int(p))
}

// table lists the levels at which the outcome changes, at most limit of them. If there are too many, the levels
// of the answer are preferred.
func (l *LeastPriority) table(limit int) *console.Table {
	rows := &console.Table{Right: map[int]bool{0: true, 2: true}}
	rows.Head("PRIORITY", "OUTCOME", "PUSHED OUT", "NODE")
	levels, matters := l.steps()
	shown := selected(len(levels), limit, matters)
	for _, i := range shown {
		level := levels[i]
		rows.Add(priorityText(level.Priority), l.outcome(level), strconv.Itoa(level.fresh()), level.Node)
		if len(level.Victims) > 0 {
			rows.Note("  who leaves: %s", listed(level.Victims, mostNamed, func(v question.Victim) string { return v.Text() }))
		}
	}
	if more := len(levels) - len(shown); more > 0 {
		rows.Note("and %d more", more)
	}
	return rows
}

// steps returns the levels whose outcome differs from the level below, and the indexes of the levels that are
// part of the answer.
func (l *LeastPriority) steps() (levels []*Level, matters []int) {
	for i := range l.Levels {
		level := &l.Levels[i]
		if i > 0 && sameOutcome(levels[len(levels)-1], level) {
			continue
		}

		for _, e := range []*Enough{l.ForPlace, l.ForNobody} {
			if e != nil && e.Priority == level.Priority {
				matters = append(matters, len(levels))
			}
		}
		levels = append(levels, level)
	}
	return levels, matters
}

// sameOutcome reports whether two levels have the same places and the same victims.
func sameOutcome(a, b *Level) bool {
	return a.Placed == b.Placed && a.Node == b.Node && slices.EqualFunc(a.Victims, b.Victims, func(v, w question.Victim) bool { return v.Key == w.Key })
}

// outcome says in a few words what becomes of the pods with a priority.
func (l *LeastPriority) outcome(at *Level) string {
	switch {
	case l.Workload != "":
		return fmt.Sprintf("%d of %d find a place", at.Placed, l.Pods)
	case at.Placed == 0:
		return "stays pending"
	case at.fresh() > 0:
		return "pushes others out"
	case len(at.Victims) > 0:
		return "gets room that is being freed"
	}
	return "fits"
}
