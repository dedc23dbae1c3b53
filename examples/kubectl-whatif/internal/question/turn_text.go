package question

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// saidOnce maps the reasons why pods of a list stay pending to the number of the first pod with these reasons.
type saidOnce map[string]int

// notes returns the notes of the turn with a number in the list. If an earlier turn had the same reasons, the
// notes refer to that turn.
func (s saidOnce) notes(number int, t *Turn, limit int) []string {
	// Reasons are the same if their texts are.
	why := t.reasonsToWait()
	text := strings.Join(why, "\n")
	switch first := s[text]; {
	case len(why) == 0:
	case first > 0:
		why = []string{"for the same reasons as number " + strconv.Itoa(first)}
	default:
		s[text] = number
	}
	return append(t.facts(limit), why...)
}

// priority returns the priority of the pod, with its class.
func (t *Turn) priority() string {
	if t.Pod.PriorityClass == "" {
		return strconv.Itoa(int(t.Pod.Priority))
	}
	return strconv.Itoa(int(t.Pod.Priority)) + " (" + t.Pod.PriorityClass + ")"
}

// name returns the name of the pod, or of the group with its size.
func (t *Turn) name() string {
	if t.Group {
		return string(t.Pod.Key) + " (group of " + console.Plural(len(t.Members), "pod") + ")"
	}
	return string(t.Pod.Key)
}

// addNotes adds texts below the last row.
func addNotes(rows *console.Table, notes []string) {
	for _, note := range notes {
		rows.Note("  %s", note)
	}
}

// Text says in a few words what came of the turn.
func (t *Turn) Text() string {
	switch t.Outcome {
	case Placed:
		if t.Resize {
			return "has room for its resize"
		}
		return "fits"
	case PushesOut:
		if t.Resize {
			return "pushes out for its resize"
		}

		// Victims that were leaving already are no additional loss.
		if fresh(t.Victims) == 0 {
			return "gets room that is being freed"
		}
		return "pushes out " + console.Plural(fresh(t.Victims), "pod")
	case Waits:
		if t.Resize {
			return "waits for room"
		}
		return "stays pending"
	case Gated:
		return "gated"
	case OtherScheduler:
		return "not of this scheduler"
	case Leaving:
		return "is being deleted"
	case InGroup:
		return "belongs to a group"
	}
	return string(t.Outcome)
}

// victimNames names at most limit victims, or all if limit is 0.
func (t *Turn) victimNames(limit int) string {
	texts := make([]string, len(t.Victims))
	for i := range t.Victims {
		texts[i] = t.Victims[i].Text()
	}
	return names(texts, bounded(len(texts), limit))
}

// Text names the victim with its priority, and says if it was leaving already or breaks a budget.
func (v *Victim) Text() string {
	more := ""
	switch {
	case v.Terminating:
		more = "; leaving already"
	case len(v.Violated) > 0:
		more = "; against " + names(v.Violated, 1)
		if v.MoreViolated > 0 && len(v.Violated) == 1 {
			more += fmt.Sprintf(" and %d more", v.MoreViolated)
		}
	}
	return fmt.Sprintf("%s (%d%s)", v.Key, v.Priority, more)
}

// Notes returns everything about a turn that its outcome does not tell: the facts, then the reasons to wait.
func (t *Turn) Notes(limit int) []string { return append(t.facts(limit), t.reasonsToWait()...) }

// facts returns the notes about a turn that do not say why a pod waits: who leaves, where the pods of a group
// go, what keeps a pod from being tried, and who loses a nomination.
func (t *Turn) facts(limit int) []string {
	var out []string
	if len(t.Victims) > 0 {
		out = append(out, "who leaves: "+t.victimNames(limit))
	}
	if t.Trouble != "" {
		out = append(out, t.Trouble)
	}
	if places := t.nodesOfMembers(limit); places != "" {
		out = append(out, places)
	}
	if len(t.Gates) > 0 {
		out = append(out, "scheduling gates: "+names(t.Gates, bounded(len(t.Gates), limit)))
	}
	if t.Scheduler != "" {
		out = append(out, "scheduler "+t.Scheduler+" places it")
	}
	if len(t.ClearedNominations) > 0 {
		out = append(out, "loses the room that was promised to it: "+names(t.ClearedNominations, bounded(len(t.ClearedNominations), limit)))
	}
	if t.InVain != nil {
		out = append(out, "to no effect: even with them gone "+t.Node+" says "+t.InVain.Text())
	}
	return out
}

// reasonsToWait says why a pod stays pending. It is empty for a pod that does not.
func (t *Turn) reasonsToWait() (out []string) {
	if t.Outcome != Waits {
		return nil
	}
	if len(t.TurnedDown) > 0 {
		out = append(out, "no node takes it: "+reasons(t.TurnedDown))
	}
	switch {
	case t.Ineligible != "":
		out = append(out, "it may not push others out: "+t.Ineligible.Message())
	case len(t.Unhelpful) > 0:
		out = append(out, "with every possible victim gone: "+reasons(t.Unhelpful))
	}
	return out
}

// reasons writes reasons on one line, each with the number of its nodes.
func reasons(list []Reason) string {
	texts := make([]string, len(list))
	for i := range list {
		text := strings.Join(list[i].Reasons, ", ")
		if text == "" {
			text = list[i].Filter
		}
		if list[i].Nodes > 0 {
			text += " (" + console.Plural(list[i].Nodes, "node") + ")"
		}
		texts[i] = text
	}
	return strings.Join(texts, "; ")
}

// nodesOfMembers names the nodes of a group's pods, and counts the pods without one.
func (t *Turn) nodesOfMembers(limit int) string {
	var placed []string
	for _, m := range t.Members {
		if m.Node != "" {
			placed = append(placed, string(m.Key)+" on "+m.Node)
		}
	}
	if len(placed) == 0 {
		return ""
	}
	text := names(placed, bounded(len(placed), limit))
	if more := len(t.Members) - len(placed); more > 0 {
		text += fmt.Sprintf("; %s without a place", console.Plural(more, "pod"))
	}
	return text
}
