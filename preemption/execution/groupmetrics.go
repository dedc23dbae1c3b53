package execution

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank/preemption"
)

// GroupMetricValues are those that are there from v1.37 on where groups are (rule
// 14.5.11).
type GroupMetricValues struct {
	// Attempts is how often a group asked preemption to make room, by what that said, and
	// Victims the number of pods of each plan that was made.
	Attempts map[preemption.Code]uint64
	Victims  GroupHistogram
	// Disruptions is how many of the victims of a plan were groups or pods of groups, and
	// Violations how many pods violated a budget, by what preempted.
	Disruptions map[PreemptorType]GroupHistogram
	Violations  map[PreemptorType]uint64
	// Evaluations is how long it took to find the victims, Executions how long to carry
	// the plans out.
	Evaluations, Executions map[PreemptionStep]DurationHistogram
}

// PreemptionStep is what durations are told apart by.
type PreemptionStep struct {
	By     PreemptorType
	Result preemption.Code
}

// GroupHistogram counts plans by a number.
type GroupHistogram struct {
	// Buckets[i] counts the plans with at most 1, 2, 4 and so on up to 1024, without
	// those of the bucket before; the last counts those with more.
	Buckets [groupBuckets + 1]uint64
	Sum     uint64
}

const groupBuckets = 11

// Count returns the number of plans.
func (h *GroupHistogram) Count() uint64 { return sumOf(h.Buckets[:]) }

func (h *GroupHistogram) add(n int) {
	n = max(n, 0)
	at := 0
	for at < groupBuckets && n > 1<<at {
		at++
	}
	h.Buckets[at]++
	h.Sum += uint64(n)
}

// stepBounds are those of the durations: from 1 ms to some 33 s.
var stepBounds = doubling(time.Millisecond, 16)

// AddGroupPreemption counts an attempt of a group to preempt by its plan, and nil for an
// error: what preemption said, and for a plan that was made the victims, disruptions and
// violations. It is [Metrics.AddPreemption] for a group. Time is linear in the plan.
func (m *Metrics) AddGroupPreemption(plan *preemption.GroupPlan) {
	code := preemption.Contradiction // which the reference calls Error
	if plan != nil {
		code = plan.Status.Code
	}
	m.change(func(c *MetricValues) {
		if c.Groups.Attempts == nil {
			c.Groups.Attempts = map[preemption.Code]uint64{}
		}
		c.Groups.Attempts[code]++
		if plan != nil && plan.Outcome == preemption.Preempt {
			c.Groups.Victims.add(len(plan.VictimPods()))
		}
	})
	if plan != nil && plan.Outcome == preemption.Preempt {
		by := ByPodGroup
		if plan.Composite != nil {
			by = ByCompositeGroup
		}
		m.AddDisruptions(by, plan.Disruptions, plan.Violations())
	}
}

// AddDisruptions counts a plan to preempt by how many of its victims were groups or pods
// of groups, and by how many pods violated a budget; neither where it is 0.
// AddGroupPreemption does so for the plan of a group.
func (m *Metrics) AddDisruptions(by PreemptorType, disruptions, violations int) {
	m.change(func(c *MetricValues) {
		if disruptions > 0 {
			h := c.Groups.Disruptions[by]
			h.add(disruptions)
			setIn(&c.Groups.Disruptions, by, h)
		}
		if violations > 0 {
			setIn(&c.Groups.Violations, by, c.Groups.Violations[by]+uint64(violations))
		}
	})
}

func setIn[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// AddEvaluation counts how long it took to find the victims for a pod or a group, by a
// clock of the caller's, AddExecutionDuration how long to carry the plan out: Success, or
// Contradiction for an error.
func (m *Metrics) AddEvaluation(step PreemptionStep, took time.Duration) {
	m.change(func(c *MetricValues) { addTo(&c.Groups.Evaluations, step, stepBounds, took) })
}

// AddExecutionDuration counts how long it took to carry a plan out. Anything but a success
// counts as an error.
func (m *Metrics) AddExecutionDuration(step PreemptionStep, took time.Duration) {
	if step.Result != preemption.Success {
		step.Result = preemption.Contradiction
	}
	m.change(func(c *MetricValues) { addTo(&c.Groups.Executions, step, stepBounds, took) })
}

// copied returns values that share nothing.
func (c *GroupMetricValues) copied() GroupMetricValues {
	out := *c
	out.Attempts, out.Disruptions, out.Violations = maps.Clone(c.Attempts), maps.Clone(c.Disruptions), maps.Clone(c.Violations)
	out.Evaluations, out.Executions = cloneHistograms(c.Evaluations), cloneHistograms(c.Executions)
	return out
}

// families lists what was counted.
func (c *GroupMetricValues) families() []MetricFamily {
	var list []MetricFamily
	if len(c.Attempts) > 0 {
		f := MetricFamily{Name: "scheduler_workload_preemption_attempts_total", Type: "counter", Help: "How often a group tried to preempt."}
		for _, code := range sortedKeys(c.Attempts, func(a, b preemption.Code) int { return cmp.Compare(a.String(), b.String()) }) {
			f.add(float64(c.Attempts[code]), MetricLabel{"result", code.String()})
		}
		victims := MetricFamily{Name: "scheduler_workload_preemption_victims", Type: "histogram", Help: "Number of victims of a group."}
		victims.addGroups(nil, &c.Victims)
		list = append(list, f, victims)
	}
	if len(c.Disruptions) > 0 {
		d := MetricFamily{Name: "scheduler_preemption_workload_disruptions", Type: "histogram", Help: "Number of groups disrupted by a preemption."}
		for _, by := range sortedKeys(c.Disruptions, cmp.Compare[PreemptorType]) {
			h := c.Disruptions[by]
			d.addGroups([]MetricLabel{{"preemptor", string(by)}}, &h)
		}
		list = append(list, d)
	}
	if len(c.Violations) > 0 {
		v := MetricFamily{Name: "scheduler_preemption_pdb_violations_total", Type: "counter", Help: "Number of pods preempted against a budget."}
		for _, by := range sortedKeys(c.Violations, cmp.Compare[PreemptorType]) {
			v.add(float64(c.Violations[by]), MetricLabel{"preemptor", string(by)})
		}
		list = append(list, v)
	}
	list = appendSteps(list, "scheduler_preemption_evaluation_duration_seconds", "How long it took to find the victims.", c.Evaluations, preemption.Code.String)
	return appendSteps(list, "scheduler_preemption_execution_duration_seconds", "How long it took to carry out a preemption.", c.Executions, resultOfExecution)
}

func sortedKeys[K comparable, V any](of map[K]V, compare func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(of), compare)
}

// addGroups adds the samples of a histogram by numbers.
func (f *MetricFamily) addGroups(labels []MetricLabel, h *GroupHistogram) {
	bounds := make([]float64, groupBuckets)
	for i := range bounds {
		bounds[i] = float64(int(1) << i)
	}
	f.addHistogram(labels, bounds, h.Buckets[:], float64(h.Sum))
}

// resultOfExecution is how carrying out a plan ended, in the word of that metric.
func resultOfExecution(c preemption.Code) string {
	if c == preemption.Success {
		return string(ExecutionSucceeded)
	}
	return string(ExecutionFailed)
}

func appendSteps(list []MetricFamily, name, help string, of map[PreemptionStep]DurationHistogram, result func(preemption.Code) string) []MetricFamily {
	if len(of) == 0 {
		return list
	}
	compare := func(a, b PreemptionStep) int {
		return cmp.Or(cmp.Compare(a.By, b.By), cmp.Compare(a.Result.String(), b.Result.String()))
	}
	return append(list, durationFamily(MetricFamily{Name: name, Help: help}, of, compare, func(s PreemptionStep) []MetricLabel {
		return []MetricLabel{{"preemptor", string(s.By)}, {"result", result(s.Result)}}
	}))
}
