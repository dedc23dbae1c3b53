package quota

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Admission is the admission plugin ResourceQuota with its configuration. The
// zero value has no limits beyond the quotas.
type Admission struct {
	Limited []Limited
	// Release is the release whose rules hold for the pods' usage and QoS classes; zero
	// means outrank.DefaultRelease. An unknown one is an error of every call.
	Release outrank.Release
}

// errNoAdmission is the error of a nil Admission.
var errNoAdmission = fmt.Errorf("%w: no admission", outrank.ErrInvalid)

// Admit decides whether a pod may be created beside what there is (group 20.2;
// CheckRequest):
//
//  1. The quotas of the pod's namespace whose scopes all hold for it, and that
//     limit something about pods, apply to it. Each of them must know how much is
//     used, and each container must say how much it wants of cpu and memory where
//     these are limited.
//  2. A quota must cover everything that Limited names for the pod: each resource by a
//     quota that applies, each scope by any quota of the namespace with that scope
//     that holds for the pod.
//  3. With the pod, nothing that a quota limits may be exceeded.
//
// Quotas are asked in the order of their names, and the first that refuses counts.
// Those of other namespaces are passed over. The pod is taken with the priority
// class that stands in it. Errors are an *[outrank.InputError] with everything
// that is wrong with the quotas of the namespace, the limits and the pod. Time is
// linear in the quotas.
func (a *Admission) Admit(quotas []*Quota, pod Pod) (*Verdict, error) {
	if a == nil {
		return nil, errNoAdmission
	}
	quotas, err := a.check(quotas, pod)
	if err != nil {
		return nil, err
	}
	r := request{pod: &pod, release: a.Release, usage: Usage(a.Release, pod.Pod), verdict: &Verdict{Pod: pod.Pod}}
	for _, step := range []func() bool{
		func() bool { return r.applies(quotas) },
		func() bool { return r.covered(a.Limited) },
		r.fits,
	} {
		if !step() {
			return r.verdict, nil
		}
	}
	return r.verdict, nil
}

// check returns the quotas of the pod's namespace by name. The error has everything that is wrong with them, with
// the limits and with the pod.
func (a *Admission) check(quotas []*Quota, pod Pod) ([]*Quota, error) {
	if pod.Pod == nil {
		return nil, invalid([]outrank.Problem{{Object: "pod", Text: "missing"}})
	}
	var ps []outrank.Problem
	if !a.Release.Known() {
		ps = append(ps, outrank.Problem{Object: "admission", Field: "Release", Text: fmt.Sprintf("%v is not known", a.Release)})
	}
	if err := pod.Validate(); err != nil {
		return nil, err
	}

	// A requirement that the API server lets in may still be one that nobody can decide (rule 20.1.6).
	for _, l := range a.Limited {
		ps = append(ps, requirementProblems("limited "+l.Resource, "matchScopes", l.MatchScopes, (*Requirement).problem)...)
		ps = append(ps, requirementProblems("limited "+l.Resource, "matchScopes", l.MatchScopes, (*Requirement).unreadable)...)
	}
	var here []*Quota
	for _, q := range quotas {
		if q != nil && (&outrank.Pod{Namespace: q.Namespace}).NamespaceName() == pod.NamespaceName() {
			ps = append(ps, q.problems()...)
			ps = append(ps, requirementProblems(q.object(), scopesField, q.Scopes, (*Requirement).unreadable)...)
			here = append(here, q)
		}
	}
	slices.SortStableFunc(here, func(p, q *Quota) int { return strings.Compare(p.Name, q.Name) })
	return here, invalid(ps)
}

// request is one call of Admit.
type request struct {
	pod     *Pod
	release outrank.Release
	usage   resource.List // of the pod
	verdict *Verdict
	// applied are the quotas that apply, and restricted the resources that they limit.
	applied    []*Quota
	restricted map[resource.Name]bool
	// scopes are the scopes of all quotas that hold for the pod, also of quotas that do not apply.
	scopes []Requirement
}

// applies finds the quotas that apply (step 1).
func (r *request) applies(quotas []*Quota) bool {
	r.restricted = map[resource.Name]bool{}
	for _, q := range quotas {
		holding := matching(r.release, q.Scopes, r.pod)
		r.scopes = append(r.scopes, holding...)

		// A quota applies if it limits something about pods, and all of its scopes hold (rule 20.2.2).
		limits := slices.DeleteFunc(q.Hard.Names(), func(n resource.Name) bool { return !counted(n) })
		if len(limits) == 0 || len(holding) < len(q.Scopes) {
			continue
		}

		if missing := r.unstated(limits); len(missing) > 0 {
			return r.refuse(Verdict{Reason: unstated, Quota: q.Name, Unstated: missing})
		}
		if slices.ContainsFunc(limits, func(n resource.Name) bool { _, ok := q.Used[n]; return !ok }) {
			return r.refuse(Verdict{Reason: uncounted, Quota: q.Name, Resources: limits})
		}

		r.applied = append(r.applied, q)
		for _, name := range limits {
			r.restricted[name] = true
		}
	}
	return true
}

// unstated returns, for each amount of cpu and memory that is limited, the
// containers that do not say how much they want (rule 20.2.3; Constraints). Where the pod itself says something,
// none of them has to.
func (r *request) unstated(limits []resource.Name) map[resource.Name][]string {
	if levels := r.pod.Resources; levels != nil && levelled(levels) {
		return nil
	}
	missing := map[resource.Name][]string{}
	for _, c := range slices.Concat(r.pod.Containers, r.pod.InitContainers) {
		says := resource.List{}
		addUsage(says, c.Requests, c.Limits)
		for _, name := range limits {
			if _, ok := says[name]; !ok && slices.Contains(explicit, name) && !slices.Contains(missing[name], c.Name) {
				missing[name] = append(missing[name], c.Name)
			}
		}
	}
	for _, names := range missing {
		slices.Sort(names)
	}
	return missing
}

// explicit lists the names for which each container must say how much it wants.
var explicit = []resource.Name{"cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"}

// levelled reports whether pod-level resources name one that counts at the level of the pod.
func levelled(l *resource.Requirements) bool {
	for _, list := range []resource.List{l.Requests, l.Limits} {
		for name := range list {
			if name == resource.CPU || name == resource.Memory || strings.HasPrefix(string(name), resource.HugePagesPrefix) {
				return true
			}
		}
	}
	return false
}

// covered looks for a quota for everything that is limited (step 2).
func (r *request) covered(limited []Limited) bool {
	bare := map[resource.Name]bool{} // resources without a quota
	var scopes []Requirement
	for i := range limited {
		l := &limited[i]
		scopes = append(scopes, matching(r.release, l.MatchScopes, r.pod)...)
		if l.APIGroup != "" || l.Resource != "pods" {
			continue
		}
		for name, amount := range r.usage {
			contains := func(text string) bool { return strings.Contains(string(name), text) }
			if amount.Sign() > 0 && slices.ContainsFunc(l.MatchContains, contains) && !r.restricted[name] {
				bare[name] = true
			}
		}
	}
	if len(bare) > 0 {
		return r.refuse(Verdict{Reason: uncoveredResources, Resources: slices.Sorted(maps.Keys(bare))})
	}

	// A scope is covered by the same scope of any quota, with whatever operator and values.
	scopes = slices.DeleteFunc(scopes, func(s Requirement) bool {
		return slices.ContainsFunc(r.scopes, func(t Requirement) bool { return t.Scope == s.Scope })
	})
	if len(scopes) > 0 {
		return r.refuse(Verdict{Reason: uncoveredScopes, Scopes: scopes})
	}
	return true
}

// fits compares the usage with the pod to the quotas that apply (step 3). A quota that is exceeded already refuses
// only pods that want more of what is exceeded.
func (r *request) fits() bool {
	r.verdict.Used = map[string]resource.List{}
	for _, q := range r.applied {
		used := q.Used.Clone()
		over := Verdict{Reason: exceeded, Quota: q.Name, Requested: resource.List{}, Before: resource.List{}, Hard: resource.List{}}
		for name, hard := range q.Hard {
			amount, asked := r.usage[name]
			if !asked || amount.IsZero() {
				continue
			}

			// What the pod takes nothing of may be exceeded already (rule 20.2.9).
			used[name] = used[name].Add(amount)
			if used[name].Cmp(hard) > 0 {
				over.Requested[name] = amount
				over.Before[name] = q.Used[name]
				over.Hard[name] = hard
			}
		}

		if len(over.Requested) > 0 {
			over.Resources = over.Requested.Names()
			return r.refuse(over)
		}
		r.verdict.Used[q.Name] = used
	}
	return true
}

// refuse ends the request with a verdict about its pod.
func (r *request) refuse(v Verdict) bool {
	v.Pod = r.pod.Pod
	r.verdict = &v
	return false
}
