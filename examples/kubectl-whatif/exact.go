package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// Exact compares a decision with the best one by the same ranks. In both, budgets are charged only for the pods
// that leave.
type Exact struct {
	// By names the first rank in which the best decision is better; left out if it is not better.
	By string `json:"by,omitempty"`
	// Gaps has, for each rank in order, by how much the best decision is better. A gap is negative if the best
	// decision is worse in that rank, which happens only in ranks after By.
	Gaps []Gap `json:"gaps"`
	// Best is the best decision, with the certificate that it is optimal.
	Best *preemption.Plan `json:"best"`
	// OnNode is the best candidate on the node that the decision chose.
	OnNode *onNode `json:"onNode,omitempty"`
}

// onNode is the best candidate on a node. The library writes it as part of the JSON of a regret.
type onNode struct{ regret *joint.Regret }

// MarshalJSON returns the candidate as it stands in the JSON of the regret.
func (o *onNode) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(o.regret)
	if err != nil {
		return nil, err
	}
	var document struct {
		OnNode json.RawMessage `json:"onNode"`
	}
	err = json.Unmarshal(text, &document)
	return document.OnNode, err
}

// Gap is a difference in one rank. Its unit depends on the rank: violations, steps of priority, the sum of
// priorities (2^31 for each victim), victims, cost, or nanoseconds of a later start.
type Gap struct {
	Rank string `json:"rank"`
	Gap  int64  `json:"gap"`
}

// exactOf puts a regret into the form for programs. It is nil if r is.
func exactOf(r *joint.Regret) *Exact {
	if r == nil {
		return nil
	}
	e := &Exact{By: r.By, Gaps: []Gap{}, Best: r.Best}
	if r.OnNode != nil {
		e.OnNode = &onNode{r}
	}
	for _, g := range r.Gaps {
		e.Gaps = append(e.Gaps, Gap{g.Rank, g.Gap})
	}
	return e
}

// writeExact prints the decision beside the best one.
func writeExact(p console.Page, r *joint.Regret) {
	p.Line("\nThe best by the same ranks, budgets charged for those who leave alone:")
	if r.Plan.Outcome != preemption.Preempts && r.Best.Outcome != preemption.Preempts {
		p.Line("  nobody leaves either: %s", strings.ReplaceAll(string(r.Best.Outcome), "-", " "))
		return
	}

	// A decision by which nobody leaves has no score.
	var scored, best *preemption.Score
	if r.Plan.Outcome == preemption.Preempts {
		scored = &r.Score
	}
	if r.Best.Outcome == preemption.Preempts {
		best = &r.Best.Score
	}

	var t console.Table
	t.Head("", "KUBE-SCHEDULER", "BEST")
	t.Add("node", orNobody(scored, r.Plan.Node), orNobody(best, r.Best.Node))
	// The cell of a decision without a score stays empty.
	for _, rank := range exactRanks {
		cells := []string{rank.name, "", ""}
		for i, s := range []*preemption.Score{scored, best} {
			if s != nil {
				cells[i+1] = rank.value(s)
			}
		}
		t.Add(cells...)
	}
	t.Print(p)

	if r.By == "" {
		p.Line("  kube-scheduler's is as good as the best.")
	} else {
		p.Line("  The best is better by %s. It takes %s.", explain.RankText(r.By), victimKeys(r.Best))
	}
	if r.Best.ClusterCertificate != nil {
		p.Line("  How sure that is: %s.", r.Certainty())
	}
}

// exactRanks are the rows of the table of writeExact. Each puts the value of its rank into words.
var exactRanks = []struct {
	name  string
	value func(*preemption.Score) string
}{
	{"broken budgets", func(s *preemption.Score) string { return fmt.Sprint(s.Violations) }},
	{"highest priority", func(s *preemption.Score) string { return fmt.Sprint(s.TopPriority) }},
	{"sum of priorities", func(s *preemption.Score) string { return fmt.Sprint(plainSum(s)) }},
	{"victims", func(s *preemption.Score) string { return fmt.Sprint(s.Victims) }},
	{"earliest start of the highest", func(s *preemption.Score) string { return s.Start.UTC().Format(time.DateTime) }},
}

// orNobody returns the node of a decision, or that nobody leaves if the decision has no score.
func orNobody(s *preemption.Score, node string) string {
	if s == nil {
		return "nobody leaves"
	}
	return node
}

// plainSum returns the sum of the priorities themselves. The score raises each of them by 2^31.
func plainSum(s *preemption.Score) int64 { return s.PrioritySum - int64(s.Victims)<<31 }

// victimKeys lists the victims of a plan.
func victimKeys(p *preemption.Plan) string {
	var keys []string
	for _, v := range p.Victims {
		keys = append(keys, string(v.Pod.Key()))
	}
	return strings.Join(keys, ", ")
}
