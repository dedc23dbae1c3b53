package preemption

// kindParts finds what pods of a kind count for. Nearly all kinds count for
// nothing, and are turned away by a mask.
type classParts struct {
	byClass map[*podClass][]classPart
	mask    uint64 // the bits of the kinds there are
}

func (p *classParts) set(k *podClass, parts []classPart) {
	if p.byClass == nil {
		p.byClass = map[*podClass][]classPart{}
	}
	p.byClass[k] = parts
	p.mask |= k.bit
}

func (p *classParts) of(k *podClass) []classPart {
	if p.mask&k.bit == 0 {
		return nil
	}
	return p.byClass[k]
}

// part is a count that pods of a kind belong in: that of a relation, for the
// topology key of this index.
type classPart struct {
	relation
	index int
}

// relation is a reason to count a pod.
type relation int

const (
	// nearby: it matches all of the preemptor's affinity terms.
	affinityMatch relation = iota
	// opposed: it matches one of the anti-affinity terms; once per term.
	antiAffinityMatch
	// repelling: one of its own anti-affinity terms picks the preemptor; once
	// per term.
	existingAntiAffinity
	numRelations
)
