package question

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// expect makes the budgets that cover new pods of a workload want more pods to be healthy, as the
// disruption controller does once it sees them: none of them is ready, and a share of the pods,
// or all but some, is a share of more. A budget that a change sets or brings is left as it is.
// What is added is the difference that the new pods make; the rest of a status stays as the
// controller wrote it, who knows the scale of every workload.
func (s *Scenario) expectMore(fresh []*outrank.Pod) error {
	if len(fresh) == 0 {
		return nil
	}
	for _, i := range s.budgets.Covering(fresh[0]) {
		b := s.allowed[i]
		if s.owner["budget "+string(b.Key())] != nil {
			continue
		}
		more, err := s.moreWanted(b, fresh)
		if err != nil || more == 0 {
			continue // a spec that nothing follows from has no status that changes
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

// wanted is how many more pods a budget wants to be healthy because of new ones.
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
