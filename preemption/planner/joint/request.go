package joint

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// defaultLimit is the number of steps that each search may take if [Request].Limit is zero.
const defaultLimit = 200_000

// Request asks for room for several pending pods at once.
type Request struct {
	// Pods lists the pending pods in the order in which they arrived. They are taken in the order of the
	// queue: the highest priority first, and pods of equal priority as they stand here.
	Pods []*outrank.Pod
	// Now stands in for missing start times.
	Now time.Time
	// Limit is the number of steps that each of three searches may take: the relaxation, the search for a
	// better plan, and the proof that no plan is better (rule 25.4.1). With Moves there is a fourth one. A
	// question to a node is a step. Zero means 200,000, which takes some seconds at most on 1,000 nodes. The
	// limit counts steps and not time, so that the same input has the same answer.
	Limit int
	// Moves sets the cost of each kind of loss, none below 0, and makes plans compare by what becomes of the
	// work of their victims (group 25.6): a victim whose controller creates it again may find a place on
	// another node. The sum of the costs is Score.Own["moves"] of the totals. It takes the place of a rank
	// named "moves". Without such a rank it is compared right after the violations if they are the first rank,
	// and before all ranks otherwise. Nil means that nothing is asked about replacements. The zero LossCosts
	// mean 1 for a victim that moves, 20 for one that waits and 100 for one that is lost.
	Moves *LossCosts
}

// losses returns the costs of losses with their defaults, or nil if nothing is asked about replacements.
func (r *Request) losses() *LossCosts {
	if r.Moves == nil {
		return nil
	}
	costs := *r.Moves
	if costs == (LossCosts{}) {
		costs = LossCosts{Moved: 1, Waits: 20, Lost: 100}
	}
	return &costs
}

// queued returns the pods in the order of the queue (rule 25.1.1).
func (r *Request) queued() []*outrank.Pod {
	pods := slices.Clone(r.Pods)
	slices.SortStableFunc(pods, func(a, b *outrank.Pod) int {
		return cmp.Compare(b.PriorityValue(), a.PriorityValue())
	})
	return pods
}

// problems lists everything that is wrong with the request.
func (r *Request) problems() (ps []outrank.Problem) {
	add := func(object, field, text string) {
		ps = append(ps, outrank.Problem{Object: object, Field: field, Text: text})
	}
	if r.Limit < 0 {
		add("joint request", "Limit", fmt.Sprintf("%d is negative", r.Limit))
	}
	if m := r.Moves; m != nil && min(m.Moved, m.Waits, m.Lost) < 0 {
		add("joint request", "Moves", fmt.Sprintf("%+v has a cost below 0", *m))
	}

	// Two versions of one pod cannot both run.
	seen := map[outrank.Key]bool{}
	for i, pod := range r.Pods {
		if pod == nil {
			add("joint request", fmt.Sprintf("Pods[%d]", i), "missing")
			continue
		}
		if seen[pod.Key()] {
			add("joint request", fmt.Sprintf("Pods[%d]", i), fmt.Sprintf("%s is there twice", pod.Key()))
		}
		seen[pod.Key()] = true
	}
	return ps
}

// check returns an error that lists everything wrong with the request, and every setting of the configuration
// that only makes sense for a single pod.
func (r *Request) check(config *preemption.Config) error {
	ps := r.problems()
	add := func(object, field, text string) {
		ps = append(ps, outrank.Problem{Object: object, Field: field, Text: text})
	}
	if _, own := config.Victims.(preemption.Chooser); own {
		add("preemption config", "Victims", "a chooser chooses victims for one pod, and several share them")
	}
	r.checkRanks(config.Ranks, add)
	if len(config.Extenders) > 0 {
		add("preemption config", "Extenders", "they change nodes for one pod, not plans for several")
	}
	if config.Budgets == preemption.NeverViolate {
		add("preemption config", "Budgets", "that none is violated is kept for one decision, and the victims of several are charged together")
	}

	if len(ps) > 0 {
		return fmt.Errorf("planning jointly: %w", &outrank.InputError{Problems: ps})
	}
	return nil
}

// checkRanks adds a problem for each rank by which plans for several pods cannot be compared. With Moves the
// costs of losses replace a rank named "moves", so its own cost is not counted (rule 25.6.3).
func (r *Request) checkRanks(ranks []preemption.Rank, add func(object, field, text string)) {
	costs := 0
	for i := range ranks {
		field := fmt.Sprintf("Ranks[%d]", i)
		if ranks[i].Figure != nil {
			add("preemption config", field+".Figure", "it compares nodes for one pod, not plans for several")
		}
		if ranks[i].Cost == nil || r.Moves != nil && ranks[i].Name == byMoves.name {
			continue
		}
		if costs++; costs > 1 {
			add("preemption config", field+".Cost", "plans are searched for by one cost, and there is another")
		}
	}
}

// pending returns a clone of the caller's snapshot in which the pods of the request are pending. The pods in bare
// lose their nominations. The error is about a pod that already runs, has finished, or bears another pod's name.
func pending(snap *engine.Snapshot, pods []*outrank.Pod, bare map[*outrank.Pod]bool) (*engine.Snapshot, error) {
	s := snap.Clone()
	for _, pod := range pods {
		// The pod must not run, must not have finished, and must be the pod that the snapshot knows by its name.
		known, ok := s.Pod(pod.Key())
		switch {
		case pod.NodeName != "" || ok && s.NodeOf(pod.Key()) != "":
			return nil, fmt.Errorf("pod %s runs: %w", pod.Key(), preemption.ErrState)
		case pod.Finished():
			return nil, fmt.Errorf("pod %s: %w: it has finished", pod.Key(), preemption.ErrState)
		case ok && known.UID != pod.UID && known.UID != "" && pod.UID != "":
			return nil, fmt.Errorf("pod %s: %w: another pod has its name", pod.Key(), preemption.ErrState)
		}

		// The request may hold another version of the pod than the snapshot; the request's version counts.
		if known != pod {
			if err := putPending(s, pod, ok); err != nil {
				return nil, err
			}
		}
		if bare[pod] && s.NominationOf(pod.Key()) != "" {
			if err := s.Nominate(pod.Key(), ""); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// putPending puts the request's version of a pending pod into a snapshot. That version may be older than the
// known one, so a known pod keeps the nomination that it has in the snapshot.
func putPending(s *engine.Snapshot, pod *outrank.Pod, known bool) error {
	nominated := s.NominationOf(pod.Key())
	if known {
		if err := s.RemovePod(pod.Key()); err != nil {
			return err
		}
	}
	if _, err := s.PutPod(pod); err != nil {
		return err
	}

	if !known || s.NominationOf(pod.Key()) == nominated {
		return nil
	}
	if _, there := s.Node(nominated); !there {
		nominated = "" // a nomination to a node that does not exist is dropped
	}
	return s.Nominate(pod.Key(), nominated)
}

// member is a pod to be placed.
type member struct {
	pod *outrank.Pod
	// position is the index of the pod in the queue.
	position int
	// kind is the same number for pods that are equal but for their names.
	kind int
	// evicts is set if the pod may preempt.
	evicts bool
	// loose is set if evicting further pods can make the pod fit no longer, such as a pod that it has affinity
	// to, or make a guard refuse. Evicting fewer pods can then be what helps.
	loose bool
}

// coupled reports whether what happens on one node can decide whether the pod fits on another.
func (m *member) coupled() bool {
	return m.loose || len(m.pod.Affinity.PodAntiAffinity)+len(m.pod.Volumes) > 0
}

// newMember describes a pod before any pod is placed. In the snapshot all pods of the request are pending with
// their nominations, because a pod that is nominated may have to wait and then may not preempt.
func newMember(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, pod *outrank.Pod, now time.Time) (*member, error) {
	plan, err := eval.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: now})
	if err != nil {
		return nil, err
	}
	config := eval.Config()
	others := len(pod.Affinity.PodAffinity) + len(pod.TopologySpreadConstraints) + len(config.Profile.DefaultConstraints)
	return &member{
		pod:    pod,
		evicts: plan.Ineligible == "",
		loose:  others+len(config.Filters) > 0 || config.Guard != nil,
	}, nil
}

// numberKinds sets the kind of each member: pods that differ only in their names share a number.
func numberKinds(queue []*member) {
	var seen []*member
	for _, m := range queue {
		m.kind = slices.IndexFunc(seen, func(o *member) bool {
			return m.evicts == o.evicts && reflect.DeepEqual(nameless(m.pod), nameless(o.pod))
		})
		if m.kind < 0 {
			m.kind = len(seen)
			seen = append(seen, m)
		}
	}
}

// nameless returns a copy of the pod without the fields in which the replicas of one controller differ.
func nameless(pod *outrank.Pod) *outrank.Pod {
	p := *pod
	p.Name, p.UID = "", ""
	p.NominatedNodeName = ""
	p.Value = nil
	return &p
}
