package preemption

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/outrank-go/outrank/preemption/decision"
)

// ruleAnswers keeps what rules of the caller said about each node, until the node
// changes. Readers of a snapshot share it. Its lock is not held while the caller is
// asked: two readers may then ask the same at once, and either answer is right.
type ruleAnswers struct {
	mu     sync.Mutex
	tables map[answersKey]keptTable
	uses   uint64
	// log lists the slots whose node changed, the oldest first. It begins anew together with
	// the tables.
	log []int32
}

// answersKey is a rule with a key for pods that it treats alike.
type answersKey struct {
	rule uint64
	key  string
}

// answerTable is what a rule said about every node. It never changes, so that
// snapshots can share it.
type answerTable struct {
	// of has, by slot, an index in statuses, 0 for Success.
	of []int32
	// statuses begins with Success.
	statuses []decision.Status
	// failing counts the nodes that have another status.
	failing int
}

// keptTable is a table with how much of the log is in it, and when it was last
// used, by the count of uses.
type keptTable struct {
	*answerTable
	synced int
	used   uint64
}

func newRuleAnswers() *ruleAnswers { return &ruleAnswers{} }

// mostTables and mostKeptAnswers bound the memory of a snapshot for such answers. One
// table is always allowed.
const (
	mostTables      = 64
	mostKeptAnswers = 1 << 20
)

// share returns a copy for a snapshot with the same nodes.
func (m *ruleAnswers) share() *ruleAnswers {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &ruleAnswers{tables: maps.Clone(m.tables), uses: m.uses, log: slices.Clone(m.log)}
}

// changed notes that the node of a slot changed.
func (m *ruleAnswers) changed(slot int32, slots int) {
	if len(m.tables) == 0 {
		return
	}
	if m.log = append(m.log, slot); len(m.log) > 1024+2*slots {
		clear(m.tables)
		m.log = m.log[:0]
	}
}

// find returns the table for a key, nil for none, and the slots that changed since
// it was made. The slots are valid until the snapshot changes.
func (m *ruleAnswers) find(key answersKey) (*answerTable, []int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	kept, ok := m.tables[key]
	if !ok {
		return nil, nil
	}
	stale := m.log[kept.synced:]
	if kept.used != m.uses {
		kept.used = m.uses
		m.tables[key] = kept
	}
	return kept.answerTable, stale
}

// keep stores a table that is up to date. If there are as many as there may be, it
// takes the place of the one that was not used for longest.
func (m *ruleAnswers) keep(key answersKey, t *answerTable) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tables == nil {
		m.tables = map[answersKey]keptTable{}
	}
	if _, ok := m.tables[key]; !ok && len(m.tables) >= max(1, min(mostTables, mostKeptAnswers/max(1, len(t.of)))) {
		var oldest answersKey
		least := m.uses + 1
		for k, kept := range m.tables {
			if kept.used < least {
				oldest, least = k, kept.used
			}
		}
		delete(m.tables, oldest)
	}
	m.tables[key] = keptTable{t, len(m.log), m.uses}
}

// at returns what the rule said about a node.
func (t *answerTable) at(slot int32) decision.Status { return t.statuses[t.of[slot]] }

// passes reports whether the rule has nothing against a node.
func (t *answerTable) passes(slot int32) bool { return t.of[slot] == 0 }

// tableWriter makes a table. known finds statuses.
type tableWriter struct {
	answerTable
	known map[string]int32
}

// tableFrom begins a table for so many slots with what an earlier one says, which
// may be nil. It begins without, and is then not ok, where the earlier one has
// become too large by statuses that no node has any more.
func tableFrom(earlier *answerTable, slots int) (w tableWriter, ok bool) {
	if earlier == nil || len(earlier.statuses) > 64+2*slots {
		return tableWriter{answerTable: answerTable{of: make([]int32, slots), statuses: []decision.Status{{}}}}, false
	}
	w.of = make([]int32, max(slots, len(earlier.of)))
	copy(w.of, earlier.of)
	w.statuses, w.failing = slices.Clone(earlier.statuses), earlier.failing
	return w, true
}

// set writes what the rule said about a node.
func (w *tableWriter) set(slot int32, s decision.Status) {
	if w.of[slot] != 0 {
		w.failing--
		w.of[slot] = 0
	}
	if s.Code != decision.Success {
		w.failing++
		w.of[slot] = w.find(s)
	}
}

func (w *tableWriter) find(s decision.Status) int32 {
	text := func(s *decision.Status) string { return fmt.Sprintf("%d %q", s.Code, s.Reasons) }
	if w.known == nil {
		w.known = map[string]int32{}
		for i := range w.statuses {
			w.known[text(&w.statuses[i])] = int32(i)
		}
	}
	at, ok := w.known[text(&s)]
	if !ok {
		at = int32(len(w.statuses))
		w.statuses = append(w.statuses, s)
		w.known[text(&s)] = at
	}
	return at
}
