package metrics

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Meter counts what kube-scheduler counts about preemption (group 14.5). The loop of package attempt tells
// it of each attempt. Its zero value is ready, and a nil *Meter counts nothing. Any number of goroutines
// may use it at once. Every call takes constant time, but for the copy that Values makes.
type Meter struct {
	mu      sync.Mutex
	current Values
}

// AddPreemption counts that preemption was asked to make room for a pod.
func (m *Meter) AddPreemption() {
	m.change(func(c *Values) { c.PreemptionAttempts++ })
}

// AddFailure counts an attempt that ended without a node: how it ended, how often preemption was
// asked to make room, and how long it took. took is measured by a clock of the caller, and nil if it was not
// measured. profile is the name of the scheduler that made the attempt; an empty one means
// [outrank.DefaultScheduler]. The members of a group are counted one by one, each with its own verdict.
// A nil verdict counts nothing.
func (m *Meter) AddFailure(profile string, v *execution.Verdict, took *time.Duration) {
	if m == nil || v == nil {
		return
	}
	result := "unschedulable"
	if v.Err != nil {
		result = "error"
	}
	m.change(func(c *Values) {
		c.PreemptionAttempts += uint64(max(0, v.Preemptions))
		c.attempted(result, profile, took)
	})
}

// AddScheduled counts an attempt that found a node. attempts is the number of attempts that the pod took,
// and waited is the time since it first became active in the queue. The queue's entry has both: Attempts
// and, for a pod that was never gated, FirstEnqueued. profile and took are as in
// [Meter.AddFailure].
func (m *Meter) AddScheduled(profile string, attempts int, waited time.Duration, took *time.Duration) {
	attempts = max(attempts, 0)
	m.change(func(c *Values) {
		c.attempted("scheduled", profile, took)
		c.PodAttempts.add(attempts, triesBounds)
		addTo(&c.PodDurations, min(attempts, manyAttempts), podBounds, waited)
	})
}

// attempted counts an attempt, and its duration if that was measured.
func (c *Values) attempted(result, profile string, took *time.Duration) {
	a := Attempt{Result: result, Profile: cmp.Or(profile, outrank.DefaultScheduler)}
	if c.ScheduleAttempts == nil {
		c.ScheduleAttempts = map[Attempt]uint64{}
	}
	c.ScheduleAttempts[a]++
	if took != nil {
		addTo(&c.AttemptDurations, a, attemptBounds, *took)
	}
}

// SetQueue copies the present numbers of a queue: how many pods and groups wait, and how many pods have entered
// each part so far. A nil queue changes nothing.
func (m *Meter) SetQueue(q *queue.Queue) {
	if m == nil || q == nil {
		return
	}
	alone, groups := q.Entities()
	m.setQueue(q.Counts(), alone, groups, q.Incoming())
}

func (m *Meter) setQueue(pods, alone, groups queue.Parts[int], in []queue.Incoming) {
	m.change(func(c *Values) { c.Pending, c.Alone, c.Groups, c.Incoming = &pods, alone, groups, in })
}

// AddExecution counts a plan that was executed, given the report and the error of
// [execution.Executor.Execute] or ExecuteGroup. It counts the victims of a plan for a pod, and in
// [execution.Asynchronous] order how the execution ended. For plans of releases before v1.37 the
// execution counts as a success whatever happened (rule 14.5.10), and victims do not count if all were
// terminating (rule 14.5.8). A nil report, and a report whose Plan is nil, do not count.
func (m *Meter) AddExecution(r *execution.Report, err error) {
	if m == nil || r == nil || r.Plan == nil {
		return
	}

	var planned outrank.Release
	ofPod := true
	switch plan := r.Plan.(type) {
	case *preemption.Plan:
		planned = plan.Release
	case *preemption.GroupPlan:
		planned, ofPod = plan.Release, false
	}
	rules := release.Of(release.Release(planned))

	// beside says that the plan was executed asynchronously. leaving says that all its victims were
	// terminating, so that there was nothing to do asynchronously.
	beside := r.Order == execution.Asynchronous
	leaving := beside && !slices.ContainsFunc(r.Victims, func(v execution.PodReport) bool { return v.Result != execution.AlreadyTerminating })

	m.change(func(c *Values) {
		if ofPod && (rules.VictimsAlwaysCounted || !leaving) {
			c.PreemptionVictims.add(len(r.Victims), victimBounds)
		}
		if !beside || leaving {
			return
		}
		result := succeeded
		if err != nil && rules.TrueResults {
			result = failed
		}
		if c.Executions == nil {
			c.Executions = map[string]uint64{}
		}
		c.Executions[result]++
	})
}

// change calls f with the values, while they are locked. It does nothing for a nil meter.
func (m *Meter) change(f func(*Values)) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.current)
}

// Values returns a copy of all values, taken at one moment.
func (m *Meter) Values() Values {
	var copied Values
	m.change(func(c *Values) {
		copied = *c
		copied.Incoming, copied.Executions = slices.Clone(c.Incoming), maps.Clone(c.Executions)
		copied.ScheduleAttempts = maps.Clone(c.ScheduleAttempts)
		copied.GroupAttempts, copied.Violations = maps.Clone(c.GroupAttempts), maps.Clone(c.Violations)
		copied.GroupVictims = c.GroupVictims.copied()
		copied.Disruptions = cloneHistograms(c.Disruptions)
		copied.Evaluations, copied.ExecutionDurations = cloneHistograms(c.Evaluations), cloneHistograms(c.ExecutionDurations)
		copied.PreemptionVictims, copied.PodAttempts = c.PreemptionVictims.copied(), c.PodAttempts.copied()
		copied.AttemptDurations, copied.PodDurations = cloneHistograms(c.AttemptDurations), cloneHistograms(c.PodDurations)
		if c.Pending != nil {
			p := *c.Pending
			copied.Pending = &p
		}
	})
	return copied
}
