package explain

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Text returns the answer as text for people. It uses only the fields of the answer, whose lists
// bound its length.
func (a *NodeAnswer) Text() string {
	w := &writer{}
	w.line(0, "%s", a.summary())
	if a.Refused != nil {
		w.line(1, "%s", a.Refused.Text())
		return w.String()
	}
	if a.Stage == Fits {
		return w.String()
	}

	if a.Before != nil {
		w.line(0, "As things are: %s.", a.Before.Text())
	}
	a.writeLeaving(w)
	a.writeWay(w)
	if a.Best.Node != "" {
		w.line(0, "Place %d of %s, behind node %s: %s", a.Place, prose.Plural(a.Candidates, "candidate"), prose.Name(a.Best.Node), a.lost())
	}
	return w.String()
}

// summary returns the answer in one sentence.
func (a *NodeAnswer) summary() string {
	node, pod := "Node "+prose.Name(a.Node), a.Pod.text()
	switch a.Stage {
	case Chosen:
		return fmt.Sprintf("%s is the one that is chosen for %s.", node, pod)
	case Fits:
		if a.Fits > 1 {
			return fmt.Sprintf("%s takes %s as things are, like %d more; a scheduler's scores decide among them.", node, pod, a.Fits-1)
		}
		return fmt.Sprintf("%s takes %s as things are.", node, pod)
	case Candidate:
		return fmt.Sprintf("%s would do for %s once %s left", node, pod, have(a.Victims.Len())) + a.notChosen()
	case InVain:
		if n := a.Possible.Len(); n > 0 {
			return fmt.Sprintf("%s does not take %s, even without %s that it might push out.", node, pod, prose.Plural(n, "pod"))
		}
		return fmt.Sprintf("%s does not take %s, and nobody there might be pushed out for it.", node, pod)
	case NotTried:
		return fmt.Sprintf("%s was not tried for %s.", node, pod)
	}

	if a.Refused != nil {
		return fmt.Sprintf("%s was not asked about %s: something else ends the attempt before any node.", node, pod)
	}
	return fmt.Sprintf("%s is out for %s, and no eviction changes that.", node, pod)
}

// notChosen returns the end of a sentence about a candidate: the reason why it is not the chosen node.
func (a *NodeAnswer) notChosen() string {
	switch {
	case a.Outcome == preemption.Fits && a.Fits == 1:
		return ", but nobody has to leave: another node takes it as things are."
	case a.Outcome == preemption.Fits:
		return fmt.Sprintf(", but nobody has to leave: %d others take it as things are.", a.Fits)
	case a.Outcome == preemption.Preempts:
		return ", but another node is better."
	case a.Ineligible != "":
		return ", but it may not push others out: " + ineligibleText(a.Ineligible)
	}
	return "."
}

// writeLeaving describes the victims or, if preemption is in vain, all possible victims.
func (a *NodeAnswer) writeLeaving(w *writer) {
	if len(a.Victims.Items) > 0 {
		a.writeVictims(w)
		return
	}
	if a.Stage != InVain || a.After == nil {
		return
	}
	if n := a.Possible.Len(); n > 0 {
		w.line(0, "Pushing others out: with %s gone, %s.", pods(a.Possible.first(10)), a.After.Text())
		return
	}
	w.line(0, "Pushing others out: %s.", a.After.Text())
}

// writeWay describes the obstacles behind the first one, and the changes that help.
func (a *NodeAnswer) writeWay(w *writer) {
	// behind returns the continuation of a sentence, "; behind it: ...". Here it has to begin one.
	if behind := a.Way.behind(); behind != "" {
		w.line(0, "%s.", strings.ToUpper(behind[2:3])+behind[3:])
	}
	if a.Way.sensible() {
		text := a.Way.text()
		w.line(0, "%s.", strings.ToUpper(text[:1])+text[1:])
	}
}

// lost says by which rank the node lost to the best one, with the values of both.
func (a *NodeAnswer) lost() string {
	if a.Score == nil {
		return "it was not ranked."
	}

	// The sentence is the one that explains a choice between the best node and this one.
	budgets := List[outrank.Key]{More: a.Budgets.More}
	for i := range a.Budgets.Items {
		budgets.Items = append(budgets.Items, a.Budgets.Items[i].Key)
	}
	c := Choice{Contender: a.Best, DecidedBy: a.LostBy, RunnerUp: Contender{a.Node, *a.Score, budgets.first(10)}}
	return c.decided()
}
