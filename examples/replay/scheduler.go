package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Scheduler is the answer in mode scheduler.
type Scheduler struct {
	PreFilter       Status            `json:"preFilter"`
	Filter          map[string]Status `json:"filter"`
	Feasible        []string          `json:"feasible"`
	Eligible        bool              `json:"eligible"`
	EligibleMessage string            `json:"eligibleMessage,omitempty"`
	PotentialNodes  []string          `json:"potentialNodes"`
	Candidates      []Candidate       `json:"candidates"`
	NonCandidates   map[string]Status `json:"nonCandidates,omitempty"`
	PostFilter      *PostFilter       `json:"postFilter,omitempty"`
}

// Status is what a filter says of a node.
type Status struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// Candidate is a node with its victims.
type Candidate struct {
	Node             string   `json:"node"`
	Victims          []string `json:"victims"`
	NumPDBViolations int      `json:"numPDBViolations"`
}

// PostFilter is what becomes of the chosen node; NominatedNode is null where
// the pod was not eligible, and empty where nothing helped.
type PostFilter struct {
	NominatedNode      *string  `json:"nominatedNode"`
	Preempted          []string `json:"preempted,omitempty"`
	ClearedNominations []string `json:"clearedNominations,omitempty"`
}

func (c *Case) scheduler(now time.Time) (*Scheduler, error) {
	if c.Preemptor == nil {
		return nil, errors.New("preemptor: missing")
	}
	snap, err := preemption.NewSnapshot(&outrank.Cluster{
		Nodes: c.Nodes, Pods: c.Pods, Budgets: c.PDBs, Namespaces: c.Namespaces,
	})
	if err != nil {
		return nil, err
	}
	eval, err := preemption.NewEvaluator(preemption.Config{})
	if err != nil {
		return nil, err
	}
	ex, err := eval.Explain(context.Background(), snap, c.Preemptor, now)
	if err != nil {
		return nil, err
	}
	return schedulerAnswer(ex), nil
}

func schedulerAnswer(ex *preemption.Explanation) *Scheduler {
	s := &Scheduler{
		PreFilter: Status{Code: preemption.Success.String()},
		Filter:    map[string]Status{}, NonCandidates: map[string]Status{},
		Feasible: []string{}, PotentialNodes: []string{}, Candidates: []Candidate{},
		Eligible:        ex.Ineligible == preemption.Eligible,
		EligibleMessage: ex.Ineligible.String(),
	}
	for _, n := range ex.Nodes {
		s.Filter[n.Node] = statusOf(n.Status)
		if n.Status.Code == preemption.Success {
			s.Feasible = append(s.Feasible, n.Node)
		}
		if n.Tried {
			s.PotentialNodes = append(s.PotentialNodes, n.Node)
		}
		if n.Tried && n.AfterRemoval.Code != preemption.Success {
			s.NonCandidates[n.Node] = statusOf(n.AfterRemoval)
		}
	}
	for i := range ex.Candidates {
		s.Candidates = append(s.Candidates, candidateOf(&ex.Candidates[i]))
	}
	slices.SortStableFunc(s.Candidates, func(a, b Candidate) int {
		return slices.Index(s.PotentialNodes, a.Node) - slices.Index(s.PotentialNodes, b.Node)
	})
	if ex.Feasible == 0 {
		s.PostFilter = postFilterOf(&ex.Plan)
	}
	return s
}

func statusOf(s preemption.Status) Status {
	return Status{Code: s.Code.String(), Plugin: s.Filter, Reasons: s.Reasons}
}

func candidateOf(c *preemption.Candidate) Candidate {
	out := Candidate{Node: c.Node, Victims: []string{}, NumPDBViolations: c.Violations()}
	for _, v := range c.Victims {
		out.Victims = append(out.Victims, v.Pod.Key())
	}
	return out
}

// postFilterOf is what carrying the plan out would do: victims that are on
// their way out already need no doing.
func postFilterOf(p *preemption.Plan) *PostFilter {
	if p.Outcome == preemption.NotEligible {
		return &PostFilter{}
	}
	out := &PostFilter{NominatedNode: &p.Node}
	for _, v := range p.Victims {
		if !v.Terminating() {
			out.Preempted = append(out.Preempted, v.Pod.Key())
		}
	}
	for _, cleared := range p.ClearedNominations {
		out.ClearedNominations = append(out.ClearedNominations, cleared.Key())
	}
	return out
}
