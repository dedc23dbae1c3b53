package backward

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// WriteText prints the answer for people, at most limit entries of each list, or all if limit is 0. The error
// is that of w.
func (a *Answer) WriteText(w io.Writer, limit int) error {
	p := console.SheetFor(w)
	for _, sentence := range a.Sentences(limit) {
		p.Say("%s", sentence)
	}

	if len(a.Also) > 0 {
		p.Line("\nWho would push it out, too, if its turn came at once:")
		var items []string
		shown := bounded(len(a.Also), limit)
		for i := range a.Also[:shown] {
			items = append(items, a.also(i, limit))
		}
		p.Items(items)
		if more := len(a.Also) - shown; more > 0 {
			p.Line("    and %d more", more)
		}
	}

	if len(a.Trials) > 0 {
		p.Line("\nWhat would have spared it, each tried at that turn:")
		var items []string
		for i := range a.Trials {
			items = append(items, a.Trials[i].verdict()+": "+a.Trials[i].text(a, limit))
		}
		p.Items(items)
		// The caveat belongs to the trials with budgets: a scheduler may violate them.
		p.Say("A disruption budget is a wish: a scheduler keeps it where it can, and breaks it where nothing else makes room.")
	}
	return p.To(w)
}

// Sentences says which pod pushed the pod out, how that is known, and whether the rules agree. limit bounds the
// victims that are named; 0 names all.
func (a *Answer) Sentences(limit int) []string {
	out := []string{a.headline() + "."}
	switch {
	case a.Event != nil && a.Event.named():
		out = append(out, "The events name "+a.Event.text()+": \""+short(a.Event.Message)+"\".")
	case a.By != nil:
		// If the events name no preemptor, it was found by playing the turns.
		out = append(out, "No event at hand names who it was: the pods that wait took their turns in the scheduler's order, each to the end, until one pushed it out.")
	}

	out = append(out, a.verdict(limit))
	if a.Waiting > a.Tried {
		out = append(out, fmt.Sprintf("Of %d others that wait the first %d were asked alone as well.", a.Waiting, a.Tried))
	}
	return out
}

// verdict puts the verdict into a few sentences, and says what to do if it is undecided.
func (a *Answer) verdict(limit int) string {
	switch a.Verdict {
	case ByTheRules:
		when := "in its turn, which is the first,"
		switch {
		case a.AtOnce:
			when = "at once, and not after those who come before it in the scheduler's order,"
		case a.Before > 0:
			when = "in its turn, after " + plural(a.Before, "other,", "others,")
		}
		return fmt.Sprintf("That is the decision of the rules: on the cluster of the dump, %s %s.", when, a.does(a.Turn, limit))
	case Otherwise:
		return fmt.Sprintf("The rules decide otherwise on the cluster of the dump: there %s. So the dump may be of another moment, or the scheduler has another "+
			"configuration (--scheduler-config) or other rules (--release).", a.does(a.Turn, limit))
	case ByKubelet:
		return "A kubelet evicts pods for a critical one that was bound to its node, by rules of its own: no disruption budget counts. " +
			"--on-node " + a.Pod.Node + " asks what it says to a pod, and which pods it evicts."
	}

	why := "No event at hand is about it"
	if a.Event != nil {
		why = "The event does not name the preemptor"
	}
	return why + ", and with their turns played in the scheduler's order no pod that waits in the dump pushes it out. What is missing is " +
		"the preemptor: a dump of the moment at which it waited, or the events (kubectl get events -A -o json), which a cluster keeps for an hour."
}

// short cuts a message that is longer than any scheduler writes.
func short(message string) string {
	const most = 300
	if runes := []rune(message); len(runes) > most {
		return string(runes[:most]) + " ..."
	}
	return message
}

// headline says in a few words who pushed the pod out.
func (a *Answer) headline() string {
	pod := fmt.Sprintf("%s (priority %d)", a.Pod.Key, a.Pod.Priority)
	if a.Verdict == ByKubelet {
		return "The kubelet evicted " + pod + " from node " + a.Pod.Node
	}
	if a.By == nil {
		return "Nobody is known to have pushed " + pod + " out of node " + a.Pod.Node
	}
	by := "pod"
	if a.Group {
		by = "group"
	}
	return fmt.Sprintf("%s left node %s for %s %s (priority %d)", pod, a.Pod.Node, by, a.By.Key, a.By.Priority)
}

// does says what comes of a turn: which pods leave, or what happens instead.
func (a *Answer) does(t *question.Turn, limit int) string {
	who := string(t.Pod.Key)
	switch t.Outcome {
	case question.Placed:
		// A group fits on several nodes, so that its turn names none.
		if t.Node == "" {
			return who + " fits, and nobody leaves"
		}
		return who + " fits on " + t.Node + ", and nobody leaves"

	case question.PushesOut:
		to := ""
		switch {
		case t.Resize:
			to = ", to grow on node " + t.Node
		case t.Node != "":
			to = ", to run on node " + t.Node
		}
		return who + " pushes out " + victims(t, limit) + to

	case question.Waits:
		return who + " stays pending, and nobody leaves"
	case question.Gated:
		return who + " is kept back by scheduling gates"
	case question.OtherScheduler:
		return "scheduler " + t.Scheduler + " decides about " + who + ", whose rules are not known here"
	}
	return who + " takes no turn (" + string(t.Outcome) + ")"
}

// victims names at most limit victims of a turn.
func victims(t *question.Turn, limit int) string {
	var names []string
	shown := bounded(len(t.Victims), limit)
	for i := range t.Victims[:shown] {
		v := &t.Victims[i]
		text := fmt.Sprintf("%s (%d", v.Key, v.Priority)
		if len(v.Violated) > 0 {
			text += ", against budget " + string(v.Violated[0])
		}
		names = append(names, text+")")
	}
	text := strings.Join(names, ", ")
	if more := len(t.Victims) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// also says what another pod would do if its turn came at once.
func (a *Answer) also(i, limit int) string {
	t := &a.Also[i]
	return fmt.Sprintf("%s (priority %d): %s", t.Pod.Key, t.Pod.Priority, a.does(t, limit))
}

// verdict says whether the pod was spared.
func (t *Trial) verdict() string {
	switch {
	case t.Impossible != "":
		return "nothing to try"
	case t.Spared:
		return "spared"
	}
	return "not spared"
}

// wayText says which way was tried.
func (t *Trial) wayText() string {
	switch t.Way {
	case ByBudget:
		return t.budgetText()
	case ByClass:
		if t.Impossible != "" {
			return "a class"
		}
		return fmt.Sprintf("class %s (priority %d)", t.Class, *t.Priority)
	case ByPriority:
		if t.Impossible != "" {
			return "a priority"
		}
		return fmt.Sprintf("priority %d", *t.Priority)
	case ByNode:
		return "one more node like " + t.Like
	}
	return "preemption policy Never of the preemptor"
}

// budgetText says which budgets were tried: the budgets of the pod, or a new one.
func (t *Trial) budgetText() string {
	if len(t.Budgets) > 0 {
		return noun(len(t.Budgets), "budget ", "budgets ") + names(t.Budgets) + noun(len(t.Budgets), " that allows nothing", " that allow nothing")
	}
	if t.Impossible != "" {
		return "a disruption budget"
	}

	var labels []string
	for _, key := range slices.Sorted(maps.Keys(t.Labels)) {
		labels = append(labels, key+"="+t.Labels[key])
	}
	return "a new disruption budget over " + strings.Join(labels, ",") + " that allows nothing"
}

// text says what was tried, and with which result. limit bounds the victims that are named.
func (t *Trial) text(a *Answer, limit int) string {
	what := t.wayText()
	switch {
	case t.Impossible != "" && len(t.Budgets) > 0:
		return noun(len(t.Budgets), "budget ", "budgets ") + names(t.Budgets) + " " + noun(len(t.Budgets), "allows", "allow") + " no disruption as it is, and it leaves all the same"
	case t.Impossible != "":
		return what + ", as " + t.Impossible
	case t.Spared && t.Way == ByPriority:
		what += ", one less is not enough"
	case t.Spared && t.Way == ByClass:
		what += ", the least of the dump that does"
	case !t.Spared && t.Way == ByClass:
		what += ", the highest of the dump"
	case !t.Spared && t.Way == ByPriority:
		what += ", the preemptor's own"
	}
	return what + "; then " + a.does(t.Turn, limit)
}

// noun returns the form of a text that agrees with the number.
func noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// plural returns a number with the text that agrees with it.
func plural(n int, one, many string) string { return fmt.Sprintf("%d %s", n, noun(n, one, many)) }

// names lists the first few keys, and counts the others.
func names(keys []outrank.Key) string {
	const most = 3
	var out []string
	for _, key := range keys[:min(len(keys), most)] {
		out = append(out, string(key))
	}
	text := strings.Join(out, ", ")
	if more := len(keys) - len(out); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// bounded returns how many of n things are shown. A limit of 0 or less shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}
