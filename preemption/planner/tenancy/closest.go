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
	// Delta is the least difference by which a victim's priority has to be below the preemptor's. Zero means 1.
	// Nomad uses 10.
	Delta int32
	// MaxParallel returns the job of a pod, and the number of the job's pods that may leave at once before
	// further ones count as far away. A number of 0 or less, or a nil function, means no limit. It must always
	// return the same for the same pod.
	MaxParallel func(victim *outrank.Pod) (job string, most int)
	// Release is the release of the snapshot. It decides what a pod uses while it is resized in place. Zero means
	// outrank.DefaultRelease.
	Release outrank.Release
}

// penalty is added to the distance of a pod, once for each pod by which its job would exceed MaxParallel.
const penalty = 50

// Closest returns a chooser of victims after Nomad (group 24.6). It starts with the lowest priority, and chooses the
// pod whose size is closest to the amounts still missing, until the preemptor fits. In the end it leaves out victims
// that the others make unnecessary. Any number of evaluators may use it at once.
//
// For each victim it compares all possible victims of the node, and asks the filters once.
func Closest(o Closeness) preemption.Chooser {
	return preemption.Chooser{Name: "Closest", Choose: func(v preemption.NodeView) []*outrank.Pod {
		if v == nil || v.Pod() == nil {
			return nil // Choose was called without a node
		}
		c := choice{Closeness: o, view: v, going: map[string]int{}}
		for i, d := range dimensions {
			c.asked[i] = float64(v.Pod().Requests().Amount(d))
		}
		return c.choose()
	}}
}

// dimensions lists the resources in which distances are measured.
var dimensions = [...]resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}

// amounts has one amount for each of the dimensions.
type amounts [len(dimensions)]float64

// choice is the state of choosing victims on one node.
type choice struct {
	Closeness
	view  preemption.NodeView
	asked amounts        // the requests of the preemptor
	going map[string]int // the number of victims chosen so far, by job
}

// choose returns the victims, or nil if the preemptor does not fit with all candidates gone.
func (c *choice) choose() []*outrank.Pod {
	// Pods on other nodes, which only leave together with pods here, free nothing here and are no candidates.
	limit := int64(c.view.Pod().PriorityValue()) - int64(max(1, c.Delta))
	left := slices.DeleteFunc(c.view.Possible(), func(p *outrank.Pod) bool {
		return int64(p.PriorityValue()) > limit || p.NodeName != c.view.Node().Name
	})

	// The lowest priorities come first. Pods of equal priority stay in the order of importance, so that of equally
	// close ones the most important is chosen.
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

		// The next victim is compared with the amounts that are still missing.
		takes := c.takes(p)
		for i := range needed {
			needed[i] -= takes[i]
		}
	}
	return c.withoutSpare(chosen)
}

// fitsWithout reports whether the preemptor fits on the node with these pods gone.
func (c *choice) fitsWithout(pods []*outrank.Pod) bool {
	return c.view.Check(pods...).Code == preemption.Success
}

// closest returns the index of the pod of the lowest priority whose size is closest to needed, with penalties for jobs
// that lose too many pods (rules 24.6.2 and 24.6.3).
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

// parallel returns MaxParallel of a pod; most is 0 if there is no limit.
func (c *choice) parallel(p *outrank.Pod) (job string, most int) {
	if c.MaxParallel == nil {
		return "", 0
	}
	return c.MaxParallel(p)
}

// takes returns the amounts that a running pod holds.
func (c *choice) takes(p *outrank.Pod) (takes amounts) {
	for i, d := range dimensions {
		takes[i] = float64(resource.Amount(d, p.RunningRequestOf(c.Release, d)))
	}
	return takes
}

// distance returns how far a pod's size is from the needed amounts: the Euclidean norm of the relative differences in
// all dimensions. Dimensions in which nothing is needed do not count.
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

// withoutSpare chooses among the chosen pods again: it starts with the pods farthest from the preemptor's requests, and
// stops once there is room (rule 24.6.4).
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
