package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/priority"
)

// document has the data for the template of a decision.
type document struct {
	Frame              frame
	Cluster            pictures
	Headline           []headPart
	Pod                asked
	Counts             []Figure
	Fates              []string
	Scenes             []scene
	Victims            []victimRow
	MoreVictims        int
	Cleared            []string
	Candidates         []candidateRow
	MoreCandidates     int
	Why, Stay, Missing []string
	Groups, MoreGroups []string
	Listed             []listed
	MoreListed         int
	// BySum is set if the decision was made by the sums of priorities.
	BySum  bool
	Tables []Table
}

// headPart is a part of the headline. A name is typeset differently from the text.
type headPart struct {
	Text string
	Name bool
}

// asked is the pod in question.
type asked struct {
	Key, Class, From, Requests string
	Priority                   int32
	Nominated                  string
}

// newMaker makes a maker that has found its views, members and shades.
func newMaker(in *Input) *maker {
	d := newMakerOf(in, in.Explanation.Pod)
	d.numbers = numbersOf(in.Explanation)
	d.scale = newScale(in.Snapshot, d.pod.PriorityValue())
	d.findViews()
	d.findMembers()
	d.findShades()
	return d
}

// newDocument collects everything that the page of a decision says and shows.
func newDocument(in *Input) *document {
	d := newMaker(in)
	doc := &document{
		Frame: newFrame(in.Title, in.Source, in.Snapshot, in.Now), Headline: headline(in),
		Pod: d.asked(), Counts: d.counts(), Scenes: d.scenes(), Tables: in.Tables,
		Cluster: pictures{Views: d.views, Rows: d.rows(), Panels: d.panels(), Shades: d.legends()},
	}

	f := &doc.Frame
	f.Summary, f.Caveats, f.Outcome = summary(in), in.Caveats, string(in.Explanation.Outcome)
	if f.Title == "" {
		f.Title = "Who leaves for " + isolated(string(d.pod.Key())) + "?"
	}

	c := &doc.Cluster
	c.Below, c.Above = d.scale.parts()
	c.Sorted, c.Lettered = string(d.views[d.shown()].Name), !d.detailed()

	d.tell(doc)
	f.Todo = orNothing(d.todo())
	c.explain(doc.Scenes)
	return doc
}

// tell fills in the texts and tables of the document.
func (d *maker) tell(doc *document) {
	doc.Victims, doc.MoreVictims = d.victims()
	doc.Candidates, doc.MoreCandidates = d.candidates()
	doc.BySum = d.plan.DecidedBy == preemption.ByPrioritySum.Name
	for _, p := range d.plan.ClearedNominations {
		doc.Cleared = append(doc.Cleared, string(p.Key()))
	}

	r := d.report
	if r.Choice != nil && !r.Resize {
		// A resize offers no choice, because it concerns the pod's own node.
		doc.Why = r.Choice.Texts()
	}
	if r.Stay != nil {
		doc.Stay = r.Stay.Texts()
	}

	// What would help is told as something to do, at the end of the page.
	if r.Nothing != nil {
		help := helps(r.Nothing)
		doc.Missing = slices.DeleteFunc(r.Nothing.Texts(), func(s string) bool { return slices.Contains(help, s) })
	}

	for i := range r.Nodes {
		if len(doc.Groups) < mostGroups {
			doc.Groups = append(doc.Groups, r.Nodes[i].Text())
		} else {
			doc.MoreGroups = append(doc.MoreGroups, r.Nodes[i].Text())
		}
	}

	for i := range d.in.Replacements {
		doc.Fates = append(doc.Fates, d.in.Replacements[i].Text())
	}
	if !d.detailed() {
		// A cluster that is drawn completely needs no table of its nodes.
		doc.Listed, doc.MoreListed = d.list()
	}
}

// summary returns a sentence that completes the headline above it.
func summary(in *Input) string {
	e := in.Explanation
	switch e.Outcome {
	case preemption.Preempts:
		return summaryOfPreempt(in)
	case preemption.Fits:
		if e.Resize {
			return "Its kubelet carries that out."
		}
		if e.Feasible == 1 {
			return "One node takes it."
		}
		return strings.TrimSpace(fmt.Sprintf("%d nodes take it. %s", e.Feasible, in.Goes))
	}

	if l := in.Report.Leaving; l != nil {
		return "It " + l.Text()
	}
	if e.Outcome == preemption.NotEligible {
		return ineligible(e.Ineligible)
	}
	return otherPriority(in.Report.Nothing)
}

// summaryOfPreempt returns the summary about a pod that pushes others out.
func summaryOfPreempt(in *Input) string {
	e := in.Explanation
	if e.Resize {
		return "Its node has no room for that as things are."
	}
	if in.NoEffect != "" {
		return "No node takes it as things are. Even with them gone this one says " + in.NoEffect + "."
	}
	if n := len(e.Candidates); n > 1 {
		return fmt.Sprintf("No node takes it as things are. Evictions would make room on %d nodes; on this one they cost least.", n)
	}
	return "No node takes it as things are. This is the only one where evictions make room."
}

// otherPriority says which other priority would be enough for a pod that nothing helps at its own.
func otherPriority(n *explain.Nothing) string {
	switch {
	case n == nil:
	case n.Enough != nil && n.Enough.Priority > priority.UserMax && n.Enough.Class == "":
		return "No priority of an application would be enough."
	case n.Enough != nil:
		return fmt.Sprintf("Priority %d would be enough.", n.Enough.Priority)
	case n.Lower != nil:
		return fmt.Sprintf("A lower priority would be enough: %d.", n.Lower.Priority)
	case n.Hopeless:
		return "No priority would be enough."
	}
	return ""
}

// ineligible says why a pod may not push others out.
func ineligible(why preemption.Ineligibility) string {
	switch why {
	case preemption.PolicyNever:
		return "Its preemption policy is Never: it waits for room instead of making it."
	case preemption.VictimsTerminating:
		return "Pods that were pushed out for it earlier are still leaving, and it waits for them."
	case preemption.Nominated:
		return "It is nominated to a node already."
	case preemption.NoPriority:
		return "It has no priority."
	case preemption.Disabled:
		return "Preemption is switched off."
	}
	return ""
}

// headline returns the answer in a sentence.
func headline(in *Input) []headPart {
	e := in.Explanation
	pod := headPart{string(e.Pod.Key()), true}
	node := headPart{e.Node, true}
	text := func(s string) headPart { return headPart{Text: s} }

	switch {
	case in.Report.Leaving != nil && e.Resize:
		return []headPart{text("Nobody else has to leave: "), pod, text(" can grow once others have left")}
	case in.Report.Leaving != nil:
		return []headPart{text("Nobody else has to leave: "), pod, text(" can run once others have left")}
	case e.Outcome == preemption.Preempts && e.Resize:
		return []headPart{text(have(len(e.Victims)) + " "), node, text(" so that "), pod, text(" can grow")}
	case e.Outcome == preemption.Preempts:
		verb := " have to leave "
		if len(e.Victims) == 1 {
			verb = " has to leave "
		}
		if in.NoEffect != "" {
			return []headPart{text(console.Plural(len(e.Victims), "pod") + verb), node, text(" for "), pod, text(", to no effect")}
		}
		return []headPart{text(console.Plural(len(e.Victims), "pod") + verb), node, text(" so that "), pod, text(" can run")}
	case e.Outcome == preemption.Fits && e.Resize:
		return []headPart{text("Nobody has to leave: there is room for "), pod, text(" to grow")}
	case e.Outcome == preemption.Fits:
		return []headPart{text("Nobody has to leave: "), pod, text(" fits as things are")}
	case e.Outcome == preemption.NotEligible && e.Resize:
		return []headPart{text("Nobody leaves: "), pod, text(" may not push others out to grow")}
	case e.Outcome == preemption.NotEligible:
		return []headPart{text("Nobody leaves: "), pod, text(" may not push others out")}
	}
	return []headPart{text("Nobody leaves: pushing others out makes no room for "), pod}
}

// asked describes the pod in question. A pod that is to be resized is on its node already, and has no
// nomination.
func (d *maker) asked() asked {
	p := d.pod
	a := asked{Key: string(p.Key()), Class: p.PriorityClassName, From: d.in.Priority, Priority: p.PriorityValue(), Requests: amount.Texts(p.Requests())}
	if !d.plan.Resize {
		a.Nominated = d.snap.NominationOf(p.Key())
	}
	return a
}

// counts returns the figures below the headline.
func (d *maker) counts() []Figure {
	pods, pending := 0, 0
	for p := range d.snap.Pods() {
		pods++
		if d.snap.NodeOf(p.Key()) == "" {
			pending++
		}
	}

	e := d.plan
	return []Figure{
		{grouped(len(d.members)), noun(len(d.members), "node")},
		{grouped(pods), noun(pods, "pod") + ", " + grouped(pending) + " pending"},
		{grouped(e.Feasible), noun(e.Feasible, "node") + " with room as things are"},
		{grouped(len(e.Candidates)), noun(len(e.Candidates), "node") + " where evictions make room"},
		{grouped(len(e.Victims)), noun(len(e.Victims), "victim")},
		{grouped(e.Score.Violations), "broken " + noun(e.Score.Violations, "budget")},
	}
}

// Figure is a number with its noun.
type Figure struct{ Figure, Of string }
