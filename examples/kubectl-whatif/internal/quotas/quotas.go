// Package quotas keeps account of resource quotas while pods come and go: which pods may be
// created at all, one after the other?
package quotas

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/resource"
)

// Limits say which pods may be created.
type Limits struct {
	// Quotas are the quotas of the cluster, with the amounts in use.
	Quotas []*quota.Quota
	// Limited lists the resources that need a quota that covers them.
	Limited []quota.Limited
	// Deadline and PrefersAcross are what quotas look at of the pod in question and a Pod of the
	// library lacks; see quota.Pod.
	Deadline, PrefersAcross bool
}

// Pod returns the pod in question, or a copy of it, as quotas see it.
func (l *Limits) Pod(p *outrank.Pod) quota.Pod {
	return quota.Pod{Pod: p, Deadline: l.Deadline, PrefersAcross: l.PrefersAcross}
}

// Admit holds n more pods like one to the quotas, which stay as they are. The result is nil if all may be
// created, and otherwise counts the first that may not and all behind it. An error is about quotas that
// are not valid.
func (l *Limits) Admit(pod *outrank.Pod, n int, r outrank.Release) (*Forbidden, error) {
	books := l.Books(r)
	for i := range n {
		f, err := books.Admit(l.Pod(pod))
		if f != nil {
			f.Pods = n - i
		}
		if err != nil || f != nil {
			return f, err
		}
	}
	return nil, nil
}

// Forbidden counts pods that are not created: they take no turn and push nobody out.
type Forbidden struct {
	// Workload is the object that would make the pods, as Kind/Name. Recreated says that they would
	// come back in place of pods that left.
	Workload  string `json:"workload"`
	Namespace string `json:"namespace"`
	Recreated bool   `json:"recreated,omitempty"`
	Pods      int    `json:"pods"`
	// Quota is the name of the quota that refuses the pods, empty if one is missing. Message
	// is the API server's answer for the first of the pods.
	Quota   string `json:"quota,omitempty"`
	Message string `json:"message"`
}

// String returns a sentence about the pods, which ends with the message.
func (f *Forbidden) String() string {
	who, are, created := "1 pod", "is", "created"
	if f.Pods != 1 {
		who, are = fmt.Sprintf("%d pods", f.Pods), "are"
	}
	if f.Workload != "" {
		who += " of " + f.Workload
	}
	if f.Recreated {
		created = "recreated"
	}
	return who + " " + are + " not " + created + ": " + f.Message
}

// Add adds pods to a list. Pods of one workload that the same quota refuses are one entry. The
// list that is returned shares no memory with the one that is passed.
func Add(list []Forbidden, f Forbidden) []Forbidden {
	list = slices.Clone(list)
	at := slices.IndexFunc(list, func(known Forbidden) bool {
		return f.Workload != "" && known.Workload == f.Workload && known.Namespace == f.Namespace && known.Recreated == f.Recreated && known.Quota == f.Quota
	})
	if at < 0 {
		return append(list, f)
	}
	list[at].Pods += f.Pods
	return list
}

// Books keep account of the amounts in use of quotas. A change puts a new list in place of the old one, so
// that a copy of the value stays as it is.
type Books struct {
	admission quota.Admission
	// quotas are sorted by namespace.
	quotas []*quota.Quota
}

// Books returns books that begin with the limits, by the rules of a release.
func (l *Limits) Books(r outrank.Release) Books {
	return Books{quota.Admission{Limited: l.Limited, Release: r}, inOrder(l.Quotas)}
}

// inOrder returns quotas sorted by namespace, in a list of its own.
func inOrder(list []*quota.Quota) []*quota.Quota {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *quota.Quota) int { return cmp.Compare(spaceOf(a), spaceOf(b)) })
	return list
}

// spaceOf is the namespace of a quota.
func spaceOf(q *quota.Quota) string { return (&outrank.Pod{Namespace: q.Namespace}).NamespaceName() }

// Quotas returns the quotas as they stand, sorted by namespace. The caller must not change them.
func (b *Books) Quotas() []*quota.Quota { return b.quotas }

// in returns the places of a namespace's quotas: from one up to, and not including, the other.
func (b *Books) in(namespace string) (from, to int) {
	from, _ = slices.BinarySearchFunc(b.quotas, namespace, func(q *quota.Quota, name string) int { return cmp.Compare(spaceOf(q), name) })
	for to = from; to < len(b.quotas) && spaceOf(b.quotas[to]) == namespace; to++ {
	}
	return from, to
}

// Has reports whether there is a quota of this namespace and name.
func (b *Books) Has(of *quota.Quota) bool {
	from, to := b.in(spaceOf(of))
	return slices.ContainsFunc(b.quotas[from:to], func(q *quota.Quota) bool { return q.Name == of.Name })
}

// Put adds a quota. If it has no status, what is in use follows from the pods.
func (b *Books) Put(q *quota.Quota, pods []quota.Pod) {
	now := *q
	// A quota of a manifest has no status yet.
	if now.Used == nil {
		now.Used = now.Measure(b.admission.Release, pods)
	}
	b.quotas = inOrder(append(slices.Clone(b.quotas), &now))
}

// Admit holds a pod that is to be created to the quotas. If it may be created it is counted in, and the
// result is nil. An error is about quotas that are not valid.
func (b *Books) Admit(pod quota.Pod) (*Forbidden, error) {
	from, to := b.in(pod.NamespaceName())
	if from == to && len(b.admission.Limited) == 0 {
		return nil, nil
	}

	v, err := b.admission.Admit(b.quotas[from:to], pod)
	if err != nil {
		return nil, err
	}
	if v.Reason != "" {
		return &Forbidden{Workload: pod.Owner.String(), Namespace: pod.NamespaceName(), Pods: 1, Quota: v.Quota, Message: v.Message()}, nil
	}
	b.update(from, to, func(q *quota.Quota) (resource.List, bool) { used, ok := v.Used[q.Name]; return used, ok })
	return nil, nil
}

// GiveBack counts a pod off that is gone. Of a resource that a quota keeps no account of nothing is in use.
func (b *Books) GiveBack(pod *outrank.Pod) {
	from, to := b.in(pod.NamespaceName())
	b.update(from, to, func(q *quota.Quota) (resource.List, bool) {
		used := q.Used.Clone()
		for name, amount := range q.Measure(b.admission.Release, []quota.Pod{{Pod: pod}}) {
			if had, counted := used[name]; counted {
				used[name] = had.Sub(amount)
			}
		}
		return used, true
	})
}

// Resize holds a pod that asks for other amounts to the quotas. If it may have them the difference is
// counted in, and the result is nil. Only what it asks for more can be refused.
func (b *Books) Resize(before, after *outrank.Pod) (*Forbidden, error) {
	from, to := b.in(before.NamespaceName())
	used := map[string]resource.List{}
	for _, q := range b.quotas[from:to] {
		was := q.Measure(b.admission.Release, []quota.Pod{{Pod: before}})
		is := q.Measure(b.admission.Release, []quota.Pod{{Pod: after}})

		// over collects what would be above the quota, and now is what would be in use.
		over := quota.Verdict{Pod: after, Reason: "exceeded", Quota: q.Name, Requested: resource.List{}, Before: resource.List{}, Hard: resource.List{}}
		now := q.Used.Clone()
		for name, amount := range is {
			had, counted := q.Used[name]
			// The pod is counted already with what it asked for before.
			more := amount.Sub(was[name])
			if !counted || more.IsZero() {
				continue
			}
			now[name] = had.Add(more)
			if more.Sign() > 0 && now[name].Cmp(q.Hard[name]) > 0 {
				over.Requested[name] = more
				over.Before[name] = had
				over.Hard[name] = q.Hard[name]
			}
		}

		if len(over.Requested) > 0 {
			return &Forbidden{Workload: after.Owner.String(), Namespace: after.NamespaceName(), Pods: 1, Quota: q.Name, Message: over.Message()}, nil
		}
		used[q.Name] = now
	}
	b.update(from, to, func(q *quota.Quota) (resource.List, bool) { now, ok := used[q.Name]; return now, ok })
	return nil, nil
}

// update gives quotas the amounts in use that used returns for them, if any.
func (b *Books) update(from, to int, used func(*quota.Quota) (resource.List, bool)) {
	if from == to {
		return
	}
	b.quotas = slices.Clone(b.quotas)
	for i := from; i < to; i++ {
		if amounts, changed := used(b.quotas[i]); changed {
			now := *b.quotas[i]
			now.Used = amounts
			b.quotas[i] = &now
		}
	}
}
