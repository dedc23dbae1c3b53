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

// newFitter returns a fitter for pods of the group. The snapshot has the pods that the
// members have to do with at first, and the group's pods pending.
func (r *run) newFitter(ctx context.Context, pods []*outrank.Pod) (*fitter, error) {
	f := &fitter{
		run: r, snap: r.work, look: &r.look, lean: true, version: 1,
		sites: make([]site, len(r.work.Order)), positionOf: make([]int32, len(r.work.NodeStates)),
		nominees: map[*outrank.Pod]bool{},
	}
	if len(r.terms.Filters) > 0 {
		r.work.BeginTrial()
		f.concerns = concernsOf(r.terms.Filters)
		// One that has nothing to say at first may have once others are away.
		f.far = slices.ContainsFunc(r.terms.Filters, func(own *preemption.Filter) bool { return own.Start != nil })
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
		if !f.judge(f.members[i].attempt) {
			f.opaque, f.lean, f.far = true, false, true
		}
	}
	for slot := range f.positionOf {
		f.positionOf[slot] = nowhere
	}
	for i, slot := range r.work.Order {
		n, all := r.work.NodeStates[slot], r.snap.NodeStates[slot]
		f.positionOf[slot] = int32(i)
		f.sites[i] = site{version: f.version, count: int32(len(n.Pods)), taken: n.Taken}
		if f.sites[i].taken.Extra = slices.Clone(n.Taken.Extra); len(all.Taken.Extra) == 0 {
			f.sites[i].rows = all.Rows
		}
	}
	f.part()
	return f, nil
}

// concernsOf returns which pods concern any of the filters that look at pods.
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

// judge finds out what the filters of a member look at. It reports false for a
// filter that may look at any pod anywhere: claims that allow a single pod are in use in
// the whole cluster or nowhere (rule 7.8.6). A filter of the caller says which pods concern
// it, and sees the cluster without those that are away.
//
// InterPodAffinity has something to say in the whole cluster if a member has terms,
// or if a running pod's anti-affinity picks one. If neither is so while all pods are
// there, it never will be (rule 7.13.15): with pods away there are fewer, and
// members without terms do not pick each other.
func (f *fitter) judge(a *dryrun.Attempt) bool {
	if slices.ContainsFunc(a.Asked.Pod.Volumes, func(v outrank.Volume) bool { return v.OncePod }) {
		return false
	}
	f.far = f.far || len(a.Asked.Pod.Affinity.PodAffinity)+len(a.Asked.Pod.Affinity.PodAntiAffinity) > 0
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

// part parts the members into kinds. If far, each is a kind of its own: its filters have counted the
// members before it.
func (f *fitter) part() {
	kinds := map[string]*memberKind{}
	for i := range f.members {
		m := &f.members[i]
		known, _ := f.snap.PodStates.Of(m.pod)
		m.runs = f.snap.RunningPod(m.pod, known.Class)
		if m.nomination = known.Nominated(); m.nomination != "" {
			m.nominated = f.positionOf[f.snap.NodeState(m.nomination).Slot]
			f.nominees[m.pod] = true
		}
		if m.nominated != nowhere {
			m.signature = "" // its own nomination is not in its way
		}
		if m.kind = kinds[m.signature]; m.kind == nil || m.signature == "" || f.far {
			m.kind = f.newKind(m.attempt)
			kinds[m.signature] = m.kind
		}
	}
	if f.far {
		f.shareRules()
	}
}
