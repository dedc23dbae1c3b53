package preemption

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// attempt is one preemptor with everything that can be prepared before the
// first node (PreFilter). Workers share it and do not change it.
type attempt struct {
	filters.Question
	filters.Plan
	config *Config
	ranks  []decision.Rank
	now    time.Time
	nowAt  rank.Instant
	// elsewhere: the caller gave the statuses of the nodes, so that no filter was asked
	// about them as they are.
	elsewhere bool
	// heard: a node was asked before the others, and what it said is in their statuses.
	heard bool
	// refusal is what the caller has against the pod's preemption.
	refusal string
	// guard is the caller's, as it begins; nil without one that has something to say.
	guard GuardState
	// reach: pods below it may be victims. It is the preemptor's priority, or more than any
	// where another rule says who may.
	reach int64
}

func newAttempt(config *Config, snap *state.Snapshot, pod *outrank.Pod, now time.Time) (*attempt, error) {
	a := &attempt{}
	return a, a.begin(config, snap, pod, now)
}

// begin prepares an attempt. It reuses the memory of an earlier one.
func (a *attempt) begin(config *Config, snap *state.Snapshot, pod *outrank.Pod, now time.Time) error {
	if err := config.checkRelease(snap); err != nil {
		return err
	}
	if err := filters.CheckAsker(snap, pod); err != nil {
		return err
	}
	a.config, a.ranks, a.now, a.nowAt, a.elsewhere, a.heard = config, config.Policy.Ranks, now, rank.InstantOf(now), false, false
	if a.ranks == nil {
		a.ranks = usualRanks
	}
	a.Question = filters.Question{
		Snap: snap, Rules: snap.Rules, Pod: pod, Priority: pod.PriorityValue(), Needs: filters.AppendNeeds(snap.Columns, a.Needs[:0], pod),
		Deferral: filters.DeferralOf(snap, pod), Schedulers: config.Schedulers,
	}
	if a.reach = int64(a.Priority); config.unranked() {
		a.reach = math.MaxInt64
	}
	if err := a.Configure(&config.Plugins); err != nil {
		return err
	}
	a.Plan.Begin(&a.Question)
	if err := a.beginGuard(); err != nil {
		return err
	}
	return a.beginCallers()
}

// beginCallers starts the caller's filters. They run last.
func (a *attempt) beginCallers() error {
	for i, f := range a.config.Filters {
		pf, err := filters.Begun(f, &a.Question)
		if err != nil {
			return fmt.Errorf("filter %s: pod %s: %w", f.Name(), a.Pod.Key(), err)
		}
		if pf != nil {
			a.Plan.Add(pf, filters.FirstOfCaller+i)
		}
	}
	return nil
}

// release drops everything but memory.
func (a *attempt) release() {
	clear(a.Active)
	*a = attempt{
		Question: filters.Question{Needs: a.Needs[:0]}, Plan: filters.Plan{Active: a.Active[:0]},
	}
}

// resourcesAlone reports whether NodeResourcesFit is the only filter after the
// first node filters with something to say.
func (a *attempt) resourcesAlone() bool { return len(a.Active) == 0 }

// moreImportant orders pods by importance, or as the caller defined it.
func (a *attempt) moreImportant(p, q *state.PodState) int {
	if a.config.Importance != nil {
		if c := a.config.Importance(p.Pod, q.Pod); c != 0 {
			return c
		}
	}
	if a.config.variant().ignoresStart {
		return cmp.Or(
			cmp.Compare(q.Priority(), p.Priority()),
			cmp.Compare(p.Pod.NamespaceName(), q.Pod.NamespaceName()),
			cmp.Compare(p.Pod.Name, q.Pod.Name),
		)
	}
	return p.Compare(q, a.nowAt)
}

// mayEvict reports whether a pod could be a victim.
func (a *attempt) mayEvict(p *state.PodState) bool {
	if p == a.Deferral.Resident {
		return false // never itself (rule 7.19.6)
	}
	lower := int64(p.Priority()) < a.reach || a.ofAnyPriority(p)
	return lower && a.config.allows(a.Pod, p.Pod)
}

// ofAnyPriority reports whether a pod may be a victim whatever its priority is.
func (a *attempt) ofAnyPriority(p *state.PodState) bool {
	return a.config.unranked() || a.config.variant().takesUnprioritized && p.Pod.Priority == nil
}

// beginGuard starts the caller's guard for an attempt.
func (a *attempt) beginGuard() error {
	a.guard = nil
	if a.config.Guard == nil {
		return nil
	}
	state, err := a.config.Guard.Start(a.Pod, a.Snap)
	if err != nil {
		return fmt.Errorf("guard %s: pod %s: %w", a.config.Guard.Name(), a.Pod.Key(), err)
	}
	a.guard = state
	return nil
}

// public returns the Status of a Status, with its texts.
func (a *attempt) public(s filters.Status) decision.Status {
	if s.Code == decision.Success {
		return decision.Status{}
	}
	out := decision.Status{Code: s.Code, Filter: s.Filter, Reasons: s.Text}
	switch {
	case s.Excluded:
		out.Filter, out.ExcludedBy = "", s.Filter
	case s.By == filters.ByGuard:
		out.Filter = a.config.Guard.Name()
	case s.By >= filters.FirstOfCaller:
		out.Filter = a.config.Filters[s.By-filters.FirstOfCaller].Name()
	case s.By > filters.ByNone:
		out.Filter = filters.BuiltIn[s.By].Name
	}
	if s.By == filters.ResourcesFilter.Index {
		out.Reasons = a.Shortages(s)
	}
	return out
}

// clearedNominations are the pods of lower priority nominated to the node, other
// than the preemptor itself (rule 14.3.3). Where every victim is being deleted
// already, a plan that is carried out asynchronously clears none (rule 14.2.6).
func (a *attempt) clearedNominations(n *state.NodeState, victims []decision.Victim) []*outrank.Pod {
	always := a.config.variant().clearsAlways || !release.Release(a.Snap.Of).Asynchronous()
	if !always && !slices.ContainsFunc(victims, func(v decision.Victim) bool { return !v.Terminating() }) {
		return nil
	}
	var out []*outrank.Pod
	for _, p := range n.Nominated {
		if p.Priority() < a.Priority && a.Heeds(p) {
			out = append(out, p.Located())
		}
	}
	return out
}
