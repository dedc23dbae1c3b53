package kubeletadmit

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Admit decides whether the pod may start on the node beside the active pods, and which of them
// make room for it: [Check], then [Resolve], which together look at each active pod once. The
// error is an *[outrank.InputError]. A pod that may not start is an outcome and no error.
//
// Finished pods and the pod itself (of the same namespace, name and UID) hold nothing. Terminating
// pods hold what they have and may be chosen. A pod that is listed twice counts twice. Of pods
// that are equal in every way the last in the list goes first (rule 17.6.5). Only the answer is
// allocated, unless the pod has affinity, topology spread or volumes to validate.
func Admit(node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod, config Config) (Admission, error) {
	return AdmitContext(context.Background(), node, active, pod, config)
}

// AdmitContext is [Admit] for a search that may take long ([Config].Exact with a large Limit). The
// search looks at the context every few hundred steps. Once the context has ended, the search
// ends as at its limit: the answer evicts the best pods found so far, and [Admission].Search says
// how good they are. Nothing else looks at the context, and its end is not an error. A nil context is
// an error, an *[outrank.InputError].
func AdmitContext(ctx context.Context, node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod, config Config) (Admission, error) {
	if ctx == nil {
		return Admission{}, inputError([]outrank.Problem{missing("context")})
	}

	s := newScratch(config, pod)
	defer s.release()
	s.tally.choosing = config.evicts(pod)
	if err := s.check(node, active); err != nil {
		return Admission{}, err
	}

	// These refusals come before all other checks (rule 17.2.1), so what the check
	// found is not part of the answer. It ran first all the same, for its input errors.
	if reason, message := refusedOutright(node, pod); reason != "" {
		return Admission{Outcome: Rejected, Reason: reason, Message: message}, nil
	}

	adm := Admission{Failures: append([]CheckFailure(nil), s.failures...)}
	if stays := config.insurmountable(pod, adm.Failures); len(stays) > 0 {
		return adm.reject(stays), nil
	}
	return s.makeRoom(ctx, adm, active)
}

// Resolve decides about a pod for which an admission check found the failures:
// [Check], or one of the caller's own (groups 17.4 to 17.6;
// CriticalPodAdmissionHandler).
//
//  1. Without failures the pod is admitted.
//  2. A pod that is not [Critical] is rejected with all failures.
//  3. A critical pod with a failed predicate is rejected with its failed
//     predicates alone.
//  4. Otherwise the shortages are covered by pods that are [Preemptable] for it.
//     The Guaranteed pods have to cover what is needed beyond all BestEffort
//     and all Burstable pods, the Burstable pods what is needed beyond all
//     BestEffort and the chosen Guaranteed pods, the BestEffort pods what is
//     needed beyond the chosen pods of both. A pod whose status records any
//     other class stays.
//  5. While a tier still has something to cover, the pod with the least
//     distance is chosen. The distance is the sum, over the shortages that are
//     left, of the square of the part that the pod would leave. The smaller
//     memory request decides a tie, then the smaller cpu request, then the
//     later index in the tier's list, in which the last pod replaces each
//     chosen one.
//  6. If all pods together do not hold enough, the pod is rejected, and Missing says
//     what it lacks.
//
// A shortage of 0 or less is covered from the start. A resource that is listed
// twice stays two shortages, and a pod covers both at once. Pods count with
// [outrank.Pod.KubeletRequests], and with 1 of "pods".
//
// The error is an *[outrank.InputError] with every problem found: a nil or
// invalid pod, a nil active pod, an active pod that counts with a negative
// amount, a failure that is both a shortage and a predicate or neither.
// failures is not kept. The first dozens of evictions of a tier take time linear
// in the number of active pods each, and further ones about logarithmic time.
func Resolve(pod *outrank.Pod, active []*outrank.Pod, failures []CheckFailure, config Config) (Admission, error) {
	problems := slices.Concat(config.problems(), podProblems(pod), nilPods("active", active), failureProblems(failures))
	if len(problems) > 0 {
		return Admission{}, inputError(problems)
	}

	adm := Admission{Failures: slices.Clone(failures)}
	if stays := config.insurmountable(pod, failures); len(stays) > 0 {
		return adm.reject(stays), nil
	}

	// No check has said which resources to count, so the shortages do, and nothing but shortages is left.
	// "pods" needs no column, because each pod counts 1.
	s := newScratch(config, pod)
	defer s.release()
	for _, f := range failures {
		if f.Resource != resource.Pods {
			s.tally.column(f.Resource)
		}
	}
	s.tally.choosing = true
	s.tally.count(active)
	return s.makeRoom(context.Background(), adm, active)
}

// makeRoom decides about an admission whose failures are all shortages: it covers them
// with the pods of the tally (steps 4 to 6 of Resolve). The context ends an exact search.
func (s *scratch) makeRoom(ctx context.Context, adm Admission, active []*outrank.Pod) (Admission, error) {
	t, p := &s.tally, &s.pool

	// A caller's own failures may be shortages of nothing (rule 17.6.7).
	for _, f := range adm.Failures {
		if amount := f.Shortage(); amount > 0 {
			p.needs = append(p.needs, ResourceNeed{f.Resource, amount})
		}
	}
	if len(p.needs) == 0 {
		adm.Outcome = Admitted
		return adm, nil
	}

	if problems := p.fill(t, active); len(problems) > 0 {
		return Admission{}, inputError(problems)
	}
	if !p.choose() {
		return adm.turnAway(t.pod.Key(), p.missing()), nil
	}
	if config := t.config; config.Exact {
		adm.Search = p.improve(ctx, config.Limit)
	}
	adm.Outcome, adm.Evictions = AdmittedAfterEvicting, p.evictions(t, active)
	return adm, nil
}

// insurmountable returns the failures that evictions cannot cure: all of them if nobody
// may be evicted for the pod, otherwise the failed predicates (steps 2 and 3 of Resolve).
// The slice is new.
func (c Config) insurmountable(pod *outrank.Pod, failures []CheckFailure) []CheckFailure {
	if !c.evicts(pod) {
		return slices.Clone(failures)
	}

	var stays []CheckFailure
	for _, f := range failures {
		if !f.isShortage() {
			stays = append(stays, f)
		}
	}
	return stays
}

// reject returns the admission as a rejection for these failures. The first of them gives
// the reason (rule 17.4.5).
func (a Admission) reject(stays []CheckFailure) Admission {
	a.Outcome, a.Returned = Rejected, stays
	a.Reason, a.Message = stays[0].Reason(), stays[0].message()
	return a
}

// turnAway returns the admission as a rejection because not enough can be freed (rule 17.4.6).
func (a Admission) turnAway(pod outrank.Key, missing []ResourceNeed) Admission {
	a.Outcome, a.Missing = Rejected, missing
	a.Reason, a.Message = unexpectedError, shortText(pod, missing)
	return a
}
