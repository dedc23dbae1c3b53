package manifest

// memory is what a Decoder keeps of the objects before.
type memory struct {
	// texts has one copy of each text that was asked for.
	texts map[string]string
	// amounts are maps for the amounts of an object. The first used of them are in use.
	amounts []Amounts
	used    int
}

// text returns the one copy of a text, which it keeps.
func (m *memory) text(s string) string {
	if one, ok := m.texts[s]; ok || s == "" {
		return one
	}
	if m.texts == nil {
		m.texts = map[string]string{}
	}
	m.texts[s] = s
	return s
}

// shared returns the kept copy of a text or, if there is none, a new one that is not kept.
func (m *memory) shared(text []byte) string {
	if one, ok := m.texts[string(text)]; ok {
		return one
	}
	return string(text)
}

// kept is text for bytes. It allocates nothing where there is a copy.
func (m *memory) kept(text []byte) string {
	if one, ok := m.texts[string(text)]; ok {
		return one
	}
	return m.text(string(text))
}

// emptyAmounts returns an empty map, in use until forget.
func (m *memory) emptyAmounts() Amounts {
	if m.used == len(m.amounts) {
		m.amounts = append(m.amounts, Amounts{})
	}
	m.used++
	return m.amounts[m.used-1]
}

const (
	// mostAmounts is the largest number of maps that are kept for the next object.
	mostAmounts = 64
	// mostRoom is the largest number of entries of a map that is kept. Clearing a map takes as long as filling it
	// did, also when it holds little later.
	mostRoom = 16
)

// forget takes back the maps of the object before, and clears them.
func (m *memory) forget() {
	m.amounts = m.amounts[:min(len(m.amounts), mostAmounts)]
	m.used = min(m.used, mostAmounts)
	for i, a := range m.amounts[:m.used] {
		if len(a) > mostRoom {
			m.amounts[i] = Amounts{}
		}
		clear(a)
	}
	m.used = 0
}
