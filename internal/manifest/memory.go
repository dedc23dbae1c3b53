package manifest

// memory is what a Decoder keeps of earlier objects, to use it again.
type memory struct {
	// texts has one copy of each text that text was called with.
	texts map[string]string
	// amounts are maps for resource lists. The first used of them belong to the present object.
	amounts []Amounts
	used    int
}

// text returns the kept copy of a text, and keeps the text if there is none.
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

// shared returns the kept copy of a text or, if there is none, a new copy that is not kept.
func (m *memory) shared(text []byte) string {
	if one, ok := m.texts[string(text)]; ok {
		return one
	}
	return string(text)
}

// kept is text for bytes. It allocates nothing if there is a copy.
func (m *memory) kept(text []byte) string {
	if one, ok := m.texts[string(text)]; ok {
		return one
	}
	return m.text(string(text))
}

// emptyAmounts returns an empty map, which may be used until forget is called.
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
	// mostRoom is the largest number of entries of a map that is kept. Clearing a map that was once large takes
	// long even if it holds little later.
	mostRoom = 16
)

// forget takes back the maps of the last object, and clears them.
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
