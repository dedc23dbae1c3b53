package groups

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// rebuild gives a member a new attempt, in which its filters count the members before it in their places
// (rule 12.9.9).
func (f *fitter) rebuild(ctx context.Context, i int) {
	// The members before it are on their nodes in the snapshot only while the attempt begins.
	before := f.members[:i]
	for j := range before {
		if at := before[j].at; at != nowhere {
			f.reseat(before[j].pod, f.node(at).Name, "")
		}
	}

	m := &f.members[i]
	a, err := dryrun.NewAttempt(ctx, f.run.terms, f.snap, m.pod, time.Time{})
	for j := range before {
		if before[j].at != nowhere {
			f.reseat(before[j].pod, "", before[j].nomination)
		}
	}

	if err != nil {
		f.err = err
		return
	}
	m.kind = m.kind.inAttempt(a)
}

// reseat moves a member in the snapshot to a node, or off its node to a nomination. The member keeps its
// class, which attempts have already looked up.
func (f *fitter) reseat(pod *outrank.Pod, node, nominated string) {
	p, _ := f.snap.PodStates.Of(pod)
	f.snap.Drop(p)
	f.snap.Put(f.snap.Moved(p, node, nominated))
}

// findRules sets rules and watched, and gives members with the same rules a common memory of the classes that
// they count.
func (f *fitter) findRules() {
	for i := range f.members {
		m := &f.members[i]
		like := slices.IndexFunc(f.rules, func(j int) bool { return sameRules(m, &f.members[j]) })
		if like >= 0 {
			m.counted = f.members[f.rules[like]].counted
			continue
		}
		m.counted = map[*state.PodClass]bool{}
		f.rules = append(f.rules, i)
	}
	for m := range f.run.snap.Classes.All() {
		f.watched = f.watched || m.Runs() && f.watches(m.Class)
	}
}

// sameRules reports whether the filters of two members count the same pods: they have equal terms and
// constraints, and the same class, hence the same namespace, labels and anti-affinity.
func sameRules(m, o *member) bool {
	return m.runs.Class == o.runs.Class && reflect.DeepEqual(m.pod.Affinity.PodAffinity, o.pod.Affinity.PodAffinity) &&
		reflect.DeepEqual(m.pod.TopologySpreadConstraints, o.pod.TopologySpreadConstraints)
}

// counted reports whether a filter of any member counts a pod of the unit, wherever the pod is.
func (f *fitter) counted(u *possibleVictim) bool {
	return f.watched && slices.ContainsFunc(f.run.podsOf(u), func(p *state.PodState) bool { return f.watches(p.Class) })
}

// concerned reports whether a pod concerns a filter of the caller.
func (f *fitter) concerned(p *state.PodState) bool {
	return slices.ContainsFunc(f.concerns, func(concerns func(*outrank.Pod) bool) bool { return concerns(p.Pod) })
}

// watches reports whether the filters of any member count pods of a class.
func (f *fitter) watches(k *state.PodClass) bool {
	return slices.ContainsFunc(f.rules, func(i int) bool { return f.counts(&f.members[i], k) })
}

// counts reports whether the filters of a member count pods of a class anywhere in the cluster: a term of the
// member picks such pods, their anti-affinity picks the member, or a spread constraint of the member counts
// them. The answer does not depend on which pods run.
func (f *fitter) counts(m *member, k *state.PodClass) bool {
	known, ok := m.counted[k]
	if !ok {
		known = filters.CountsClass(&m.kind.attempt.Asked, k)
		m.counted[k] = known
	}
	return known
}
