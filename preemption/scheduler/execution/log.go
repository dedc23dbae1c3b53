package execution

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// lines collects the log records about one object, as records of log/slog without a time. The level of a
// record is the negative verbosity, as in logr, or [slog.LevelError] for an error.
type lines struct {
	// first is the attribute that names the object. Every line that is no error begins with it.
	first slog.Attr
	all   []slog.Record
}

// add adds a line with a verbosity. It begins with the attribute first.
func (l *lines) add(verbosity int, message string, attrs ...slog.Attr) {
	l.put(slog.Level(-verbosity), message, append([]slog.Attr{l.first}, attrs...)...)
}

// fail adds a line about an error, with the error as its last attribute.
func (l *lines) fail(err error, message string, attrs ...slog.Attr) {
	l.put(slog.LevelError, message, append(attrs, slog.Any("err", err))...)
}

func (l *lines) put(level slog.Level, message string, attrs ...slog.Attr) {
	record := slog.NewRecord(time.Time{}, level, message, 0)
	record.AddAttrs(attrs...)
	l.all = append(l.all, record)
}

func podAttr(key string, p *outrank.Pod) slog.Attr { return slog.String(key, keyOfPod(p)) }

// LogRecords returns the records that kube-scheduler logs about a decision (Evaluator.evaluate): none for a
// nil plan and for a pod that fits. This module writes no log itself. To write one:
//
//	for _, record := range execution.LogRecords(plan) {
//		err := handler.Handle(ctx, record) // of log/slog
//	}
//
// A record has no time. Its level is the negative of the number after -v, or slog.LevelError
// for an error, which is in the attribute "err". The other attributes are in the reference's order; pods,
// groups and nodes are named by their keys (group 14.7). The plan of a variant has the variant's lines (rule
// 14.7.7). Time is linear in the statuses of the plan.
func LogRecords(plan *preemption.Plan) []slog.Record {
	switch {
	case plan == nil || switchedOff(plan):
		return nil
	case plan.Variant != 0:
		return logVariant(plan)
	}

	l := lines{first: podAttr("pod", plan.Pod)}
	switch plan.Outcome {
	case preemption.NotEligible:
		l.add(5, "Pod is not eligible for preemption", slog.String("reason", plan.Ineligible.Message()))
	case preemption.NothingHelps:
		// After an error, or if extenders left no candidate, the reference logs neither line.
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

// LogRecords returns the records that kube-scheduler logs while it executes a plan, in the order of its steps
// (rules 14.7.2 to 14.7.5). They are like the records of the function [LogRecords]. There are none for a nil
// report, and if nothing was executed. Time is linear in the report.
func (r *Report) LogRecords() []slog.Record {
	switch {
	case r == nil || r.Result == Gone || r.Result == Bound:
		return nil
	case r.variant != 0:
		return r.logVariant()
	}

	l := lines{first: slog.String("preemptor", r.who())}
	if r.Order == Synchronous {
		// The execution ends at the first failure, so the reference does not come to terminating victims
		// after it.
		failed := false
		r.logVictims(&l, func(v PodReport) bool {
			failed = failed || v.Result == Failed
			return !failed || v.Result != AlreadyTerminating
		})
		if r.clearingFailed() {
			l.fail(r.clearingErr(), "Cannot clear 'NominatedNodeName' field")
		}
		return l.all
	}

	// The reference sorts out and logs terminating victims before the asynchronous part begins.
	r.logVictims(&l, func(v PodReport) bool { return v.Result == AlreadyTerminating })
	if toEvict := r.toEvict(); toEvict > 0 {
		r.logAsynchronous(&l, toEvict)
	}
	return l.all
}

// logAsynchronous adds the records of the asynchronous part of a plan. toEvict is the number of victims to
// evict.
func (r *Report) logAsynchronous(l *lines, toEvict int) {
	node := slog.String("node", r.Node)
	l.add(2, "Start the preemption asynchronously", node, slog.Int("numVictims", len(r.Victims)), slog.Int("numVictimsToDelete", toEvict))

	// The last record gives the result of the whole, so failures are looked for first.
	result := "success"
	if r.clearingFailed() {
		result = "error"
		l.fail(r.clearingErr(), "Cannot clear 'NominatedNodeName' field from lower priority pods on the same target node", node)
	}
	r.logVictims(l, func(v PodReport) bool { return v.Result != AlreadyTerminating })

	// Only the first error is logged, because it ends the preemption.
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
		break
	}

	l.add(2, "Async Preemption finished completely", node, slog.String("result", result))
}

// logVictims adds the records of the chosen victims, in the order of the plan.
func (r *Report) logVictims(l *lines, chosen func(PodReport) bool) {
	for _, v := range r.Victims {
		if chosen(v) {
			r.logVictim(l, v)
		}
	}
}

// logVictim adds the record of one victim. A skipped victim has none (rules 14.7.2 and 14.7.3).
func (r *Report) logVictim(l *lines, v PodReport) {
	node, victim := slog.String("node", r.Node), podAttr("victim", v.Pod)
	switch v.Result {
	case AlreadyTerminating, AlreadyEvicted:
		l.add(2, "Victim Pod is already being deleted, skipping the API call for it", node, victim)
	case RejectedWhileWaiting:
		kind := slog.String("preemptorType", r.preemptorType())
		l.put(-2, "Preemptor preempted a waiting pod", kind, l.first, podAttr("waitingPod", v.Pod), node)
	case Evicted:
		l.add(2, "Preemptor Pod preempted victim Pod", victim, node)
	case Gone:
		l.add(2, "Victim Pod is already deleted", victim, node)
	case Failed:
		l.fail(v.Err, "Tried to preempted pod", podAttr("pod", v.Pod), l.first)
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

// lastToEvict returns the index of the last victim that was not terminating when the plan was made, -1 if
// there is none.
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
	return slices.ContainsFunc(r.Cleared, func(c PodReport) bool { return c.Result != Completed })
}

// clearingErr joins the errors of the nominations that were not cleared or not found.
func (r *Report) clearingErr() error {
	var errs []error
	for _, c := range r.Cleared {
		switch c.Result {
		case Gone:
			errs = append(errs, fmt.Errorf("pod %s: %w", keyOfPod(c.Pod), preemption.ErrNotFound))
		case Failed:
			errs = append(errs, fmt.Errorf("pod %s: %w", keyOfPod(c.Pod), c.Err))
		}
	}
	return errors.Join(errs...)
}

// LogRecords returns the records that kube-scheduler logs about the failure of a pod (handleSchedulingFailure),
// after [Executor.Fail] has dealt with it. They are like the records of the function [LogRecords]. There are
// none for a nil verdict and for the verdict about a group.
func (v *Verdict) LogRecords() []slog.Record {
	switch {
	case v == nil || v.before == nil:
		return nil
	case v.variant != 0:
		return v.logVariant()
	}

	// The first record says why the attempt failed. A second one says why the pod did not go back to the
	// queue.
	l := lines{first: podAttr("pod", v.before)}
	switch v.kind {
	case noNodes:
		l.add(2, "Unable to schedule pod; no nodes are registered to the cluster; waiting")
	case schedulerFailed:
		l.fail(v.Err, "Error scheduling pod; retrying", l.first)
	default:
		l.add(2, "Unable to schedule pod; no fit; waiting", slog.String("err", v.said))
	}
	switch v.Result {
	case Gone:
		l.add(0, "Pod doesn't exist in informer cache", slog.String("err", fmt.Sprintf("pod %q not found", v.before.Name)))
	case Bound:
		l.add(0, "Pod has been assigned to node. Abort adding it back to queue.", slog.String("node", v.Pod.NodeName))
	case Replaced:
		l.add(2, "Pod was recreated while handling scheduling failure. Skip requeueing and status updates.", slog.String("oldUID", v.before.UID))
	}
	return l.all
}
