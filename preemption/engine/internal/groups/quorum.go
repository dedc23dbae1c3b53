package groups

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// quorum says how many members of a group need a place. The members are pods or, for a composite group, the
// groups directly below it (rules 12.9.3 and 12.9.4; PlacementFeasible of GangScheduling).
type quorum struct {
	// min is the least number of members with a place, running ones included.
	min int
	// there is the number of pods of the group that already run.
	there int
	// pods has the indexes of the pending pods of the group, in the order in which they are placed. A
	// composite group has none.
	pods []int
	// below has the groups directly below a composite group, in the order in which they are placed.
	below []*quorum
	// named is set if the group's policy is known. A failure then states the numbers.
	named bool
}

// unplacedText is the reason of a failure that no policy explains.
const unplacedText = "pod group is unschedulable"

// lacks returns why the quorum cannot be reached with this many members placed and this many left, empty if
// it can.
func (q *quorum) lacks(placed, left int) string {
	switch {
	case placed+left >= q.min:
		return ""
	case !q.named:
		return unplacedText
	}
	return fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", q.min, placed, left)
}

// missed returns why the quorum is not reached with the pods that placed marks by index, empty if it is
// reached.
func (q *quorum) missed(placed []bool) string {
	there := q.there
	for _, i := range q.pods {
		if placed[i] {
			there++
		}
	}
	for _, b := range q.below {
		if b.missed(placed) == "" {
			there++
		}
	}
	return q.lacks(there, 0)
}

// reasonFor returns the Reason of a refusal: empty if no policy explains the failure.
func reasonFor(why string) string {
	if why == unplacedText {
		return ""
	}
	return why
}

// quorumOf returns the quorum of the group, or of the tree of groups, that the pods belong to. There is at
// least one pod.
func quorumOf(s *state.Snapshot, pods []*outrank.Pod) *quorum {
	q := &quorum{}
	for i := range pods {
		q.pods = append(q.pods, i)
	}
	group, _ := s.Group(pods[0].GroupKey())
	if root := rootOf(s, group); root != nil {
		return treeOf(s, root, pods)
	}
	setTerms(s, q, group)
	return q
}

// setTerms sets the numbers of the quorum of a group of pods. An unknown group, or one without a policy,
// needs a place for each of its pods (rule 12.9.3).
func setTerms(s *state.Snapshot, q *quorum, group *outrank.PodGroup) {
	if group == nil {
		q.min = len(q.pods)
		return
	}

	q.there, q.named = runningOf(s, group), true
	switch group.Policy {
	case outrank.GangPolicy:
		q.min = int(group.MinCount)
	case outrank.BasicPolicy:
		q.min = 1
	default:
		q.min, q.named = q.there+len(q.pods), false
	}
}

// treeOf returns the quorum of a composite group. The groups below it are ordered by key, where a composite
// group has the first key of a group of pods below it. A composite group without a group of pods below it
// does not count (rule 12.9.4).
func treeOf(s *state.Snapshot, root *outrank.CompositePodGroup, pods []*outrank.Pod) *quorum {
	byGroup := map[outrank.Key][]int{}
	for i, p := range pods {
		byGroup[p.GroupKey()] = append(byGroup[p.GroupKey()], i)
	}

	// Groups of pods are visited by key, and each adds the composite groups above it that are still missing.
	// So every below is in the order of rule 12.9.4.
	composites := map[*outrank.CompositePodGroup]*quorum{}
	for g := range s.Groups() {
		above := ancestorsOf(s, g)
		if len(above) == 0 || above[len(above)-1] != root {
			continue
		}

		q := &quorum{pods: byGroup[g.Key()]}
		setTerms(s, q, g)
		for _, c := range above {
			parent, known := composites[c]
			if !known {
				parent = &quorum{min: 1, named: true}
				if c.Policy == outrank.GangPolicy {
					parent.min = int(c.MinGroupCount)
				}
				composites[c] = parent
			}

			// A known parent is already in the tree, with everything above it.
			parent.below = append(parent.below, q)
			q = parent
			if known {
				break
			}
		}
	}
	return composites[root]
}

// inOrder returns the pods of a tree in the order in which they are placed, and renumbers the pods of the
// quorum accordingly.
func (q *quorum) inOrder(pods []*outrank.Pod) []*outrank.Pod {
	var ordered []*outrank.Pod
	var number func(q *quorum)
	number = func(q *quorum) {
		for i, at := range q.pods {
			q.pods[i] = len(ordered)
			ordered = append(ordered, pods[at])
		}
		for _, b := range q.below {
			number(b)
		}
	}
	number(q)
	return ordered
}

// runningOf counts the pods of a group that are on nodes.
func runningOf(s *state.Snapshot, group *outrank.PodGroup) int {
	return len(s.Units.Members(group.Key()))
}
