package manifest

// memory is a Decoder's share of the objects before.
type memory struct {
	texts   map[string]string // one copy of each text that recurs
	amounts []Amounts         // maps that were handed out, of which the first used are in use
	used    int
}

// text returns the single copy of a text.
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

// shared returns the copy of a text if there is one.
func (m *memory) shared(text []byte) string {
	if one, ok := m.texts[string(text)]; ok {
		return one
	}
	return string(text)
}

// kept is text for bytes.
func (m *memory) kept(text []byte) string {
	if one, ok := m.texts[string(text)]; ok {
		return one
	}
	return m.text(string(text))
}

// emptyAmounts returns a map that holds nothing.
func (m *memory) emptyAmounts() Amounts {
	if m.used == len(m.amounts) {
		m.amounts = append(m.amounts, Amounts{})
	}
	m.used++
	return m.amounts[m.used-1]
}

// mostAmounts is the most maps that a Decoder has ready for the next object, and mostRoom
// the most entries that one of them may have had: clearing a map takes as long as filling
// it did once.
const mostAmounts, mostRoom = 64, 16

// forget takes back the maps of the object before.
func (m *memory) forget() {
	m.amounts, m.used = m.amounts[:min(len(m.amounts), mostAmounts)], min(m.used, mostAmounts)
	for i, a := range m.amounts[:m.used] {
		if len(a) > mostRoom {
			m.amounts[i] = Amounts{}
		}
		clear(a)
	}
	m.used = 0
}
