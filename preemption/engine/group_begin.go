package engine

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
func (r *groupRun) newFitter(ctx context.Context, pods []*outrank.Pod) (*fitter, error) {
	f := &fitter{
		run: r, snap: r.work, look: &r.look, lean: true, version: 1,
		sites: make([]site, len(r.work.Order)), positionOf: make([]int32, len(r.work.NodeStates)),
		nominees: map[*outrank.Pod]bool{},
	}
	if len(r.config.Filters) > 0 {
		r.work.BeginTrial()
		f.concerns = concernsOf(r.config.Filters)
	}
	var attempts []*dryrun.Attempt
	for _, pod := range pods {
		a, err := dryrun.NewAttempt(ctx, r.config, r.work, pod, time.Time{})
		if err != nil {
			return nil, err
		}
		if !f.judge(a) {
			f.opaque, f.lean, f.far = true, false, true
		}
		attempts = append(attempts, a)
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
	f.addMembers(attempts)
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

// addMembers parts the members into kinds. If far, each is a kind of its own: its
// filters have counted the members before it.
func (f *fitter) addMembers(attempts []*dryrun.Attempt) {
	kinds := map[string]*memberKind{}
	for _, a := range attempts {
		known, _ := f.snap.PodStates.Of(a.Asked.Pod)
		m := member{
			pod: a.Asked.Pod, at: nowhere, nominated: nowhere,
			runs: f.snap.RunningPod(a.Asked.Pod, known.Class),
		}
		if m.nomination = known.Nominated(); m.nomination != "" {
			m.nominated = f.positionOf[f.snap.NodeState(m.nomination).Slot]
			f.nominees[a.Asked.Pod] = true
		}
		signature := signatureOf(a)
		if m.nominated != nowhere {
			signature = "" // its own nomination is not in its way
		}
		if m.kind = kinds[signature]; m.kind == nil || signature == "" || f.far {
			m.kind = f.newKind(a)
			kinds[signature] = m.kind
		}
		f.members = append(f.members, m)
	}
	if f.far {
		f.shareRules()
	}
}
