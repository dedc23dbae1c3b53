package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// teams are the groups of the pods that wait. Pods that others put on nodes belong to
// none of them: their priority would have to be the group's (rule 12.9.2).
var teams = []string{"team", "squad"}

// GroupCycle is an attempt to place the pods of a group together, which ask for room together.
type GroupCycle struct {
	s *sequenceRun
	// members are the pods that the scheduler has looked at, and placed those of them, by UID,
	// that a node takes and that have not failed since.
	members []*corev1.Pod
	placed  map[types.UID]bool
	// asked is set where the scheduler asked for room; the rest means nothing otherwise.
	asked bool
	uid   types.UID
	// before are the nodes to which members were nominated before, where several ask.
	before map[string]bool
	// answers are those of the followers and of the rival, want is the scheduler's.
	want    GroupAnswer
	answers map[string]GroupAnswer
}

// GroupAnswer is the answer about a group.
type GroupAnswer struct {
	Code, Says string
	// Nominated are the nodes of the members, by namespace and name.
	Nominated map[string]string
	// Evicted are the victims that have to be told, sorted.
	Evicted []string
	// Inexact is set where the scheduler has not followed the least count of a
	// topology spread (rule 12.9.9).
	Inexact bool
}

// Undecided reports whether the scheduler's plugin for devices has failed: none
// of the members came as far as it, and it does not find its state of them (rule
// 12.9.11). The one that preempts is not asked then.
func (a GroupAnswer) Undecided() bool {
	return a.Code == fwk.Error.String() && a.Says == `error in "DynamicResources" PodGroupPostFilter plugins: not found`
}

// preempts reports whether the group was placed, and somebody may have to leave.
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

// noteMember notes whether a pod of the group has a place. Bindings fail beside the attempt.
func (c *GroupCycle) noteMember(p *corev1.Pod, placed bool) {
	c.s.r.mu.Lock()
	defer c.s.r.mu.Unlock()
	if !slices.ContainsFunc(c.members, func(m *corev1.Pod) bool { return m.UID == p.UID }) {
		c.members = append(c.members, p)
	}
	c.placed[p.UID] = placed
}

// going are the members that are being bound.
func (c *GroupCycle) going() []*corev1.Pod {
	c.s.r.mu.Lock()
	defer c.s.r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.members), func(p *corev1.Pod) bool { return !c.placed[p.UID] })
}

// Rival is the plugin that is asked beside the scheduler's own.
func (c *GroupCycle) Rival(profile string) fwk.PostFilterPlugin { return c.s.rival.plugins[profile] }

// Asked receives the scheduler's answer to a group that asked for room, and the
// rival's. Decide is called for each follower.
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

// nominatedTo are the nodes to which the scheduler has one of the pods nominated.
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

// bareCounts reports whether a member that is known by its name alone may be in the way of
// others: it counts as a pod of priority 0 on the node that it was nominated to before.
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

// settleGroup is settle for a group.
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
	s.until(func() bool {
		hanging, _, _ := s.scheduler.state("")
		return s.held == nil && hanging > 0 || !s.keptOut(first) && !slices.Contains(preempting(s.rival.own[first.Spec.SchedulerName]), c.uid) ||
			s.hasHungBefore(c.uid) && s.toldAll(c.answers["framework"].Evicted)
	})
	s.settleRival(first)
	s.settleTrouble(first)
}

// compareGroup is compare for a group.
func (s *sequenceRun) compareGroup() {
	c := s.cycle
	var keys []string
	for _, p := range c.members {
		keys = append(keys, podKey(p))
	}
	deleted, cleared := s.scheduler.did("")
	c.want.Evicted = deleted
	cleared = slices.DeleteFunc(cleared, func(key string) bool { return slices.Contains(keys, key) })
	s.countGroup(keys)
	if !c.asked {
		return
	}
	e := exemptions{mixed: s.mixedUnits(), byOrder: s.chargedByOrder()}
	for _, s.current = range c.members {
		if rule := s.here(); rule != "" && rule != "7.10.4" { // a member whose claim is missing has no place
			e.rule = rule
		}
	}
	s.current = nil
	if e.rule != "" {
		s.result.Counts["groups not compared: "+e.rule]++
		return
	}
	differ := func(format string, args ...any) {
		s.result.Differences = append(s.result.Differences, fmt.Sprintf(format, args...))
	}
	for name, err := range s.errors {
		differ("%s: group: %v", name, err)
	}
	if len(cleared) > 0 {
		differ("group: nominations cleared of %v", cleared)
	}
	_, refused, _ := s.scheduler.state("")
	helped, undecided := c.want.Code == fwk.Success.String(), c.want.Undecided()
	bare := c.bareCounts()
	apart := helped && (e.byOrder || c.want.Inexact) || bare // who leaves is not compared
	evicts := s.held == nil && refused == 0 && !apart
	switch {
	case bare:
		s.result.Counts["victims of groups not compared: 12.9.9"]++
	case helped && c.want.Inexact:
		s.result.Counts["victims of groups not compared: 12.9.9, spread"]++
	case apart:
		s.result.Counts["victims of groups not compared: 12.7.5"]++
	case undecided: // but that nobody leaves
		s.result.Counts["what is said of groups not compared: 12.9.11"]++
	case c.want.preempts() && len(c.before) > 0:
		s.result.Counts["groups that preempt with nominations from before"]++
	}
	for _, name := range slices.Sorted(maps.Keys(c.answers)) {
		got, want := c.answers[name], c.want
		s.result.Counts["groups compared with "+name]++
		if name == "rival" {
			news := s.scheduler.news(c.want.Evicted)
			want.Evicted = s.rival.clerk.news(news)
			s.until(func() bool {
				told, _ := s.rival.clerk.did("")
				got.Evicted = s.rival.clerk.news(told)
				return !evicts || slices.Equal(got.Evicted, want.Evicted)
			})
		}
		if undecided && !got.preempts() && got.Code != fwk.Error.String() {
			got.Code, got.Says, got.Nominated = want.Code, want.Says, want.Nominated
		}
		if got.Code != want.Code || !apart && got.Says != want.Says {
			differ("%s: group: kube-scheduler says %s %q, outrank %s %q", name, want.Code, want.Says, got.Code, got.Says)
		}
		if !maps.Equal(got.Nominated, want.Nominated) {
			differ("%s: group nominated: kube-scheduler has %v, outrank %v", name, want.Nominated, got.Nominated)
		}
		if evicts && !slices.Equal(got.Evicted, want.Evicted) {
			differ("%s: group evicted: kube-scheduler has %v, outrank %v", name, want.Evicted, got.Evicted)
		}
	}
}

// countGroup records the result of the attempt of a group.
func (s *sequenceRun) countGroup(keys []string) {
	c := s.cycle
	what := "is not asked about"
	switch {
	case len(c.going()) > 0:
		what = "fits"
	case c.asked && c.want.Code == fwk.Success.String() && len(c.want.Evicted) > 0:
		what = "preempts"
	case c.asked && c.want.Code == fwk.Success.String():
		what = "waits"
	case c.asked:
		what = "is not helped"
	}
	s.result.Counts["attempts"]++
	s.result.Counts["attempts: group "+what]++
	if len(c.members) > 1 {
		s.result.Counts["attempts: group of several that "+what]++
	}
	s.result.Counts["victims"] += len(c.want.Evicted)
	s.result.Log = append(s.result.Log, fmt.Sprintf("attempt of group of %v: %s, nominated %v, evicted %v, late %v: %s",
		keys, what, c.want.Nominated, c.want.Evicted, s.late != nil, c.want.Says))
}

// newMembers adds waiting pods of a group, mostly a known one.
func (s *sequenceRun) newMembers() error {
	name, namespace := pick(s.generator, teams...), pick(s.generator, "default", "default", "red", "blue")
	for _, g := range s.objects.Groups { // the last that comes up is as good as any
		if slices.Contains(teams, g.GetName()) && !s.oneIn(3) {
			name, namespace = g.GetName(), g.GetNamespace()
		}
	}
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

// fallIn gives a pod the priority of its group and the policy of the other members.
func (s *sequenceRun) fallIn(p *corev1.Pod) {
	if s.oneIn(30) {
		return // the group is turned down
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

// priorityOfMembers is the priority that the present members of a group have, nil for none.
func (s *sequenceRun) priorityOfMembers(namespace, group string) *int32 {
	for _, p := range s.known() {
		if o := p.Spec.SchedulingGroup; o != nil && p.Namespace == namespace && *o.PodGroupName == group {
			priority := corev1helpers.PodPriority(p)
			return &priority
		}
	}
	return nil
}
