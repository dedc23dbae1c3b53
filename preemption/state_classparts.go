package preemption

// kindParts finds what pods of a kind count for. Nearly all kinds count for
// nothing, and are turned away by a mask.
type kindParts struct {
	byKind map[*kind][]part
	mask   uint64 // the bits of the kinds there are
}

func (p *kindParts) set(k *kind, parts []part) {
	if p.byKind == nil {
		p.byKind = map[*kind][]part{}
	}
	p.byKind[k] = parts
	p.mask |= k.bit
}

func (p *kindParts) of(k *kind) []part {
	if p.mask&k.bit == 0 {
		return nil
	}
	return p.byKind[k]
}
