package dryrun

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Attempt is one preemptor with everything that can be prepared before the
// first node (PreFilter). Workers share it and do not change it.
type Attempt struct {
	// Snap and Pod are what the question is about, and Resident is the pod as its node counts it,
	// nil where it is not on one.
	Snap     *state.Snapshot
	Pod      *outrank.Pod
	Resident *state.PodState
	// Asked is the question as filters read it, and Plan says which of them have a say.
	Asked  filters.Question
	Plan   filters.Plan
	Config *Terms
	Ranks  []preemption.Rank
	Now    time.Time
	NowAt  rank.Instant
	// Elsewhere is set if the caller gave the statuses of the nodes, so that no filter was
	// asked about them as they are.
	Elsewhere bool
	// AskedOne is set if a node was asked before the others, and the statuses of these have
	// its answer in them.
	AskedOne bool
	// heard is the first answer of the nominated node, if it was asked.
	heard heard
	// ctx is that of the call. An attempt lasts no longer.
	ctx context.Context
	// guard is the caller's, as it begins; nil without one that has something to say.
	guard preemption.GuardState
	// Offset is where a sample begins.
	Offset int
	// Reach is the priority below which pods may be victims: the preemptor's, or more than
	// any if another rule says which pods may.
	Reach int64
}

// heard is what the nominated node said before all others.
type heard struct {
	node   string // empty for none
	status filters.Status
}

// NewAttempt begins an attempt for a preemptor on a snapshot.
func NewAttempt(ctx context.Context, config *Terms, snap *state.Snapshot, pod *outrank.Pod, now time.Time) (*Attempt, error) {
	a := &Attempt{}
	return a, a.Start(ctx, config, snap, &preemption.Request{Pod: pod, Now: now})
}

// Start prepares an attempt. It reuses the memory of an earlier one. Where the context ends, exact
// victims are searched for no more, and what nodes answer then is not to be used.
func (a *Attempt) Start(ctx context.Context, config *Terms, snap *state.Snapshot, req *preemption.Request) error {
	pod, now := req.Pod, req.Now
	if err := filters.CheckAsker(snap, pod); err != nil {
		return err
	}
	a.Config, a.Ranks, a.Now, a.NowAt, a.Elsewhere, a.AskedOne = config, config.Ranks, now, rank.InstantOf(now), false, false
	a.heard, a.ctx, a.Offset = heard{}, ctx, req.Offset
	deferral := filters.DeferralOf(snap, pod)
	a.Snap, a.Pod, a.Resident = snap, pod, deferral.Resident
	if a.Ranks == nil {
		a.Ranks = UsualRanks
	}
	a.Asked = filters.Question{
		Snap: snap, Rules: snap.Rules, Pod: pod, Priority: pod.PriorityValue(), Needs: filters.AppendNeeds(snap.Columns, a.Asked.Needs[:0], pod),
		Deferral: deferral, Schedulers: config.Profile.Schedulers,
	}
	if a.Reach = int64(a.Asked.Priority); config.Eligibility.AnyPriority {
		a.Reach = math.MaxInt64
	}
	if err := a.Asked.Configure(ctx, &config.Profile); err != nil {
		return err
	}
	a.Plan.Begin(&a.Asked)
	if err := a.beginGuard(); err != nil {
		return err
	}
	return a.beginCallers()
}

// Warnings are what no filter reads of the pod.
func (a *Attempt) Warnings() []outrank.Problem {
	if len(a.Pod.ResourceClaims) == 0 {
		return nil
	}
	return prose.Unread(a.Pod, func(yield func(string) bool) {
		for _, f := range a.Config.Filters {
			if !yield(f.Name) {
				return
			}
		}
	})
}

// ended reports whether the context of the call has ended.
func (a *Attempt) ended() bool { return a.ctx.Err() != nil }

// beginCallers starts the caller's filters. They run last.
func (a *Attempt) beginCallers() error {
	for i, f := range a.Config.Filters {
		pf, err := filters.Begun(f, &a.Asked)
		if err != nil {
			return fmt.Errorf("filter %s: pod %s: %w", f.Name, a.Pod.Key(), err)
		}
		if pf != nil {
			a.Plan.Add(pf, filters.FirstOfCaller+i)
		}
	}
	return nil
}

// Release drops everything but memory.
func (a *Attempt) Release() {
	a.Plan.Begin(nil)
	*a = Attempt{Asked: filters.Question{Needs: a.Asked.Needs[:0]}, Plan: a.Plan}
}

// ResourcesAlone reports whether NodeResourcesFit is the only filter after the
// first node filters with something to say.
func (a *Attempt) ResourcesAlone() bool { return len(a.Plan.Active) == 0 }

// MoreImportant orders pods by importance, or as the caller defined it.
func (a *Attempt) MoreImportant(p, q *state.PodState) int {
	if c := a.CompareByRule(p, q); c != 0 {
		return c
	}
	return p.Compare(q, a.NowAt)
}

// CompareByRule is MoreImportant as far as the caller's importance and the variant go. It
// is 0 where priority and start decide, and does not depend on the time of the call.
func (a *Attempt) CompareByRule(p, q *state.PodState) int {
	if a.Config.Importance != nil {
		if c := a.Config.Importance(p.Pod, q.Pod); c != 0 {
			return c
		}
	}
	if !a.Config.ByVariant().IgnoresStart {
		return 0
	}
	return cmp.Or(
		cmp.Compare(q.Priority(), p.Priority()),
		cmp.Compare(p.Pod.NamespaceName(), q.Pod.NamespaceName()),
		cmp.Compare(p.Pod.Name, q.Pod.Name),
	)
}

// MayEvict reports whether a pod could be a victim.
func (a *Attempt) MayEvict(p *state.PodState) bool {
	if p == a.Resident {
		return false // never itself (rule 7.19.6)
	}
	lower := int64(p.Priority()) < a.Reach || a.Config.OfAnyPriority(p)
	return lower && a.Config.Allows(a.Pod, p.Pod)
}

// takesAllBelow reports whether the possible victims on a node are its pods of lower priority.
func (a *Attempt) takesAllBelow(n *state.NodeState) bool {
	return !a.Config.AsksAbout() && !a.Config.ByVariant().TakesUnprioritized && a.Resident == nil && !a.HasUnits(n)
}

// beginGuard starts the caller's guard for an attempt.
func (a *Attempt) beginGuard() error {
	a.guard = nil
	if a.Config.Guard == nil {
		return nil
	}
	state, err := a.Config.Guard.Start([]*outrank.Pod{a.Pod}, a.Snap.Within(a.ctx))
	if err != nil {
		return fmt.Errorf("guard %s: pod %s: %w", a.Config.Guard.Name, a.Pod.Key(), err)
	}
	a.guard = state
	return a.ctx.Err() // what it was shown may have ended with that
}

// ClearedNominations are the pods of lower priority nominated to the node, other
// than the preemptor itself (rule 14.3.3). Where every victim is being deleted
// already, a plan that is carried out asynchronously clears none (rule 14.2.6).
func (a *Attempt) ClearedNominations(n *state.NodeState, victims []preemption.Victim) []*outrank.Pod {
	always := a.Config.ByVariant().clearsAlways || !release.Release(a.Snap.Of).Asynchronous()
	if !always && !slices.ContainsFunc(victims, func(v preemption.Victim) bool { return !v.Pod.Terminating() }) {
		return nil
	}
	var out []*outrank.Pod
	for _, p := range n.Nominated {
		if p.Priority() < a.Asked.Priority && a.Asked.Counts(p) {
			out = append(out, p.Located())
		}
	}
	return out
}
