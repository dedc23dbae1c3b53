package pdb

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/outrank-go/outrank"
)

// ErrBudget is wrapped by every error about a budget without a valid spec.
var ErrBudget = errors.New("invalid disruption budget")

// disruptedFor is how long an entry in a budget's DisruptedPods keeps its pod from
// counting as healthy. If the pod is still there after that time, its eviction has
// failed.
const disruptedFor = 2 * time.Minute

// BudgetStatus is what a disruption controller writes into the status of a
// budget. All figures are numbers of pods, never negative and at most the
// highest int32.
type BudgetStatus struct {
	// Healthy is the number of covered pods that are ready and not about to leave: they
	// are not terminating, and DisruptedPods has no entry of the last two minutes for them.
	Healthy int32
	// Desired is the number of pods that have to be healthy.
	Desired int32
	// Expected is the number of pods that there should be, by the scales of their
	// controllers or by the pods that there are (step 2 of StatusOf).
	Expected int32
	// Allowed is the number of pods that may be evicted. It is the value of
	// outrank.PodDisruptionBudget.DisruptionsAllowed.
	Allowed int32
}

// StatusInput is the input of the status of one budget. It is only read.
type StatusInput struct {
	// Budget is the budget; it may not be nil.
	Budget *outrank.PodDisruptionBudget
	// Pods are the pods of the cluster, or any part of them that contains all
	// the pods that the budget covers. Nil and finished pods do not count.
	Pods []*outrank.Pod
	// Now is the time at which Budget.DisruptedPods is evaluated. The zero time is
	// before every entry, so that none of them has expired.
	Now time.Time
	// Scale returns how many pods a controller is meant to have. ok is false if
	// that is not known. Scale is called once for each controller of a covered pod,
	// in the order of Pods, and only if the spec is a percentage or
	// maxUnavailable. If it is nil or not ok, the covered pods of that controller
	// are counted instead.
	Scale func(controller outrank.Owner, namespace string) (scale int32, ok bool)
	// Controller returns the controller whose scale counts for an owner of pods. For a
	// ReplicaSet of a Deployment it is the Deployment, which several ReplicaSets share
	// during a rollout (rule 6.4.11). If Controller is nil or returns the zero
	// Owner, the owner itself counts. It is called once for each owner of a covered pod,
	// under the same conditions as Scale.
	Controller func(owner outrank.Owner, namespace string) outrank.Owner
}

// StatusOf computes the status of a budget from its spec, for simulators that
// have no disruption controller (group 6.4; the controller's trySync):
//
//  1. Healthy: the covered pods that are ready, not being deleted, and not
//     named in DisruptedPods within the last two minutes.
//  2. Expected: for a number as minAvailable, the covered pods. Otherwise the
//     sum of the scales of their controllers, each once; a pod without a
//     controller counts as one.
//  3. Desired: minAvailable, or Expected less maxUnavailable, at least 0. A
//     percentage is a share of Expected, rounded up.
//  4. Allowed: Healthy less Desired, and 0 if that is negative or nothing is
//     expected.
//
// A budget with neither minAvailable nor maxUnavailable expects and desires 0 pods,
// so it allows nothing: the API server sets no default, and the controller leaves
// both figures at 0.
//
// The error lists everything that is wrong with the spec, a negative scale
// included, and wraps [ErrBudget] and [outrank.ErrInvalid]. A selector that
// covers nothing is not an error. Time is linear in the number of pods.
//
// The controller differs in four points (rules 6.4.6 to 6.4.9). In the
// controller an empty selector covers the whole namespace, and pods without
// labels can be covered; here the same pods count that a [Ledger] charges for.
// The controller counts finished pods as expected. It leaves pods without a
// controller out of a sum of scales. And it allows nothing if it does not find
// the controller of a pod.
func StatusOf(in StatusInput) (BudgetStatus, error) {
	if in.Budget == nil {
		return BudgetStatus{}, refuse([]outrank.Problem{{Object: "poddisruptionbudget", Text: "is nil"}})
	}
	if err := refuse(specProblems(in.Budget)); err != nil {
		return BudgetStatus{}, err
	}

	t := in.count()
	expected, err := in.expected(&t)
	if err != nil {
		return BudgetStatus{}, err
	}

	s := BudgetStatus{Healthy: saturate(t.healthy), Expected: saturate(expected)}
	s.Desired = desired(in.Budget, s.Expected)
	if s.Expected > 0 {
		s.Allowed = max(0, s.Healthy-s.Desired)
	}
	return s, nil
}

// desired returns the number of pods that have to be healthy (step 3 of StatusOf). The
// budget is valid.
func desired(b *outrank.PodDisruptionBudget, expected int32) int32 {
	switch {
	case b.MaxUnavailable != nil:
		return max(0, expected-figure(*b.MaxUnavailable, expected))
	case b.MinAvailable != nil:
		return figure(*b.MinAvailable, expected)
	}
	return 0
}

// figure returns the number of pods that f stands for. A percentage is a share of whole,
// rounded up (rule 6.4.4).
func figure(f outrank.IntOrPercent, whole int32) int32 {
	if !f.Percent {
		return f.Value
	}
	const hundred = 100
	return saturate((int64(f.Value)*int64(whole) + hundred - 1) / hundred)
}

// saturate limits a non-negative number to an int32.
func saturate(n int64) int32 { return int32(min(n, math.MaxInt32)) }

// specProblems lists what the API server would reject
// (ValidatePodDisruptionBudgetSpec).
func specProblems(b *outrank.PodDisruptionBudget) (ps []outrank.Problem) {
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: subject(b), Field: field, Text: fmt.Sprintf(format, args...)})
	}
	check := func(field string, f *outrank.IntOrPercent) {
		switch {
		case f == nil:
		case f.Value < 0:
			add(field, "%d is negative", f.Value)
		case f.Percent && f.Value > 100:
			add(field, "%d%% is more than 100%%", f.Value)
		}
	}

	if b.MinAvailable != nil && b.MaxUnavailable != nil {
		add("spec", "minAvailable and maxUnavailable are both set")
	}
	check("spec.minAvailable", b.MinAvailable)
	check("spec.maxUnavailable", b.MaxUnavailable)
	return ps
}

// subject names the budget in an error.
func subject(b *outrank.PodDisruptionBudget) string { return "poddisruptionbudget " + string(b.Key()) }

// refuse returns an error that wraps the problems, nil if there are none.
func refuse(ps []outrank.Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrBudget, &outrank.InputError{Problems: ps})
}
