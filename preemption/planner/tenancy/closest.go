package tenancy

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Closeness is the configuration of [Closest].
type Closeness struct {
	// Delta is how much lower than the preemptor's a victim's priority has to be; zero
	// means lower at all. Nomad's is 10.
	Delta int32
	// MaxParallel returns the job of a pod, and how many pods of the job may leave at once before
	// further ones count as far away; 0 or less stands for any number. Nil means any number for all. It
	// always returns the same for the same pod.
	MaxParallel func(victim *outrank.Pod) (job string, most int)
	// Release is that of the snapshot. It says what a pod takes while it is being resized in place. Zero
	// means outrank.DefaultRelease.
	Release outrank.Release
}

// penalty is added to a distance for each pod of a job beyond those that may leave at once.
const penalty = 50

// Closest returns a rule that chooses victims as Nomad does (group 24.6): of the lowest
// priorities first, each time the pod whose size is the closest to what is still asked
// for, and in the end without those that the others make unnecessary. It can be used by
// any number of evaluators at once.
//
// Time on a node is that of comparing all possible victims for each one chosen, and of
// asking the filters as often.
func Closest(o Closeness) preemption.Chooser {
	return preemption.Chooser{Name: "Closest", Choose: func(v preemption.NodeView) []*outrank.Pod {
		if v == nil || v.Pod() == nil {
			return nil // of no node
		}
		c := choice{Closeness: o, view: v, going: map[string]int{}}
		for i, d := range dimensions {
			c.asked[i] = float64(v.Pod().Requests().Amount(d))
		}
		return c.choose()
	}}
}

// dimensions are the resources that distances are measured in.
var dimensions = [...]resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}

type amounts [len(dimensions)]float64

// choice is one choice on one node.
type choice struct {
	Closeness
	view  preemption.NodeView
	asked amounts
	going map[string]int // by job
}

// choose returns the victims, nil where all that may leave make no room.
func (c *choice) choose() []*outrank.Pod {
	// What leaves with a pod elsewhere frees nothing here.
	limit := int64(c.view.Pod().PriorityValue()) - int64(max(1, c.Delta))
	left := slices.DeleteFunc(c.view.Possible(), func(p *outrank.Pod) bool {
		return int64(p.PriorityValue()) > limit || p.NodeName != c.view.Node().Name
	})
	// The lowest priorities come first. Equal ones stay in the order of importance, and the first wins.
	slices.SortStableFunc(left, func(p, q *outrank.Pod) int { return cmp.Compare(p.PriorityValue(), q.PriorityValue()) })

	needed := c.asked
	var chosen []*outrank.Pod
	for !c.fitsWithout(chosen) {
		if len(left) == 0 {
			return nil
		}
		best := c.closest(left, needed)
		p := left[best]
		left = slices.Delete(left, best, best+1)
		chosen = append(chosen, p)
		if job, most := c.parallel(p); most > 0 {
			c.going[job]++
		}
		takes := c.takes(p)
		for i := range needed {
			needed[i] -= takes[i]
		}
	}
	return c.withoutSpare(chosen)
}

// fitsWithout asks the filters without some of the pods.
func (c *choice) fitsWithout(pods []*outrank.Pod) bool {
	return c.view.Check(pods...).Code == preemption.Success
}

// closest returns the index of the closest pod of the lowest priority (rules 24.6.2 and 24.6.3).
func (c *choice) closest(left []*outrank.Pod, needed amounts) int {
	best, least := 0, math.Inf(1)
	for i, p := range left {
		if p.PriorityValue() != left[0].PriorityValue() {
			break
		}
		far := c.distance(p, needed)
		if job, most := c.parallel(p); most > 0 && c.going[job] >= most {
			far += penalty * float64(c.going[job]+1-most)
		}
		if far < least {
			best, least = i, far
		}
	}
	return best
}

func (c *choice) parallel(p *outrank.Pod) (job string, most int) {
	if c.MaxParallel == nil {
		return "", 0
	}
	return c.MaxParallel(p)
}

func (c *choice) takes(p *outrank.Pod) (takes amounts) {
	for i, d := range dimensions {
		takes[i] = float64(resource.Amount(d, p.RunningRequestOf(c.Release, d)))
	}
	return takes
}

// distance returns how far a pod's size is from an amount: the root of the sum of squares of
// the parts that are missing or too much. What is not needed does not count.
func (c *choice) distance(p *outrank.Pod, needed amounts) float64 {
	sum, takes := 0.0, c.takes(p)
	for i := range needed {
		if needed[i] > 0 {
			part := (needed[i] - takes[i]) / needed[i]
			sum += part * part
		}
	}
	return math.Sqrt(sum)
}

// withoutSpare takes the chosen pods once more until there is room, those first that are the farthest from
// what was asked for (rule 24.6.4).
func (c *choice) withoutSpare(chosen []*outrank.Pod) []*outrank.Pod {
	slices.SortStableFunc(chosen, func(p, q *outrank.Pod) int {
		return cmp.Compare(c.distance(q, c.asked), c.distance(p, c.asked))
	})
	for n := 1; n < len(chosen); n++ {
		if c.fitsWithout(chosen[:n]) {
			return chosen[:n]
		}
	}
	return chosen
}
