package state

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outrank-go/outrank/preemption"
)

// ruleAnswers keeps what rules of the caller said about each node, until the node
// changes. Readers of a snapshot share it. Its lock is not held while the caller is
// asked: two readers may then ask the same at once, and either answer is right.
type ruleAnswers struct {
	mu     sync.Mutex
	Tables map[AnswersKey]keptTable
	uses   uint64
	// Log lists the slots whose node changed, the oldest first. It begins anew together with
	// the tables.
	Log []int32
}

// AnswersKey is a rule with a key for pods that it treats alike. The rule is known by its
// address; nil stands for the built-in filters.
type AnswersKey struct {
	Rule *preemption.Filter
	Key  string
}

// AnswerTable is what a rule said about every node. It never changes, so that
// snapshots can share it.
type AnswerTable struct {
	// Rule is a number that no other rule has.
	Rule uint64
	// of has, by slot, an index in statuses, 0 for Success.
	of []int32
	// Statuses begins with Success.
	Statuses []preemption.Status
	// Nodes counts, for each of them but the first, the nodes that have it, and Failing all
	// of these.
	Nodes   []int
	Failing int
	// Passing has a bit for each slot, set but for nodes with another status than Success.
	Passing []uint64
}

// keptTable is a table with how much of the log is in it, and when it was last
// used, by the count of uses.
type keptTable struct {
	*AnswerTable
	synced int
	used   uint64
}

func newRuleAnswers() *ruleAnswers { return &ruleAnswers{} }

// MostTables and mostKeptAnswers bound the memory of a snapshot for such answers. One
// table is always allowed.
const (
	MostTables      = 64
	mostKeptAnswers = 1 << 20
)

// share returns a copy for a snapshot with the same nodes.
func (m *ruleAnswers) share() *ruleAnswers {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &ruleAnswers{Tables: maps.Clone(m.Tables), uses: m.uses, Log: slices.Clone(m.Log)}
}

// changed notes that the node of a slot changed.
func (m *ruleAnswers) changed(slot int32, slots int) {
	if len(m.Tables) == 0 {
		return
	}
	if m.Log = append(m.Log, slot); len(m.Log) > 1024+2*slots {
		clear(m.Tables)
		m.Log = m.Log[:0]
	}
}

// find returns the table for a key, nil for none, and the slots that changed since
// it was made. The slots are valid until the snapshot changes.
func (m *ruleAnswers) find(key AnswersKey) (*AnswerTable, []int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	kept, ok := m.Tables[key]
	if !ok {
		return nil, nil
	}
	stale := m.Log[kept.synced:]
	if kept.used != m.uses {
		kept.used = m.uses
		m.Tables[key] = kept
	}
	return kept.AnswerTable, stale
}

// lastRule numbers the rules of the program, so that what is remembered of one is never taken for
// another's, even where that has its address later.
var lastRule atomic.Uint64

// keep stores a table that is up to date. If there are as many as there may be, it
// takes the place of the one that was not used for longest.
func (m *ruleAnswers) keep(key AnswersKey, t *AnswerTable) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Tables == nil {
		m.Tables = map[AnswersKey]keptTable{}
	}
	for k, kept := range m.Tables {
		if k.Rule == key.Rule {
			t.Rule = kept.Rule
		}
	}
	if t.Rule == 0 {
		t.Rule = lastRule.Add(1)
	}
	if _, ok := m.Tables[key]; !ok && len(m.Tables) >= max(1, min(MostTables, mostKeptAnswers/max(1, len(t.of)))) {
		var oldest AnswersKey
		least := m.uses + 1
		for k, kept := range m.Tables {
			if kept.used < least {
				oldest, least = k, kept.used
			}
		}
		delete(m.Tables, oldest)
	}
	m.Tables[key] = keptTable{t, len(m.Log), m.uses}
}

// At returns what the rule said about a node.
func (t *AnswerTable) At(slot int32) preemption.Status { return t.Statuses[t.of[slot]] }

// Passes reports whether the rule has nothing against a node.
func (t *AnswerTable) Passes(slot int32) bool { return t.of[slot] == 0 }

// tableWriter makes a table. known finds statuses, and last is the index of the last one that
// was written.
type tableWriter struct {
	AnswerTable
	known map[string]int32
	last  int32
}

// goesOn reports whether a later table can begin with this one, which may be nil: it has
// not become too large for so many slots by statuses that no node has any more.
func (t *AnswerTable) goesOn(slots int) bool { return t != nil && len(t.Statuses) <= 64+2*slots }

// tableFrom begins a table for so many slots with what an earlier one says, nil for none.
func tableFrom(earlier *AnswerTable, slots int) (w tableWriter) {
	if earlier == nil {
		w.AnswerTable = AnswerTable{Statuses: []preemption.Status{{}}, Nodes: []int{0}}
	} else {
		w.Statuses, w.Nodes, w.Failing = slices.Clone(earlier.Statuses), slices.Clone(earlier.Nodes), earlier.Failing
		w.of, w.Passing = slices.Clone(earlier.of), slices.Clone(earlier.Passing)
	}
	w.of = append(w.of, make([]int32, max(0, slots-len(w.of)))...)
	for len(w.Passing)*SummaryBlockSize < len(w.of) {
		w.Passing = append(w.Passing, math.MaxUint64)
	}
	return w
}

// set writes what the rule said about a node.
func (w *tableWriter) set(slot int32, s preemption.Status) {
	block, bit := slot/SummaryBlockSize, uint64(1)<<(slot%SummaryBlockSize)
	if was := w.of[slot]; was != 0 {
		w.Failing--
		w.Nodes[was]--
		w.of[slot], w.Passing[block] = 0, w.Passing[block]|bit
	}
	if s.Code != preemption.Success {
		at := w.find(s)
		w.Failing++
		w.Nodes[at]++
		w.of[slot], w.Passing[block] = at, w.Passing[block]&^bit
	}
}

func (w *tableWriter) find(s preemption.Status) int32 {
	if last := &w.Statuses[w.last]; w.last > 0 && last.Code == s.Code && slices.Equal(last.Reasons, s.Reasons) {
		return w.last
	}
	text := func(s *preemption.Status) string { return fmt.Sprintf("%q %q", string(s.Code), s.Reasons) }
	if w.known == nil {
		w.known = map[string]int32{}
		for i := range w.Statuses {
			w.known[text(&w.Statuses[i])] = int32(i)
		}
	}
	at, ok := w.known[text(&s)]
	if !ok {
		at = int32(len(w.Statuses))
		w.Statuses, w.Nodes = append(w.Statuses, s), append(w.Nodes, 0)
		w.known[text(&s)] = at
	}
	w.last = at
	return at
}
