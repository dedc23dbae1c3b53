package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// writePlace prints the outcome for a pod that needs a node.
func writePlace(p console.Page, a *Answer, list int) {
	if a.Why.Leaving != nil {
		p.Line("\n%s: the pod %s", good("Nobody else has to leave"), a.Why.Leaving.Text())
		return
	}

	switch a.Outcome {
	case preemption.Fits:
		p.Line("\n%s: %s as things are: %s.", good("Nobody has to leave"), takes(a.FeasibleNodes.Count),
			some(a.FeasibleNodes.Names, len(a.FeasibleNodes.Names), a.FeasibleNodes.Count))
		if a.Goes != "" && a.FeasibleNodes.Count > 1 {
			p.Line("%s", a.Goes)
		}
	case preemption.Preempts:
		writePreempt(p, a, list)
	case preemption.NotEligible:
		p.Line("\n%s: no node takes it as things are, and it may not push\nothers out: %s",
			bad("Nobody leaves, and the pod stays pending"), whyIneligible(a))
		// The candidates were computed even though the pod may not preempt.
		if a.CandidateCount > 0 {
			p.Line("\nIf it might, these nodes would come into question:")
			writeCandidates(p, a, list)
		}

	case preemption.NothingHelps:
		p.Line("\n%s: on no node would pushing others out make room.", bad("Nobody leaves, and the pod stays pending"))
		writeHints(p, a, list)
	}
}

// writeHints prints which changes make room where preemption does not.
func writeHints(p console.Page, a *Answer, list int) {
	shown := min(len(a.Hints), list)
	for _, h := range a.Hints[:shown] {
		p.Line("  Hint for %s", h)
	}
	if more := len(a.Hints) - shown; more > 0 {
		p.Line("  and %s more", console.Plural(more, "hint"))
	}
}

// writeQuestion prints the question with everything that the answer rests on.
func writeQuestion(p console.Page, a *Answer) {
	p.Line("Who would %s push out of %s?", a.Pod.Key, a.Cluster.Source)
	writeCluster(p, &a.Cluster, a.Now)
	a.Then.write(p)
	writePod(p, &a.Pod, false)
	if r := a.Resize; r != nil {
		p.Line("  resize     in place, which node %s has deferred; it counts %s for the pod", r.Node, amounts(r.Counted))
	} else {
		writeNodes(p, &a.Pod)
	}
	writeCaveats(p, a.Caveats)
}

// writeCluster prints the cluster in question.
func writeCluster(p console.Page, c *Dump, now time.Time) {
	p.Line("  cluster    %s, %s of which %d pending, %s", console.Plural(c.Nodes, "node"), console.Plural(c.Pods, "pod"), c.Pending, console.Plural(c.Budgets, "disruption budget"))
	p.Line("  rules      of Kubernetes %v (%s)", c.Release, c.ReleaseFrom.text())
	if !now.IsZero() {
		p.Line("  as of      %s UTC", now.UTC().Format("2006-01-02 15:04:05"))
	}
}

// writePod prints the pod in question.
func writePod(p console.Page, pod *Asked, copies bool) {
	if pod.Template != "" {
		p.Line("  made by    %s", madeBy(pod, copies))
	}
	p.Line("  asks for   %s", amounts(pod.Requests))
	p.Line("  priority   %s", priorityText(pod))
}

// writeNodes prints the nodes that the pod is limited to.
func writeNodes(p console.Page, pod *Asked) {
	if limits := nodeLimits(pod); limits != "" {
		p.Line("  nodes      %s", limits)
	}
	if pod.NominatedNode != "" {
		p.Line("  nominated  to %s, by an earlier preemption", pod.NominatedNode)
	}
}

// madeBy says which object makes the pod, and how many pods it makes. copies says that the question is about
// all of them.
func madeBy(p *Asked, copies bool) string {
	if p.Replicas == nil && copies {
		return p.Template + ", for each node that takes it"
	}
	if p.Replicas == nil {
		return p.Template + ", for each node that takes it; this is about one of them, wherever it goes"
	}
	if copies {
		return fmt.Sprintf("%s, which asks for %s like it", p.Template, console.Plural(*p.Replicas, "pod"))
	}
	return fmt.Sprintf("%s, which asks for %s; this is about one of them", p.Template, console.Plural(*p.Replicas, "pod"))
}

// nodeLimits names the simplest restrictions of the pod to nodes.
func nodeLimits(p *Asked) string {
	var parts []string
	if p.NodeName != "" {
		parts = append(parts, "only "+p.NodeName+" (spec.nodeName)")
	}
	for k, v := range p.NodeSelector {
		parts = append(parts, "only with label "+k+"="+v)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// takes says how many nodes take the pod.
func takes(nodes int) string {
	if nodes == 1 {
		return "1 node takes it"
	}
	return fmt.Sprintf("%d nodes take it", nodes)
}

// writePreempt prints the outcome for a pod that pushes others out.
func writePreempt(p console.Page, a *Answer, list int) {
	leave := console.Styled{Text: have(len(a.Victims)) + " to leave node " + a.Node, Style: console.Yellow}
	if a.NoEffect != "" {
		p.Line("\nNo node takes it as things are. %s, to no effect: even", leave)
		p.Line("with them gone %s says %s.", a.Node, a.NoEffect)
	} else {
		p.Line("\nNo node takes it as things are. %s; it can start there once they are gone.", leave)
	}
	writeChosen(p, a, list)
}

// writeChosen prints what happens on the chosen node: the victims, the room before and after, who stays,
// and why the node was chosen.
func writeChosen(p console.Page, a *Answer, list int) {
	p.Line("\nVictims, the most important first:")
	writeVictims(p, a)

	for _, n := range a.ClearedNominations {
		p.Line("  %s (priority %d) was promised room on %s and loses that claim.", n.Key, n.Priority, a.Node)
	}

	p.Line("\nNode %s before and after: # stays, x leaves, + the pod, . free", a.Node)
	writeRoom(p, a)

	p.Line("\nWho stays on %s:", a.Node)
	p.Items(a.Why.Stay.Texts())

	p.Line("\nWhy %s? %s", a.Node, whyNode(a))
	writeCandidates(p, a, list)
}

// good marks the outcome of an answer by which nobody has to leave.
func good(text string) console.Styled { return console.Styled{Text: text, Style: console.Green} }

// bad marks the outcome of an answer by which the pod stays pending.
func bad(text string) console.Styled { return console.Styled{Text: text, Style: console.Red} }

// have returns the beginning of "have to leave" for a number of pods.
func have(victims int) string {
	if victims == 1 {
		return "1 pod has"
	}
	return fmt.Sprintf("%d pods have", victims)
}

// writeVictims prints a row for each victim. Each resource that the pod or a victim asks for has a
// column; there are rarely more than two.
func writeVictims(p console.Page, a *Answer) {
	names := askedNames(a)
	t := console.Table{Right: map[int]bool{0: true, 2: true, 5: true}, Rigid: map[int]bool{2: true, 4: true, 5: true}, Spare: []int{4, 3}}
	head := []string{"#", "POD", "PRIORITY", "CLASS", "STARTED (UTC)", "AGE"}
	// The resources have their columns after the fixed ones.
	for i, name := range names {
		head = append(head, strings.ToUpper(string(name)))
		t.Right[6+i] = true
	}
	t.Head(head...)

	reasons := toldReasons{}

	for i := range a.Victims {
		v := &a.Victims[i]
		cells := []string{strconv.Itoa(i + 1), v.Key, fmt.Sprint(v.Priority), v.PriorityClass, moment(v.Start), age(a.Now, v.Start)}
		for _, name := range names {
			// Not every victim asks for every resource.
			text := "-"
			if q, ok := v.Requests[name]; ok {
				text = amount(name, q)
			}
			cells = append(cells, text)
		}
		t.Add(cells...)

		// An explanation may lack entries for the last victims.
		var why *explain.Victim
		if i < len(a.Why.Victims.Items) {
			why = &a.Why.Victims.Items[i]
		}
		noteVictim(&t, v, reasons.tell(i+1, why))
	}
	t.Print(p)
}

// askedNames returns the resources that the pod or a victim asks for.
func askedNames(a *Answer) []resource.Name {
	all := a.Pod.Requests
	for i := range a.Victims {
		all = all.Max(a.Victims[i].Requests)
	}
	return all.Names()
}

// noteVictim prints below a victim its owner, why it has to leave, and which budgets that breaks.
func noteVictim(t *console.Table, v *Victim, why string) {
	owner := "no owner"
	if v.Owner != "" {
		owner = "owner " + v.Owner
	}
	if why != "" {
		owner += "; " + why
	}
	t.Note("%s", owner)
	if v.With != "" {
		t.Note("all pods of %s leave together", v.With)
	}
	if v.Node != "" {
		t.Note("runs on node %s", v.Node)
	}
	for _, b := range v.Violated {
		t.Note("breaks budget %s, which allows %s", b.Key, console.Plural(int(b.Allowed), "disruption"))
	}
	if v.MoreViolated > 0 {
		t.Note("breaks %s more", console.Plural(v.MoreViolated, "budget"))
	}
	if v.Terminating {
		t.Note("already terminating: nothing needs to be done about it")
	}
}

// writeRoom prints for each resource of the chosen node a bar before and a bar after. The number of pods has
// bars only if the places for pods are used up.
func writeRoom(p console.Page, a *Answer) {
	paint := console.PaintRuns(map[rune]console.Style{'x': console.Red, '+': console.Green, 'o': console.Yellow})
	t := console.Table{Right: map[int]bool{3: true}, Rigid: map[int]bool{2: true}, Paint: map[int]func(console.Screen, string) string{2: paint}}
	for i := range a.Room {
		r := &a.Room[i]
		if r.Resource == resource.Pods && !crowded(r) {
			continue
		}

		before, after := bars(r, barOn(p.Width))
		of := "of " + amount(r.Resource, r.Allocatable)
		t.Add(string(r.Resource), "before", "["+before+"]", amount(r.Resource, r.Used), of,
			"freed "+amount(r.Resource, r.Freed))
		t.Add("", "after", "["+after+"]", amount(r.Resource, r.After), of,
			"needed "+amount(r.Resource, r.Needed)+reservedText(r))
	}
	t.Print(p)
}

// reservedText says how much is kept for nominated pods, if anything is.
func reservedText(r *Room) string {
	if r.Reserved.IsZero() {
		return ""
	}
	return ", o kept for nominated pods " + amount(r.Resource, r.Reserved)
}

// writeCandidates lists the nodes in the order of the ranks, which are the columns from left to right. It names
// one victim of each node, or all of them if lists have no limit.
func writeCandidates(p console.Page, a *Answer, list int) {
	most := 1
	if list == everything {
		most = everything
	}
	if len(a.Candidates) == 0 {
		return
	}

	t := console.Table{Right: map[int]bool{2: true, 3: true, 4: true, 5: true}, Rigid: map[int]bool{3: true, 4: true, 6: true}, Spare: []int{6}}
	t.Head("", "CANDIDATE", "BREAKS", "TOP", "SUM", "VICTIMS", "TOP STARTED", "WHO")

	for _, c := range a.Candidates {
		mark := ""
		if c.Node == a.Node {
			mark = "*"
		}
		t.Add(mark, c.Node, fmt.Sprint(c.Score.Violations), fmt.Sprint(c.Score.TopPriority),
			fmt.Sprint(c.Score.PrioritySum), fmt.Sprint(c.Score.Victims), moment(c.Score.Start),
			some(c.Victims, most, len(c.Victims)))
	}
	t.Print(p)

	// The list of candidates was cut before, unlike their count.
	if more := a.CandidateCount - len(a.Candidates); more > 0 {
		p.Line("     and %d more", more)
	}
	p.Line("     BREAKS: victims that break a budget; TOP: priority of the most important victim; SUM: of all victims")
	if a.DecidedBy == preemption.ByPrioritySum.Name {
		p.Line("     sums are compared with 2^31 added for each victim, so that fewer victims weigh less")
	}
}
