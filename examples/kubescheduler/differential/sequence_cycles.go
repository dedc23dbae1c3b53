package differential

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// teams are the groups of the pods that wait. Pods that others put on nodes belong to none of them, because their
// priority would have to be the group's (rule 12.9.2).
var teams = []string{"team", "squad"}

// GroupCycle is an attempt to place the pods of a group together. If they have no place, they ask for room
// together.
type GroupCycle struct {
	s *sequenceRun
	// members are the pods that the scheduler has looked at.
	members []*corev1.Pod
	// placed says for each member, by UID, whether a node takes it and its binding has not failed since.
	placed map[types.UID]bool
	// asked says that the scheduler asked for room for the group. Without it the fields below mean nothing.
	asked bool
	uid   types.UID
	// before are the nodes that an earlier attempt nominated members to; nil if only one member asks.
	before map[string]bool
	// want is the scheduler's answer.
	want GroupAnswer
	// answers has the answers of the followers and of the rival, by name.
	answers map[string]GroupAnswer
}

// GroupAnswer is the answer about a group.
type GroupAnswer struct {
	Code, Says string
	// Nominated are the nodes of the members, by namespace and name.
	Nominated map[string]string
	// Evicted are the victims that have to be told to go, sorted.
	Evicted []string
	// Inexact says that the scheduler has not kept the least count of a topology spread up to date (rule 12.9.9).
	Inexact bool
}

// Undecided reports whether the scheduler's plugin for devices has failed. It fails if it does not find its state
// of the members, because no member came as far as that plugin (rule 12.9.11). The plugin that preempts is not
// asked then.
func (a GroupAnswer) Undecided() bool {
	return a.Code == fwk.Error.String() && a.Says == `error in "DynamicResources" PodGroupPostFilter plugins: not found`
}

// preempts reports whether the group was placed with pods away. Some of these may have to leave.
func (a GroupAnswer) preempts() bool { return strings.Contains(a.Says, "found a placement") }

func newGroupCycle(s *sequenceRun) *GroupCycle {
	c := &GroupCycle{s: s}
	c.begin()
	return c
}

// begin forgets the attempt before.
func (c *GroupCycle) begin() {
	*c = GroupCycle{s: c.s, placed: map[types.UID]bool{}, answers: map[string]GroupAnswer{}}
}

// inCycle reports whether a pod is tried together with others.
func (s *sequenceRun) inCycle(p *corev1.Pod) bool {
	return s.Cycles != nil && p.Spec.SchedulingGroup != nil
}

// noteMember notes whether a pod of the group has a place. It locks, because a binding may fail after the attempt
// has gone on.
func (c *GroupCycle) noteMember(p *corev1.Pod, placed bool) {
	c.s.r.mu.Lock()
	defer c.s.r.mu.Unlock()
	if !slices.ContainsFunc(c.members, func(m *corev1.Pod) bool { return m.UID == p.UID }) {
		c.members = append(c.members, p)
	}
	c.placed[p.UID] = placed
}

// going returns the members that are being bound.
func (c *GroupCycle) going() []*corev1.Pod {
	c.s.r.mu.Lock()
	defer c.s.r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.members), func(p *corev1.Pod) bool { return !c.placed[p.UID] })
}

// Rival returns the plugin that is asked beside the scheduler's own.
func (c *GroupCycle) Rival(profile string) fwk.PostFilterPlugin { return c.s.rival.plugins[profile] }

// Asked receives the answers of the scheduler and of the rival about a group that asked for room. It calls decide
// with each follower's view.
func (c *GroupCycle) Asked(uid types.UID, members []*corev1.Pod, want, rival GroupAnswer, decide func(*engine.Snapshot, []*outrank.Pod) (GroupAnswer, error)) {
	c.asked, c.uid, c.want = true, uid, want
	if len(members) > 1 {
		c.before = c.s.nominatedTo(members)
	}
	c.answers["rival"] = rival
	c.s.ask(members, func(name string, snap *engine.Snapshot, pods []*outrank.Pod) (err error) {
		c.answers[name], err = decide(snap, pods)
		return err
	})
}

// nominatedTo returns the nodes that have a nomination of one of the pods in the scheduler's nominator.
func (s *sequenceRun) nominatedTo(pods []*corev1.Pod) map[string]bool {
	nodes := map[string]bool{}
	for _, n := range s.objects.Nodes {
		if slices.ContainsFunc(s.r.sched.SchedulingQueue.NominatedPodsForNode(n.Name), func(info fwk.PodInfo) bool {
			return slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.UID == info.GetPod().UID })
		}) {
			nodes[n.Name] = true
		}
	}
	return nodes
}

// bareCounts reports whether members with an earlier nomination may be in the way of others. The nominator knows only
// the name of such a member: it counts as a pod of priority 0 on its node (rule 12.9.9).
func (c *GroupCycle) bareCounts() bool {
	if corev1helpers.PodPriority(c.members[0]) > 0 || !c.want.preempts() {
		return false
	}
	for _, node := range c.want.Nominated {
		if c.before[node] {
			return true
		}
	}
	return false
}

// settleGroup waits until the scheduler has done everything of an attempt about a group, or hangs.
func (s *sequenceRun) settleGroup() {
	c := s.cycle
	first := c.members[0]
	for _, p := range c.going() {
		s.until(func() bool {
			_, _, bound := s.scheduler.state(podKey(p))
			refused, told := s.scheduler.bindingFailed(podKey(p))
			return bound || refused && told
		})
	}

	// The plan is carried out when neither the scheduler nor its own plugin keeps the group out any more. A plan
	// that hung before the attempt still does, so that its victims are awaited instead.
	s.until(func() bool {
		hanging, _, _ := s.scheduler.state("")
		return s.held == nil && hanging > 0 || !s.keptOut(first) && !slices.Contains(preempting(s.rival.own[first.Spec.SchedulerName]), c.uid) ||
			s.hasHungBefore(c.uid) && s.toldAll(c.answers["framework"].Evicted)
	})
	s.settleRival()
	s.settleTrouble(first)
}

// newMembers adds waiting pods of a group, mostly of a known one.
func (s *sequenceRun) newMembers() error {
	// Of the known groups one is drawn: the last for which the lot falls.
	name, namespace := pick(s.generator, teams...), pick(s.generator, "default", "default", "red", "blue")
	for _, g := range s.objects.Groups {
		if slices.Contains(teams, g.GetName()) && !s.oneIn(3) {
			name, namespace = g.GetName(), g.GetNamespace()
		}
	}

	// All pods of a group have the same scheduler (rule 12.9.2).
	for range s.between(1, 4) {
		p := s.pendingPod()
		p.Namespace = namespace
		p.Spec.SchedulingGroup, p.Spec.SchedulingGates = &corev1.PodSchedulingGroup{PodGroupName: &name}, nil
		if p.Spec.SchedulerName = corev1.DefaultSchedulerName; name == "squad" {
			p.Spec.SchedulerName = SecondProfile
		}
		s.fallIn(p)
		s.note("new member", "%s of %s/%s", podKey(p), namespace, name)
		if err := s.put(p); err != nil {
			return err
		}
	}
	return nil
}

// fallIn gives a pod the priority of its group and the policy of the other members. A few pods keep their own,
// and their groups are turned down (rule 12.9.2).
func (s *sequenceRun) fallIn(p *corev1.Pod) {
	if s.oneIn(30) {
		return
	}

	priority := int32(0)
	for _, g := range s.objects.Groups {
		if g.GetName() == *p.Spec.SchedulingGroup.PodGroupName && g.GetNamespace() == p.Namespace {
			priority = s.priorityOf[g.GetUID()]
		}
	}
	p.Spec.Priority = &priority

	for _, other := range s.known() {
		if o := other.Spec.SchedulingGroup; o != nil && other.Namespace == p.Namespace && *o.PodGroupName == *p.Spec.SchedulingGroup.PodGroupName {
			p.Spec.PreemptionPolicy = other.Spec.PreemptionPolicy
			return
		}
	}
}

// priorityOfMembers returns the priority of the present members of a group; nil if it has none.
func (s *sequenceRun) priorityOfMembers(namespace, group string) *int32 {
	for _, p := range s.known() {
		if o := p.Spec.SchedulingGroup; o != nil && p.Namespace == namespace && *o.PodGroupName == group {
			priority := corev1helpers.PodPriority(p)
			return &priority
		}
	}
	return nil
}
