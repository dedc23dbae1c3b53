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

// Meter counts what kube-scheduler counts about preemption (group 14.5). Package attempt tells one
// of each attempt. Its zero value is ready, and a nil *Meter counts nothing. Any number of goroutines
// may use it at once. Every call takes constant time, but for the copy that Values makes.
type Meter struct {
	mu      sync.Mutex
	current Values
}

// AddPreemption counts an attempt to preempt.
func (m *Meter) AddPreemption() {
	m.change(func(c *Values) { c.PreemptionAttempts++ })
}

// AddFailure counts an attempt that ended without a node: how it ended, how often preemption was
// asked to make room, and how long it took, by a clock of the caller's; nil where that was not
// measured. profile is the name of the scheduler that made it; an empty one means
// [outrank.DefaultScheduler]. For a group its members are counted, each by its own verdict. A nil
// verdict counts nothing.
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

// AddScheduled counts an attempt that found a node: the pod took so many attempts for that, and waited
// for so long since it first became active in the queue. The entry of the queue has both, as Attempts
// and, for a pod that was never gated, FirstEnqueued. profile and took are as in [Meter.AddFailure].
func (m *Meter) AddScheduled(profile string, attempts int, waited time.Duration, took *time.Duration) {
	attempts = max(attempts, 0)
	m.change(func(c *Values) {
		c.attempted("scheduled", profile, took)
		c.PodAttempts.add(attempts, triesBounds)
		addTo(&c.PodDurations, min(attempts, manyAttempts), podBounds, waited)
	})
}

// attempted counts an attempt, and its duration where that was measured. A negative one counts as none.
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

// SetQueue sets what a queue holds and what has entered it, as it is now: how many pods and groups
// wait, and how many pods have entered each part so far. Nil changes nothing.
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

// AddExecution counts a plan that was carried out, by the report and the error of
// [execution.Executor.Execute] or ExecuteGroup: its victims, where it is one for a pod, and in
// [execution.Asynchronous] order how it ended. By the rules of plans before v1.37 that is a success
// whatever happened (rule 14.5.10), and victims that were all terminating are not counted (rule 14.5.8). A plan that was not
// begun counts not at all, nor does a nil report.
func (m *Meter) AddExecution(r *execution.Report, err error) {
	if m == nil || r == nil || r.Plan == nil {
		return
	}
	of, isPods := outrank.Release(0), true
	switch plan := r.Plan.(type) {
	case *preemption.Plan:
		of = plan.Release
	case *preemption.GroupPlan:
		of, isPods = plan.Release, false
	}
	rules := release.Of(release.Release(of))
	beside := r.Order == execution.Asynchronous
	leaving := beside && !slices.ContainsFunc(r.Victims, func(v execution.PodReport) bool { return v.Result != execution.AlreadyTerminating })

	m.change(func(c *Values) {
		if isPods && (rules.VictimsAlwaysCounted || !leaving) {
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

func (m *Meter) change(f func(*Values)) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.current)
}

// Values returns a copy of all values as they are at one moment.
func (m *Meter) Values() Values {
	var copied Values
	m.change(func(c *Values) {
		copied = *c
		copied.Incoming, copied.Executions = slices.Clone(c.Incoming), maps.Clone(c.Executions)
		copied.ScheduleAttempts = maps.Clone(c.ScheduleAttempts)
		copied.GroupAttempts, copied.Violations, copied.GroupVictims = maps.Clone(c.GroupAttempts), maps.Clone(c.Violations), c.GroupVictims.copied()
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
