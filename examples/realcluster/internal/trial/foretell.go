package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/priority"
)

// Forecast is the predicted result of a trial.
type Forecast struct {
	// Decision is the answer of kubectl-whatif.
	Decision Decision
	// explained is the library's answer to the same question. It yields the texts of events and conditions,
	// which kubectl-whatif does not print.
	explained *preemption.Plan
	release   outrank.Release
}

// Decision is the part of kubectl-whatif's answer that is compared.
type Decision struct {
	Outcome    preemption.Outcome       `json:"outcome"`
	Ineligible preemption.Ineligibility `json:"ineligible"`
	Node       string                   `json:"node"`
	// Candidates are the nodes on which pushing pods out makes room, the best first.
	Candidates []Candidate `json:"candidates"`
	Nodes      []struct {
		Node   string `json:"node"`
		Status struct {
			Code string `json:"code"`
		} `json:"status"`
	} `json:"nodes"`
}

// Candidate is a node with its victims.
type Candidate struct {
	Node               string   `json:"node"`
	Victims            []Victim `json:"victims"`
	Score              Score    `json:"score"`
	ClearedNominations []PodRef `json:"clearedNominations"`
}

// Victim is a pod that would have to leave.
type Victim struct {
	Pod PodRef `json:"pod"`
}

// PodRef identifies a pod.
type PodRef struct {
	Namespace   string    `json:"namespace"`
	Name        string    `json:"name"`
	StartTime   time.Time `json:"startTime"`
	Priority    int32     `json:"priority"`
	Terminating bool      `json:"terminating"`
}

// Key returns namespace/name.
func (p PodRef) Key() string { return p.Namespace + "/" + p.Name }

// Score has the values by which candidates are ranked.
type Score struct {
	Violations  int       `json:"violations"`
	TopPriority int32     `json:"topPriority"`
	ShiftedSum  int64     `json:"shiftedPrioritySum"`
	Victims     int       `json:"victims"`
	Start       time.Time `json:"start"`
}

// Candidate returns the candidate on a node, or nil if there is none.
func (d *Decision) Candidate(node string) *Candidate {
	i := slices.IndexFunc(d.Candidates, func(c Candidate) bool { return c.Node == node })
	if i < 0 {
		return nil
	}
	return &d.Candidates[i]
}

// Feasible reports whether a node takes the pod as things are.
func (d *Decision) Feasible(node string) bool {
	for _, n := range d.Nodes {
		if n.Node == node {
			return n.Status.Code == "success"
		}
	}
	return false
}

// Evicted returns the keys of the victims that are not leaving already, sorted.
func (c *Candidate) Evicted() []string {
	out := []string{}
	for _, v := range c.Victims {
		if !v.Pod.Terminating {
			out = append(out, v.Pod.Key())
		}
	}
	slices.Sort(out)
	return out
}

// Question is a question about a pod. All fields are paths of files.
type Question struct {
	// Whatif is the kubectl-whatif program.
	Whatif string
	// Dump has the cluster, and Manifest the pod.
	Dump, Manifest string
	// Configuration is the scheduler's configuration. If it is empty, the defaults of kubectl-whatif apply.
	Configuration string
}

// Foretell asks kubectl-whatif and the library what will happen to the pod.
func Foretell(ctx context.Context, q Question) (*Forecast, error) {
	args := []string{"--cluster", q.Dump, "--pod", q.Manifest, "-o", "json", "--list", "0"} // 0 lists every node
	if q.Configuration != "" {
		args = append(args, "--scheduler-config", q.Configuration)
	}
	text, err := output(ctx, q.Whatif, args...)
	if err != nil {
		return nil, err
	}
	var document struct {
		Decision Decision `json:"decision"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("the answer of whatif: %w", err)
	}
	f := &Forecast{Decision: document.Decision}
	if f.explained, f.release, err = explain(ctx, q.Dump, q.Manifest); err != nil {
		return nil, err
	}
	if f.explained.Outcome != f.Decision.Outcome || f.explained.Node != f.Decision.Node {
		return nil, fmt.Errorf("whatif says %v on %q, the library %v on %q", f.Decision.Outcome, f.Decision.Node, f.explained.Outcome, f.explained.Node)
	}
	return f, nil
}

// explain asks the library the same question.
func explain(ctx context.Context, dump, manifest string) (*preemption.Plan, outrank.Release, error) {
	text, err := os.ReadFile(dump)
	if err != nil {
		return nil, 0, err
	}

	cluster, err := kube.ReadCluster(bytes.NewReader(text))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", dump, err)
	}
	if cluster.Release, err = cluster.ReleaseOfNodes(); err != nil {
		return nil, 0, err
	}

	pod, err := readPod(manifest, cluster)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", manifest, err)
	}

	snap, err := engine.NewSnapshot(cluster)
	if err != nil {
		return nil, 0, err
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		return nil, 0, err
	}
	e, err := eval.Explain(ctx, snap, preemption.Request{Pod: pod, Now: cluster.AsOf.Add(time.Second)})
	return e, cluster.Release, err
}

func readPod(manifest string, c *outrank.Cluster) (*outrank.Pod, error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	pod, _, err := kube.ReadManifest(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c.ResolveVolumes(pod)
	table, err := priority.NewTable(c.Classes)
	if err != nil {
		return nil, err
	}
	r, err := table.Resolve(pod)
	if err != nil {
		return nil, err
	}
	resolved := r.Apply(*pod)
	return &resolved, nil
}

// Writing has the writes that are expected of a decision.
type Writing struct {
	// Profile is the author of all events.
	Profile string
	// Condition and Event are about the pod that was not placed.
	Condition outrank.PodCondition
	Event     outrank.Event
	// Evictions has the evictions by the key of the victim.
	Evictions map[string]execution.Eviction
	// Preempted has the events about victims, by the key of the victim.
	Preempted map[string]outrank.Event
	// Cleared are the keys of the pods that lose their nomination, sorted.
	Cleared []string
	// Metrics has the growth of the metrics about preemption, by name and labels.
	Metrics map[string]float64
}

// Writing returns the expected writes if the scheduler chooses node for the pod with the given UID. An empty
// node means that it chooses none. Nothing is written about a pod that fits.
func (f *Forecast) Writing(ctx context.Context, node, uid string) (*Writing, error) {
	plan := f.explained
	if node != "" && node != plan.Node {
		other, err := f.explained.For(node)
		if err != nil {
			return nil, err
		}
		plan = other
	}

	pod := *plan.Pod
	pod.UID = uid
	own := *plan
	own.Pod, own.Release = &pod, f.release
	failure := execution.Failure{Entry: queue.Entry{Pod: &pod}, Plan: &own}
	verdict, err := failure.Verdict()
	if err != nil {
		return nil, err
	}
	w := &Writing{Profile: pod.Scheduler(), Condition: verdict.Condition, Event: verdict.Event, Evictions: map[string]execution.Eviction{}, Preempted: map[string]outrank.Event{}}
	return w, w.execute(ctx, &own, f.release)
}

// execute lets the library carry out the plan on a recorder, and stores the recorded calls and the metrics.
func (w *Writing) execute(ctx context.Context, plan *preemption.Plan, release outrank.Release) error {
	meter := &metrics.Meter{}
	meter.AddPreemption()
	recorder := &executiontest.Recorder{}

	if plan.Outcome == preemption.Preempts {
		x, err := execution.NewExecutor(execution.Config{
			Actions: recorder.Actions(), Order: execution.Asynchronous, Parallel: 1,
		})
		if err != nil {
			return err
		}
		report, err := x.Execute(ctx, plan)
		meter.AddExecution(report, err)
		if err != nil {
			return err
		}
	}

	for _, call := range recorder.Calls() {
		switch call.Op {
		case "evict":
			w.Evictions[string(call.Pod.Key())] = call.Eviction
		case "event":
			w.Preempted[string(call.Pod.Key())] = call.Event
		case "clear nomination":
			w.Cleared = append(w.Cleared, string(call.Pod.Key()))
		}
	}
	slices.Sort(w.Cleared)

	w.Metrics = map[string]float64{}
	for _, family := range meter.Values().Families(release) {
		for _, sample := range family.Samples {
			w.Metrics[sampleName(sample)] = sample.Value
		}
	}
	return nil
}

func sampleName(s metrics.Sample) string {
	name := s.Name
	for i, l := range s.Labels {
		open := ","
		if i == 0 {
			open = "{"
		}
		name += fmt.Sprintf("%s%s=%q", open, l.Name, l.Value)
	}
	if len(s.Labels) > 0 {
		name += "}"
	}
	return name
}
