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
	// Limited lists the resources that need a quota.
	Limited []Limited
	// Release is the Kubernetes release by whose rules usage and QoS classes are
	// computed; zero means outrank.DefaultRelease. With an unknown one every call fails.
	Release outrank.Release
}

// errNoAdmission is the error of a nil Admission.
var errNoAdmission = fmt.Errorf("%w: no admission", outrank.ErrInvalid)

// Admit decides whether a pod may be created with the current usage of the quotas
// (group 20.2; CheckRequest):
//
//  1. A quota of the pod's namespace applies if all of its scopes hold for the pod, and it
//     limits something about pods. Its usage must have been counted. If it limits cpu or
//     memory, each container must state how much of it the container wants.
//  2. Everything that Limited names for the pod must be covered: each resource by a quota
//     that applies, and each scope by a quota of the namespace with a requirement of the
//     same scope that holds for the pod.
//  3. With the pod, no limit of a quota that applies may be exceeded.
//
// Quotas are asked in the order of their names, and the first that refuses decides.
// Quotas of other namespaces are ignored. The pod's own PriorityClassName is used. The
// error is an *[outrank.InputError] with every problem of the pod. If the pod is valid, it
// has every problem of the namespace's quotas and of a. Time is linear in the quotas.
func (a *Admission) Admit(quotas []*Quota, pod Pod) (*Verdict, error) {
	if a == nil {
		return nil, errNoAdmission
	}
	quotas, err := a.check(quotas, pod)
	if err != nil {
		return nil, err
	}
	r := request{pod: &pod, release: a.Release, usage: Usage(a.Release, pod.Pod), verdict: &Verdict{Pod: pod.Pod}}

	// The first step that refuses the pod sets the verdict.
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

// check returns the quotas of the pod's namespace, sorted by name. The error has the problems of the pod or, if it has
// none, the problems of the quotas and of the admission.
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

	// Besides requirements that the API server rejects, some that it accepts cannot be evaluated (rule 20.1.6).
	for _, l := range a.Limited {
		ps = append(ps, requirementProblems("limited "+l.Resource, "matchScopes", l.MatchScopes, (*Requirement).problem)...)
		ps = append(ps, requirementProblems("limited "+l.Resource, "matchScopes", l.MatchScopes, (*Requirement).unreadable)...)
	}

	// Quotas of other namespaces are not even checked.
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

// request is the state of one call of Admit.
type request struct {
	pod     *Pod
	release outrank.Release
	usage   resource.List // the usage of the pod
	verdict *Verdict
	// applied lists the quotas that apply. restricted has the resources that they limit.
	applied    []*Quota
	restricted map[resource.Name]bool
	// scopes lists the requirements of all quotas that hold for the pod, even if their quota does not apply.
	scopes []Requirement
}

// applies finds the quotas that apply (step 1). It returns false if one of them refuses the pod.
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

// unstated returns, for each limited amount of cpu or memory, the containers that do not state how much they want
// (rule 20.2.3; Constraints). If the pod states something at pod level, no container has to.
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

// explicit lists the names of amounts that each container has to state if a quota limits them.
var explicit = []resource.Name{"cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"}

// levelled reports whether the pod-level resources have cpu, memory or huge pages, the resources that count there.
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

// covered reports whether quotas cover everything that is limited (step 2). If not, it refuses the pod.
func (r *request) covered(limited []Limited) bool {
	// Scopes are collected from every entry, but resources only from the entries about pods.
	bare := map[resource.Name]bool{} // limited resources that no quota covers
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

	// Missing resources are reported before missing scopes.
	if len(bare) > 0 {
		return r.refuse(Verdict{Reason: uncoveredResources, Resources: slices.Sorted(maps.Keys(bare))})
	}

	// A scope is covered by the same scope in any quota; operators and values do not matter.
	scopes = slices.DeleteFunc(scopes, func(s Requirement) bool {
		return slices.ContainsFunc(r.scopes, func(t Requirement) bool { return t.Scope == s.Scope })
	})
	if len(scopes) > 0 {
		return r.refuse(Verdict{Reason: uncoveredScopes, Scopes: scopes})
	}
	return true
}

// fits reports whether no quota is exceeded with the pod (step 3). If one is, it refuses the pod. A limit that was
// exceeded before only refuses pods that use more of it.
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

			// A limit is only checked if the pod uses some of it; others may be exceeded already (rule 20.2.9).
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

// refuse sets the verdict of the request, and returns false for the step that refuses.
func (r *request) refuse(v Verdict) bool {
	v.Pod = r.pod.Pod
	r.verdict = &v
	return false
}
