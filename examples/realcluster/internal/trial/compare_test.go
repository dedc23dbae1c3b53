package trial

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank/preemption"
)

// A cluster of two nodes, on each of which one pod has to leave.
const dump = `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"1","pods":"10"},"nodeInfo":{"kubeletVersion":"v1.37.1"}}},
{"apiVersion":"v1","kind":"Node","metadata":{"name":"b"},"status":{"allocatable":{"cpu":"1","pods":"10"},"nodeInfo":{"kubeletVersion":"v1.37.1"}}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"on-a","namespace":"ns","uid":"1"},"spec":{"nodeName":"a","priority":1,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z"}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"on-b","namespace":"ns","uid":"2"},"spec":{"nodeName":"b","priority":1,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z"}},
{"apiVersion":"v1","kind":"PriorityClass","metadata":{"name":"high"},"value":100}
]}`

const manifest = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"},"spec":{"priorityClassName":"high","priority":100,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}`

// forecast is the library's answer about it; whatif's answer is written out.
func forecast(t *testing.T) *Forecast {
	t.Helper()
	dir := t.TempDir()
	d, m := filepath.Join(dir, "dump.json"), filepath.Join(dir, "pod.json")
	require.NoError(t, os.WriteFile(d, []byte(dump), 0o600))
	require.NoError(t, os.WriteFile(m, []byte(manifest), 0o600))
	e, release, err := explain(t.Context(), d, m)
	require.NoError(t, err)
	require.Equal(t, preemption.Preempts, e.Outcome)
	score := Score{TopPriority: 1, Victims: 1, ShiftedSum: 1, Start: time.Unix(0, 0)}
	return &Forecast{explained: e, release: release, Decision: Decision{Outcome: preemption.Preempts, Node: "a", Candidates: []Candidate{
		{Node: "a", Score: score, Victims: []Victim{{PodRef{Namespace: "ns", Name: "on-a", StartTime: time.Unix(0, 0)}}}},
		{Node: "b", Score: score, Victims: []Victim{{PodRef{Namespace: "ns", Name: "on-b", StartTime: time.Unix(0, 0)}}}},
	}}}
}

// observed is the observation of a scheduler that acts as foretold.
func observed(t *testing.T, f *Forecast, node string) *Observed {
	t.Helper()
	w, err := f.Writing(t.Context(), node, "uid-p")
	require.NoError(t, err)
	o := &Observed{
		UID: "uid-p", Nominated: node, Evicted: map[string]Evicted{}, Metrics: map[string]float64{unplacedOf(Profiles[0]): 1},
		Condition: &corev1.PodCondition{Status: corev1.ConditionStatus(w.Condition.Status), Reason: w.Condition.Reason, Message: w.Condition.Message},
		Failed:    []corev1.Event{{ReportingController: Profiles[0], Type: string(w.Event.Type), Reason: w.Event.Reason, Action: w.Event.Action, Message: w.Event.Message}},
		Cleared:   []string{},
	}
	for name, value := range w.Metrics {
		o.Metrics[name] = value
	}
	for victim, e := range w.Evictions {
		uid := types.UID("uid-" + victim)
		c := e.Condition
		o.Evicted[victim] = Evicted{UID: uid, Generation: 2, Condition: &corev1.PodCondition{
			Type: corev1.PodConditionType(c.Type), Status: corev1.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message, ObservedGeneration: 2,
		}}
		p := w.Preempted[victim]
		namespace, name, _ := strings.Cut(victim, "/")
		o.Preempted = append(o.Preempted, corev1.Event{
			ReportingController: Profiles[0], Type: string(p.Type), Reason: p.Reason, Action: p.Action, Message: p.Message,
			InvolvedObject: corev1.ObjectReference{Namespace: namespace, Name: name, UID: uid},
		})
	}
	return o
}

func TestWhatHappensAsForetoldIsTheSame(t *testing.T) {
	f := forecast(t)
	o := observed(t, f, "a")
	assert.Equal(t, []string{"ns/on-a"}, f.Decision.Candidate("a").Evicted())
	assert.Len(t, o.Evicted, 1)
	assert.Contains(t, o.Preempted[0].Message, "uid-p")
	result, texts, err := Compare(t.Context(), f, o)
	require.NoError(t, err)
	assert.Equal(t, Same, result, texts)
	assert.EqualValues(t, 1, o.Metrics[attemptsMetric])
	assert.EqualValues(t, 1, o.Metrics["scheduler_preemption_victims_sum"])
}

func TestANodeThatRanksAlikeIsATie(t *testing.T) {
	f := forecast(t)
	result, texts, err := Compare(t.Context(), f, observed(t, f, "b"))
	require.NoError(t, err)
	assert.Equal(t, Tie, result, texts)
	assert.Equal(t, []string{"a and b rank alike"}, texts)

	f.Decision.Candidates[1].Score.Start = time.Unix(1, 0)
	result, texts, err = Compare(t.Context(), f, observed(t, f, "b"))
	require.NoError(t, err)
	assert.Equal(t, Different, result)
	assert.Contains(t, texts[0], "node: foretold a")
}

// Every difference in every compared value is found.
func TestEveryDifferenceIsFound(t *testing.T) {
	for name, change := range map[string]func(*Observed){
		"outcome: foretold preempt":    func(o *Observed) { o.Nominated = "" },
		"no candidate":                 func(o *Observed) { o.Nominated = "c" },
		"victims on a":                 func(o *Observed) { o.Evicted["ns/other"] = Evicted{} },
		"condition, status":            func(o *Observed) { o.Condition.Reason = "SchedulerError" },
		"condition, message":           func(o *Observed) { o.Condition.Message += "." },
		"no condition PodScheduled":    func(o *Observed) { o.Condition = nil },
		"event: none":                  func(o *Observed) { o.Failed = nil },
		"event:\n":                     func(o *Observed) { o.Failed[0].Message += "." },
		"nominations cleared":          func(o *Observed) { o.Cleared = []string{"ns/q"} },
		"0 about 1 victims":            func(o *Observed) { o.Preempted = nil },
		"real     second-scheduler":    func(o *Observed) { o.Preempted[0].ReportingController = Profiles[1] },
		"event:\n    foretold default": func(o *Observed) { o.Failed[0].ReportingController = Profiles[1] },
		"event about ns/on-a:\n":       func(o *Observed) { o.Preempted[0].Action = "" },
		"another pod of that name":     func(o *Observed) { o.Preempted[0].InvolvedObject.UID = "x" },
		"it has no DisruptionTarget":   func(o *Observed) { o.Evicted["ns/on-a"] = Evicted{UID: o.Evicted["ns/on-a"].UID} },
		"condition of ns/on-a:\n":      func(o *Observed) { o.Evicted["ns/on-a"].Condition.Message = "" },
		"observed generation 1 of 2":   func(o *Observed) { o.Evicted["ns/on-a"].Condition.ObservedGeneration = 1 },
		"scheduler_preemption_att":     func(o *Observed) { o.Metrics[attemptsMetric]++ },
		"preemption_victims_bucket":    func(o *Observed) { o.Metrics[`scheduler_preemption_victims_bucket{le="1"}`] = 0 },
		"metric scheduler_preemption":  func(o *Observed) { o.Metrics["scheduler_preemption_victims_sum"] = 7 },
	} {
		f := forecast(t)
		o := observed(t, f, "a")
		change(o)
		result, texts, err := Compare(context.Background(), f, o)
		require.NoError(t, err, name)
		assert.Equal(t, Different, result, name)
		assert.Contains(t, strings.Join(texts, "\n"), name)
	}
}

func TestAPodThatFits(t *testing.T) {
	f := forecast(t)
	f.Decision = Decision{Outcome: preemption.Fits}
	f.Decision.Nodes = append(f.Decision.Nodes, struct {
		Node   string `json:"node"`
		Status struct {
			Code string `json:"code"`
		} `json:"status"`
	}{Node: "a"})
	f.Decision.Nodes[0].Status.Code = "success"
	result, _, err := Compare(t.Context(), f, &Observed{Bound: "a"})
	require.NoError(t, err)
	assert.Equal(t, Same, result)
	for _, o := range []*Observed{{Bound: "b"}, {}} {
		result, _, err = Compare(t.Context(), f, o)
		require.NoError(t, err)
		assert.Equal(t, Different, result)
	}
}

func TestOthersWithoutAStartTimeAreATie(t *testing.T) {
	f := forecast(t)
	o := observed(t, f, "a")
	o.Evicted = map[string]Evicted{"ns/like-it": o.Evicted["ns/on-a"]}
	o.Preempted[0].InvolvedObject.Name = "like-it"
	result, _, err := Compare(t.Context(), f, o)
	require.NoError(t, err)
	assert.Equal(t, Different, result)

	f.Decision.Candidates[0].Victims[0].Pod.StartTime = time.Time{}
	result, texts, err := Compare(t.Context(), f, o)
	require.NoError(t, err)
	assert.Equal(t, Tie, result, texts)
}

func unplacedOf(profile string) string {
	return fmt.Sprintf("scheduler_schedule_attempts_total{profile=%q,result=\"unschedulable\"}", profile)
}

// A pod that was tried again meanwhile, by any profile, has its victims counted before they are evicted.
func TestCountsOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		unplaced, elsewhere float64
		want                Result
	}{"another pod was tried": {2, 0, Same}, "one of another profile was": {1, 1, Same}, "no other pod was": {1, 0, Different}} {
		f := forecast(t)
		o := observed(t, f, "a")
		o.Metrics[unplacedOf(Profiles[0])], o.Metrics[unplacedOf(Profiles[1])] = test.unplaced, test.elsewhere
		o.Metrics[attemptsMetric] = test.unplaced + test.elsewhere
		require.EqualValues(t, 1, o.Metrics[preemptionsMetric])
		o.Metrics[preemptionsMetric]++
		o.Metrics["scheduler_preemption_victims_sum"] += 2
		result, texts, err := Compare(t.Context(), f, o)
		require.NoError(t, err, name)
		assert.Equal(t, test.want, result, "%s: %v", name, texts)
	}
}

func TestTable(t *testing.T) {
	kinds, err := Choose("resources,never")
	require.NoError(t, err)
	table := NewTable(kinds)
	table.Add("resources", Disturbed, &Observed{})
	table.Add("resources", Same, &Observed{Nominated: "n", Arrived: "n", Evicted: map[string]Evicted{"a": {}, "b": {}}})
	table.Add("resources", Tie, &Observed{Bound: "n"})
	table.Add("never", Different, &Observed{})
	var out strings.Builder
	require.NoError(t, table.Write(&out))
	assert.Equal(t, `| kind | trials | preempted | victims | arrived | fitted | waits | same | documented tie | different | repeated |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| resources | 2 | 1 | 2 | 1 | 1 | 0 | 1 | 1 | 0 | 1 |
| never | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 1 | 0 |
| all | 3 | 1 | 2 | 1 | 1 | 1 | 1 | 1 | 1 | 1 |
`, out.String())
}
