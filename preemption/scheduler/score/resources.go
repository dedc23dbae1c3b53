package score

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// counting says what a container counts with that does not name cpu or memory: nothing, or a
// default.
type counting uint8

const (
	asNamed counting = iota
	filledIn
)

// demand is what is asked for and there of one resource.
type demand struct {
	name  resource.Name
	asked int64
	// weight is that among the others, 0 where none counts.
	weight int64
	// allocatable is that of the nodes of the table, taken what the pods take of the nodes
	// that are scored.
	allocatable, taken []int64
}

// requested is what is taken and asked for on a node. Sums that have wrapped around count as 0
// where they are below it.
func (d *demand) requested(node int) int64 { return max(0, resource.AddSat(d.taken[node], d.asked)) }

// fit scores nodes by what is taken of their resources (group 27.3).
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
		raw[i] = s.of(demands, i, at)
	}
	return raw, nil
}

// of scores a node, which has two indexes: that among the scored nodes and that in the table.
func (s *Strategy) of(demands []demand, node int, at int32) int64 {
	var score, weights int64
	for i := range demands {
		d := &demands[i]
		total := d.allocatable[at]
		if total == 0 {
			continue
		}
		one := s.one(d.requested(node), total)
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

// one scores a node by one resource (rules 27.3.4 to 27.3.6).
func (s *Strategy) one(requested, total int64) int64 {
	switch s.Type {
	case MostAllocated:
		return parts(min(requested, total), total)
	case RequestedToCapacityRatio:
		if requested > total {
			return s.at(maxScore)
		}
		return s.at(parts(requested, total))
	}
	if requested > total {
		return 0
	}
	return parts(total-requested, total)
}

// at is the value of the shape at a utilization.
func (s *Strategy) at(utilization int64) int64 {
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

// parts is how many hundredths of the whole an amount is, rounded down. The whole is positive
// and not less than the amount, and the amount not below 0.
func parts(amount, whole int64) int64 {
	if amount <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(amount), maxScore)
	hundredths, _ := bits.Div64(high, low, uint64(whole))
	return int64(hundredths)
}

// balance scores nodes by how evenly their resources are taken (group 27.7).
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

// evenness is higher the less the parts of the resources differ that are taken and asked for,
// from 50 to maxScore. Conversions keep products from being fused with sums, which would
// round differently on some machines.
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

// demands lists the resources that count (rule 27.3.2).
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

// requestOf is what the pod asks for: asNamed by all that the pod says, filledIn by the specs of
// the containers alone (rule 27.3.3).
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

// bareContainers are the containers without what their status reports.
func bareContainers(cs []outrank.Container) []outrank.Container {
	out := make([]outrank.Container, len(cs))
	for i := range cs {
		out[i] = outrank.Container{Requests: cs[i].Requests, Sidecar: cs[i].Sidecar}
	}
	return out
}

// taken is what the pods take of a resource, by node.
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

// sumLoads makes the columns of the loads.
func (q *question) sumLoads() {
	for i := range q.loads {
		q.loads[i] = make([]int64, len(q.nodes))
	}
	for i, n := range q.nodes {
		if q.Ended(1) {
			return
		}
		l := q.counts.loads[n.Name]
		q.loads[0][i], q.loads[1][i], q.loads[2][i], q.loads[3][i] = l.cpu, l.memory, l.filledCPU, l.filledMemory
	}
}
