package execution

import "time"

// Counter is told what an [Executor] and a [FailureHandler] do, for the metrics. Package
// execution/metrics has one that counts what kube-scheduler counts; a caller's own may count
// otherwise. It is called by as many goroutines at once as they are.
type Counter interface {
	// AddVictims counts a plan for a pod that is begun, with n victims.
	AddVictims(n int)
	// AddExecution counts a plan that was carried out beside the next attempts, and the error
	// of that, nil for a success (rule 14.5.10).
	AddExecution(err error)
	// AddPreemption counts that preemption was asked to make room for a pod.
	AddPreemption()
	// AddAttempt counts an attempt to schedule a pod, and AddAttemptDuration how long it took,
	// where that was measured.
	AddAttempt(a Attempt)
	AddAttemptDuration(a Attempt, took time.Duration)
}

// Attempt is an attempt to schedule a pod, as far as it is counted.
type Attempt struct {
	Result AttemptResult
	// Profile is the name of the scheduler.
	Profile string
}

// AttemptResult is how an attempt ended.
type AttemptResult string

// The results.
const (
	ResultScheduled     AttemptResult = "scheduled"
	ResultUnschedulable AttemptResult = "unschedulable"
	ResultError         AttemptResult = "error"
)

// silent counts nothing.
type silent struct{}

func (silent) AddVictims(int)                            {}
func (silent) AddExecution(error)                        {}
func (silent) AddPreemption()                            {}
func (silent) AddAttempt(Attempt)                        {}
func (silent) AddAttemptDuration(Attempt, time.Duration) {}

// counterOr returns what is told where there may be nobody.
func counterOr(c Counter) Counter {
	if c == nil {
		return silent{}
	}
	return c
}
