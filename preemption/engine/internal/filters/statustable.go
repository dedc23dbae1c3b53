package filters

import "fmt"

// StatusID is the number of a status in a table.
type StatusID uint32

// NoObjection is the number of Success.
const NoObjection StatusID = 0

// StatusTable numbers statuses as they come. Equal ones have one number. One goroutine uses it at a
// time.
type StatusTable struct {
	list  []Status
	known map[statusKey]StatusID
}

// NewStatusTable returns a table that knows Success.
func NewStatusTable() *StatusTable {
	return &StatusTable{list: []Status{{}}, known: map[statusKey]StatusID{}}
}

// Of returns the status of a number.
func (t *StatusTable) Of(id StatusID) Status { return t.list[id] }

// Len returns the number of statuses in the table.
func (t *StatusTable) Len() int { return len(t.list) }

// ID returns the number of a status.
func (t *StatusTable) ID(s Status) StatusID {
	if s.Code == Success {
		return NoObjection
	}

	// Most nodes answer what one of the first nodes has answered, with the very same text. That needs no
	// key.
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

// sharesText reports whether two statuses are equal and have the same text in memory.
func sharesText(s, t *Status) bool {
	if s.Code != t.Code || s.By != t.By || s.Short != t.Short || s.TooMany != t.TooMany || s.Excluded != t.Excluded || s.Filter != t.Filter {
		return false
	}
	return len(s.Text) == len(t.Text) && (len(s.Text) == 0 || &s.Text[0] == &t.Text[0])
}

// SameStatus reports whether two statuses are equal.
func SameStatus(s, t *Status) bool {
	if s.Code != t.Code || s.By != t.By || s.Short != t.Short || len(s.Text) != len(t.Text) {
		return false
	}
	return sharesText(s, t) || keyOf(s) == keyOf(t)
}

// statusKey is what makes statuses equal.
type statusKey struct {
	code     Code
	excluded bool
	by       int
	short    uint64
	tooMany  bool
	text     string
	filter   string
}

func keyOf(s *Status) statusKey {
	key := statusKey{code: s.Code, excluded: s.Excluded, by: s.By, short: s.Short, tooMany: s.TooMany, filter: s.Filter}
	switch len(s.Text) {
	case 0:
	case 1:
		key.text = s.Text[0]
	default:
		key.text = fmt.Sprintf("%q", s.Text)
	}
	return key
}
