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

// Attempt is one preemptor with everything that is prepared before the first node (PreFilter). Workers share
// it and do not change it.
type Attempt struct {
	// Snap is the snapshot that is asked, and Pod the preemptor.
	Snap *state.Snapshot
	Pod  *outrank.Pod
	// Resident is the preemptor as its node counts it, if it runs there and asks for room for a resize (group
	// 7.19). It is nil for a pod that waits for a node.
	Resident *state.PodState
	// Asked is the question in the form that filters read, and Plan has the filters that have something to
	// say about it.
	Asked filters.Question
	Plan  filters.Plan
	// Config is the configuration. Ranks are its ranks, or the default ones if it has none.
	Config *Terms
	Ranks  []preemption.Rank
	// Now is the time of the call, and NowAt the same time in the form in which starts are compared.
	Now   time.Time
	NowAt rank.Instant
	// Elsewhere is set if the caller gave the statuses of the nodes, so that the filters have not been asked.
	Elsewhere bool
	// AskedOne is set if the nominated node was asked first and the statuses of excluded nodes may name the
	// filter that it failed (rule 7.15.9).
	AskedOne bool
	// heard is the first answer of the nominated node, if it was asked before the others.
	heard heard
	// ctx is the context of the call. An attempt lasts no longer than the call.
	ctx context.Context
	// guard is the initial state of the caller's guard. It is nil without a guard, or if the guard has
	// nothing to say about the preemptor.
	guard preemption.GuardState
	// Offset is the offset at which a sample begins.
	Offset int
	// Reach is the priority below which pods may be victims: the preemptor's own, or more than any priority
	// if pods of any priority may be.
	Reach int64
}

// heard is the answer that the nominated node gave before all others were asked.
type heard struct {
	node   string // empty if no node was asked first
	status filters.Status
}

// NewAttempt begins an attempt for a preemptor on a snapshot.
func NewAttempt(ctx context.Context, config *Terms, snap *state.Snapshot, pod *outrank.Pod, now time.Time) (*Attempt, error) {
	a := &Attempt{}
	return a, a.Start(ctx, config, snap, &preemption.Request{Pod: pod, Now: now})
}

// Start prepares an attempt in the memory of an earlier one. Once the context has ended, a search for exact
// victims ends early, so that the answers of nodes must not be used.
func (a *Attempt) Start(ctx context.Context, config *Terms, snap *state.Snapshot, req *preemption.Request) error {
	pod := req.Pod
	if err := filters.CheckAsker(snap, pod); err != nil {
		return err
	}

	// Every field is set anew, so that nothing of an earlier attempt stays but the memory of Needs and of
	// Plan.
	deferral := filters.DeferralOf(snap, pod)
	a.Snap, a.Pod, a.Resident = snap, pod, deferral.Resident
	a.Config, a.Ranks = config, config.Ranks
	if a.Ranks == nil {
		a.Ranks = UsualRanks
	}
	a.Now, a.NowAt, a.Offset = req.Now, rank.InstantOf(req.Now), req.Offset
	a.Elsewhere, a.AskedOne = false, false
	a.heard, a.ctx = heard{}, ctx

	a.Asked = filters.Question{
		Snap: snap, Rules: snap.Rules, Pod: pod, Priority: pod.PriorityValue(), Needs: filters.AppendNeeds(snap.Columns, a.Asked.Needs[:0], pod),
		Deferral: deferral, Schedulers: config.Profile.Schedulers, TriesTooSmall: config.ByVariant().triesTooSmall,
	}
	if a.Reach = int64(a.Asked.Priority); config.Eligibility.AnyPriority {
		a.Reach = math.MaxInt64
	}

	// The plan and the filters read the question, so that it must be complete before. The caller's filters
	// come after the built-in ones (rule 7.1.4).
	if err := a.Asked.Configure(ctx, &config.Profile); err != nil {
		return err
	}
	a.Plan.Begin(&a.Asked)
	if err := a.beginGuard(); err != nil {
		return err
	}
	return a.beginCallers()
}

// Warnings returns a warning for each demand of the pod that no filter reads (rules 7.10.4 and 7.14.7). A filter of
// the caller counts as reading claims for devices if its name says so.
func (a *Attempt) Warnings() []outrank.Problem {
	return prose.Unread(a.Pod, func(yield func(string) bool) {
		for _, f := range a.Config.Filters {
			if !yield(f.Name) {
				return
			}
		}
	})
}

// ended reports whether the context of the call has ended, and interruption returns its error.
func (a *Attempt) ended() bool { return a.ctx.Err() != nil }

func (a *Attempt) interruption() error { return a.ctx.Err() }

// beginCallers starts the caller's filters. They run after the built-in ones.
func (a *Attempt) beginCallers() error {
	for i, f := range a.Config.Filters {
		pf, err := filters.Begun(f, &a.Asked)
		if err != nil {
			return fmt.Errorf("filter %s: pod %s: %w", f.Name, a.Pod.Key(), err)
		}

		if pf != nil { // nil: the filter has nothing to say about the pod
			a.Plan.Add(pf, filters.FirstOfCaller+i)
		}
	}
	return nil
}

// Release drops all references to the caller's data and keeps the memory for a later attempt.
func (a *Attempt) Release() {
	a.Plan.Begin(nil)
	*a = Attempt{Asked: filters.Question{Needs: a.Asked.Needs[:0]}, Plan: a.Plan}
}

// ResourcesAlone reports whether only the first node filters and NodeResourcesFit have something to say.
func (a *Attempt) ResourcesAlone() bool { return len(a.Plan.Active) == 0 }

// MoreImportant compares pods by importance: negative if p is more important. The caller's order decides
// first, then the variant's, then group 4.3.
func (a *Attempt) MoreImportant(p, q *state.PodState) int {
	if c := a.CompareByRule(p, q); c != 0 {
		return c
	}
	return p.Compare(q, a.NowAt)
}

// CompareByRule is the part of MoreImportant by the caller's order and the variant. It returns 0 if priority
// and start have to decide. Its result does not depend on the time of the call.
func (a *Attempt) CompareByRule(p, q *state.PodState) int {
	if a.Config.Importance != nil {
		if c := a.Config.Importance(p.Pod, q.Pod); c != 0 {
			return c
		}
	}

	// The variant settles only ties of priority (rule 13.2.1), so that priority is compared first.
	if !a.Config.ByVariant().IgnoresStart {
		return 0
	}
	return cmp.Or(
		cmp.Compare(q.Priority(), p.Priority()),
		cmp.Compare(p.Pod.NamespaceName(), q.Pod.NamespaceName()),
		cmp.Compare(p.Pod.Name, q.Pod.Name),
	)
}

// MayEvict reports whether a pod may be a victim, apart from what a guard says.
func (a *Attempt) MayEvict(p *state.PodState) bool {
	if p == a.Resident {
		return false // a pod is never its own victim (rule 7.19.6)
	}
	lower := int64(p.Priority()) < a.Reach || a.Config.OfAnyPriority(p)
	return lower && a.Config.Allows(a.Pod, p.Pod)
}

// takesAllBelow reports whether the possible victims on a node are exactly its pods of lower
// priority, each by itself.
func (a *Attempt) takesAllBelow(n *state.NodeState) bool {
	return !a.Config.AsksAbout() && !a.Config.ByVariant().TakesUnprioritized && a.Resident == nil && !a.HasUnits(n)
}

// beginGuard starts the caller's guard, if there is one.
func (a *Attempt) beginGuard() error {
	a.guard = nil
	guard := a.Config.Guard
	if guard == nil {
		return nil
	}

	began, err := startGuard(guard, a.Pod, a.Snap.Within(a.ctx))
	if err != nil {
		return err
	}
	a.guard = began
	return a.ctx.Err() // the view that the guard was given may have ended with the context
}

// startGuard starts a guard for a preemptor. A nil state means that the guard has nothing to say.
func startGuard(guard *preemption.Guard, pod *outrank.Pod, view preemption.View) (preemption.GuardState, error) {
	began, err := guard.Start([]*outrank.Pod{pod}, view)
	if err != nil {
		return nil, fmt.Errorf("guard %s: pod %s: %w", guard.Name, pod.Key(), err)
	}
	return began, nil
}

// ClearedNominations lists the pods of lower priority that are nominated to the node, without the preemptor
// (rule 14.3.3). They lose their nominations when the plan is carried out. With asynchronous preemption none
// does if every victim is already being deleted (rule 14.2.6).
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
