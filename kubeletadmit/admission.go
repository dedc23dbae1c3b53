package kubeletadmit

import (
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// AdmissionOutcome is the kind of answer to a pod that asks to be admitted.
type AdmissionOutcome string

// The outcomes.
const (
	// Admitted: the pod starts, and no pod is evicted.
	Admitted AdmissionOutcome = "Admitted"
	// AdmittedAfterEvicting: the pod starts once the evictions have been
	// carried out, even if one of them failed (see [Evict]).
	AdmittedAfterEvicting AdmissionOutcome = "AdmittedAfterEvicting"
	// Rejected: the pod does not start, and no pod is evicted.
	Rejected AdmissionOutcome = "Rejected"
)

// UnexpectedAdmissionError is the reason of an [Admission] that was rejected
// because not enough can be freed.
const UnexpectedAdmissionError = "UnexpectedAdmissionError"

// Admission is the answer of the kubelet with its reasons. It belongs to the
// caller and holds pointers to the caller's pods.
type Admission struct {
	Outcome AdmissionOutcome
	// Reason is what the status of a rejected pod says to the user, and Message the
	// same with more words; see [Admission.ReferenceMessage] for those of a kubelet. Both
	// are empty otherwise. They come from the first of Returned, or from Err.
	Reason, Message string

	// Failures is everything that the check found, in its order.
	Failures []CheckFailure
	// Returned is the part of Failures that evictions are not tried against. It
	// is empty if the pod is admitted or Err is set.
	Returned []CheckFailure
	// Evictions are the pods to evict, in this order: BestEffort, Burstable,
	// Guaranteed, and within a class as chosen. It is empty unless the outcome
	// is AdmittedAfterEvicting.
	// With [Admitter.PriorityFirst] the pods of the lowest priority come first, and
	// those of a priority by class; with [Admitter.Exact] those of a tier in the order
	// of the search.
	Evictions []EvictedPod
	// Search says how good Evictions are. It is nil unless [Admitter.Exact] had them
	// searched for.
	Search *Certificate
	// Err is a *[NotEnoughError] if the pod was rejected because not enough can
	// be freed, and nil otherwise.
	Err error
}

// OK reports whether the pod starts, at once or after the evictions.
func (a Admission) OK() bool { return a.Outcome == Admitted || a.Outcome == AdmittedAfterEvicting }

// ReferenceMessage returns what a kubelet says in place of Message (rule 17.4.9): in the
// event about the pod as it stands, and in the pod's status behind "Pod was rejected: ".
func (a Admission) ReferenceMessage() string {
	var short *NotEnoughError
	switch {
	case errors.As(a.Err, &short):
		return short.referenceText()
	case a.Err != nil || len(a.Returned) == 0:
		return a.Message
	}
	return a.Returned[0].referenceText()
}

// Admit decides whether the pod may start on the node beside the active pods,
// and which pods make room for it: [Check], then [Resolve], which together look
// at each active pod once. An error is about the input alone. A pod that may
// not start is an outcome and no error. Nothing is allocated but the answer,
// unless the pod has affinity, topology spread or volumes to validate.
func Admit(node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod) (Admission, error) {
	return Admitter{}.Admit(node, active, pod)
}

// Resolve decides about a pod for which an admission check, this package's or
// another, found the failures (groups 17.4 to 17.6;
// CriticalPodAdmissionHandler):
//
//  1. Without failures the pod is admitted.
//  2. A pod that is not [Critical] is rejected with all failures.
//  3. A critical pod with a failure that is not a shortage is rejected with
//     those failures alone.
//  4. Otherwise the shortages are covered by pods that the pod [MayPreempt].
//     The Guaranteed pods have to cover what is needed beyond all BestEffort
//     and all Burstable pods, the Burstable pods what is needed beyond all
//     BestEffort and the chosen Guaranteed pods, the BestEffort pods what is
//     needed beyond the chosen pods of both. Pods of a recorded class that is
//     none of the three stay.
//  5. While a tier still has something to cover, the pod with the least
//     distance is chosen. The distance is the sum, over the shortages that are
//     left, of the square of the part that the pod would leave. The smaller
//     memory request decides a tie, then the smaller cpu request, then the
//     later index in the tier's list, in which the last pod replaces each
//     chosen one.
//  6. If all pods together do not hold enough, the pod is rejected with a
//     *[NotEnoughError] in Err.
//
// A shortage of 0 or less is covered from the start. A resource that is listed
// twice stays two shortages, and a pod covers both at once. Pods count with
// [outrank.Pod.KubeletRequests], and with 1 of "pods".
//
// The error is an *[outrank.InputError] with every problem found: a nil or
// invalid pod, a nil active pod, an active pod that counts with a negative
// amount, a failure that is both a shortage and a predicate or neither.
// failures is not kept. Time is linear in the number of active pods for each of
// the first few evictions of a tier, and about logarithmic for each further
// one.
func Resolve(pod *outrank.Pod, active []*outrank.Pod, failures []CheckFailure) (Admission, error) {
	return Admitter{}.Resolve(pod, active, failures)
}

// Resolve is the function [Resolve] by the rules of the release.
func (a Admitter) Resolve(pod *outrank.Pod, active []*outrank.Pod, failures []CheckFailure) (Admission, error) {
	problems := slices.Concat(a.problems(), podProblems(pod), nilPods("active", active), failureProblems(failures))
	if len(problems) > 0 {
		return Admission{}, inputError(problems)
	}
	adm := Admission{Failures: slices.Clone(failures)}
	if stays := a.insurmountable(pod, failures); len(stays) > 0 {
		return adm.reject(stays), nil
	}
	s := newScratch(a, pod)
	defer s.release()
	for _, f := range failures {
		if f.IsShortage() && f.Resource != resource.Pods {
			s.tally.column(f.Resource)
		}
	}
	s.tally.choosing = true
	s.tally.count(active)
	return s.makeRoom(adm, active)
}

// makeRoom covers the failures, shortages all of them, with the pods of the
// tally (steps 4 to 6 of Resolve).
func (s *scratch) makeRoom(adm Admission, active []*outrank.Pod) (Admission, error) {
	p := &s.pool
	for _, f := range adm.Failures {
		if amount := f.Shortage(); amount > 0 {
			p.needs = append(p.needs, ResourceNeed{f.Resource, amount})
		}
	}
	if len(p.needs) == 0 {
		adm.Outcome = Admitted
		return adm, nil
	}
	if problems := p.fill(&s.tally, active); len(problems) > 0 {
		return Admission{}, inputError(problems)
	}
	if !p.choose() {
		return adm.turnAway(&NotEnoughError{Pod: s.tally.pod.Key(), Missing: p.missing()}), nil
	}
	if s.tally.admitter.Exact {
		adm.Search = p.improve(s.tally.admitter.MostSteps)
	}
	adm.Outcome, adm.Evictions = AdmittedAfterEvicting, p.evictions(&s.tally, active)
	return adm, nil
}

// insurmountable returns the failures that evictions are not tried against
// (steps 2 and 3 of Resolve). The slice is new.
func (a Admitter) insurmountable(pod *outrank.Pod, failures []CheckFailure) []CheckFailure {
	if !a.evicts(pod) {
		return slices.Clone(failures)
	}
	var stays []CheckFailure
	for _, f := range failures {
		if !f.IsShortage() {
			stays = append(stays, f)
		}
	}
	return stays
}

// reject sets the outcome, the reason and the message of a rejection with these
// failures.
func (a Admission) reject(stays []CheckFailure) Admission {
	a.Outcome, a.Returned = Rejected, stays
	a.Reason, a.Message = stays[0].Reason(), stays[0].Message()
	return a
}

// turnAway sets the outcome, the reason and the message of a rejection because
// not enough can be freed.
func (a Admission) turnAway(err error) Admission {
	a.Outcome, a.Err = Rejected, err
	a.Reason, a.Message = UnexpectedAdmissionError, err.Error()
	return a
}
