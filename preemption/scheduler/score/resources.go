package score

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// counting says what a container counts with that does not request cpu or memory: asNamed with nothing,
// filledIn with a default.
type counting uint8

const (
	asNamed counting = iota
	filledIn
)

// demand is the pod's demand for one resource, with the resource's use and supply on the nodes.
type demand struct {
	name resource.Name
	// asked is the amount that the pod asks for.
	asked int64
	// weight is the weight of the resource in the strategy. It is 0 where weights do not matter.
	weight int64
	// allocatable has the amount of each node, by its index in the table.
	allocatable []int64
	// taken has the amount that the pods on each node request, by the node's index among the scored nodes.
	taken []int64
}

// requested returns the amount that is requested on a node once the pod is there. A sum that has wrapped
// around to below 0 counts as 0.
func (d *demand) requested(node int) int64 { return max(0, resource.AddSat(d.taken[node], d.asked)) }

// fit scores each node by how much of its resources would be requested with the pod (group 27.3).
func (q *question) fit() ([]int64, error) {
	s := &q.config.Fit
	weights := s.Resources
	if weights == nil {
		weights = map[resource.Name]int64{resource.CPU: 1, resource.Memory: 1}
	}
	demands := q.demands(slices.Sorted(maps.Keys(weights)), filledIn)
	for i := range demands {
		demands[i].weight = max(1, weights[demands[i].name])
	}

	raw := make([]int64, len(q.nodes))
	for i, at := range q.at {
		if q.Ended(1 + len(demands)) {
			return nil, nil
		}
		raw[i] = s.scoreNode(demands, i, at)
	}
	return raw, nil
}

// scoreNode returns the weighted mean of a node's scores for the resources. node is the node's index among
// the scored nodes, and at is its index in the table.
func (s *Strategy) scoreNode(demands []demand, node int, at int32) int64 {
	var score, weights int64
	for i := range demands {
		d := &demands[i]
		total := d.allocatable[at]
		if total == 0 {
			continue
		}
		one := s.scoreOne(d.requested(node), total)

		// With a shape, resources that score nothing do not lower the mean.
		if s.Type == RequestedToCapacityRatio && one <= 0 {
			continue
		}
		score += one * d.weight
		weights += d.weight
	}

	switch {
	case weights == 0:
		return 0
	case s.Type == RequestedToCapacityRatio:
		return int64(math.Round(float64(score) / float64(weights)))
	}
	return score / weights
}

// scoreOne returns the score of a node for one resource (rules 27.3.4 to 27.3.6).
func (s *Strategy) scoreOne(requested, total int64) int64 {
	switch s.Type {
	case MostAllocated:
		return hundredths(min(requested, total), total)
	case RequestedToCapacityRatio:
		if requested > total {
			return s.valueAt(maxScore)
		}
		return s.valueAt(hundredths(requested, total))
	}

	// LeastAllocated
	if requested > total {
		return 0
	}
	return hundredths(total-requested, total)
}

// valueAt returns the value of the shape at a utilization. Between two points it is interpolated linearly;
// before the first point it is the value of the first, and after the last the value of the last.
func (s *Strategy) valueAt(utilization int64) int64 {
	const scale = maxScore / 10
	for i, p := range s.Shape {
		if utilization > int64(p.Utilization) {
			continue
		}
		if i == 0 {
			return int64(p.Score) * scale
		}
		left := s.Shape[i-1]
		low, high := int64(left.Score)*scale, int64(p.Score)*scale
		return low + (high-low)*(utilization-int64(left.Utilization))/int64(p.Utilization-left.Utilization)
	}
	return int64(s.Shape[len(s.Shape)-1].Score) * scale
}

// hundredths returns an amount in percent of the whole, rounded down. The whole must be
// positive and not less than the amount.
func hundredths(amount, whole int64) int64 {
	if amount <= 0 {
		return 0
	}

	// The product with maxScore may need more than 64 bits.
	high, low := bits.Mul64(uint64(amount), maxScore)
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return int64(quotient)
}

// balance scores each node by how much more even the use of its resources becomes with the pod (group 27.7).
// The result is nil for a pod that requests none of the resources.
func (q *question) balance() ([]int64, error) {
	names := q.config.Balanced
	if names == nil {
		names = []resource.Name{resource.CPU, resource.Memory}
	}

	asks := false
	for _, name := range names {
		asks = asks || q.requestOf(name, asNamed) != 0
	}
	if !asks {
		return nil, nil
	}

	// The evenness with the pod is compared with the evenness without it.
	demands := q.demands(names, asNamed)
	before := slices.Clone(demands)
	for i := range before {
		before[i].asked = 0
	}

	raw := make([]int64, len(q.nodes))
	for i, at := range q.at {
		if q.Ended(2 * (1 + len(demands))) {
			return nil, nil
		}
		with, without := evenness(demands, i, at), evenness(before, i, at)
		raw[i] = maxScore/2 + (maxScore/2+with-without)/2
	}
	return raw, nil
}

// evenness returns how evenly the resources of a node are used, from 50 to maxScore. It is maxScore times one
// minus the standard deviation of the used fractions. The explicit conversion keeps products from being
// fused with sums, which would round differently on some machines.
func evenness(demands []demand, node int, at int32) int64 {
	var space [8]float64
	fractions, total := space[:0], 0.0
	for i := range demands {
		d := &demands[i]
		if d.allocatable[at] == 0 {
			continue
		}
		f := min(1, float64(d.requested(node))/float64(d.allocatable[at]))
		fractions, total = append(fractions, f), total+f
	}

	// For two fractions the deviation is half their difference, which avoids the rounding of squares and
	// roots.
	deviation := 0.0
	switch n := float64(len(fractions)); {
	case n == 2:
		deviation = math.Abs((fractions[0] - fractions[1]) / 2)
	case n > 2:
		mean, sum := total/n, 0.0
		for _, f := range fractions {
			sum += float64((f - mean) * (f - mean))
		}
		deviation = math.Sqrt(sum / n)
	}
	return int64((1 - deviation) * maxScore)
}

// demands returns the pod's demands for those of the resources that count for it (rule 27.3.2).
func (q *question) demands(names []resource.Name, by counting) []demand {
	var out []demand
	for _, name := range names {
		asked := q.requestOf(name, by)
		if name.Counted() && (asked != 0 || !isScalar(name)) {
			out = append(out, demand{name: name, asked: asked, allocatable: q.table.amount(name), taken: q.taken(name, by)})
		}
	}
	return out
}

// isScalar reports whether the name is neither cpu, memory nor ephemeral-storage.
func isScalar(name resource.Name) bool {
	return name != resource.CPU && name != resource.Memory && name != resource.EphemeralStorage
}

// requestOf returns the amount that the pod requests. By asNamed, all of the pod counts: pod-level requests
// and status, too. By filledIn, only the specs of its containers and its overhead count (rule 27.3.3).
func (q *question) requestOf(name resource.Name, by counting) int64 {
	if by == asNamed {
		return resource.Amount(name, q.pod.RunningRequestOf(q.counts.release, name))
	}

	bare := &outrank.Pod{Containers: bareContainers(q.pod.Containers), InitContainers: bareContainers(q.pod.InitContainers), Overhead: q.pod.Overhead}
	if name == resource.CPU || name == resource.Memory {
		return filled(bare, q.counts.release, name)
	}
	return resource.Amount(name, bare.RequestOf(name))
}

// bareContainers returns the containers with their requests alone, without the amounts from their status.
func bareContainers(cs []outrank.Container) []outrank.Container {
	out := make([]outrank.Container, len(cs))
	for i := range cs {
		out[i] = outrank.Container{Requests: cs[i].Requests, Sidecar: cs[i].Sidecar}
	}
	return out
}

// taken returns, for each scored node, the amount of a resource that the pods on it request.
func (q *question) taken(name resource.Name, by counting) []int64 {
	if name != resource.CPU && name != resource.Memory {
		out := make([]int64, len(q.nodes))
		for i, n := range q.nodes {
			if q.Ended(1) {
				break
			}
			out[i] = q.snap.Used(n.Name, name)
		}
		return out
	}

	// For cpu and memory the counts have the sums, with and without defaults.
	if q.loads[0] == nil {
		q.sumLoads()
	}
	at := 0
	if name == resource.Memory {
		at++
	}
	if by == filledIn {
		at += 2
	}
	return q.loads[at]
}

// sumLoads fills in q.loads, with a value for each scored node: cpu and memory as requested, and then cpu and
// memory with defaults.
func (q *question) sumLoads() {
	for i := range q.loads {
		q.loads[i] = make([]int64, len(q.nodes))
	}
	for i, n := range q.nodes {
		if q.Ended(1) {
			return
		}
		l := q.counts.loads[n.Name]
		q.loads[0][i], q.loads[1][i] = l.cpu, l.memory
		q.loads[2][i], q.loads[3][i] = l.filledCPU, l.filledMemory
	}
}
