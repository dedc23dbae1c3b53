package groups

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// quorum is how many members of a group have to find a place: of the pods of a group,
// or of the groups below a composite one (rules 12.9.3 and 12.9.4;
// PlacementFeasible of GangScheduling).
type quorum struct {
	min int
	// there counts the pods of the group that run already.
	there int
	// pods are the pending ones, by index, in the order in which they are placed.
	pods  []int
	below []*quorum
	// named is set if the group's policy is known, so that a failure has a text.
	named bool
}

// unplacedText is what is said of a group where no rule has more to say.
const unplacedText = "pod group is unschedulable"

// lacks says why the quorum cannot be reached with so many members in their places
// and so many still to come; empty where it can.
func (q *quorum) lacks(placed, left int) string {
	switch {
	case placed+left >= q.min:
		return ""
	case !q.named:
		return unplacedText
	}
	return fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", q.min, placed, left)
}

// missed says why the quorum is not reached by those that are placed, by index; empty where it is.
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

// reasonFor is what a refusal says about the group: nothing where no policy has a part
// in it.
func reasonFor(why string) string {
	if why == unplacedText {
		return ""
	}
	return why
}

// quorumOf is that of the group, or of the tree of groups, that the pods belong to.
func quorumOf(s *state.Snapshot, pods []*outrank.Pod) *quorum {
	q := &quorum{}
	for i := range pods {
		q.pods = append(q.pods, i)
	}
	if len(pods) == 0 {
		return q
	}
	group, _ := s.Group(pods[0].GroupKey())
	if root := rootOf(s, group); root != nil {
		return treeOf(s, root, pods)
	}
	setTerms(s, q, group)
	return q
}

// setTerms takes in what a group of pods says. One that is not known, or says
// nothing, needs a place for each of its pods (rule 12.9.3).
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

// treeOf is the quorum of a composite group. The groups below it go by their keys, a
// composite one by the first key below it; those without any group of pods below
// them do not count (rule 12.9.4).
func treeOf(s *state.Snapshot, root *outrank.CompositePodGroup, pods []*outrank.Pod) *quorum {
	byGroup := map[outrank.Key][]int{}
	for i, p := range pods {
		byGroup[p.GroupKey()] = append(byGroup[p.GroupKey()], i)
	}
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
			parent.below = append(parent.below, q)
			if q = parent; known {
				break
			}
		}
	}
	return composites[root]
}

// InOrder numbers the pods of a tree in the order in which they are placed, and
// returns them so.
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
