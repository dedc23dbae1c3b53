package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// alike is a cluster of nodes that are full of equal pods of one priority. The
// pods of each node start at a time of their own.
func alike(pods int, each resource.List, starts ...time.Time) *outrank.Cluster {
	c := &outrank.Cluster{}
	for i, start := range starts {
		n := &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.List{resource.Pods: resource.New(110)}}
		for j := range pods {
			p := pod(fmt.Sprintf("p%d-%02d", i, j), 1, "0", on(n.Name), requests(each), func(p *outrank.Pod) { p.StartTime = start })
			n.Allocatable = n.Allocatable.Plus(each)
			c.Pods = append(c.Pods, p)
		}
		c.Nodes = append(c.Nodes, n)
	}
	return c
}

// times is a multiple of an amount, less one if asked for.
func times(each resource.List, n int, less int64) resource.List {
	sum := resource.List{}
	for name, q := range each {
		sum[name] = resource.New(q.Value()*int64(n) - less)
	}
	return sum
}

// Nodes that tie in everything but the start of their victims. A number of
// equal pods has to leave, from one to more than the bounds know by themselves.
// A bound that asks for one pod too many would miss the best node.
func TestEqualVictims(t *testing.T) {
	early, late := gen.Now.Add(-2*time.Hour), gen.Now.Add(-time.Hour)
	sizes := map[string]resource.List{
		"cpu":          resource.MustList("cpu", "3"),
		"memory":       resource.MustList("memory", "5Gi"),
		"third column": resource.MustList("ephemeral-storage", "7"),
		"no column":    resource.MustList("example.com/gpu", "2"),
		"all columns":  resource.MustList("cpu", "3", "memory", "5Gi", "ephemeral-storage", "7"),
	}
	for name, each := range sizes {
		t.Run(name, func(t *testing.T) {
			for victims := 1; victims <= 12; victims += seeded.Sample(4, 1) {
				for spare := range 3 {
					for best := range 3 {
						starts := []time.Time{early, early, early}
						starts[best] = late
						c := alike(victims+spare, each, starts...)
						for _, less := range []int64{0, 1} {
							p := pod("asker", 100, "0", requests(times(each, victims, less)))
							got := newWorld(t, c).agree(t, p, gen.Now)
							assert.Equal(t, fmt.Sprint("n", best), got.Node, "%d of %d pods, less %d", victims, victims+spare, less)
							assert.Len(t, got.Victims, victims)
						}
					}
				}
			}
		})
	}
}

// The last rank compares starts to the nanosecond, wherever the nodes stand,
// and a pod without a start counts as started now.
func TestStartsWithinASecond(t *testing.T) {
	second := gen.Now.Truncate(time.Second)
	at := func(ns time.Duration) time.Time { return second.Add(ns) }
	offsets := []time.Duration{-1, 0, 1, 500 * time.Millisecond, time.Second - 1, time.Second}
	each := resource.MustList("cpu", "3")
	few := []int{1, 8, 2, 7}
	for _, victims := range few[:seeded.Sample(2, 4)] {
		p := pod("asker", 100, "0", requests(times(each, victims, 0)))
		for _, first := range offsets {
			for _, second := range offsets {
				newWorld(t, alike(victims, each, at(first), at(second))).agree(t, p, at(time.Hour))
				// The same snapshot at one time after the other, also back.
				w := newWorld(t, alike(victims, each, at(first), time.Time{}, at(second)))
				for _, now := range []time.Duration{-time.Hour, 0, 1, 500 * time.Millisecond, time.Second, 2 * time.Second, time.Hour, 1, 0} {
					w.agree(t, p, at(now))
				}
			}
		}
	}
}

// The same on one node: of a pod that started at about now and one without a
// start, the later one leaves, and of equal ones the last by name.
func TestStartsAtNow(t *testing.T) {
	second := gen.Now.Truncate(time.Second)
	offsets := []time.Duration{-time.Second, -1, 0, 1, 500 * time.Millisecond, time.Second - 1, time.Second}
	answers := map[string]bool{}
	for _, started := range offsets {
		for _, names := range [][]string{{"a", "b"}, {"b", "a"}} {
			c := alike(1, resource.MustList("cpu", "3"), second.Add(started))
			c.Nodes[0].Allocatable = resource.MustList("cpu", "6", "pods", "9")
			c.Pods[0].Name = names[0]
			c.Pods = append(c.Pods, pod(names[1], 1, "3", on("n0"), func(p *outrank.Pod) { p.StartTime = time.Time{} }))
			w := newWorld(t, c)
			for _, now := range slices.Concat(offsets, offsets) {
				answers[w.agree(t, pod("asker", 100, "3"), second.Add(now)).String()] = true
			}
		}
	}
	assert.Len(t, answers, 2, "either may leave")
}

// huge draws amounts about the limits of what can be counted.
func huge(t *rapid.T, label string) resource.Quantity {
	const eighth = math.MaxInt64 / 8
	return rapid.SampledFrom([]resource.Quantity{
		resource.New(0), resource.New(1), resource.New(eighth), resource.New(2 * eighth), resource.New(math.MaxInt64 / 4),
		resource.New(math.MaxInt64/4 + 1), resource.New(math.MaxInt64 / 2), resource.New(math.MaxInt64/2 + 1),
		resource.New(math.MaxInt64 - 1), resource.New(math.MaxInt64), resource.MustParse("8Ei"), resource.MustParse("7Ei"),
		resource.MustParse("1Ei"), resource.MustParse("1e30"), resource.NewMilli(math.MaxInt64), resource.NewMilli(math.MaxInt64 / 4),
	}).Draw(t, label)
}

// Amounts at the limits are added and compared as if there were no limits, and
// what does not fit saturates.
func TestPropertyHugeAmounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]resource.Name{resource.Memory, resource.CPU, resource.EphemeralStorage, "example.com/gpu"}).Draw(t, "resource")
		one := func(label string) resource.List { return resource.List{name: huge(t, label)} }
		c := &outrank.Cluster{}
		for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
			n := &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: one("allocatable").Plus(resource.MustList("pods", "9"))}
			c.Nodes = append(c.Nodes, n)
			for j := range rapid.IntRange(0, 4).Draw(t, "pods") {
				priority := rapid.Int32Range(1, 2).Draw(t, "priority")
				c.Pods = append(c.Pods, pod(fmt.Sprint("p", i, "-", j), priority, "0", on(n.Name), requests(one("requests"))))
			}
			// Many of them together go beyond what one alone does not reach.
			claims := one("claims")
			for k := range rapid.SampledFrom([]int{0, 0, 1, 2, 5, 6, 9}).Draw(t, "nominated") {
				priority := rapid.SampledFrom([]int32{50, 150, 150}).Draw(t, "priority")
				c.Pods = append(c.Pods, pod(fmt.Sprint("q", i, "-", k), priority, "0", nominated(n.Name), requests(claims)))
			}
		}
		p := pod("asker", 100, "0", requests(one("asks")))
		w := newWorld(t, c)
		w.agree(t, p, gen.Now)
		// What is taken is exact again when some of it goes.
		for key, q := range w.pods {
			if q.NodeName == "n0" {
				w.remove(t, key)
				break
			}
		}
		w.agree(t, p, gen.Now)
	})
}

// A node may have all the memory that can be counted, some 8 EiB, and still be
// short of it.
func TestLargestNode(t *testing.T) {
	for _, size := range []string{"1Ei", "2Ei", "3Ei", "4Ei", "7Ei", "8Ei", "9223372036854775806"} {
		whole := resource.MustList("memory", size, "pods", "9")
		node := func(name string) *outrank.Node { return &outrank.Node{Name: name, Allocatable: whole} }
		c := &outrank.Cluster{Nodes: []*outrank.Node{node("n0"), node("n1"), node("n2")}, Pods: []*outrank.Pod{
			pod("all", 3, "0", on("n0"), requests(resource.MustList("memory", size))),
			pod("half-1", 1, "0", on("n1"), requests(resource.List{resource.Memory: resource.New(whole[resource.Memory].Value() / 2)})),
			pod("half-2", 2, "0", on("n1"), requests(resource.List{resource.Memory: resource.New(whole[resource.Memory].Value()/2 + 1)})),
			pod("too-much", 1, "0", on("n2"), requests(resource.MustList("memory", "8Ei"))),
			pod("claim", 1000, "0", nominated("n2"), requests(resource.MustList("memory", "1Ei"))),
		}}
		for asks, want := range map[string]preemption.Outcome{"0": preemption.Fits, "1": preemption.Preempts, "1Mi": preemption.Preempts, size: preemption.Preempts} {
			got := newWorld(t, c).agree(t, pod("asker", 100, "0", requests(resource.MustList("memory", asks))), gen.Now)
			assert.Equal(t, want, got.Outcome, "%s of %s", asks, size)
		}
	}
}

// Such a node is also chosen by what it is short of, if that is something else.
func TestLargestNodeAmongOthers(t *testing.T) {
	early, late := gen.Now.Add(-2*time.Hour), gen.Now.Add(-time.Hour)
	for _, size := range []string{"0", "1Gi", "2Ei", "4Ei", "5Ei", "8Ei"} {
		few := []int{2, 9, 1, 7}
		for _, victims := range few[:seeded.Sample(2, 4)] {
			for best := range 3 {
				for large := range 8 {
					starts := []time.Time{early, early, early}
					starts[best] = late
					each := resource.MustList("cpu", "3")
					c := alike(victims, each, starts...)
					for i, n := range c.Nodes {
						if large&(1<<i) != 0 {
							n.Allocatable[resource.Memory] = resource.MustParse(size)
						}
					}
					got := newWorld(t, c).agree(t, pod("asker", 100, "0", requests(times(each, victims, 0))), gen.Now)
					assert.Equal(t, fmt.Sprint("n", best), got.Node, "%d victims, nodes %b have %s", victims, large, size)
				}
			}
		}
	}
}

// Nominated pods take what is left together, even where that is more than can be
// counted.
func TestManyHugeNominations(t *testing.T) {
	for pods := range 14 {
		for _, size := range []string{"1Ei", "2305843009213693951", "2Ei", "8Ei"} {
			c := alike(1, resource.MustList("memory", "1Ei"), gen.Now)
			for i := range pods {
				c.Pods = append(c.Pods, pod(fmt.Sprint("claim", i), 1000, "0", nominated("n0"), requests(resource.MustList("memory", size))))
			}
			w, asker := newWorld(t, c), pod("asker", 100, "0", requests(resource.MustList("memory", "1Mi")))
			got := w.agree(t, asker, gen.Now)
			assert.Equal(t, pods == 0, got.Outcome == preemption.Preempts, "%d pods of %s", pods, size)
			// What was remembered of the node is forgotten when it changes.
			w.addNode(t, &outrank.Node{Name: "n1", Allocatable: resource.MustList("pods", "1")})
			w.agree(t, asker, gen.Now)
			w.remove(t, c.Pods[0].Key())
			w.agree(t, asker, gen.Now)
		}
	}
}
