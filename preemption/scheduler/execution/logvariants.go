package execution

import (
	"fmt"
	"log/slog"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The lines of v1.13 name pods and nodes in their text, and so these records have no attributes but the error.
// The simplified variant logs nothing (rule 14.7.7).

// told adds a line of v1.13 with a verbosity.
func (l *lines) told(verbosity int, format string, args ...any) {
	l.put(slog.Level(-verbosity), fmt.Sprintf(format, args...))
}

// logVariant returns the records of a variant about a decision.
func logVariant(plan *preemption.Plan) []slog.Record {
	if plan.Variant != outrank.VariantV1_13 {
		return nil
	}

	var l lines
	pod := keyOfPod(plan.Pod)
	switch plan.Outcome {
	case preemption.NotEligible:
		l.told(5, "Pod %s is not eligible for more preemption.", pod)
	case preemption.NothingHelps:
		if len(plan.Unhelpful) == 0 {
			l.told(3, "Preemption will not help schedule pod %s on any node.", pod)
		}
	case preemption.Preempts:
		l.told(3, "Node %s is a potential node for preemption.", plan.Node)
		for _, v := range plan.Victims {
			l.told(5, "Pod %s is a potential preemption victim on node %s.", v.Pod.Name, plan.Node)
		}
	}
	return l.all
}

// logVariant returns the records of a variant about the execution of a plan.
func (r *Report) logVariant() []slog.Record {
	if r.variant != outrank.VariantV1_13 {
		return nil
	}

	// A failure to clear is not critical, so that there may be one for each nomination (rule 13.2.7).
	var l lines
	for _, c := range r.Cleared {
		if c.Result == Failed {
			l.fail(c.Err, "Cannot remove nominated node annotation of pod")
		}
	}
	return l.all
}

// logVariant returns the records of a variant about the failure of a pod.
func (v *Verdict) logVariant() []slog.Record {
	var l lines
	if v.variant == outrank.VariantV1_13 && v.Err != nil {
		l.fail(v.Err, "error selecting node for pod")
	}
	return l.all
}
