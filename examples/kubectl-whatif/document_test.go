package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/brief"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// document is a Document as a program would read it.
type document struct {
	Document
	Decision jsonDecision `json:"decision"`
}

// jsonDecision and the types below are the parts of the library's JSON that the
// text uses.
type (
	jsonDecision struct {
		APIVersion, Kind   string
		Pod                jsonPod
		Outcome            preemption.Outcome
		Ineligible         preemption.Ineligibility
		Refused            *jsonStatus
		Warnings           []string
		Node               string
		Victims            []jsonVictim
		Score              *jsonScore
		ClearedNominations []jsonPod
		Feasible           int
		TurnedDown         []jsonCount
		Unhelpful          []jsonCount
		DecidedBy          string
		Candidates         []jsonCandidate
		Nodes              []jsonReport
	}
	jsonPod struct {
		Namespace, Name, UID, PriorityClass, Node, NominatedNode string
		Priority                                                 int32
		StartTime                                                time.Time
		Terminating                                              bool
	}
	jsonVictim struct {
		Pod      jsonPod
		Violated []struct {
			Namespace, Name    string
			DisruptionsAllowed int32
		}
		MoreViolated int
		Blocks       jsonStatus
	}
	jsonScore struct {
		Violations                      int
		TopPriority                     int32
		PrioritySum, ShiftedPrioritySum int64
		Victims                         int
		Start                           time.Time
	}
	jsonStatus struct {
		Code       string
		Filter     string
		ExcludedBy string
		Reasons    []string
	}
	jsonCount struct {
		jsonStatus
		Nodes int
	}
	jsonCandidate struct {
		Node    string
		Victims []jsonVictim
		Score   jsonScore

		ClearedNominations []jsonPod
	}
	jsonReport struct {
		Node         string
		Status       jsonStatus
		AfterRemoval *jsonStatus
	}
)

func (p jsonPod) key() string { return p.Namespace + "/" + p.Name }

func (s jsonStatus) same(o jsonStatus) bool {
	return s.Code == o.Code && s.Filter == o.Filter && slices.Equal(s.Reasons, o.Reasons)
}

// documentOf runs the program and reads what it prints with -o json.
func documentOf(t *testing.T, dump string, args ...string) *document {
	t.Helper()
	var doc document
	dec := json.NewDecoder(strings.NewReader(answered(t, dump, append(args, "-o", "json")...)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("whatif %q: %v", args, err)
	}
	return &doc
}

// answer rebuilds the model of the text from the document alone.
func (d *document) answer() *Answer {
	x := &d.Decision
	a := &Answer{
		Cluster: d.Cluster, Now: d.Now, Pod: d.Pod, Outcome: x.Outcome, Ineligible: x.Ineligible,
		Caveats: d.Caveats, FeasibleNodes: Nodes{Count: x.Feasible}, Node: x.Node, Room: d.Room, Hints: d.Hints, Why: d.Why,
		CandidateCount: len(x.Candidates), Refused: x.Refused != nil,
	}
	for i, v := range x.Victims {
		a.Victims = append(a.Victims, v.fact(d.Victims[i]))
	}
	if d.Goes != nil {
		a.Goes = d.Goes.Text()
	}
	if x.Score != nil {
		score := x.Score.score()
		a.Score = &score
	}
	for _, p := range x.ClearedNominations {
		a.ClearedNominations = append(a.ClearedNominations, Nomination{p.key(), p.Priority})
	}
	for _, c := range x.Candidates {
		a.Candidates = append(a.Candidates, c.candidate())
	}
	if x.Outcome == preemption.Preempts && len(a.Candidates) > 1 {
		a.RunnerUp = &a.Candidates[1]
		if x.DecidedBy != "node-order" {
			a.DecidedBy = x.DecidedBy
		}
	}
	for _, n := range x.Nodes {
		if n.Status.Code == preemption.Success.String() {
			a.FeasibleNodes.Names = append(a.FeasibleNodes.Names, n.Node)
		}
	}
	a.TurnedDown = x.reasons(x.TurnedDown, func(n jsonReport) *jsonStatus { return &n.Status })
	a.Unhelpful = x.reasons(x.Unhelpful, func(n jsonReport) *jsonStatus { return n.AfterRemoval })
	return a
}

func (v jsonVictim) fact(f VictimFacts) Victim {
	out := Victim{
		Key: v.Pod.key(), Priority: v.Pod.Priority, PriorityClass: v.Pod.PriorityClass, Start: v.Pod.StartTime,
		Requests: f.Requests, Owner: f.Owner, Terminating: v.Pod.Terminating,
	}
	for _, b := range v.Violated {
		out.Violated = append(out.Violated, Budget{b.Namespace + "/" + b.Name, b.DisruptionsAllowed})
	}
	out.MoreViolated = v.MoreViolated
	return out
}

func (s jsonScore) score() Score {
	return Score{s.Violations, s.TopPriority, s.PrioritySum, s.ShiftedPrioritySum, s.Victims, s.Start}
}

func (c jsonCandidate) candidate() Candidate {
	out := Candidate{Node: c.Node, Score: c.Score.score()}
	for _, v := range c.Victims {
		out.Victims = append(out.Victims, v.Pod.key())
		for _, b := range v.fact(VictimFacts{}).Violated {
			if !slices.Contains(out.Violated, b.Key) {
				out.Violated = append(out.Violated, b.Key)
			}
		}
	}
	return out
}

func (x *jsonDecision) reasons(counts []jsonCount, of func(jsonReport) *jsonStatus) []Reason {
	var out []Reason
	for _, c := range counts {
		r := Reason{Filter: c.Filter, Reasons: c.Reasons, Nodes: Nodes{Count: c.Nodes}}
		for _, n := range x.Nodes {
			if s := of(n); s != nil && s.same(c.jsonStatus) {
				r.Tried = n.AfterRemoval != nil
				r.Nodes.Names = append(r.Nodes.Names, n.Node)
			}
		}
		out = append(out, r)
	}
	return out
}

// A program finds everything in the text in the JSON, or can derive it from that.
func TestDocumentSaysWhatTheTextSays(t *testing.T) {
	waiting := listOf(nodeItem("n", "1"), podItem("x", "n", 1, "1", leaving), podItem("p", "", 9, "1", nominated("n")))
	losing := listOf(nodeItem("n", "1"), podItem("x", "n", 1, "1", leaving), budgetItem("keep", "x", 0), preempts,
		podItem("q", "", 3, "0", nominated("n")))
	for _, tt := range []struct {
		name, dump string
		args       []string
	}{
		{"sample", "", nil},
		{"fits", "", []string{"-cpu", "100m", "-class", "batch"}},
		{"never", "", []string{"-pending", "ml/train-2"}},
		{"hopeless", "", []string{"-pending", "reports/year-end-29517-j6tqs"}},
		{"one zone", "", []string{"-cpu", "6", "-memory", "12Gi", "-priority", "200000", "-node-selector", "topology.kubernetes.io/zone=eu-1a"}},
		{"waits", waiting, []string{"-cluster", "-", "-pending", "default/p"}},
		{"nomination", losing, []string{"-cluster", "-", "-pending", "default/p"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := documentOf(t, tt.dump, tt.args...)
			want := answerOf(t, tt.dump, append(tt.args, "-list", "1000")...)
			if diff := cmp.Diff(want, doc.answer(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("whatif %q (-text +JSON):\n%s", tt.args, diff)
			}
			if doc.APIVersion != "whatif/v1" || doc.Decision.APIVersion != "outrank/v1" || doc.Decision.Kind != "Explanation" {
				t.Errorf("versions %s and %s of %s", doc.APIVersion, doc.Decision.APIVersion, doc.Decision.Kind)
			}
			if got := doc.Decision.Pod.key(); got != want.Pod.Key {
				t.Errorf("the decision is about %s, want %s", got, want.Pod.Key)
			}
		})
	}
}

// The document of a small cluster is whole, and -list says how much of a larger one is there.
func TestListBoundsTheDocument(t *testing.T) {
	if diff := cmp.Diff(answered(t, "", "-o", "json"), answered(t, "", "-o", "json", "-list", "0")); diff != "" {
		t.Errorf("-list 0 changes the JSON:\n%s", diff)
	}
	doc := documentOf(t, "", "-list", "1")
	if want := (&brief.LeftOut{Candidates: 2}); cmp.Diff(want, doc.LeftOut) != "" || len(doc.Decision.Candidates) != 1 || len(doc.Decision.Nodes) != 8 {
		t.Errorf("-list 1 leaves out %v, want %v, and has %d candidates and %d nodes", doc.LeftOut, want, len(doc.Decision.Candidates), len(doc.Decision.Nodes))
	}
}

// The document about a pod of 5,000 nodes stays below a megabyte, in JSON and in YAML.
func TestDocumentIsBounded(t *testing.T) {
	cluster, pod, err := clustergen.Benchmark(5000, 30, 100)
	if err != nil {
		t.Fatal(err)
	}
	opts, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{opts: opts, cluster: cluster, question: &asking{pod: pod}, now: clustergen.Now()}
	if s.snap, err = engine.NewSnapshot(cluster); err != nil {
		t.Fatal(err)
	}
	if s.schedulers, err = opts.readSchedulers(cluster.Release); err != nil {
		t.Fatal(err)
	}
	d, err := s.decide(new(stopwatch))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.explained.Candidates); n < 4000 {
		t.Fatalf("%d candidates are too few to show anything", n)
	}
	for format, most := range map[string]int{"json": 1_000_000, "yaml": 1_000_000} {
		opts.answer.format = format
		var out bytes.Buffer
		if err := write(console.Page{W: &out}, opts, d); err != nil {
			t.Fatal(err)
		}
		if out.Len() > most {
			t.Errorf("-o %s has %d bytes, more than %d", format, out.Len(), most)
		}
	}
	// All of it is there on demand.
	opts.answer.format, opts.answer.list, opts.set["list"] = "json", 0, true
	var all bytes.Buffer
	if err := write(console.Page{W: &all}, opts, d); err != nil {
		t.Fatal(err)
	}
	if all.Len() < 5_000_000 || bytes.Contains(all.Bytes(), []byte(`"leftOut"`)) {
		t.Errorf("-o json --list 0 has %d bytes, and leaves something out", all.Len())
	}
}
