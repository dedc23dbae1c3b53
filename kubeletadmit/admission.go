package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// AdmissionOutcome is what becomes of a pod that asks to be admitted.
type AdmissionOutcome string

// The outcomes.
const (
	// Admitted pods start, and nobody has to go.
	Admitted AdmissionOutcome = "Admitted"
	// AdmittedAfterEvicting pods start once the evictions have been carried
	// out, even if one of them failed (see [Evict]).
	AdmittedAfterEvicting AdmissionOutcome = "AdmittedAfterEvicting"
	// Rejected pods do not start, and nobody has to go.
	Rejected AdmissionOutcome = "Rejected"
)

// UnexpectedAdmissionError is the reason of an [Admission] that was rejected
// because not enough can be freed.
const UnexpectedAdmissionError = "UnexpectedAdmissionError"

// Admission is the answer of the kubelet with its reasons. It holds pointers
// to the caller's pods and is otherwise the caller's own.
type Admission struct {
	Outcome AdmissionOutcome
	// Reason and Message are what the user is told of a rejected pod, as in
	// its status; both are empty otherwise. They come from the first of
	// Returned, or from Err.
	Reason, Message string

	// Failures is all that the check found, in its order.
	Failures []CheckFailure
	// Returned is the part of Failures that stands in the way for good. It is
	// empty where the pod is admitted and where Err is set.
	Returned []CheckFailure
	// Evictions are the pods that have to go, in the order in which they go:
	// BestEffort, Burstable, Guaranteed, and within a class as chosen. It is
	// empty unless the outcome is AdmittedAfterEvicting.
	Evictions []EvictedPod
	// Err is a *[NotEnoughError] where the pod was rejected because not enough
	// can be freed, and nil otherwise.
	Err error
}

// OK reports whether the pod starts, at once or after the evictions.
func (a Admission) OK() bool { return a.Outcome == Admitted || a.Outcome == AdmittedAfterEvicting }

// Admit decides whether the pod may start on the node beside the active pods,
// and who makes room for it: [Check], then [Resolve], which look at each active
// pod once between them. An error is about the input alone; a pod that may not
// start is an outcome. Nothing is allocated but the answer, unless the pod has
// affinity, topology spread or volumes to validate.
func Admit(node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod) (Admission, error) {
	s := newScratch(pod)
	defer s.release()
	s.tally.choosing = Critical(pod)
	if err := s.check(node, active); err != nil {
		return Admission{}, err
	}
	adm := Admission{Failures: append([]CheckFailure(nil), s.failures...)}
	if stays := insurmountable(pod, adm.Failures); len(stays) > 0 {
		return adm.reject(stays), nil
	}
	return s.makeRoom(adm, active)
}

// Resolve decides what becomes of a pod for which an admission check, this
// package's or another, found the failures (groups 17.4 to 17.6;
// CriticalPodAdmissionHandler):
//
//  1. Without failures the pod is admitted.
//  2. A pod that is not [Critical] is rejected with all of them.
//  3. So is a critical pod with any failure that is not a shortage, but with
//     those failures alone.
//  4. Else the shortages are covered. Of the pods that it [MayPreempt], the
//     Guaranteed ones have to find what is needed after all BestEffort and all
//     Burstable pods, the Burstable ones what is needed after all BestEffort and
//     the chosen Guaranteed, the BestEffort ones what is needed after the chosen
//     of both. Pods of a recorded class that is none of the three stay.
//  5. While a tier still has something to find, the pod with the least distance
//     goes: the sum, over the shortages that are left, of the square of the
//     part that it would leave. Ties go to the smaller memory request, then to
//     the smaller cpu request, then to the later in the tier's list, in which
//     the last pod takes the place of each one that goes.
//  6. If all pods together do not hold enough, the pod is rejected with a
//     *[NotEnoughError] in Err.
//
// A shortage of 0 or less is covered from the start. A resource that is listed
// twice stays two shortages, both of which a pod covers at once. Pods count
// with [outrank.Pod.KubeletRequests], and with 1 of "pods".
//
// The error is an *[outrank.InputError] with every problem found: a nil or
// invalid pod, a nil active pod, one that counts with less than nothing, a
// failure that is both a shortage and a predicate or neither. failures is not
// kept. Time is linear in the number of active pods for each of the first few
// evictions of a tier, and about logarithmic in it for each of many.
func Resolve(pod *outrank.Pod, active []*outrank.Pod, failures []CheckFailure) (Admission, error) {
	problems := slices.Concat(podProblems(pod), nilPods("active", active), failureProblems(failures))
	if len(problems) > 0 {
		return Admission{}, inputError(problems)
	}
	adm := Admission{Failures: slices.Clone(failures)}
	if stays := insurmountable(pod, failures); len(stays) > 0 {
		return adm.reject(stays), nil
	}
	s := newScratch(pod)
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
	adm.Outcome, adm.Evictions = AdmittedAfterEvicting, p.evictions(&s.tally, active)
	return adm, nil
}

// insurmountable gives the failures that evictions will not be tried against
// (steps 2 and 3). The slice is new.
func insurmountable(pod *outrank.Pod, failures []CheckFailure) []CheckFailure {
	if !Critical(pod) {
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

// reject tells the user the first of the failures that stay.
func (a Admission) reject(stays []CheckFailure) Admission {
	a.Outcome, a.Returned = Rejected, stays
	a.Reason, a.Message = stays[0].Reason(), stays[0].Message()
	return a
}

// turnAway tells the user that not enough can be freed.
func (a Admission) turnAway(err error) Admission {
	a.Outcome, a.Err = Rejected, err
	a.Reason, a.Message = UnexpectedAdmissionError, err.Error()
	return a
}
