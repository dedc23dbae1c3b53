package question

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// expectMore makes the budgets that cover the new pods of a workload demand more healthy pods, as the
// disruption controller does once it sees the pods: they are not ready yet, and a budget that demands a share
// of all pods demands a share of more. A budget that a change has set stays as it is.
//
// Only the difference that the new pods make is added. The rest of a status stays as the controller wrote it,
// because the controller knows the scale of every workload.
func (s *Scenario) expectMore(fresh []*outrank.Pod) error {
	if len(fresh) == 0 {
		return nil
	}

	// The pods of a workload have the same labels, so the budgets of the first cover them all.
	for _, i := range s.budgets.Covering(fresh[0]) {
		b := s.allowed[i]
		if s.owner["budget "+string(b.Key())] != nil {
			continue
		}

		// An invalid specification yields no status, so that nothing changes.
		more, err := s.moreWanted(b, fresh)
		if err != nil || more == 0 {
			continue
		}

		now := *b
		now.DesiredHealthy += more
		now.DisruptionsAllowed = max(0, b.DisruptionsAllowed-more)
		s.allowed[i] = &now
		if err := s.snap.PutBudget(&now); err != nil {
			return err
		}
	}
	return nil
}

// moreWanted returns how many more healthy pods a budget demands because of new pods. The snapshot has these
// pods already.
func (s *Scenario) moreWanted(b *outrank.PodDisruptionBudget, fresh []*outrank.Pod) (int32, error) {
	isNew := make(map[outrank.Key]bool, len(fresh))
	for _, p := range fresh {
		isNew[p.Key()] = true
	}

	var before, after []*outrank.Pod
	for p := range s.snap.Pods() {
		if p.NamespaceName() != b.NamespaceName() {
			continue
		}
		after = append(after, p)
		if !isNew[p.Key()] {
			before = append(before, p)
		}
	}

	was, err := pdb.StatusOf(pdb.StatusInput{Budget: b, Pods: before, Now: s.set.Now})
	if err != nil {
		return 0, err
	}
	is, err := pdb.StatusOf(pdb.StatusInput{Budget: b, Pods: after, Now: s.set.Now})
	return is.Desired - was.Desired, err
}
