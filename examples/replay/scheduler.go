package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
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
	// Sampled are the candidates among a sample of the nodes, and SampledNode is the best of them.
	Sampled     []Candidate `json:"sampled,omitempty"`
	SampledNode string      `json:"sampledNode,omitempty"`
}

// Status is a filter's answer about a node.
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

// PostFilter describes the changes that carrying out the plan makes.
type PostFilter struct {
	// NominatedNode is null if the pod was not eligible, and empty if nothing helped.
	NominatedNode      *string  `json:"nominatedNode"`
	Preempted          []string `json:"preempted,omitempty"`
	ClearedNominations []string `json:"clearedNominations,omitempty"`
}

// scheduler decides for the preemptor over all nodes and, if the case has a sample, over the sample, too.
func (c *Case) scheduler(now time.Time) (*Scheduler, error) {
	if c.Preemptor == nil {
		return nil, errors.New("preemptor: missing")
	}

	ex, err := c.explain(c.config(), preemption.Request{Pod: c.Preemptor, Now: now})
	if err != nil {
		return nil, err
	}
	if err := c.searchesAlike(ex, now); err != nil {
		return nil, err
	}

	answer := schedulerAnswer(ex)
	o := &c.Options
	if o.Sample == nil {
		return answer, nil
	}

	sampled, err := c.explainSample(*o.Sample, now)
	if err != nil {
		return nil, err
	}
	answer.Sampled = candidatesOf(sampled)
	if len(sampled.Candidates) > 0 {
		answer.SampledNode = sampled.Candidates[0].Node
	}
	return answer, nil
}

// explainSample explains the decision over a sample of the nodes.
func (c *Case) explainSample(s Sample, now time.Time) (*preemption.Plan, error) {
	config := c.config()
	config.Sample = &preemption.Sample{Percent: s.Percent, Minimum: s.Minimum}
	return c.explain(config, preemption.Request{Pod: c.Preemptor, Now: now, Offset: s.Offset})
}

// cluster returns the cluster of the case.
func (c *Case) cluster() *outrank.Cluster {
	return &outrank.Cluster{
		Release: c.Release, Nodes: c.Nodes, Pods: c.Pods, Budgets: c.PDBs, Namespaces: c.Namespaces,
		Groups: c.Groups, Composites: c.Composites,
	}
}

// config returns the configuration of the scheduler that made the recorded decisions, which had one profile.
func (c *Case) config() preemption.Config {
	return preemption.Config{Profile: preemption.Profile{Schedulers: []string{c.Preemptor.Scheduler()}}}
}

// explain explains a decision by the engine. It fails unless package preemption explains it alike.
func (c *Case) explain(config preemption.Config, req preemption.Request) (*preemption.Plan, error) {
	snap, err := engine.NewSnapshot(c.cluster())
	if err != nil {
		return nil, err
	}
	eval, err := engine.New(config)
	if err != nil {
		return nil, err
	}
	if req.Statuses, err = inTurn(eval, snap, c.Preemptor); err != nil {
		return nil, err
	}

	ex, err := eval.Explain(context.Background(), snap, req)
	if err != nil {
		return nil, err
	}

	// Engine and book may choose different ones of several equally good sets of victims, so these are not
	// compared.
	if config.Victims != nil {
		return ex, nil
	}

	book, err := preemption.Explain(c.cluster(), req, config)
	if err != nil {
		return nil, err
	}
	return ex, alike("Explain", book, ex)
}

// alike returns an error unless the engine's plan equals the one of the book, which is package preemption: it
// decides by the rules as they are written.
func alike(how string, book, got *preemption.Plan) error {
	if reflect.DeepEqual(book, got) {
		return nil
	}
	return fmt.Errorf("preemption.%s says %v, and the engine %v", how, book, got)
}

// inTurn returns the status of every node if the nodes are asked in their order, as for the recorded
// decisions. kube-scheduler itself asks the nominated node first, which shows in one of its texts (rule
// 7.15.9). The result is nil for a pod without a nomination, for which there is no difference.
func inTurn(eval *engine.Evaluator, snap *engine.Snapshot, pod *outrank.Pod) (func(int, *outrank.Node) (preemption.Status, bool), error) {
	if pod.NominatedNodeName == "" {
		return nil, nil
	}

	// The nodes are asked as if the pod were not nominated. Both the pod and its entry in the snapshot lose
	// the nomination.
	bare := *pod
	bare.NominatedNodeName = ""
	without := snap.Clone()
	if err := without.Nominate(pod.Key(), ""); err != nil && !errors.Is(err, preemption.ErrNotFound) {
		return nil, err
	}

	var statuses []preemption.Status
	for n := range snap.Nodes() {
		status, err := eval.Check(without, &bare, n.Name)
		if err != nil {
			return nil, err
		}
		statuses = append(statuses, status)
	}
	return func(position int, _ *outrank.Node) (preemption.Status, bool) { return statuses[position], true }, nil
}

// searchesAlike compares plans of the search with the explanation. It searches with one worker and with
// several, each on a fresh snapshot and then twice more, when answers come from the cache.
func (c *Case) searchesAlike(ex *preemption.Plan, now time.Time) error {
	// A plan of the search lacks what only an explanation finds.
	want := *ex
	want.Nodes, want.Candidates = nil, nil
	want.DecidedBy = ""

	for _, workers := range []int{1, 3} {
		snap, err := engine.NewSnapshot(c.cluster())
		if err != nil {
			return err
		}
		eval, err := engine.New(c.config())
		if err != nil {
			return err
		}
		eval = eval.Parallel(workers)

		for again := range 3 {
			got, req, err := c.search(eval, snap, now)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(&want, got) {
				return fmt.Errorf("decided with %d workers, time %d: Preempt says %v on %q, and Explain %v on %q", workers, again+1, got.Outcome, got.Node, want.Outcome, want.Node)
			}

			book, err := preemption.Preempt(c.cluster(), req, c.config())
			if err != nil {
				return err
			}
			if err := alike("Preempt", book, got); err != nil {
				return err
			}
		}
	}
	return nil
}

// search decides by the engine as a user would, and returns the plan with its request.
func (c *Case) search(eval *engine.Evaluator, snap *engine.Snapshot, now time.Time) (*preemption.Plan, preemption.Request, error) {
	req := preemption.Request{Pod: c.Preemptor, Now: now}
	var err error
	if req.Statuses, err = inTurn(eval, snap, c.Preemptor); err != nil {
		return nil, req, err
	}
	plan, err := eval.Preempt(context.Background(), snap, req)
	return plan, req, err
}

// schedulerAnswer returns an explanation in the form of a recording.
func schedulerAnswer(ex *preemption.Plan) *Scheduler {
	s := &Scheduler{
		PreFilter: statusOf(ex.Refused),
		Filter:    map[string]Status{}, NonCandidates: map[string]Status{},
		Feasible: []string{}, PotentialNodes: []string{}, Candidates: []Candidate{},
		Eligible:        ex.Ineligible == "",
		EligibleMessage: ex.Ineligible.Message(),
	}

	// A node is potential if preemption was tried on it. It is no candidate if it rejects the pod even
	// without all possible victims.
	for _, n := range ex.Nodes {
		s.Filter[n.Node] = statusOf(n.Status)
		if n.Status.Code == preemption.Success {
			s.Feasible = append(s.Feasible, n.Node)
		}

		if n.AfterRemoval != nil {
			s.PotentialNodes = append(s.PotentialNodes, n.Node)
		}
		if n.AfterRemoval != nil && n.AfterRemoval.Code != preemption.Success {
			s.NonCandidates[n.Node] = statusOf(*n.AfterRemoval)
		}
	}

	s.Candidates = candidatesOf(ex)
	if ex.Feasible == 0 {
		s.PostFilter = postFilterOf(ex)
	}
	return s
}

// candidatesOf returns the candidates in the order of the nodes.
func candidatesOf(ex *preemption.Plan) []Candidate {
	// An explanation has the candidates from best to worst. A recording has them in the order of the nodes.
	place := map[string]int{}
	for i, n := range ex.Nodes {
		place[n.Node] = i
	}

	out := []Candidate{}
	for i := range ex.Candidates {
		out = append(out, candidateOf(&ex.Candidates[i]))
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return place[a.Node] - place[b.Node] })
	return out
}

// statusOf returns a status in the form of a recording.
func statusOf(s preemption.Status) Status {
	return Status{Code: codeName(s.Code), Plugin: s.Filter, Reasons: s.Reasons}
}

// candidateOf returns a candidate in the form of a recording. Victims that leave together are sorted by name,
// because the reference lists them in no particular order.
func candidateOf(c *preemption.Candidate) Candidate {
	out := Candidate{Node: c.Node, Victims: []string{}, NumPDBViolations: c.Score.Violations}
	for i, from := range unitStarts(c.Victims) {
		out.Victims = append(out.Victims, string(c.Victims[i].Pod.Key()))
		slices.Sort(out.Victims[from:])
	}
	return out
}

// unitStarts returns, for each victim, the index of the first victim that leaves together with it. Such
// victims belong to one group and are adjacent.
func unitStarts(victims []preemption.Victim) []int {
	starts := make([]int, len(victims))
	for i := range victims {
		v := &victims[i]
		starts[i] = i
		if i > 0 && (v.Group != nil || v.Composite != nil) && v.Group == victims[i-1].Group && v.Composite == victims[i-1].Composite {
			starts[i] = starts[i-1]
		}
	}
	return starts
}

// postFilterOf returns the effect of carrying out the plan. Victims that are terminating already are not
// evicted again.
func postFilterOf(p *preemption.Plan) *PostFilter {
	if p.Outcome == preemption.NotEligible {
		return &PostFilter{}
	}
	out := &PostFilter{NominatedNode: &p.Node}
	for _, v := range p.Victims {
		if !v.Pod.Terminating() {
			out.Preempted = append(out.Preempted, string(v.Pod.Key()))
		}
	}
	for _, cleared := range p.ClearedNominations {
		out.ClearedNominations = append(out.ClearedNominations, string(cleared.Key()))
	}
	return out
}

// codeName returns kube-scheduler's name of a code.
func codeName(c preemption.Code) string {
	switch c {
	case preemption.Success:
		return "Success"
	case preemption.Unschedulable:
		return "Unschedulable"
	case preemption.UnschedulableAndUnresolvable:
		return "UnschedulableAndUnresolvable"
	}
	return "Error"
}
