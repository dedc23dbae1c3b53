package explain_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

// plainPod is what the judges know of an active pod, in plain numbers: millicores, bytes, its class by rank
// (0 is Guaranteed, 2 BestEffort), and its priority or none.
type plainPod struct {
	*outrank.Pod
	cpu, memory int64
	class       int
	priority    int32
}

// plainClasses are the classes in the order in which a report lists their tiers.
var plainClasses = []outrank.QOSClass{outrank.Guaranteed, outrank.Burstable, outrank.BestEffort}

// crowd is a question with its answer. here are the pods that count: active, not finished, not the pod itself.
type crowd struct {
	q    explain.Question
	here []plainPod
	adm  kubeletadmit.Admission
	r    *explain.Report
}

// drawCrowd draws a question in which many pods are alike. Some active pods are nil, finished or the pod itself.
func drawCrowd(t *rapid.T) *crowd {
	c := &crowd{q: explain.Question{
		Pod:  &outrank.Pod{Name: "asks", UID: "1", Static: rapid.IntRange(0, 3).Draw(t, "plain") > 0, Priority: outrank.Priority(2)},
		Most: rapid.SampledFrom([]int{1, 2, 1 << 20, 0}).Draw(t, "most"),
		Config: kubeletadmit.Config{
			PriorityFirst: rapid.Bool().Draw(t, "priority first"), Exact: rapid.IntRange(0, 3).Draw(t, "exact") == 0,
		},
	}}
	for i := range rapid.IntRange(0, 9).Draw(t, "active") {
		c.drawActive(t, i)
	}
	cpu, memory := int64(0), int64(0)
	for _, p := range c.here {
		cpu, memory = cpu+p.cpu, memory+p.memory
	}
	room := rapid.Int64Range(0, 3).Draw(t, "room")
	c.q.Node = &outrank.Node{Name: "n1", Allocatable: resource.List{
		"cpu": resource.NewMilli(cpu + 100*room), "memory": resource.New(memory + 2*room),
		"pods": resource.New(int64(len(c.here)) + room),
	}}
	c.q.Pod.Containers = []outrank.Container{{Requests: resource.List{
		"cpu": resource.NewMilli(rapid.Int64Range(0, 8).Draw(t, "asks for cpu") * 100), "memory": resource.New(rapid.Int64Range(0, 8).Draw(t, "asks for memory")),
	}}}

	var err error
	c.adm, err = kubeletadmit.Admit(c.q.Node, c.q.Active, c.q.Pod, c.q.Config)
	require.NoError(t, err)
	c.r, err = explain.Ask(context.Background(), c.q)
	require.NoError(t, err)
	return c
}

// drawActive adds one active pod.
func (c *crowd) drawActive(t *rapid.T, i int) {
	p := plainPod{Pod: &outrank.Pod{Name: fmt.Sprint("p", i), Containers: make([]outrank.Container, 1)}, class: rapid.IntRange(0, 2).Draw(t, "class")}
	if p.class < 2 {
		p.cpu, p.memory = 100*rapid.Int64Range(1, 3).Draw(t, "cpu"), rapid.Int64Range(1, 3).Draw(t, "memory")
		requests := resource.List{"cpu": resource.NewMilli(p.cpu), "memory": resource.New(p.memory)}
		p.Containers[0].Requests = requests
		if p.class == 0 {
			p.Containers[0].Limits = requests
		}
	}
	if p.priority = rapid.SampledFrom([]int32{1, 1, 3, 2_000_000_000}).Draw(t, "priority"); rapid.IntRange(0, 4).Draw(t, "without") > 0 {
		p.Priority = &p.priority
	} else {
		p.priority = 0
	}
	switch rapid.IntRange(0, 9).Draw(t, "odd") {
	case 9: // it has ended
		p.Phase = outrank.PhaseSucceeded
	case 8: // an earlier version of the pod that asks
		p.Name, p.UID = "asks", "1"
	case 7: // another pod of the name
		p.Name, p.UID = "asks", fmt.Sprint("other", i)
		c.here = append(c.here, p)
	case 6: // one of another namespace
		p.Name, p.UID, p.Namespace = "asks", "1", fmt.Sprint("other", i)
		c.here = append(c.here, p)
	default:
		c.here = append(c.here, p)
	}
	c.q.Active = append(c.q.Active, p.Pod)
}

// mayGo is rules 17.1.1 to 17.1.4, of a pod that asks and is not of a critical priority.
func (c *crowd) mayGo(p plainPod) bool {
	critical := p.Priority != nil && *p.Priority >= 2_000_000_000
	if c.q.Pod.Static && !critical {
		return true
	}
	return p.Priority != nil && *p.Priority < 2
}

// shortage is one amount that is short, as the answer's check found it.
type shortage struct {
	name   resource.Name
	amount int64
}

func (c *crowd) shortages() (out []shortage) {
	for _, f := range c.adm.Failures {
		if f.Resource != "" && f.Requested+f.Used-f.Capacity > 0 {
			out = append(out, shortage{f.Resource, f.Requested + f.Used - f.Capacity})
		}
	}
	return out
}

// frees is what the end of a pod frees of a resource.
func (p plainPod) frees(name resource.Name) int64 {
	return map[resource.Name]int64{"cpu": p.cpu, "memory": p.memory, "pods": 1}[name]
}

// plainTier is a tier of a report, worked out by hand.
type plainTier struct {
	class    int
	priority int32
	pods     []plainPod
	chosen   []plainPod
}

// tiers lists the tiers, the one that is spared most first (rules 17.5.1 and 17.8.2).
func (c *crowd) tiers() (out []*plainTier) {
	priorities := []int32{0}
	if c.q.Config.PriorityFirst {
		priorities = []int32{2_000_000_000, 3, 1, 0}
	}
	for _, priority := range priorities {
		for class := range plainClasses {
			tier := &plainTier{class: class, priority: priority}
			for _, p := range c.here {
				if c.mayGo(p) && p.class == class && (p.priority == priority || !c.q.Config.PriorityFirst) {
					tier.pods = append(tier.pods, p)
				}
			}
			for _, e := range c.adm.Evictions {
				if i := slices.IndexFunc(tier.pods, func(p plainPod) bool { return p.Pod == e.Pod }); i >= 0 {
					tier.chosen = append(tier.chosen, tier.pods[i])
				}
			}
			if len(tier.pods) > 0 || !c.q.Config.PriorityFirst {
				out = append(out, tier)
			}
		}
	}
	return out
}

// most is the length at which lists are cut.
func (c *crowd) most() int {
	if c.q.Most == 0 {
		return 10
	}
	return c.q.Most
}

// keysUpTo lists the keys of the first pods, and how many more there are.
func (c *crowd) keysUpTo(pods []plainPod) (keys []outrank.Key, more int) {
	for _, p := range pods[:min(len(pods), c.most())] {
		keys = append(keys, p.Key())
	}
	return keys, len(pods) - len(keys)
}

func keysIn(pods []explain.Pod) (keys []outrank.Key) {
	for _, p := range pods {
		keys = append(keys, p.Key)
	}
	return keys
}

// Who stays are those that may not be evicted, and each tier has the pods that may, with what they hold and
// what is left for the tier to cover: added up pod by pod, whoever is active and however lists are cut.
func TestPropertyTiersAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCrowd(t)
		if len(c.adm.Evictions)+len(c.adm.Missing) == 0 {
			require.Empty(t, c.r.Tiers.Items, "nobody is evicted, so no tier is told")
			return
		}
		var stay []plainPod
		for _, p := range c.here {
			if !c.mayGo(p) {
				stay = append(stay, p)
			}
		}
		keys, more := c.keysUpTo(stay)
		require.Equal(t, keys, keysIn(c.r.Stay.Items), "those that stay")
		require.Equal(t, more, c.r.Stay.More, "more that stay")

		tiers, at := c.tiers(), 0
		for i, tier := range tiers {
			told := !c.q.Config.PriorityFirst || len(tier.chosen) > 0 || len(c.adm.Missing) > 0
			if !told || c.q.Config.PriorityFirst && at == c.most() {
				continue
			}
			require.Less(t, at, len(c.r.Tiers.Items), "a tier is missing")
			c.judgeTier(t, tiers, i, &c.r.Tiers.Items[at])
			at++
		}
		require.Len(t, c.r.Tiers.Items, at)
		require.Equal(t, len(tiers)-at, c.r.Tiers.More, "tiers that are left out")
	})
}

// judgeTier judges what is told of the i-th tier.
func (c *crowd) judgeTier(t *rapid.T, tiers []*plainTier, i int, got *explain.Tier) {
	tier := tiers[i]
	require.Equal(t, plainClasses[tier.class], got.Class)
	require.Equal(t, c.q.Config.PriorityFirst, got.Priority != nil)
	if got.Priority != nil {
		require.Equal(t, tier.priority, *got.Priority)
	}
	require.Equal(t, len(tier.pods), got.Pods, "pods of %s", got.Class)

	holds, covers := []kubeletadmit.ResourceNeed{}, []kubeletadmit.ResourceNeed{}
	for _, s := range c.shortages() {
		holds = append(holds, kubeletadmit.ResourceNeed{Resource: s.name, Amount: sum(s.name, tier.pods)})
		left := c.leftFor(tiers, i, s)
		if left > 0 && len(c.adm.Missing) == 0 {
			covers = append(covers, kubeletadmit.ResourceNeed{Resource: s.name, Amount: left})
		}
	}
	require.Equal(t, holds, got.Holds, "what %s holds", got.Class)
	require.Equal(t, covers, got.Covers, "what %s has to cover", got.Class)
	keys, more := c.keysUpTo(tier.chosen)
	require.Len(t, got.Rounds.Items, len(keys))
	for j := range keys {
		require.Equal(t, keys[j], got.Rounds.Items[j].Pod.Key, "who goes in round %d", j)
	}
	require.Equal(t, more, got.Rounds.More, "more rounds")
}

// sum adds up what pods free.
func sum(name resource.Name, pods []plainPod) (total int64) {
	for _, p := range pods {
		total += p.frees(name)
	}
	return total
}

// leftFor is what the i-th tier has to cover of a shortage: what the chosen pods of the tiers before it leave,
// less all that the tiers behind it hold.
func (c *crowd) leftFor(tiers []*plainTier, i int, s shortage) int64 {
	left := s.amount
	for _, before := range tiers[:i] {
		left = max(0, left-sum(s.name, before.chosen))
	}
	for _, behind := range tiers[i+1:] {
		left -= sum(s.name, behind.pods)
	}
	return max(0, left)
}

// The runner-up of a round is who would have been nearest without the chosen pod, and the first figure in
// which the two differ is what decided (rules 17.6.1 to 17.6.6): looked up in the list as it is in that round.
func TestPropertyRunnersUpAreNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCrowd(t)
		if len(c.adm.Evictions) == 0 || c.q.Config.Exact {
			return
		}
		tiers := c.tiers()
		for _, told := range c.r.Tiers.Items {
			i := slices.IndexFunc(tiers, func(tier *plainTier) bool {
				return plainClasses[tier.class] == told.Class && (told.Priority == nil || *told.Priority == tier.priority)
			})
			c.judgeRounds(t, tiers, i, told.Rounds.Items)
		}
	})
}

// judgeRounds follows the rounds of the i-th tier.
func (c *crowd) judgeRounds(t *rapid.T, tiers []*plainTier, i int, rounds []explain.Round) {
	left := c.shortages()
	for j, s := range left {
		left[j].amount = c.leftFor(tiers, i, s)
	}
	list := slices.Clone(tiers[i].pods)
	for j, round := range rounds {
		chosen := tiers[i].chosen[j]
		at := slices.IndexFunc(list, func(p plainPod) bool { return p.Pod == chosen.Pod })
		require.Equal(t, farness(left, chosen), round.Distance, "distance of %s", chosen.Name)
		next := -1
		for k, p := range list {
			if k != at && (next < 0 || before(left, p, list[next])) {
				next = k
			}
		}
		require.Equal(t, next >= 0, round.RunnerUp != nil, "a runner-up in round %d", j)
		if next >= 0 {
			require.Equal(t, list[next].Key(), round.RunnerUp.Key, "the runner-up of %s", chosen.Name)
			require.Equal(t, farness(left, list[next]), round.RunnerUpDistance)
			require.Equal(t, whatDecides(left, chosen, list[next]), round.DecidedBy, "%s before %s", chosen.Name, list[next].Name)
		}
		list[at] = list[len(list)-1]
		list = list[:len(list)-1]
		for k := range left {
			left[k].amount = max(0, left[k].amount-chosen.frees(left[k].name))
		}
	}
}

// farness is rule 17.6.2.
func farness(left []shortage, p plainPod) (sum float64) {
	for _, s := range left {
		if rest := s.amount - p.frees(s.name); s.amount > 0 && rest > 0 {
			part := float64(rest) / float64(s.amount)
			sum += float64(part * part)
		}
	}
	return sum
}

// before reports whether a pod is taken before one that stands earlier in the list (rules 17.6.1, 17.6.4 and
// 17.6.5).
func before(left []shortage, p, earlier plainPod) bool {
	a, b := farness(left, p), farness(left, earlier)
	switch {
	case a != b:
		return a < b
	case p.memory != earlier.memory:
		return p.memory < earlier.memory
	}
	return p.cpu <= earlier.cpu
}

// whatDecides names the first figure in which two pods differ.
func whatDecides(left []shortage, chosen, next plainPod) string {
	switch {
	case farness(left, chosen) != farness(left, next):
		return "distance"
	case chosen.memory != next.memory:
		return "memory-request"
	case chosen.cpu != next.cpu:
		return "cpu-request"
	}
	return "place-in-list"
}
