package preemption_test

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func exactly(policy preemption.Policy) preemption.Config {
	policy.Victims = preemption.Exact
	return by(policy)
}

// fullNode is a node with up to so many pods, three resources and budgets, drawn from
// one number, and a preemptor that mostly needs several of them gone.
func fullNode(seed uint64, most int) (*outrank.Cluster, *outrank.Pod) {
	r := rand.New(rand.NewPCG(seed, 16))
	names := []resource.Name{resource.CPU, resource.Memory, "example.com/gpu"}
	used := resource.List{}
	c := &outrank.Cluster{}
	priorities := 1 + r.IntN(4)
	alike := r.IntN(3)
	for i := range 2 + r.IntN(most-1) {
		p := &outrank.Pod{
			Name: fmt.Sprintf("p%02d", i), NodeName: "n", Priority: outrank.Priority(int32(r.IntN(priorities) * 10)),
			StartTime: gen.Now.Add(-time.Duration(r.IntN(6)) * time.Hour), Labels: map[string]string{"app": string(rune('a' + r.IntN(4)))},
		}
		asks := resource.List{}
		for k, name := range names {
			amount := 1 + r.IntN(2+3*alike)
			if k == 2 && r.IntN(2) == 0 {
				amount = 0
			}
			asks[name] = resource.MustParse(fmt.Sprint(amount))
			used[name] = resource.MustParse(fmt.Sprint(used[name].Value() + int64(amount)))
		}
		p.Containers = []outrank.Container{{Name: "c", Requests: asks}}
		c.Pods = append(c.Pods, p)
	}
	for i := range r.IntN(4) {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Name: fmt.Sprintf("b%d", i), Allowed: int32(r.IntN(3)),
			Selector: &outrank.LabelSelector{Labels: map[string]string{"app": string(rune('a' + r.IntN(4)))}},
		})
	}
	asks := resource.List{}
	offers := resource.List{resource.Pods: resource.MustParse("110")}
	for _, name := range names {
		free := r.IntN(3)
		offers[name] = resource.MustParse(fmt.Sprint(used[name].Value() + int64(free)))
		asks[name] = resource.MustParse(fmt.Sprint(int64(r.IntN(1 + free + int(used[name].Value())*2/3))))
	}
	if r.IntN(4) == 0 {
		offers[resource.Pods] = resource.MustParse(fmt.Sprint(len(c.Pods)))
	}
	c.Nodes = []*outrank.Node{{Name: "n", Allocatable: offers}}
	return c, &outrank.Pod{Name: "new", Priority: outrank.Priority(int32(5 + r.IntN(4)*10)), Containers: []outrank.Container{{Name: "c", Requests: asks}}}
}

// bestSet is the score of the best set of victims on a node, of all that there are.
func bestSet(t fataler, config preemption.Config, c *outrank.Cluster, p *outrank.Pod, node string) (preemption.Score, bool) {
	t.Helper()
	e := newEvaluator(t, config)
	trials, err := e.Trials(newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	trial, err := trials.On(node)
	require.NoError(t, err)
	possible := trial.Possible()
	if len(possible) > 16 {
		t.Fatalf("%d pods are too many to try all sets", len(possible))
	}
	var best preemption.Score
	found := false
	for set := uint64(1); set < 1<<len(possible); set++ {
		var victims []*outrank.Pod
		for i, q := range possible {
			if set>>i&1 == 1 {
				victims = append(victims, q)
			}
		}
		if split := slices.ContainsFunc(possible, func(q *outrank.Pod) bool {
			return !slices.Contains(victims, q) && slices.ContainsFunc(victims, func(v *outrank.Pod) bool { return trials.LeaveTogether(v, q) })
		}); split {
			continue
		}
		sc := scoreOfSet(&config, c, victims)
		if config.Policy.Strict && sc.Violations > 0 || found && compareBy(&config, sc, best) >= 0 {
			continue
		}
		if trial.Check(func(q *outrank.Pod) bool { return slices.Contains(victims, q) }).Code == preemption.Success {
			best, found = sc, true
		}
	}
	return best, found
}

// scoreOfSet is what the ranks compare of victims by importance, in words of its own.
func scoreOfSet(config *preemption.Config, c *outrank.Cluster, victims []*outrank.Pod) preemption.Score {
	sc := preemption.Score{Victims: len(victims), TopPriority: victims[0].PriorityValue()}
	left := map[*outrank.PodDisruptionBudget]int32{}
	for _, b := range c.Budgets {
		left[b] = b.Allowed
	}
	for _, p := range victims {
		broken := 0
		for _, b := range c.Budgets {
			if b.NamespaceName() != p.NamespaceName() || len(p.Labels) == 0 || b.Selector.Empty() || !b.Selector.Matches(p.Labels) {
				continue
			}
			if _, counted := b.Disrupted[p.Name]; counted {
				continue
			}
			if left[b]--; left[b] < 0 {
				broken = 1
				if c.Release != outrank.V1_36 {
					break
				}
			}
		}
		sc.Violations += broken
		sc.PrioritySum += int64(p.PriorityValue()) + 1<<31
		start := p.StartTime
		if start.IsZero() {
			start = gen.Now
		}
		if top := slices.MaxFunc(victims, func(p, q *outrank.Pod) int { return cmp.Compare(p.PriorityValue(), q.PriorityValue()) }); p.PriorityValue() == top.PriorityValue() && (sc.Start.IsZero() || start.Before(sc.Start)) {
			sc.Start = start
		}
		if config.Cost != nil {
			sc.Cost += config.Cost(p)
		}
	}
	return sc
}

func compareBy(config *preemption.Config, a, b preemption.Score) int {
	ranks := config.Policy.Ranks
	if ranks == nil {
		ranks = preemption.DefaultRanks()
	}
	for _, r := range ranks {
		var order int
		switch r {
		case preemption.ByViolations:
			order = cmp.Compare(a.Violations, b.Violations)
		case preemption.ByTopPriority:
			order = cmp.Compare(a.TopPriority, b.TopPriority)
		case preemption.ByPrioritySum:
			order = cmp.Compare(a.PrioritySum, b.PrioritySum)
		case preemption.ByVictims:
			order = cmp.Compare(a.Victims, b.Victims)
		case preemption.ByCost:
			order = cmp.Compare(a.Cost, b.Cost)
		case preemption.ByStart:
			order = b.Start.Compare(a.Start)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// someRanks are ranks in many orders, some left out.
func someRanks(seed uint64) []preemption.Rank {
	r := rand.New(rand.NewPCG(seed, 17))
	if r.IntN(2) == 0 {
		return nil
	}
	ranks := append(preemption.DefaultRanks(), preemption.ByCost)
	r.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
	return ranks[:1+r.IntN(len(ranks))]
}

// lastDigit is a cost that has nothing to do with priorities.
func lastDigit(p *outrank.Pod) int64 { return int64(p.Name[len(p.Name)-1]) % 4 }

// bestOfVectors is bestSet where resources alone decide, by plain sums, for nodes with more pods.
func bestOfVectors(config *preemption.Config, c *outrank.Cluster, p *outrank.Pod) (preemption.Score, bool) {
	var possible []*outrank.Pod
	for _, q := range c.Pods {
		if q.PriorityValue() < p.PriorityValue() {
			possible = append(possible, q)
		}
	}
	slices.SortFunc(possible, func(a, b *outrank.Pod) int {
		return cmp.Or(cmp.Compare(b.PriorityValue(), a.PriorityValue()), a.StartTime.Compare(b.StartTime), cmp.Compare(a.Name, b.Name))
	})
	names := []resource.Name{resource.CPU, resource.Memory, "example.com/gpu"}
	var short [4]int64
	for k, name := range names {
		short[k] = p.Requests()[name].Value() - c.Nodes[0].Allocatable[name].Value()
		for _, q := range c.Pods {
			short[k] += q.Requests()[name].Value()
		}
		if p.Requests()[name].Value() == 0 {
			short[k] = 0
		}
	}
	short[3] = int64(len(c.Pods)) + 1 - c.Nodes[0].Allocatable[resource.Pods].Value()
	holds := make([][4]int64, len(possible))
	for i, q := range possible {
		for k, name := range names {
			holds[i][k] = q.Requests()[name].Value()
		}
		holds[i][3] = 1
	}
	sums := make([][4]int64, 1<<len(possible))
	var best preemption.Score
	found := false
	for set := uint32(1); set < 1<<len(possible); set++ {
		low := bits.TrailingZeros32(set)
		sums[set] = sums[set&(set-1)]
		enough := true
		for k := range short {
			sums[set][k] += holds[low][k]
			enough = enough && sums[set][k] >= short[k]
		}
		if !enough || found && config.Policy.Ranks == nil && possible[low].PriorityValue() > best.TopPriority && best.Violations == 0 {
			continue
		}
		var victims []*outrank.Pod
		for i, q := range possible {
			if set>>i&1 == 1 {
				victims = append(victims, q)
			}
		}
		if sc := scoreOfSet(config, c, victims); (!config.Policy.Strict || sc.Violations == 0) && (!found || compareBy(config, sc, best) < 0) {
			best, found = sc, true
		}
	}
	return best, found
}

// On a node where resources alone decide, no set of victims is better than the exact one,
// whatever the ranks and budgets, and it is as good as the best of all.
func TestPropertyExactAgainstAllSets(t *testing.T) {
	for _, pods := range []int{9, 12, 16} {
		t.Run(fmt.Sprint(pods), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { agreesWithAllSets(t, rapid.Uint64().Draw(t, "seed"), pods) })
		})
		t.Run(fmt.Sprint(pods, " heavily"), func(t *testing.T) {
			defer preemption.SearchHeavily()()
			rapid.Check(t, func(t *rapid.T) { agreesWithAllSets(t, rapid.Uint64().Draw(t, "seed"), pods) })
		})
	}
}

func agreesWithAllSets(t fataler, seed uint64, most int) {
	c, p := fullNode(seed, most)
	config := exactly(preemption.Policy{Ranks: someRanks(seed), Strict: seed%5 == 0, Limit: 1 << 20})
	config.Cost = lastDigit
	want, found := bestOfVectors(&config, c, p)
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), p, gen.Now)
	require.NoError(t, err)
	if plan.Outcome == preemption.Fits {
		return
	}
	if found != (plan.Outcome == preemption.Preempt) {
		t.Fatalf("seed %d: a set is found: %v; %v", seed, found, plan)
	}
	if !found {
		return
	}
	if compareBy(&config, want, plan.Score) != 0 {
		t.Fatalf("seed %d, ranks %v: the best set has %+v, the plan %+v\n%v", seed, config.Policy.Ranks, want, plan.Score, plan)
	}
	for _, cert := range []*preemption.Certificate{plan.Certificate, plan.ClusterCertificate} {
		if !cert.Optimal || compareBy(&config, cert.Bound, plan.Score) != 0 {
			t.Fatalf("seed %d: %+v", seed, cert)
		}
	}
}

// sharePort reports whether two pods on a node hold one host port. The reference forgets the
// port with either of them (rule 7.6.7), so that its answer about a set depends on the order.
func sharePort(c *outrank.Cluster, node string) bool {
	held := map[int32]bool{}
	for _, p := range c.Pods {
		for _, k := range slices.Concat(p.Containers, p.InitContainers) {
			for _, port := range k.Ports {
				if p.NodeName == node && port.HostPort != 0 {
					if held[port.HostPort] {
						return true
					}
					held[port.HostPort] = true
				}
			}
		}
	}
	return false
}

// With any filters, on every node: the exact victims are the best of all sets by which the
// filters pass, and where there are none, no set passes.
func TestPropertyExactWithFilters(t *testing.T) {
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		config := exactly(preemption.Policy{Ranks: someRanks(rapid.Uint64().Draw(t, "ranks")), Strict: rapid.IntRange(0, 3).Draw(t, "strict") == 0})
		config.Cost = lastDigit
		ex := explainBy(t, config, c, p)
		for _, n := range ex.Nodes {
			if !n.Tried {
				continue
			}
			at := slices.IndexFunc(ex.Candidates, func(k preemption.Candidate) bool { return k.Node == n.Node })
			if n.AfterRemoval.Code == preemption.Contradiction || sharePort(c, n.Node) {
				continue
			}
			want, found := bestSet(t, config, c, p, n.Node)
			require.Equal(t, found, at >= 0, "node %s: %v", n.Node, n.AfterRemoval)
			if found {
				k := &ex.Candidates[at]
				assert.True(t, k.Certificate.Optimal)
				if compareBy(&config, want, k.Score) != 0 {
					t.Fatalf("node %s, ranks %v: the best set has %+v, the candidate %+v\n%v", n.Node, config.Policy.Ranks, want, k.Score, k)
				}
			}
		}
	})
}
