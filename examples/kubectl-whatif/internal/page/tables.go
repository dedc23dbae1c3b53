package page

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// Bounds of the tables.
const (
	mostVictims    = 500
	mostCandidates = 12
	mostBudgets    = 5
	// mostGroups is the most groups of nodes that are shown at once. The others are shown on demand.
	mostGroups = 12
)

// victimRow is a pod that has to leave.
type victimRow struct {
	Number               int
	Key, Class           string
	Priority             int32
	Started, Age         string
	Requests, Owner, Why string
	// Node is the pod's node if it differs from the chosen one. With is the group that leaves with the pod.
	Node, With  string
	Budgets     []string
	More        int
	Terminating bool
}

// victims returns a row for each victim, and the number of victims left out. If an earlier victim had the same
// reason, the row refers to that victim.
func (d *maker) victims() (rows []victimRow, more int) {
	all, told := d.plan.Victims, map[string]int{}
	reasons := d.report.Victims.Items
	for i := range all[:min(len(all), mostVictims)] {
		r := d.victim(&all[i])
		r.Number = i + 1
		// The report may have fewer victims than the plan.
		if i < len(reasons) && reasons[i].Pod.Key == all[i].Pod.Key() {
			r.Why = stayed(&reasons[i])
			if first := told[r.Why]; first > 0 {
				r.Why = fmt.Sprintf("The same as for %d.", first)
			} else {
				told[r.Why] = i + 1
			}
		}
		rows = append(rows, r)
	}
	return rows, len(all) - len(rows)
}

// victim returns the row of a victim.
func (d *maker) victim(v *preemption.Victim) victimRow {
	p := v.Pod
	r := victimRow{
		Key: string(p.Key()), Class: p.PriorityClassName, Priority: p.PriorityValue(),
		Started: amount.Moment(p.StartTime), Age: amount.Age(d.in.Now, p.StartTime),
		Requests: amount.Texts(p.RunningRequests(d.snap.Release())), Owner: p.Owner.String(),
		Node: v.Node, Terminating: v.Pod.Terminating(),
	}

	switch {
	case v.Composite != nil:
		r.With = string(v.Composite.Key())
	case v.Group != nil:
		r.With = string(v.Group.Key())
	}

	for _, b := range v.Violated[:min(len(v.Violated), mostBudgets)] {
		r.Budgets = append(r.Budgets, fmt.Sprintf("%s, which allows %s", b.Key(), console.Plural(int(b.DisruptionsAllowed), "disruption")))
	}
	r.More = len(v.Violated) - len(r.Budgets)
	return r
}

// stayed says why a victim has to leave.
func stayed(v *explain.Victim) string {
	switch {
	case v.Blocks == nil:
		return "An extender named it."
	case v.AtItsTurn:
		return "When it was put back, " + v.Blocks.Text() + "."
	}
	return "If it stayed, " + v.Blocks.Text() + "."
}

// candidateRow is a node on which pushing others out makes room.
type candidateRow struct {
	Node                string
	Chosen              bool
	Violations, Victims int
	Top                 int32
	Sum                 int64
	Started             string
	Who                 []string
	More                int
}

// candidates returns a row for each of the best candidates, and the number of candidates left out.
func (d *maker) candidates() (rows []candidateRow, more int) {
	e := d.plan
	for i := range e.Candidates[:min(len(e.Candidates), mostCandidates)] {
		c := &e.Candidates[i]
		r := candidateRow{
			Node: c.Node, Chosen: e.Outcome == preemption.Preempts && c.Node == e.Node,
			Violations: c.Score.Violations, Victims: len(c.Victims), Top: c.Score.TopPriority,
			Sum: c.Score.PrioritySum - int64(c.Score.Victims)<<31, Started: amount.Moment(c.Score.Start),
		}

		for j := range c.Victims[:min(len(c.Victims), 3)] {
			r.Who = append(r.Who, string(c.Victims[j].Pod.Key()))
		}
		r.More = len(c.Victims) - len(r.Who)
		rows = append(rows, r)
	}
	return rows, len(e.Candidates) - len(rows)
}

// numbersOf numbers the victims as in their table.
func numbersOf(e *preemption.Plan) map[outrank.Key]int {
	if e.Outcome != preemption.Preempts {
		return nil
	}
	numbers := map[outrank.Key]int{}
	for i := range e.Victims {
		numbers[e.Victims[i].Pod.Key()] = i + 1
	}
	return numbers
}
