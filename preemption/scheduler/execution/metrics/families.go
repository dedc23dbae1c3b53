package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
)

// Families returns the values as metrics, with the names and buckets that kube-scheduler has in a
// release. They are sorted by name, and attempts by result and profile. The buckets of a histogram
// are cumulative, as Prometheus expects. A metric that was never set is left out, except the two
// of preemption, and so is a metric that the release does not have. Zero, or a release that is
// not known, means [outrank.DefaultRelease]. Durations are in seconds.
func (c Values) Families(of outrank.Release) []Family {
	attempts := Family{Name: "scheduler_preemption_attempts_total", Type: "counter", Help: "How often preemption was tried."}
	attempts.add(float64(c.PreemptionAttempts))
	victims := Family{Name: "scheduler_preemption_victims", Type: "histogram", Help: "Number of victims of a preemption."}
	addHistogram(&victims, nil, &c.PreemptionVictims, victimBounds)

	rules := release.Of(release.Release(of))
	families := append(c.podFamilies(), attempts, victims)
	if rules.GroupMetrics {
		families = append(families, c.groupFamilies()...)
	}
	if len(c.Executions) > 0 {
		families = append(families, c.executionFamily())
	}
	families = append(families, c.queueFamilies(&rules)...)
	if len(c.ScheduleAttempts) > 0 {
		families = append(families, c.attemptFamily())
	}
	if len(c.AttemptDurations) > 0 {
		families = append(families, c.attemptDurationFamily())
	}

	slices.SortFunc(families, func(a, b Family) int { return cmp.Compare(a.Name, b.Name) })
	return families
}

// compareAttempts orders attempts by result, and then by profile.
func compareAttempts(a, b Attempt) int {
	return cmp.Or(cmp.Compare(a.Result, b.Result), cmp.Compare(a.Profile, b.Profile))
}

// attemptFamily returns the family of the attempts, by how they ended.
func (c *Values) attemptFamily() Family {
	f := Family{
		Name: "scheduler_schedule_attempts_total", Type: "counter",
		Help: "Number of attempts to schedule pods, by how they ended.",
	}
	for _, a := range slices.SortedFunc(maps.Keys(c.ScheduleAttempts), compareAttempts) {
		f.add(float64(c.ScheduleAttempts[a]), labelsOfAttempt(a)...)
	}
	return f
}

// podFamilies returns the families about pods that were scheduled, if any were counted.
func (c *Values) podFamilies() []Family {
	if c.PodAttempts.Count() == 0 {
		return nil
	}
	tries := Family{
		Name: "scheduler_pod_scheduling_attempts", Type: "histogram",
		Help: "Number of attempts that it took to schedule a pod.",
	}
	addHistogram(&tries, nil, &c.PodAttempts, triesBounds)
	return []Family{tries, durationFamily(Family{
		Name: "scheduler_pod_scheduling_sli_duration_seconds",
		Help: "Time from a pod's entry into the queue until it was scheduled, by the number of attempts.",
	}, c.PodDurations, cmp.Compare[int], func(n int) []Label { return []Label{{"attempts", attemptsLabel(n)}} })}
}

func (c *Values) attemptDurationFamily() Family {
	return durationFamily(Family{
		Name: "scheduler_scheduling_attempt_duration_seconds",
		Help: "Time that an attempt to schedule a pod took, by how it ended.",
	}, c.AttemptDurations, compareAttempts, labelsOfAttempt)
}

func labelsOfAttempt(a Attempt) []Label {
	return []Label{{"profile", a.Profile}, {"result", a.Result}}
}

// manyAttempts and all larger numbers of attempts share one label, "15+".
const manyAttempts = 15

func attemptsLabel(attempts int) string {
	if attempts >= manyAttempts {
		return strconv.Itoa(manyAttempts) + "+"
	}
	return strconv.Itoa(attempts)
}

// executionFamily returns the family of the plans that were executed asynchronously, while the next attempts
// went on.
func (c *Values) executionFamily() Family {
	f := Family{
		Name: "scheduler_preemption_goroutines_execution_total", Type: "counter",
		Help: "Number of preemptions that were carried out beside the next attempts.",
	}
	for _, result := range slices.Sorted(maps.Keys(c.Executions)) {
		f.add(float64(c.Executions[result]), Label{"result", result})
	}
	return f
}

// groupFamilies returns the families about groups. A family without counts is left out.
func (c *Values) groupFamilies() []Family {
	var list []Family
	if len(c.GroupAttempts) > 0 {
		f := Family{Name: "scheduler_workload_preemption_attempts_total", Type: "counter", Help: "How often a group tried to preempt."}
		for _, code := range sortedKeys(c.GroupAttempts, func(a, b preemption.Code) int { return cmp.Compare(filter.Code(a), filter.Code(b)) }) {
			f.add(float64(c.GroupAttempts[code]), Label{"result", filter.Code(code)})
		}
		victims := Family{Name: "scheduler_workload_preemption_victims", Type: "histogram", Help: "Number of victims of a group."}
		addHistogram(&victims, nil, &c.GroupVictims, groupBounds)
		list = append(list, f, victims)
	}

	// Disruptions and violations have a sample for each kind of preemptor that was counted.
	if len(c.Disruptions) > 0 {
		d := Family{Name: "scheduler_preemption_workload_disruptions", Type: "histogram", Help: "Number of groups disrupted by a preemption."}
		for _, by := range sortedKeys(c.Disruptions, cmp.Compare[string]) {
			h := c.Disruptions[by]
			addHistogram(&d, []Label{{"preemptor", by}}, &h, groupBounds)
		}
		list = append(list, d)
	}

	if len(c.Violations) > 0 {
		v := Family{Name: "scheduler_preemption_pdb_violations_total", Type: "counter", Help: "Number of pods preempted against a budget."}
		for _, by := range sortedKeys(c.Violations, cmp.Compare[string]) {
			v.add(float64(c.Violations[by]), Label{"preemptor", by})
		}
		list = append(list, v)
	}

	list = appendSteps(list, Family{Name: "scheduler_preemption_evaluation_duration_seconds", Help: "How long it took to find the victims."}, c.Evaluations, filter.Code[preemption.Code])
	return appendSteps(list, Family{Name: "scheduler_preemption_execution_duration_seconds", Help: "How long it took to carry out a preemption."}, c.ExecutionDurations, resultOfExecution)
}

// resultOfExecution returns the label for how the execution of a plan ended.
func resultOfExecution(c preemption.Code) string {
	if c == preemption.Success {
		return succeeded
	}
	return failed
}
