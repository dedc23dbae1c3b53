package question

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// pending finds the waiting pods for which the change makes a difference.
func (q *classQuestion) pending() error {
	set := q.set
	waiting := q.waiting()
	for i, pod := range waiting {
		switch {
		case pod.NodeName != "":
			// This pod runs, and waits only for its resize.
		case pod.Gated() || pod.Terminating() || set.EvaluatorFor(pod) == nil || q.grouped(pod):
			q.out.NotAsked++
		default:
			q.out.PendingPods++
			impact, err := q.impact(pod)
			if err != nil {
				return err
			}
			if impact != nil {
				q.out.Pending = append(q.out.Pending, *impact)
			}
		}
		set.progress(i+1, len(waiting))
	}
	return nil
}

// impact returns the outcome for a waiting pod now and after the change. It is nil if the outcome is the same
// and the pod keeps its priority.
func (q *classQuestion) impact(pod *outrank.Pod) (*PendingImpact, error) {
	next := q.recreatedAs(pod)
	if next == pod && q.recreated == nil {
		return nil, nil
	}

	// Each decision is made only if something differs from the one before: first the pod itself, then the
	// running pods.
	out := &PendingImpact{Pod: NameOf(pod, ""), After: next.PriorityValue()}
	var err error
	if out.Now, err = q.alone(q.scene, pod); err != nil {
		return nil, err
	}

	if out.AsTheyStand = out.Now; next != pod {
		if out.AsTheyStand, err = q.alone(q.scene, next); err != nil {
			return nil, err
		}
	}

	if out.Again = out.AsTheyStand; q.recreated != nil {
		if out.Again, err = q.alone(q.recreated, next); err != nil {
			return nil, err
		}
	}

	if out.After == out.Pod.Priority && sameOutcome(&out.Now, &out.AsTheyStand) && sameOutcome(&out.Now, &out.Again) {
		return nil, nil
	}
	return out, nil
}

// alone asks about a pod by itself, in the version given. It leaves the scene unchanged.
func (q *classQuestion) alone(s *scene, pod *outrank.Pod) (Turn, error) {
	mark := s.snap.Mark()
	err := s.putWaiting(pod)
	var turn Turn
	if err == nil {
		turn, _, err = s.decide(s.set.EvaluatorFor(pod), pod)
	}

	if undone := s.snap.Undo(mark); err == nil {
		err = undone
	}
	return turn, err
}

// sameOutcome reports whether two turns have the same outcome and the same victims.
func sameOutcome(a, b *Turn) bool {
	return a.Outcome == b.Outcome && slices.EqualFunc(a.Victims, b.Victims, func(v, w Victim) bool { return v.Key == w.Key })
}
