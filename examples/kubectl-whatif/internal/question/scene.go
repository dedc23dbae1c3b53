package question

import (
	"context"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// scene is the cluster as the turns so far have left it.
type scene struct {
	ctx  context.Context
	set  *Setting
	snap *engine.Snapshot
	// budgets find the budgets that cover a pod; allowed is the present allowance of each.
	budgets *pdb.Budgets
	allowed []*outrank.PodDisruptionBudget
	books   quotas.Books
	// scored is set where a pod that fits goes to the node of the best score, and not to the
	// first that takes it.
	scored bool
}

func (s *Setting) scene(ctx context.Context) *scene {
	snap := s.Snapshot.Clone()
	list := slices.Collect(snap.Budgets())
	return &scene{ctx: ctx, set: s, snap: snap, budgets: pdb.New(list), allowed: list, books: s.Limits.Books(snap.Release())}
}

// bind lets a pod run on a node. The snapshot may know the pod as pending, or not at all.
func (s *scene) bind(pod *outrank.Pod, node string) error {
	if _, ok := s.snap.Pod(pod.Key()); ok {
		return s.snap.Bind(pod.Key(), node)
	}
	placed := *pod
	placed.NodeName, placed.NominatedNodeName = node, ""
	_, err := s.snap.PutPod(&placed)
	return err
}

// stand has a waiting pod wait as another version of it says. Its nomination is that of the scene.
func (s *scene) putWaiting(pod *outrank.Pod) error {
	nominated := s.snap.NominationOf(pod.Key())
	if _, err := s.snap.PutPod(pod); err != nil || s.snap.NominationOf(pod.Key()) == nominated {
		return err
	}
	if _, ok := s.snap.Node(nominated); !ok {
		nominated = "" // it counts nowhere
	}
	return s.snap.Nominate(pod.Key(), nominated)
}

// nominate lets a pending pod wait for room on a node, "" for nowhere.
func (s *scene) nominate(pod *outrank.Pod, node string) error {
	if _, ok := s.snap.Pod(pod.Key()); ok {
		return s.snap.Nominate(pod.Key(), node)
	}
	waiting := *pod
	waiting.NodeName, waiting.NominatedNodeName = "", node
	_, err := s.snap.PutPod(&waiting)
	return err
}

// ask makes victims leave: from now on they terminate, hold their room, and no
// longer count for their budgets.
func (s *scene) askToLeave(victim *outrank.Pod) error {
	known, ok := s.snap.Pod(victim.Key())
	if !ok || known.Terminating() {
		return nil
	}
	leaving := *known
	leaving.NodeName = s.snap.NodeOf(victim.Key())
	leaving.DeletionTimestamp, leaving.DisruptionReason = s.set.moment(), outrank.PreemptionByScheduler
	if leaving.DeletionTimestamp.Before(time.Unix(0, 0)) {
		leaving.DeletionTimestamp = time.Unix(0, 0).UTC()
	}
	if _, err := s.snap.PutPod(&leaving); err != nil {
		return err
	}
	return s.charge(known)
}

// charge counts a pod down where it was healthy, as the disruption controller
// does when it sees that the pod leaves.
func (s *scene) charge(p *outrank.Pod) error {
	if !p.Ready {
		return nil
	}
	for _, i := range s.budgets.Covering(p) {
		b := s.allowed[i]
		if _, counted := b.DisruptedPods[p.Name]; counted || b.DisruptionsAllowed <= 0 {
			continue
		}
		less := *b
		less.DisruptionsAllowed--
		s.allowed[i] = &less
		if err := s.snap.PutBudget(&less); err != nil {
			return err
		}
	}
	return nil
}

// announce carries out a plan as far as a scheduler does: the victims begin to leave, and
// the pod is nominated.
func (s *scene) announce(plan *preemption.Plan) error {
	for i := range plan.Victims {
		if err := s.askToLeave(plan.Victims[i].Pod); err != nil {
			return err
		}
	}
	for _, p := range plan.ClearedNominations {
		if err := s.snap.Nominate(p.Key(), ""); err != nil {
			return err
		}
	}
	if plan.Resize {
		return nil
	}
	return s.nominate(plan.Pod, plan.Node)
}

// carryOut carries out a plan to its end: the victims are gone, and the pod runs,
// unless that was in vain.
func (s *scene) carryOut(plan *preemption.Plan, vain bool) error {
	for i := range plan.Victims {
		if err := s.drop(plan.Victims[i].Pod); err != nil {
			return err
		}
	}
	for _, p := range plan.ClearedNominations {
		if err := s.snap.Nominate(p.Key(), ""); err != nil {
			return err
		}
	}
	if plan.Resize || vain {
		return nil
	}
	return s.bind(plan.Pod, plan.Node)
}

// drop takes a pod out of the cluster.
func (s *scene) drop(p *outrank.Pod) error {
	if err := s.snap.RemovePod(p.Key()); err != nil {
		return err
	}
	s.books.GiveBack(p)
	if p.Terminating() {
		return nil
	}
	return s.charge(p)
}
