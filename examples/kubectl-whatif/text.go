package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// writeText prints an answer for a person: the answer first, then why.
func writeText(w io.Writer, a *Answer, list int) {
	p := page{w}
	writeQuestion(p, a)
	if a.Resize != nil {
		writeResize(p, a)
	} else {
		writePlace(p, a)
	}
	writeReasons(p, a, list)
	writeDetails(p, a, list)
	writeWayOut(p, a)
	if a.Cluster.Source == sampleName {
		p.line("\nThis was the sample cluster. To ask about your own, run kubectl whatif -h.")
	}
}

// writePlace says what becomes of a pod that looks for a node.
func writePlace(p page, a *Answer) {
	switch a.Outcome {
	case preemption.Fits:
		p.line("\nNobody has to leave: %s as things are: %s.", takes(a.FeasibleNodes.Count),
			some(a.FeasibleNodes.Names, len(a.FeasibleNodes.Names), a.FeasibleNodes.Count))
	case preemption.Preempt:
		writePreempt(p, a)
	case preemption.NotEligible:
		p.line("\nNobody leaves, and the pod stays pending: no node takes it as things are, and it may not push")
		p.line("others out: %s", whyIneligible(a))
		if a.CandidateCount > 0 {
			p.line("\nIf it might, these nodes would come into question:")
			writeCandidates(p, a)
		}
	case preemption.NothingHelps:
		p.line("\nNobody leaves, and the pod stays pending: on no node would pushing others out make room.")
		for _, h := range a.Hints {
			p.line("  Hint for %s", h)
		}
	}
}

func writeQuestion(p page, a *Answer) {
	c := &a.Cluster
	p.line("Who would %s push out of %s?", a.Pod.Key, c.Source)
	p.line("  cluster    %s, %s of which %d pending, %s", plural(c.Nodes, "node"), plural(c.Pods, "pod"), c.Pending, plural(c.Budgets, "disruption budget"))
	p.line("  rules      of Kubernetes %v (%s)", c.Release, c.ReleaseFrom.text())
	if !a.Now.IsZero() {
		p.line("  as of      %s UTC", a.Now.UTC().Format("2006-01-02 15:04:05"))
	}
	if a.Pod.Template != "" {
		p.line("  made by    %s", madeBy(&a.Pod))
	}
	p.line("  asks for   %s", amounts(a.Pod.Requests))
	p.line("  priority   %s", priorityText(&a.Pod))
	if r := a.Resize; r != nil {
		p.line("  resize     in place, which node %s has deferred; it counts %s for the pod", r.Node, amounts(r.Counted))
	} else if limits := nodeLimits(&a.Pod); limits != "" {
		p.line("  nodes      %s", limits)
	}
	if a.Pod.NominatedNode != "" && a.Resize == nil {
		p.line("  nominated  to %s, by an earlier preemption", a.Pod.NominatedNode)
	}
	writeCaveats(p, a.Caveats)
}

// madeBy says of which pods the pod is one.
func madeBy(p *Asked) string {
	if p.Replicas == nil {
		return p.Template + ", for each node that takes it; this is about one of them, wherever it goes"
	}
	return fmt.Sprintf("%s, which asks for %s; this is about one of them", p.Template, plural(*p.Replicas, "pod"))
}

// nodeLimits are the pod's plainest demands on its node.
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

func takes(nodes int) string {
	if nodes == 1 {
		return "1 node takes it"
	}
	return fmt.Sprintf("%d nodes take it", nodes)
}

func writePreempt(p page, a *Answer) {
	p.line("\nNo node takes it as things are. %s to leave node %s; it can start there once they are gone.",
		have(len(a.Victims)), a.Node)
	writeChosen(p, a)
}

// writeChosen tells of the chosen node.
func writeChosen(p page, a *Answer) {
	p.line("\nVictims, the most important first:")
	writeVictims(p, a)
	for _, n := range a.ClearedNominations {
		p.line("  %s (priority %d) was promised room on %s and loses that claim.", n.Key, n.Priority, a.Node)
	}
	p.line("\nNode %s before and after: # stays, x leaves, + the pod, . free", a.Node)
	writeRoom(p, a)
	p.line("\nWho stays on %s:", a.Node)
	writeItems(p, a.Why.Stay.Texts())
	p.line("\nWhy %s? %s", a.Node, whyNode(a))
	writeCandidates(p, a)
}

func have(victims int) string {
	if victims == 1 {
		return "1 pod has"
	}
	return fmt.Sprintf("%d pods have", victims)
}

// writeVictims prints a column for each resource that any victim or the pod
// asks for; there are rarely more than two.
func writeVictims(p page, a *Answer) {
	names := askedNames(a)
	t := table{right: map[int]bool{0: true, 2: true, 5: true}}
	head := []string{"#", "POD", "PRIORITY", "CLASS", "STARTED (UTC)", "AGE"}
	for i, name := range names {
		head = append(head, strings.ToUpper(string(name)))
		t.right[6+i] = true
	}
	t.head(head...)
	for i := range a.Victims {
		v := &a.Victims[i]
		cells := []string{strconv.Itoa(i + 1), v.Key, fmt.Sprint(v.Priority), v.PriorityClass, moment(v.Start), age(a.Now, v.Start)}
		for _, name := range names {
			text := "-"
			if q, ok := v.Requests[name]; ok {
				text = amount(name, q)
			}
			cells = append(cells, text)
		}
		t.add(cells...)
		var why *explain.Victim
		if i < len(a.Why.Victims) {
			why = &a.Why.Victims[i]
		}
		noteVictim(&t, v, why)
	}
	t.print(p)
}

// askedNames are the resources that play a part in the table of victims.
func askedNames(a *Answer) []resource.Name {
	all := a.Pod.Requests
	for i := range a.Victims {
		all = all.Max(a.Victims[i].Requests)
	}
	return all.Names()
}

// noteVictim says why the pod is among the victims.
func noteVictim(t *table, v *Victim, why *explain.Victim) {
	owner := "no owner"
	if v.Owner != "" {
		owner = "owner " + v.Owner
	}
	if why != nil {
		owner += "; " + ifItStayed(why)
	}
	for i, line := range wrapped(owner, caveatWidth) {
		t.note("%s%s", [...]string{"", "  "}[min(i, 1)], line)
	}
	if v.With != "" {
		t.note("all pods of %s leave together", v.With)
	}
	if v.Node != "" {
		t.note("runs on node %s", v.Node)
	}
	for _, b := range v.Violated {
		t.note("breaks budget %s, which allows %s", b.Key, plural(int(b.Allowed), "disruption"))
	}
	if v.MoreViolated > 0 {
		t.note("breaks %s more", plural(v.MoreViolated, "budget"))
	}
	if v.Terminating {
		t.note("already terminating: nothing needs to be done about it")
	}
}

func writeRoom(p page, a *Answer) {
	t := table{right: map[int]bool{3: true}}
	for i := range a.Room {
		r := &a.Room[i]
		if r.Resource == resource.Pods && !crowded(r) {
			continue
		}
		before, after := bars(r)
		of := "of " + amount(r.Resource, r.Allocatable)
		t.add(string(r.Resource), "before", "["+before+"]", amount(r.Resource, r.Used), of,
			"freed "+amount(r.Resource, r.Freed))
		t.add("", "after", "["+after+"]", amount(r.Resource, r.After), of,
			"needed "+amount(r.Resource, r.Needed)+reservedText(r))
	}
	t.print(p)
}

func reservedText(r *Room) string {
	if r.Reserved.IsZero() {
		return ""
	}
	return ", o kept for nominated pods " + amount(r.Resource, r.Reserved)
}

// writeCandidates lists the nodes in the order of the ranks, which are its
// columns from left to right.
func writeCandidates(p page, a *Answer) {
	if len(a.Candidates) == 0 {
		return
	}
	t := table{right: map[int]bool{2: true, 3: true, 4: true, 5: true}}
	t.head("", "CANDIDATE", "BREAKS", "TOP", "SUM", "VICTIMS", "TOP STARTED", "WHO")
	for _, c := range a.Candidates {
		mark := ""
		if c.Node == a.Node {
			mark = "*"
		}
		t.add(mark, c.Node, fmt.Sprint(c.Score.Violations), fmt.Sprint(c.Score.TopPriority),
			fmt.Sprint(c.Score.PrioritySum), fmt.Sprint(c.Score.Victims), moment(c.Score.Start),
			some(c.Victims, 1, len(c.Victims)))
	}
	t.print(p)
	if more := a.CandidateCount - len(a.Candidates); more > 0 {
		p.line("     and %d more", more)
	}
	p.line("     BREAKS: victims that break a budget; TOP: priority of the most important victim; SUM: of all victims;")
	p.line("     sums are compared with 2^31 added for each victim, so that fewer victims weigh less")
}
