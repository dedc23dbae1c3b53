package trial

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Result is the result of a trial.
type Result string

// The results.
const (
	Same      Result = "same"
	Tie       Result = "tie" // chance decides between two equal answers, and the documentation says so
	Different Result = "different"
	// Disturbed says that something else changed between the dump and the decision. The trial is repeated.
	Disturbed Result = "disturbed"
)

// Outcome returns in one word what the scheduler did, for the table.
func (o *Observed) Outcome() string {
	switch {
	case o.Nominated != "":
		return "preempted"
	case o.Bound != "":
		return "fitted"
	}
	return "waits"
}

// Compare compares the forecast with the observation. The texts describe the differences, or the tie.
func Compare(ctx context.Context, f *Forecast, o *Observed) (Result, []string, error) {
	tie, wrong := compareDecision(&f.Decision, o)
	if len(wrong) > 0 {
		return Different, wrong, nil
	}
	if o.Bound == "" {
		w, err := f.Writing(ctx, o.Nominated, string(o.UID))
		if err != nil {
			return "", nil, err
		}
		wrong = slices.Concat(compareTexts(w, o), compareEvictions(w, o, tie != ""), compareMetrics(w, o))
	}
	switch {
	case len(wrong) > 0:
		return Different, wrong, nil
	case tie != "":
		return Tie, []string{tie}, nil
	}
	return Same, nil, nil
}

// compareDecision compares the outcome, the node and the victims. tie describes the documented tie, if there
// was one.
func compareDecision(d *Decision, o *Observed) (tie string, wrong []string) {
	outcome := map[string]preemption.Outcome{"preempted": preemption.Preempts, "fitted": preemption.Fits}[o.Outcome()]
	if o.Outcome() == "waits" {
		if d.Outcome != preemption.NothingHelps && d.Outcome != preemption.NotEligible {
			wrong = append(wrong, fmt.Sprintf("outcome: foretold %v on %s, but the pod waits", d.Outcome, d.Node))
		}
		return "", wrong
	}

	if d.Outcome != outcome {
		return "", []string{fmt.Sprintf("outcome: foretold %v %s, but the pod %s %s%s", d.Outcome, d.Node, o.Outcome(), o.Nominated, o.Bound)}
	}
	// Scores decide which of the nodes that take the pod gets it, and the forecast does not cover scores.
	if outcome == preemption.Fits {
		if !d.Feasible(o.Bound) {
			wrong = append(wrong, fmt.Sprintf("node: the pod was bound to %s, which was not to take it", o.Bound))
		}
		return "", wrong
	}
	return comparePreemption(d, o)
}

// comparePreemption compares the nodes and the victims of two preemptions. Any candidate that ranks equal to
// the best one may be chosen.
func comparePreemption(d *Decision, o *Observed) (tie string, wrong []string) {
	there := d.Candidate(o.Nominated)
	if there == nil {
		return "", []string{fmt.Sprintf("node: foretold %s, real %s, which was no candidate", d.Node, o.Nominated)}
	}
	best := d.Candidate(d.Node)
	if o.Nominated != d.Node {
		if !sameScore(there.Score, best.Score) {
			return "", []string{fmt.Sprintf("node: foretold %s %+v, real %s %+v", d.Node, best.Score, o.Nominated, there.Score)}
		}
		tie = fmt.Sprintf("%s and %s rank alike", d.Node, o.Nominated)
	}

	want, got := there.Evicted(), slices.Sorted(maps.Keys(o.Evicted))
	if !slices.Equal(want, got) {
		if alike := unstartedAlike(there, want, got); alike != "" {
			return alike, nil
		}
		wrong = append(wrong, fmt.Sprintf("victims on %s: foretold %v, real %v", o.Nominated, want, got))
	}
	return tie, wrong
}

// sameScore reports whether two candidates are equal in all ranks.
func sameScore(a, b Score) bool {
	start := a.Start.Equal(b.Start)
	a.Start, b.Start = time.Time{}, time.Time{}
	return start && a == b
}

// unstartedAlike returns a text about the tie if the victims differ only in pods without a start time. Such a
// pod counts as started at the moment of the comparison. The reference reads the clock at each comparison, so
// that chance decides among such pods of equal priority.
func unstartedAlike(c *Candidate, want, got []string) string {
	if len(want) != len(got) {
		return ""
	}
	for _, v := range c.Victims {
		if slices.Contains(want, v.Pod.Key()) && !slices.Contains(got, v.Pod.Key()) && !v.Pod.StartTime.IsZero() {
			return ""
		}
	}
	return fmt.Sprintf("on %s others without a start time left: foretold %v, real %v", c.Node, want, got)
}

// compareTexts compares the condition of the pod itself and the event about it.
func compareTexts(w *Writing, o *Observed) (wrong []string) {
	add := func(what string, want, got any) {
		if fmt.Sprint(want) != fmt.Sprint(got) {
			wrong = append(wrong, fmt.Sprintf("%s:\n    foretold %v\n    real     %v", what, want, got))
		}
	}
	if o.Condition == nil {
		return []string{"condition: the pod has no condition PodScheduled"}
	}
	add("condition, status and reason", fmt.Sprint(w.Condition.Status, " ", w.Condition.Reason), fmt.Sprint(o.Condition.Status, " ", o.Condition.Reason))
	add("condition, message", w.Condition.Message, o.Condition.Message)
	if len(o.Failed) == 0 {
		return append(wrong, "event: none about the pod")
	}
	e := o.Failed[0]
	add("event", w.foretold(&w.Event), posted(&e))
	return wrong
}

// compareEvictions compares what was written about other pods: cleared nominations, and the conditions and
// events of victims.
func compareEvictions(w *Writing, o *Observed, tied bool) (wrong []string) {
	if !slices.Equal(w.Cleared, o.Cleared) && len(w.Cleared)+len(o.Cleared) > 0 {
		wrong = append(wrong, fmt.Sprintf("nominations cleared: foretold %v, real %v", w.Cleared, o.Cleared))
	}
	about := map[string]corev1.Event{}
	for _, e := range o.Preempted {
		about[e.InvolvedObject.Namespace+"/"+e.InvolvedObject.Name] = e
	}
	if len(about) != len(o.Evicted) || len(o.Preempted) != len(about) {
		wrong = append(wrong, fmt.Sprintf("events: %d about %d victims", len(o.Preempted), len(o.Evicted)))
	}
	for _, victim := range slices.Sorted(maps.Keys(o.Evicted)) {
		if _, foretold := w.Preempted[victim]; tied && !foretold {
			continue // in a tie another pod may have left
		}
		wrong = append(wrong, compareVictim(victim, w, o.Evicted[victim], about[victim])...)
	}
	return wrong
}

// foretold returns the text of an event of the library. It begins with the author, like the text of posted.
func (w *Writing) foretold(e *outrank.Event) string {
	return strings.Join([]string{w.Profile, string(e.Type), e.Reason, e.Action, e.Message}, " | ")
}

// posted returns the text of an event of the API, which begins with the author.
func posted(e *corev1.Event) string {
	return strings.Join([]string{e.ReportingController, e.Type, e.Reason, e.Action, e.Message}, " | ")
}

func compareVictim(victim string, w *Writing, e Evicted, about corev1.Event) (wrong []string) {
	event := w.Preempted[victim]
	if want, real := w.foretold(&event), posted(&about); real != want {
		wrong = append(wrong, fmt.Sprintf("event about %s:\n    foretold %s\n    real     %s", victim, want, real))
	}
	if about.InvolvedObject.UID != e.UID {
		wrong = append(wrong, fmt.Sprintf("event about %s: it names another pod of that name", victim))
	}
	condition := w.Evictions[victim].Condition
	switch c := e.Condition; {
	case c == nil:
		wrong = append(wrong, fmt.Sprintf("condition of %s: it has no %s", victim, condition.Type))
	case string(c.Status) != string(condition.Status) || c.Reason != condition.Reason || c.Message != condition.Message:
		wrong = append(wrong, fmt.Sprintf("condition of %s:\n    foretold %v\n    real     %s %s %s", victim, condition, c.Status, c.Reason, c.Message))
	case c.ObservedGeneration != e.Generation:
		wrong = append(wrong, fmt.Sprintf("condition of %s: observed generation %d of %d", victim, c.ObservedGeneration, e.Generation))
	}
	return wrong
}

// The scheduler counts an attempt to preempt each time it finds no place for a pod.
const (
	attemptsMetric   = "scheduler_preemption_attempts_total"
	unplacedMetric   = "scheduler_schedule_attempts_total{"
	unplacedResult   = `result="unschedulable"`
	preemptionPrefix = "scheduler_preemption_"
	// preemptionsMetric counts preemptions, because the number of victims is observed once in each.
	preemptionsMetric = "scheduler_preemption_victims_count"
)

// unplaced returns how often the scheduler found no place for a pod, summed over all profiles.
func (o *Observed) unplaced() (n float64) {
	for name, value := range o.Metrics {
		if strings.HasPrefix(name, unplacedMetric) && strings.Contains(name, unplacedResult) {
			n += value
		}
	}
	return n
}

// compareMetrics compares the growth of the metrics about preemption.
func compareMetrics(w *Writing, o *Observed) (wrong []string) {
	// Pods that were waiting may have been tried again in the meantime. If they have evicted others, the counts
	// of victims are not about this pod alone. The scheduler counts victims before it evicts them, so that such
	// a pod may be visible only in the counts.
	unplaced := o.unplaced()
	others := o.Others > 0 || unplaced > 1 && o.Metrics[preemptionsMetric] > w.Metrics[preemptionsMetric]
	for _, name := range slices.Sorted(maps.Keys(w.Metrics)) {
		want, got := w.Metrics[name], o.Metrics[name]
		if !strings.HasPrefix(name, preemptionPrefix) {
			continue
		}
		if name == attemptsMetric {
			want += unplaced - 1
		} else if others {
			continue
		}
		if want != got {
			wrong = append(wrong, fmt.Sprintf("metric %s: foretold %+v, real %+v", name, want, got))
		}
	}
	return wrong
}
