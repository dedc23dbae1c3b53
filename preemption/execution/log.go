package execution

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// LogLine is a line that kube-scheduler logs, as data (group 14.7). Nothing of this module
// writes one:
//
//	for _, l := range report.LogLines() {
//		logger.LogAttrs(ctx, slog.Level(-l.Level), l.Message, l.Attrs...)
//	}
type LogLine struct {
	// Level is the verbosity from which on the line is written (the number after -v). It is
	// 0 for an error.
	Level   int
	Message string
	// Attrs are the values beside the message, in the reference's order. Pods, groups and
	// nodes are named by their keys.
	Attrs []slog.Attr
	// Err is set where the line tells an error.
	Err error
}

// lines collects the lines of one object: all name it first.
type lines struct {
	first slog.Attr
	all   []LogLine
}

func (l *lines) add(level int, message string, attrs ...slog.Attr) {
	l.all = append(l.all, LogLine{Level: level, Message: message, Attrs: append([]slog.Attr{l.first}, attrs...)})
}

func podAttr(key string, p *outrank.Pod) slog.Attr { return slog.String(key, keyOfPod(p)) }

// PlanLogLines returns what kube-scheduler logs of a decision (Evaluator.evaluate): nothing
// of a nil plan and of a pod that fits. Time is linear in the statuses of the plan.
func PlanLogLines(plan *preemption.Plan) []LogLine {
	if plan == nil || plan.Outcome == preemption.NotEligible && plan.Ineligible == preemption.Disabled {
		return nil
	}
	l := lines{first: podAttr("pod", plan.Pod)}
	switch plan.Outcome {
	case preemption.NotEligible:
		l.add(5, "Pod is not eligible for preemption", slog.String("reason", plan.Ineligible.Message()))
	case preemption.NothingHelps:
		if plan.Err() != nil || dropped(plan) {
			break
		}
		if len(plan.Unhelpful) == 0 {
			l.add(3, "Preemption will not help schedule pod on any node")
		}
		l.add(2, "No preemption candidate is found; preemption is not helpful for scheduling")
	case preemption.Preempts:
		l.first = slog.String("node", plan.Node)
		l.add(2, "the target node for the preemption is determined", podAttr("pod", plan.Pod))
	}
	return l.all
}

// LogLines returns what kube-scheduler logs of a plan that was executed, in the order of its steps
// (rules 14.7.2 to 14.7.5). It is nothing for a nil report and for the plan of a variant.
// Time is linear in the report.
func (r *Report) LogLines() []LogLine {
	if r == nil || r.variant != 0 || r.Result == PreemptorGone || r.Result == PreemptorBound {
		return nil
	}
	l := lines{first: slog.String("preemptor", r.who())}
	if r.Order == Synchronous {
		failed := false // the execution ends before a terminating victim behind it
		r.logVictims(&l, func(v VictimReport) bool {
			failed = failed || v.Result == Failed
			return !failed || v.Result != AlreadyTerminating
		})
		if r.clearingFailed() {
			l.fail(r.clearingErr(), "Cannot clear 'NominatedNodeName' field")
		}
		return l.all
	}
	r.logVictims(&l, func(v VictimReport) bool { return v.Result == AlreadyTerminating })
	if toEvict := r.toEvict(); toEvict > 0 {
		r.logAsynchronous(&l, toEvict)
	}
	return l.all
}

// logAsynchronous is about a plan of which so many victims are to be evicted.
func (r *Report) logAsynchronous(l *lines, toEvict int) {
	node := slog.String("node", r.Node)
	l.add(2, "Start the preemption asynchronously", node, slog.Int("numVictims", len(r.Victims)), slog.Int("numVictimsToDelete", toEvict))
	result := "success"
	if r.clearingFailed() {
		result = "error"
		l.all = append(l.all, LogLine{
			Message: "Cannot clear 'NominatedNodeName' field from lower priority pods on the same target node", Attrs: []slog.Attr{node}, Err: r.clearingErr(),
		})
	}
	r.logVictims(l, func(v VictimReport) bool { return v.Result != AlreadyTerminating })
	for i, v := range r.Victims {
		if v.Err == nil {
			continue
		}
		result = "error"
		message := "Error occurred during async preemption"
		if i == r.lastToEvict() {
			message += " of the last victim"
		}
		l.fail(v.Err, message)
		break // the first ends it
	}
	l.add(2, "Async Preemption finished completely", node, slog.String("result", result))
}

// fail adds an error without values.
func (l *lines) fail(err error, message string) {
	l.all = append(l.all, LogLine{Message: message, Err: err})
}

func (r *Report) logVictims(l *lines, of func(VictimReport) bool) {
	for _, v := range r.Victims {
		if of(v) {
			r.logVictim(l, v)
		}
	}
}

// logVictim is about one victim (rules 14.7.2 and 14.7.3).
func (r *Report) logVictim(l *lines, v VictimReport) {
	node, victim := slog.String("node", r.Node), podAttr("victim", v.Pod)
	switch v.Result {
	case AlreadyTerminating, AlreadyEvicted:
		l.add(2, "Victim Pod is already being deleted, skipping the API call for it", node, victim)
	case RejectedWhileWaiting:
		kind := slog.String("preemptorType", r.preemptorType())
		l.all = append(l.all, LogLine{
			Level: 2, Message: "Preemptor preempted a waiting pod", Attrs: []slog.Attr{kind, l.first, podAttr("waitingPod", v.Pod), node},
		})
	case Evicted:
		l.add(2, "Preemptor Pod preempted victim Pod", victim, node)
	case AlreadyGone:
		l.add(2, "Victim Pod is already deleted", victim, node)
	case Failed:
		l.all = append(l.all, LogLine{Message: "Tried to preempted pod", Attrs: []slog.Attr{podAttr("pod", v.Pod), l.first}, Err: v.Err})
	}
}

// toEvict counts the victims that were not terminating when the plan was made.
func (r *Report) toEvict() (n int) {
	for i := range r.Victims {
		if r.Victims[i].Result != AlreadyTerminating {
			n++
		}
	}
	return n
}

// lastToEvict is the index of the last of them, -1 for none.
func (r *Report) lastToEvict() int {
	for i := len(r.Victims) - 1; i >= 0; i-- {
		if r.Victims[i].Result != AlreadyTerminating {
			return i
		}
	}
	return -1
}

// clearingFailed reports whether a nomination was not cleared, or not found (rule 14.3.4).
func (r *Report) clearingFailed() bool {
	return slices.ContainsFunc(r.Cleared, func(c ClearReport) bool { return c.Err != nil || c.NotFound })
}

// clearingErr joins what went wrong with each nomination.
func (r *Report) clearingErr() error {
	var errs []error
	for _, c := range r.Cleared {
		switch {
		case c.NotFound:
			errs = append(errs, fmt.Errorf("pod %s: %w", keyOfPod(c.Pod), preemption.ErrNotFound))
		case c.Err != nil:
			errs = append(errs, fmt.Errorf("pod %s: %w", keyOfPod(c.Pod), c.Err))
		}
	}
	return errors.Join(errs...)
}

// LogLines returns what kube-scheduler logs of a failure that was handled with this result
// (handleSchedulingFailure). It is nothing for a nil result. The error is that of
// [Failure.Verdict], or [preemption.ErrState] for the result of a failure of another kind.
// Time is linear in the reasons of the plan.
func (f *Failure) LogLines(r *FailureResult) ([]LogLine, error) {
	if f == nil {
		return nil, errNoFailure
	}
	if err := f.check(); err != nil || r == nil {
		return nil, err
	}
	kind := f.kind()
	if r.Kind != kind {
		return nil, fmt.Errorf("failure of pod %s: %w: %v is handled with the result of %v", f.Entry.Pod.Key(), preemption.ErrState, kind, r.Kind)
	}
	l := lines{first: podAttr("pod", f.Entry.Pod)}
	switch kind {
	case NoNodes:
		l.add(2, "Unable to schedule pod; no nodes are registered to the cluster; waiting")
	case SchedulerFailed:
		l.all = append(l.all, LogLine{Message: "Error scheduling pod; retrying", Attrs: []slog.Attr{l.first}, Err: f.Err})
	default:
		l.add(2, "Unable to schedule pod; no fit; waiting", slog.String("err", f.message(kind)))
	}
	switch r.Requeue {
	case NotRequeuedGone:
		l.add(0, "Pod doesn't exist in informer cache", slog.String("err", fmt.Sprintf("pod %q not found", f.Entry.Pod.Name)))
	case NotRequeuedBound:
		node := ""
		if r.Pod != nil {
			node = r.Pod.NodeName
		}
		l.add(0, "Pod has been assigned to node. Abort adding it back to queue.", slog.String("node", node))
	case NotRequeuedReplaced:
		l.add(2, "Pod was recreated while handling scheduling failure. Skip requeueing and status updates.", slog.String("oldUID", f.Entry.Pod.UID))
	}
	return l.all, nil
}
