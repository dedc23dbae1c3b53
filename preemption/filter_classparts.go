package preemption

import "github.com/outrank-go/outrank/preemption/internal/state"

// classParts lists, by pod class, the counts that pods of the class belong in.
// Nearly all classes belong in none, which a mask finds out without a look-up.
type classParts struct {
	byClass map[*state.PodClass][]classPart
	// mask has the bits of the classes in byClass.
	mask uint64
}

func (p *classParts) set(k *state.PodClass, parts []classPart) {
	if p.byClass == nil {
		p.byClass = map[*state.PodClass][]classPart{}
	}
	p.byClass[k] = parts
	p.mask |= k.Bit
}

func (p *classParts) of(k *state.PodClass) []classPart {
	if p.mask&k.Bit == 0 {
		return nil
	}
	return p.byClass[k]
}

// find returns the parts of a class, and whether they were set.
func (p *classParts) find(k *state.PodClass) (parts []classPart, ok bool) {
	parts, ok = p.byClass[k]
	return parts, ok
}

// classPart is one count that pods of a class belong in: the count of a
// relation with this index.
type classPart struct {
	relation
	index int
}

// relation is a reason to count a pod, as in the reference's InterPodAffinity.
type relation int

const (
	// affinityMatch: the pod matches all affinity terms of the preemptor.
	affinityMatch relation = iota
	// antiAffinityMatch: the pod matches an anti-affinity term of the
	// preemptor. It is counted once per term.
	antiAffinityMatch
	// existingAntiAffinity: an anti-affinity term of the pod picks the
	// preemptor. It is counted once per term.
	existingAntiAffinity
	numRelations
)
