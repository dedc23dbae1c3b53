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

// defaultLimit is how many steps each of the searches takes at most where [Request].Limit says
// nothing.
const defaultLimit = 200_000

// Request asks for room for several pending pods at once.
type Request struct {
	// Pods wait for a place, in the order in which they came. They are taken in the order
	// of the queue: the highest priority first, and equal ones as they stand here.
	Pods []*outrank.Pod
	// Now stands in for missing start times.
	Now time.Time
	// Limit is how many steps each of the three searches may take: the relaxation, the search for
	// a better plan, and the one that proves it the best (rule 25.4.1). With Moves there is one more.
	// A question to a node is a step. Zero means 200,000, some seconds at most on 1,000 nodes. The limit
	// counts steps and not time, so that the same input has the same answer.
	Limit int
	// Moves says what each kind of loss costs, none below 0, and has the plan go by what becomes of the
	// work of its victims (group 25.6): a victim whose controller makes it again may find a place on another
	// node. The sum of the costs is a figure of its own, Score.Own["moves"] of totals. It is compared in
	// place of what a rank of that name says; without one, right after the violations if they come first,
	// and else before all ranks. Nil means that nothing is asked about replacements. With the zero LossCosts
	// a victim that moves costs 1, one that waits 20 and one that is lost 100.
	Moves *LossCosts
}

// losses returns the costs of losses, nil where nothing is asked about them.
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

// check returns everything that is wrong with the request, and with the configuration where it decides about
// one pod and not about several.
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

// checkRanks adds a problem for each rank by which plans for several pods cannot be compared. The cost of a
// rank named moves does not count where the costs of losses take its place (rule 25.6.3).
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

// pending returns a snapshot like the caller's in which the pods are pending, as they
// stand in the request. Those in bare lose their nominations. The error is about a pod that cannot be pending.
func pending(snap *engine.Snapshot, pods []*outrank.Pod, bare map[*outrank.Pod]bool) (*engine.Snapshot, error) {
	s := snap.Clone()
	for _, pod := range pods {
		known, ok := s.Pod(pod.Key())
		switch {
		case pod.NodeName != "" || ok && s.NodeOf(pod.Key()) != "":
			return nil, fmt.Errorf("pod %s runs: %w", pod.Key(), preemption.ErrState)
		case pod.Finished():
			return nil, fmt.Errorf("pod %s: %w: it has finished", pod.Key(), preemption.ErrState)
		case ok && known.UID != pod.UID && known.UID != "" && pod.UID != "":
			return nil, fmt.Errorf("pod %s: %w: another pod has its name", pod.Key(), preemption.ErrState)
		}

		// The request may have another version of the pod than the snapshot.
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

// putPending puts a pending pod into a snapshot as it stands in the request, which may be an older version than
// the known one. A known pod stays nominated to the node that the snapshot has it nominated to.
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
		nominated = "" // a nomination to a node that is gone counts nowhere
	}
	return s.Nominate(pod.Key(), nominated)
}

// member is a pod to be placed.
type member struct {
	pod *outrank.Pod
	// position is that of the pod in the queue.
	position int
	// kind is the same for pods that differ in their names alone.
	kind int
	// evicts is set where the pod may preempt.
	evicts bool
	// loose is set where the loss of another pod can keep this one away, or its victims from
	// leaving. Less room can then be better.
	loose bool
}

// coupled reports whether a pod can see on one node what happens on another.
func (m *member) coupled() bool {
	return m.loose || len(m.pod.Affinity.PodAntiAffinity)+len(m.pod.Volumes) > 0
}

// newMember finds out what there is to know of a pod before any is placed. The snapshot is that of all
// pending pods, with their nominations: these decide whether a pod has to wait and may not preempt.
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

// numberKinds sets the kind of each pod.
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

// nameless returns a pod without what tells it from the other replicas of its controller.
func nameless(pod *outrank.Pod) *outrank.Pod {
	p := *pod
	p.Name, p.UID = "", ""
	p.NominatedNodeName = ""
	p.Value = nil
	return &p
}
