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

// Limits says which pods may be created.
type Limits struct {
	// Quotas are the quotas of the cluster, with the amounts in use.
	Quotas []*quota.Quota
	// Limited lists the resources that need a quota that covers them.
	Limited []quota.Limited
	// Deadline and PrefersAcross are properties of the pod in question that quotas look at and outrank.Pod
	// lacks; see quota.Pod.
	Deadline, PrefersAcross bool
}

// Pod returns the pod in question, or a copy of it, in the form in which quotas look at it.
func (l *Limits) Pod(p *outrank.Pod) quota.Pod {
	return quota.Pod{Pod: p, Deadline: l.Deadline, PrefersAcross: l.PrefersAcross}
}

// Admit holds n more pods like the given one to the quotas, and charges none. The result is nil if all may be
// created. Otherwise it counts the first pod that may not be created and all after it. An error is about quotas
// that are not valid.
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

// Forbidden counts pods that are not created, so that they take no turn and push nobody out.
type Forbidden struct {
	// Workload is the object that would make the pods, as Kind/Name. Recreated says that they would replace
	// pods that have left.
	Workload  string `json:"workload"`
	Namespace string `json:"namespace"`
	Recreated bool   `json:"recreated,omitempty"`
	Pods      int    `json:"pods"`
	// Quota is the name of the quota that refuses the pods. It is empty if a required quota is missing. Message
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

// Add adds pods to a list. Pods of one workload that the same quota refuses share an entry. The returned list
// shares no memory with the given one.
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

// Books records how much of quotas is in use. A change replaces the list instead of writing to it, so that a
// copy of the Books is not affected.
type Books struct {
	admission quota.Admission
	// quotas are sorted by namespace.
	quotas []*quota.Quota
}

// Books returns books that start with the quotas of the limits, by the rules of a release.
func (l *Limits) Books(r outrank.Release) Books {
	return Books{quota.Admission{Limited: l.Limited, Release: r}, inOrder(l.Quotas)}
}

// inOrder returns a sorted copy of a list of quotas, by namespace.
func inOrder(list []*quota.Quota) []*quota.Quota {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *quota.Quota) int { return cmp.Compare(spaceOf(a), spaceOf(b)) })
	return list
}

// spaceOf returns the namespace of a quota.
func spaceOf(q *quota.Quota) string { return (&outrank.Pod{Namespace: q.Namespace}).NamespaceName() }

// Quotas returns the quotas with the amounts now in use, sorted by namespace. The caller must not change them.
func (b *Books) Quotas() []*quota.Quota { return b.quotas }

// in returns the range of indexes of a namespace's quotas, without the upper end.
func (b *Books) in(namespace string) (from, to int) {
	from, _ = slices.BinarySearchFunc(b.quotas, namespace, func(q *quota.Quota, name string) int { return cmp.Compare(spaceOf(q), name) })
	for to = from; to < len(b.quotas) && spaceOf(b.quotas[to]) == namespace; to++ {
	}
	return from, to
}

// Has reports whether there is a quota with this namespace and name.
func (b *Books) Has(of *quota.Quota) bool {
	from, to := b.in(spaceOf(of))
	return slices.ContainsFunc(b.quotas[from:to], func(q *quota.Quota) bool { return q.Name == of.Name })
}

// Put adds a quota. If the quota has no status, the amounts in use are computed from the pods.
func (b *Books) Put(q *quota.Quota, pods []quota.Pod) {
	now := *q
	// A quota from a manifest has no status yet.
	if now.Used == nil {
		now.Used = now.Measure(b.admission.Release, pods)
	}
	b.quotas = inOrder(append(slices.Clone(b.quotas), &now))
}

// Admit holds a pod that is to be created to the quotas. If the pod may be created it is charged, and the
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

// GiveBack releases what a pod that is gone has used. Resources that a quota does not track are not in use.
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

// Resize holds a pod with new amounts to the quotas. If it may have them the difference is charged, and the
// result is nil. Only an increase can be refused.
func (b *Books) Resize(before, after *outrank.Pod) (*Forbidden, error) {
	from, to := b.in(before.NamespaceName())
	used := map[string]resource.List{}
	for _, q := range b.quotas[from:to] {
		was := q.Measure(b.admission.Release, []quota.Pod{{Pod: before}})
		is := q.Measure(b.admission.Release, []quota.Pod{{Pod: after}})

		// over collects what would exceed the quota, and now is what would be in use.
		over := quota.Verdict{Pod: after, Reason: "exceeded", Quota: q.Name, Requested: resource.List{}, Before: resource.List{}, Hard: resource.List{}}
		now := q.Used.Clone()
		for name, amount := range is {
			had, counted := q.Used[name]
			// The pod is charged already for its former amounts.
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

	// No quota refuses, so that all are charged.
	b.update(from, to, func(q *quota.Quota) (resource.List, bool) { now, ok := used[q.Name]; return now, ok })
	return nil, nil
}

// update sets the amounts in use of the quotas for which used returns some.
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
