package joint

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Searching every node for victims is dear. These estimates, made of amounts alone, say
// where to look first. No answer rests on them.

// estimate returns how many victims a pod costs on a node, at the number of pods at which
// that is least, if each asks for so much and victims are picked by size. It is infinite
// where all pods up to the floor do not make room.
func (b *draft) estimate(node int, need []int64, most int, floor int32) float64 {
	n := b.nodes[node]
	free := make([]float64, len(need))
	for r, name := range b.scales {
		free[r] = float64(resource.SubSat(n.Allocatable.Amount(name), b.snap.Used(n.Name, name)))
	}
	pods := slices.DeleteFunc(b.snap.PodsOn(n.Name), func(p *outrank.Pod) bool {
		return b.isOne[p] || b.totals.of(p).priority > floor
	})
	size := func(p *outrank.Pod) float64 {
		sum := 0.0
		for r, amount := range b.amounts(p) {
			if need[r] > 0 {
				sum += float64(amount) / float64(need[r])
			}
		}
		if b.totals.of(p).covered {
			sum /= 1000
		}
		return sum
	}
	slices.SortStableFunc(pods, func(p, q *outrank.Pod) int { return cmp.Compare(size(q), size(p)) })
	best, x := math.Inf(1), 0
	for k := 1; k <= most; k++ {
		for !enough(free, need, float64(k)) {
			if x == len(pods) {
				return best
			}
			for r, amount := range b.amounts(pods[x]) {
				free[r] += float64(amount)
			}
			x++
		}
		best = min(best, float64(x)/float64(k))
	}
	return best
}

func enough(free []float64, need []int64, k float64) bool {
	for r := range need {
		if need[r] > 0 && free[r] < k*float64(need[r]) {
			return false
		}
	}
	return true
}

// likely returns the nodes among some on which pods that each ask for so much cost least
// by the estimate, at most so many of them, in the order of the nodes.
func (b *draft) likely(nodes []int, need []int64, pods, most int, floor int32) []int {
	if len(nodes) <= most {
		return nodes
	}
	type guess struct {
		node int
		cost float64
	}
	guesses := make([]guess, 0, len(nodes))
	for _, node := range nodes {
		if cost := b.estimate(node, need, pods, floor); !math.IsInf(cost, 1) {
			guesses = append(guesses, guess{node, cost})
		}
	}
	slices.SortStableFunc(guesses, func(g, h guess) int { return cmp.Compare(g.cost, h.cost) })
	guesses = guesses[:min(most, len(guesses))]
	out := make([]int, len(guesses))
	for i, g := range guesses {
		out[i] = g.node
	}
	slices.Sort(out)
	return out
}
