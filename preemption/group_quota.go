package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// quota says how many members of a group need a place. Members are the pods of a group, or the groups below
// a composite one (rules 12.9.3 and 12.9.4).
type quota struct {
	// wanted is the number of members that need a place, including the ones that run.
	wanted int
	// there counts the pods of the group that run already.
	there int
	// pods lists the waiting pods of a group, below the quotas of the groups below a composite one. Only one
	// of the two is filled.
	pods  []*outrank.Pod
	below []*quota
	// unsaid is set if no policy names a number. A shortage is then reported as unplaced.
	unsaid bool
}

// unplaced is the reason of a group without a place whose policy gives none (rule 12.9.11).
const unplaced = "pod group is unschedulable"

// shortage returns why the quota cannot be reached any more, with some members placed and some still to come;
// empty if it can (rules 12.9.3 and 12.9.11).
func (q *quota) shortage(placed, left int) string {
	switch {
	case placed+left >= q.wanted:
		return ""
	case q.unsaid:
		return unplaced
	}
	return fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", q.wanted, placed, left)
}

// inOrder lists the pods in the order in which they are placed: group by group, and in each as they were
// asked about (rules 12.9.4 and 12.9.5).
func (q *quota) inOrder() []*outrank.Pod {
	pods := q.pods
	for _, below := range q.below {
		pods = append(pods, below.inOrder()...)
	}
	return pods
}

// quotaOf returns the quota of the group, or of the tree of groups, that pods belong to (rules 12.9.3 and
// 12.9.4).
func (a *attempt) quotaOf(pods []*outrank.Pod) *quota {
	group, above := a.tree.lineage(pods[0].GroupKey())
	if len(above) > 0 {
		return a.quotaOfTree(above[len(above)-1], pods)
	}
	return a.quotaOfGroup(group, pods)
}

// quotaOfGroup returns the quota of a group of pods. A gang names a number, and one pod is enough for a basic
// group (rule 12.9.3).
func (a *attempt) quotaOfGroup(group *outrank.PodGroup, pods []*outrank.Pod) *quota {
	// A group that is not known, or whose policy is not, needs a place for each of its pods.
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

// quotaOfTree returns the quota of a tree of groups, built from its leaves. Composite groups without any
// group of pods below them do not count (rule 12.9.4).
func (a *attempt) quotaOfTree(top *outrank.CompositePodGroup, pods []*outrank.Pod) *quota {
	byGroup := map[outrank.Key][]*outrank.Pod{}
	for _, p := range pods {
		byGroup[p.GroupKey()] = append(byGroup[p.GroupKey()], p)
	}

	// Groups of pods come in the order of their keys. A composite group is put below its parent when the first
	// group of pods in it is reached. So its place is decided by the least key in it, as rule 12.9.4 demands.
	composites := map[*outrank.CompositePodGroup]*quota{}
	for _, key := range a.groupsBelow(top) {
		group, above := a.tree.lineage(key)
		q := a.quotaOfGroup(group, byGroup[key])

		// Climb from the group to the top, and put each quota below the one above it.
		for _, c := range above {
			parent, known := composites[c]
			if !known {
				parent = quotaOfComposite(c)
				composites[c] = parent
			}
			parent.below = append(parent.below, q)

			// An earlier group has put a known parent below its own parent already.
			if known {
				break
			}
			q = parent
		}
	}
	return composites[top]
}

// quotaOfComposite returns the quota of a composite group, without the groups below it: a gang names a
// number, and one group is enough for any other (rule 12.9.4).
func quotaOfComposite(c *outrank.CompositePodGroup) *quota {
	if c.Policy == outrank.GangPolicy {
		return &quota{wanted: int(c.MinGroupCount)}
	}
	return &quota{wanted: 1}
}

// unmetBy returns why pods that are placed do not reach the quota, empty if they do (rule 12.9.3).
func (q *quota) unmetBy(placed map[outrank.Key]bool) string {
	there := q.there
	for _, p := range q.pods {
		if placed[p.Key()] {
			there++
		}
	}
	for _, below := range q.below {
		if below.unmetBy(placed) == "" {
			there++
		}
	}
	return q.shortage(there, 0)
}

// owner is the group that pods preempt for: their own or, where composite groups count, the group at the top
// of its tree (rules 12.9.2, 12.9.6 and 12.9.13).
type owner struct {
	key outrank.Key
	// composite is the group at the top of a tree; nil if there is none above the group of the pods.
	composite *outrank.CompositePodGroup
	priority  int32
	// never is set if the preemption policy is Never.
	never bool
}

// ownerOf finds the group of pods. The first pod speaks for a group that the cluster does not have.
func (a *attempt) ownerOf(pods []*outrank.Pod) owner {
	first := pods[0]
	o := owner{key: first.GroupKey(), priority: first.PriorityValue(), never: first.PreemptionPolicy == outrank.PreemptNever}
	group, above := a.tree.lineage(o.key)
	if group == nil {
		return o
	}

	o.priority = orZero(group.Priority)
	policy := group.PreemptionPolicy
	if len(above) > 0 {
		top := above[len(above)-1]
		o.key, o.composite = top.Key(), top
		o.priority = orZero(top.Priority)
		policy = top.PreemptionPolicy
	}

	// Without the gate it is the pods that say Never, and all say the same (rule 12.9.6).
	if a.rules.GroupPolicyCounts {
		o.never = policy == outrank.PreemptNever
	}
	return o
}

// includes reports whether a pod belongs to the group, or to its tree (rule 12.9.13).
func (o *owner) includes(t *tree, p *outrank.Pod) bool {
	if o.composite == nil {
		return p.GroupKey() == o.key
	}
	_, above := t.lineage(p.GroupKey())
	return len(above) > 0 && above[len(above)-1] == o.composite
}
