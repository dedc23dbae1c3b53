package filters

import "fmt"

// StatusID is the number that a StatusTable gave a status.
type StatusID uint32

// NoObjection is the number of Success in every table.
const NoObjection StatusID = 0

// StatusTable gives each different status a number, in the order in which they come. It is not safe for
// concurrent use.
type StatusTable struct {
	list  []Status
	known map[statusKey]StatusID
}

// NewStatusTable returns a table that has Success alone.
func NewStatusTable() *StatusTable {
	return &StatusTable{list: []Status{{}}, known: map[statusKey]StatusID{}}
}

// Of returns the status with this number.
func (t *StatusTable) Of(id StatusID) Status { return t.list[id] }

// Len returns the number of statuses in the table, Success included.
func (t *StatusTable) Len() int { return len(t.list) }

// ID returns the number of a status, and gives it the next one if it is new.
func (t *StatusTable) ID(s Status) StatusID {
	if s.Code == Success {
		return NoObjection
	}

	// Most statuses equal one of the first eight and share its text in memory. These are found without making
	// a key.
	for i := range t.list[:min(len(t.list), 8)] {
		if sharesText(&t.list[i], &s) {
			return StatusID(i)
		}
	}

	key := keyOf(&s)
	id, ok := t.known[key]
	if !ok {
		id = StatusID(len(t.list))
		t.list = append(t.list, s)
		t.known[key] = id
	}
	return id
}

// sharesText reports whether two statuses are equal and share their text in memory.
func sharesText(s, t *Status) bool {
	if s.Code != t.Code || s.By != t.By || s.Short != t.Short || s.TooMany != t.TooMany || s.Excluded != t.Excluded || s.Filter != t.Filter {
		return false
	}
	return len(s.Text) == len(t.Text) && (len(s.Text) == 0 || &s.Text[0] == &t.Text[0])
}

// SameStatus reports whether two statuses are equal, texts included.
func SameStatus(s, t *Status) bool {
	if s.Code != t.Code || s.By != t.By || s.Short != t.Short || len(s.Text) != len(t.Text) {
		return false
	}
	return sharesText(s, t) || keyOf(s) == keyOf(t)
}

// statusKey is a comparable form of Status: equal statuses have equal keys.
type statusKey struct {
	code     Code
	excluded bool
	by       int
	short    uint64
	tooMany  bool
	texts    int
	text     string
	filter   string
}

func keyOf(s *Status) statusKey {
	key := statusKey{code: s.Code, excluded: s.Excluded, by: s.By, short: s.Short, tooMany: s.TooMany, texts: len(s.Text), filter: s.Filter}
	switch len(s.Text) {
	case 0:
	case 1:
		key.text = s.Text[0]
	default:
		key.text = fmt.Sprintf("%q", s.Text)
	}
	return key
}
