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

// scene is the cluster in the state in which the turns so far have left it.
type scene struct {
	ctx  context.Context
	set  *Setting
	snap *engine.Snapshot
	// budgets finds the indexes of the budgets that cover a pod. allowed has the present state of each budget
	// at that index.
	budgets *pdb.Budgets
	allowed []*outrank.PodDisruptionBudget
	// books records how much of every quota is in use.
	books quotas.Books
	// scored makes a pod that fits go to the node with the best score. Otherwise it goes to the first node that
	// takes it.
	scored bool
	// waited is the last pod that had to wait, or nil.
	waited *waited
}

// scene returns a scene that begins with a clone of the snapshot.
func (s *Setting) scene(ctx context.Context) *scene {
	snap := s.Snapshot.Clone()
	list := slices.Collect(snap.Budgets())
	return &scene{ctx: ctx, set: s, snap: snap, budgets: pdb.New(list), allowed: list, books: s.Limits.Books(snap.Release())}
}

// bind makes a pod run on a node. The snapshot may have the pod as pending, or not at all.
func (s *scene) bind(pod *outrank.Pod, node string) error {
	if _, ok := s.snap.Pod(pod.Key()); ok {
		return s.snap.Bind(pod.Key(), node)
	}

	placed := *pod
	placed.NodeName, placed.NominatedNodeName = node, ""
	_, err := s.snap.PutPod(&placed)
	return err
}

// putWaiting replaces a waiting pod by another version of it. The pod keeps the nomination that it has in the
// scene.
func (s *scene) putWaiting(pod *outrank.Pod) error {
	nominated := s.snap.NominationOf(pod.Key())
	if _, err := s.snap.PutPod(pod); err != nil || s.snap.NominationOf(pod.Key()) == nominated {
		return err
	}

	// A nomination to a node that does not exist has no effect, and cannot be set again.
	if _, ok := s.snap.Node(nominated); !ok {
		nominated = ""
	}
	return s.snap.Nominate(pod.Key(), nominated)
}

// nominate lets a pending pod wait for room on a node, or on none if node is "". The snapshot may lack the pod
// yet.
func (s *scene) nominate(pod *outrank.Pod, node string) error {
	if _, ok := s.snap.Pod(pod.Key()); ok {
		return s.snap.Nominate(pod.Key(), node)
	}

	waiting := *pod
	waiting.NodeName, waiting.NominatedNodeName = "", node
	_, err := s.snap.PutPod(&waiting)
	return err
}

// askToLeave makes a victim begin to leave. From now on it terminates, occupies its room, and no longer counts
// for its budgets. A victim that was leaving already stays as it is.
func (s *scene) askToLeave(victim *outrank.Pod) error {
	known, ok := s.snap.Pod(victim.Key())
	if !ok || known.Terminating() {
		return nil
	}

	leaving := *known
	leaving.NodeName = s.snap.NodeOf(victim.Key())
	leaving.DisruptionReason = outrank.PreemptionByScheduler

	// Any time from 1970 on counts as a time of deletion. For a question about an earlier moment the first of
	// them is taken, so that the pod terminates.
	leaving.DeletionTimestamp = s.set.moment()
	if leaving.DeletionTimestamp.Before(time.Unix(0, 0)) {
		leaving.DeletionTimestamp = time.Unix(0, 0).UTC()
	}

	if _, err := s.snap.PutPod(&leaving); err != nil {
		return err
	}
	return s.charge(known)
}

// charge lowers the allowance of the budgets of a leaving pod by one if the pod was healthy, as the disruption
// controller does when it sees the pod leave.
func (s *scene) charge(p *outrank.Pod) error {
	for _, i := range s.budgets.Covering(p) {
		b := s.allowed[i]
		if !charges(b, p) || b.DisruptionsAllowed <= 0 {
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

// charges reports whether a budget allows less once a pod that it covers leaves. A pod that is not ready counts
// for no budget, and the allowance already counts the loss of a pod that is listed as disrupted.
func charges(b *outrank.PodDisruptionBudget, p *outrank.Pod) bool {
	_, counted := b.DisruptedPods[p.Name]
	return p.Ready && !counted
}

// announce carries out a plan as far as a scheduler does: the victims begin to leave, and the pod is nominated
// to its node. A pod that preempts for its resize is on its node already.
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

// carryOut carries out a plan to its end: the victims are gone, and the pod runs on its node, unless they left
// in vain.
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

// drop takes a pod out of the cluster, its quotas and its budgets.
func (s *scene) drop(p *outrank.Pod) error {
	if err := s.snap.RemovePod(p.Key()); err != nil {
		return err
	}
	s.books.GiveBack(p)

	// Budgets stopped counting a terminating pod when it began to leave.
	if p.Terminating() {
		return nil
	}
	return s.charge(p)
}
