package groups

import (
	"context"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// newFitter returns a fitter for pods of the group. In the run's working snapshot they must be pending.
func (r *run) newFitter(ctx context.Context, pods []*outrank.Pod) (*fitter, error) {
	f := &fitter{
		run: r, snap: r.work, look: &r.look, lean: true, version: 1,
		sites: make([]site, len(r.work.Order)), positionOf: make([]int32, len(r.work.NodeStates)),
		nominees: map[*outrank.Pod]bool{},
	}

	// A filter of the caller that has nothing to say now may have something to say once pods are removed, so
	// that it counts as one that looks far.
	if own := r.terms.Filters; len(own) > 0 {
		r.work.BeginTrial()
		f.concerns = concernsOf(own)
		f.far = slices.ContainsFunc(own, func(filter *preemption.Filter) bool { return filter.Start != nil })
	}

	f.members = make([]member, len(pods))
	for i, pod := range pods {
		a, err := dryrun.NewAttempt(ctx, r.terms, r.work, pod, time.Time{})
		if err != nil {
			return nil, err
		}
		f.members[i] = member{pod: pod, attempt: a, signature: signatureOf(a), at: nowhere, nominated: nowhere}
	}
	for i := range f.members {
		if !f.inspect(f.members[i].attempt) {
			f.opaque = true
			f.lean, f.far = false, true
		}
	}

	f.makeSites()
	f.makeKinds()
	return f, nil
}

// makeSites makes the site of each node, with the pods that the working snapshot has on it.
func (f *fitter) makeSites() {
	now, given := f.snap, f.run.snap
	for slot := range f.positionOf {
		f.positionOf[slot] = nowhere
	}
	for i, slot := range now.Order {
		f.positionOf[slot] = int32(i)

		n := now.NodeStates[slot]
		s := &f.sites[i]
		*s = site{version: f.version, count: int32(len(n.Pods)), taken: n.Taken}
		s.taken.Extra = slices.Clone(n.Taken.Extra) // the site writes its list

		// A possible victim has its index in the caller's snapshot, so that the rows are from there as well.
		if all := given.NodeStates[slot]; len(all.Taken.Extra) == 0 {
			s.rows = all.Rows
		}
	}
}

// concernsOf returns the Concerns functions of the filters that look at pods. A filter without one counts as
// concerned by every pod.
func concernsOf(fs []*preemption.Filter) (concerns []func(*outrank.Pod) bool) {
	for _, f := range fs {
		switch {
		case f.Start == nil:
		case f.Concerns == nil:
			return []func(*outrank.Pod) bool{func(*outrank.Pod) bool { return true }}
		default:
			concerns = append(concerns, f.Concerns)
		}
	}
	return concerns
}

// inspect finds out what the filters of a member look at, and clears lean or sets far accordingly. It returns
// false if a filter may look at any pod anywhere. That is so with a claim that allows a single pod, because
// it counts uses in the whole cluster (rule 7.8.6). A filter of the caller says which pods concern it, and
// does not see removed pods.
//
// InterPodAffinity has something to say if a member has terms, or if a running pod's anti-affinity picks a
// member. If neither is so with all pods in place, it stays so (rule 7.13.15): removing pods leaves fewer
// that could pick a member, and members without terms do not pick each other.
func (f *fitter) inspect(a *dryrun.Attempt) bool {
	pod := a.Asked.Pod
	if slices.ContainsFunc(pod.Volumes, func(v outrank.Volume) bool { return v.OncePod }) {
		return false
	}

	affinity := &pod.Affinity
	f.far = f.far || len(affinity.PodAffinity)+len(affinity.PodAntiAffinity) > 0
	for _, active := range a.Plan.Active {
		switch active.PodFilter.(type) {
		case *filters.FixedFilter, *filters.RuleAttempt:
		case *filters.WantedPorts, *filters.RestrictedVolumes, *filters.WantedVolumes:
			f.lean = false
		case *filters.InterPod, *filters.Spread:
			f.far = true
		case *filters.CallerFilter:
			f.far = true
		default:
			return false
		}
	}
	return true
}

// makeKinds gives each member its kind. With far, each member has a kind of its own, because its filters have
// counted the members before it.
func (f *fitter) makeKinds() {
	kinds := map[string]*memberKind{}
	for i := range f.members {
		m := &f.members[i]
		known, _ := f.snap.PodStates.Of(m.pod)
		m.runs = f.snap.RunningPod(m.pod, known.Class)
		if m.nomination = known.Nominated(); m.nomination != "" {
			m.nominated = f.positionOf[f.snap.NodeState(m.nomination).Slot]
			f.nominees[m.pod] = true
		}

		// A nomination takes room from other members, but not from the nominated member itself. So that
		// member gets a kind of its own.
		if m.nominated != nowhere {
			m.signature = ""
		}
		if m.kind = kinds[m.signature]; m.kind == nil || m.signature == "" || f.far {
			m.kind = f.newKind(m.attempt)
			kinds[m.signature] = m.kind
		}
	}
	if f.far {
		f.findRules()
	}
}
