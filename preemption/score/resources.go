package score

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// amounts are those of one resource on one node.
type amounts struct {
	// requested are the pods of the node and the pod that is scored, allocated the pods of
	// the node alone.
	requested, allocated, allocatable int64
	weight                            int64
}

// fit scores nodes by what is taken of their resources (group 27.3).
func (q *question) fit() ([]int64, error) {
	s := &q.config.Fit
	resources := s.Resources
	if resources == nil {
		resources = []Resource{{Name: resource.CPU}, {Name: resource.Memory}}
	}
	byNode := q.amounts(resources, false)
	raw := make([]int64, len(q.nodes))
	for i := range raw {
		raw[i] = s.of(byNode[i*len(resources) : (i+1)*len(resources)])
	}
	return raw, nil
}

// of scores a node by the amounts of its resources.
func (s *Strategy) of(all []amounts) int64 {
	var score, weights int64
	for i := range all {
		a := &all[i]
		if a.allocatable == 0 {
			continue
		}
		one := s.one(a)
		if s.Type == RequestedToCapacityRatio && one <= 0 {
			continue
		}
		score += one * a.weight
		weights += a.weight
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
func (s *Strategy) one(a *amounts) int64 {
	switch s.Type {
	case MostAllocated:
		return parts(min(a.requested, a.allocatable), a.allocatable)
	case RequestedToCapacityRatio:
		if a.requested > a.allocatable {
			return s.at(MaxScore)
		}
		return s.at(parts(a.requested, a.allocatable))
	}
	if a.requested > a.allocatable {
		return 0
	}
	return parts(a.allocatable-a.requested, a.allocatable)
}

// at is the value of the shape at a utilization.
func (s *Strategy) at(utilization int64) int64 {
	const scale = MaxScore / 10
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
	high, low := bits.Mul64(uint64(amount), MaxScore)
	hundredths, _ := bits.Div64(high, low, uint64(whole))
	return int64(hundredths)
}

// balance scores nodes by how evenly their resources are taken (group 27.7).
func (q *question) balance() ([]int64, error) {
	names := q.config.Balanced
	if names == nil {
		names = []resource.Name{resource.CPU, resource.Memory}
	}
	resources := make([]Resource, len(names))
	asks := false
	for i, name := range names {
		resources[i].Name = name
		asks = asks || q.requestOf(name, true) != 0
	}
	if !asks {
		return nil, nil
	}
	byNode := q.amounts(resources, true)
	raw := make([]int64, len(q.nodes))
	for i := range raw {
		all := byNode[i*len(names) : (i+1)*len(names)]
		with := evenness(all, func(a *amounts) int64 { return a.requested })
		without := evenness(all, func(a *amounts) int64 { return a.allocated })
		raw[i] = MaxScore/2 + (MaxScore/2+with-without)/2
	}
	return raw, nil
}

// evenness is higher the less the taken parts of the resources differ, from 50 to [MaxScore].
// Conversions keep products from being fused with sums, which would round differently on some
// machines.
func evenness(all []amounts, taken func(*amounts) int64) int64 {
	var space [8]float64
	fractions, total := space[:0], 0.0
	for i := range all {
		if all[i].allocatable != 0 {
			f := min(1, float64(taken(&all[i]))/float64(all[i].allocatable))
			fractions, total = append(fractions, f), total+f
		}
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
	return int64((1 - deviation) * MaxScore)
}

// amounts lists the amounts of each resource on each node, node by node (rule 27.3.2). Plain
// says that containers count with what they name alone.
func (q *question) amounts(resources []Resource, plain bool) []amounts {
	out := make([]amounts, len(q.nodes)*len(resources))
	for j, r := range resources {
		asked := q.requestOf(r.Name, plain)
		if !r.Name.Counted() || asked == 0 && isScalar(r.Name) {
			continue
		}
		column := q.table.amount(r.Name)
		for i, at := range q.at {
			a := &out[i*len(resources)+j]
			a.weight = max(1, r.Weight)
			if a.allocatable = column[at]; a.allocatable != 0 {
				a.allocated = q.taken(i, r.Name, plain)
				a.requested = resource.AddSat(a.allocated, asked)
			}
		}
	}
	return out
}

// isScalar reports whether the name is neither cpu, memory nor ephemeral-storage.
func isScalar(name resource.Name) bool {
	return name != resource.CPU && name != resource.Memory && name != resource.EphemeralStorage
}

// requestOf is what the pod asks for. Plain goes by all that the pod says; otherwise the specs
// of the containers count alone (rule 27.3.3).
func (q *question) requestOf(name resource.Name, plain bool) int64 {
	if plain {
		return resource.Amount(name, q.pod.RunningRequestOfIn(q.counts.release, name))
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

// taken is what the pods of a node take.
func (q *question) taken(node int, name resource.Name, plain bool) int64 {
	if name != resource.CPU && name != resource.Memory {
		return q.snap.Used(q.nodes[node].Name, name)
	}
	if q.loads == nil {
		q.loads = make([]load, len(q.nodes))
		for i, n := range q.nodes {
			q.loads[i] = q.counts.loads[n.Name]
		}
	}
	switch l := &q.loads[node]; {
	case name == resource.CPU && plain:
		return l.cpu
	case name == resource.CPU:
		return l.filledCPU
	case plain:
		return l.memory
	default:
		return l.filledMemory
	}
}
