package filters

import "github.com/outrank-go/outrank/preemption/internal/state"

// classParts lists, by pod class, the counts that pods of the class belong in.
// Nearly all classes belong in none, which a mask finds out without a look-up.
type classParts struct {
	byClass map[*state.PodClass][]ClassPart
	// mask has the bits of the classes in byClass.
	mask uint64
}

func (p *classParts) set(k *state.PodClass, parts []ClassPart) {
	if p.byClass == nil {
		p.byClass = map[*state.PodClass][]ClassPart{}
	}
	p.byClass[k] = parts
	p.mask |= k.Bit
}

func (p *classParts) Of(k *state.PodClass) []ClassPart {
	if p.mask&k.Bit == 0 {
		return nil
	}
	return p.byClass[k]
}

// find returns the parts of a class, and whether they were set.
func (p *classParts) find(k *state.PodClass) (parts []ClassPart, ok bool) {
	parts, ok = p.byClass[k]
	return parts, ok
}

// ClassPart is one count that pods of a class belong in: the count of a
// relation with this index.
type ClassPart struct {
	Relation
	Index int
}

// Relation is a reason to count a pod, as in the reference's InterPodAffinity.
type Relation int

const (
	// AffinityMatch counts a pod that matches all affinity terms of the preemptor.
	AffinityMatch Relation = iota
	// AntiAffinityMatch counts a pod that matches an anti-affinity term of the
	// preemptor. It is counted once per term.
	AntiAffinityMatch
	// existingAntiAffinity: an anti-affinity term of the pod picks the
	// preemptor. It is counted once per term.
	existingAntiAffinity
	numRelations
)
