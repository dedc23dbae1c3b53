package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// quota is how many members of a group have to find a place: of its pods, or of the groups below a
// composite one (rules 12.9.3 and 12.9.4).
type quota struct {
	wanted int
	// there counts the pods of the group that run already.
	there int
	pods  []*outrank.Pod
	below []*quota
	// unsaid is set if the group names no number, so that it has no text of its own.
	unsaid bool
}

// unplaced is what is said of a group where its policy has nothing to say (rule 12.9.11).
const unplaced = "pod group is unschedulable"

// missing says why the quota cannot be reached with so many members in their places and so many still to
// come (rules 12.9.3 and 12.9.11); it is empty where it can.
func (q *quota) missing(placed, left int) string {
	switch {
	case placed+left >= q.wanted:
		return ""
	case q.unsaid:
		return unplaced
	}
	return fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", q.wanted, placed, left)
}

// inOrder lists the pods as they are placed, group by group (rules 12.9.4 and 12.9.5).
func (q *quota) inOrder() []*outrank.Pod {
	pods := q.pods
	for _, below := range q.below {
		pods = append(pods, below.inOrder()...)
	}
	return pods
}

// quotaOf is the quota of the group, or of the tree of groups, that pods belong to (rules 12.9.3 and 12.9.4).
func (a *attempt) quotaOf(pods []*outrank.Pod) *quota {
	group, above := a.tree.lineage(pods[0].GroupKey())
	if len(above) > 0 {
		return a.quotaOfTree(above[len(above)-1], pods)
	}
	return a.quotaOfGroup(group, pods)
}

// quotaOfGroup: a gang names a number, and one pod is enough for a basic group. A group that is not
// known, or whose policy is not, needs a place for each of its pods (rule 12.9.3).
func (a *attempt) quotaOfGroup(group *outrank.PodGroup, pods []*outrank.Pod) *quota {
	q := &quota{pods: pods, wanted: len(pods), unsaid: true}
	if group == nil {
		return q
	}
	q.there = len(a.runningOf([]outrank.Key{group.Key()}))
	switch group.Policy {
	case outrank.GangPolicy:
		q.wanted, q.unsaid = int(group.MinCount), false
	case outrank.BasicPolicy:
		q.wanted, q.unsaid = 1, false
	default:
		q.wanted += q.there
	}
	return q
}

// quotaOfTree: the groups go by their keys, a composite one by the first key below it. Those without any
// group of pods do not count (rule 12.9.4).
func (a *attempt) quotaOfTree(top *outrank.CompositePodGroup, pods []*outrank.Pod) *quota {
	byGroup := map[outrank.Key][]*outrank.Pod{}
	for _, p := range pods {
		byGroup[p.GroupKey()] = append(byGroup[p.GroupKey()], p)
	}

	composites := map[*outrank.CompositePodGroup]*quota{}
	for _, key := range a.groupsBelow(top) {
		group, above := a.tree.lineage(key)
		q := a.quotaOfGroup(group, byGroup[key])
		for _, c := range above {
			parent, known := composites[c]
			if !known {
				parent = &quota{wanted: 1}
				if c.Policy == outrank.GangPolicy {
					parent.wanted = int(c.MinGroupCount)
				}
				composites[c] = parent
			}
			parent.below = append(parent.below, q)
			if q = parent; known {
				break // those above have it already
			}
		}
	}
	return composites[top]
}

// missed says why the quota is not reached by those that are placed (rule 12.9.3); it is empty where it is.
func (q *quota) missed(placed map[outrank.Key]bool) string {
	there := q.there
	for _, p := range q.pods {
		if placed[p.Key()] {
			there++
		}
	}
	for _, below := range q.below {
		if below.missed(placed) == "" {
			there++
		}
	}
	return q.missing(there, 0)
}
