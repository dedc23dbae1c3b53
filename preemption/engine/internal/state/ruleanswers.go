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

// ruleAnswers keeps the answers of rules about nodes, each until its node changes. Readers of a snapshot
// share it. Its lock is not held while a rule is asked: two readers may then ask the same at once, and
// either answer is right.
type ruleAnswers struct {
	mu     sync.Mutex // of all but Log, which only changes of the snapshot write
	Tables map[AnswersKey]keptTable
	uses   uint64
	// Log lists the slots whose node has changed, the oldest first. It is emptied together with
	// Tables.
	Log []int32
}

// AnswersKey is a rule with a key for the pods that it treats alike. The rule is known by its
// address; nil stands for the built-in filters.
type AnswersKey struct {
	Rule *preemption.Filter
	Key  string
}

// AnswerTable has the answer of a rule about every node. It never changes, so that
// snapshots can share it.
type AnswerTable struct {
	// Rule is a number that no other rule has.
	Rule uint64
	// statusAt has, by slot, an index in Statuses, 0 for Success.
	statusAt []int32
	// Statuses begins with Success. Each has a code and reasons only.
	Statuses []preemption.Status
	// Nodes counts the nodes that have each of the Statuses, other than Success, and Failing
	// counts all of these nodes.
	Nodes   []int
	Failing int
	// Passing has a bit for each slot. It is set unless the slot's status is other than Success.
	Passing []uint64
}

// keptTable is a table of a snapshot.
type keptTable struct {
	*AnswerTable
	synced int    // how much of the log is taken in
	used   uint64 // when the table was last used, by the count of uses
}

func newRuleAnswers() *ruleAnswers { return &ruleAnswers{} }

// MostTables and mostKeptAnswers bound the number of tables and of answers that a snapshot keeps. One
// table is always allowed.
const (
	MostTables      = 64
	mostKeptAnswers = 1 << 20
)

// share returns a copy for another snapshot with the same nodes. The tables themselves are shared.
func (m *ruleAnswers) share() *ruleAnswers {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &ruleAnswers{Tables: maps.Clone(m.Tables), uses: m.uses, Log: slices.Clone(m.Log)}
}

// changed notes that the node of a slot has changed. Once the log is long beside slots, the number of slots
// of the snapshot, it drops all tables.
func (m *ruleAnswers) changed(slot int32, slots int) {
	if len(m.Tables) == 0 {
		return
	}
	if m.Log = append(m.Log, slot); len(m.Log) > 1024+2*slots {
		clear(m.Tables)
		m.Log = m.Log[:0]
	}
}

// find returns the table for a key, nil for none, and the slots that have changed since
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

// lastRule is the number of the last rule that any snapshot of the program has met. The number tells what
// is remembered of a rule from what is remembered of another one, even if that has its address later.
var lastRule atomic.Uint64

// keep stores a table that is up to date, and numbers its rule. If there are as many tables as there may
// be, the one that was not used for longest goes.
func (m *ruleAnswers) keep(key AnswersKey, t *AnswerTable) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Tables == nil {
		m.Tables = map[AnswersKey]keptTable{}
	}

	// Tables of one rule for different keys have its number. While one of them is kept, the rule is not
	// collected, so that no other rule has its address.
	for k, kept := range m.Tables {
		if k.Rule == key.Rule {
			t.Rule = kept.Rule
		}
	}
	if t.Rule == 0 {
		t.Rule = lastRule.Add(1)
	}

	most := max(1, min(MostTables, mostKeptAnswers/max(1, len(t.statusAt))))
	if _, ok := m.Tables[key]; !ok && len(m.Tables) >= most {
		m.dropOldest()
	}
	m.Tables[key] = keptTable{t, len(m.Log), m.uses}
}

// dropOldest drops the table that was not used for longest.
func (m *ruleAnswers) dropOldest() {
	var oldest AnswersKey
	least := m.uses + 1
	for k, kept := range m.Tables {
		if kept.used < least {
			oldest, least = k, kept.used
		}
	}
	delete(m.Tables, oldest)
}

// At returns the answer of the rule about a node.
func (t *AnswerTable) At(slot int32) preemption.Status { return t.Statuses[t.statusAt[slot]] }

// Passes reports whether the rule lets a node pass.
func (t *AnswerTable) Passes(slot int32) bool { return t.statusAt[slot] == 0 }

// tableWriter makes a table.
type tableWriter struct {
	AnswerTable
	known map[string]int32 // the index of each status, by its text; nil until it is needed
	last  int32            // the index of the status that was found last
}

// continues reports whether a later table can begin with this one, which may be nil. A table with more
// than twice as many statuses as slots cannot: most of its statuses are those of no node any more.
func (t *AnswerTable) continues(slots int) bool { return t != nil && len(t.Statuses) <= 64+2*slots }

// tableFrom begins a table for a number of slots with the answers of an earlier one, nil for none. New
// slots begin with Success.
func tableFrom(earlier *AnswerTable, slots int) (w tableWriter) {
	if earlier == nil {
		w.AnswerTable = AnswerTable{Statuses: []preemption.Status{{}}, Nodes: []int{0}}
	} else {
		w.Statuses, w.Nodes = slices.Clone(earlier.Statuses), slices.Clone(earlier.Nodes)
		w.statusAt, w.Passing = slices.Clone(earlier.statusAt), slices.Clone(earlier.Passing)
		w.Failing = earlier.Failing
	}

	w.statusAt = append(w.statusAt, make([]int32, max(0, slots-len(w.statusAt)))...)
	for len(w.Passing)*SummaryBlockSize < len(w.statusAt) {
		w.Passing = append(w.Passing, math.MaxUint64)
	}
	return w
}

// set writes the answer of the rule about a node. An earlier answer is counted out first.
func (w *tableWriter) set(slot int32, s preemption.Status) {
	block, bit := slot/SummaryBlockSize, uint64(1)<<(slot%SummaryBlockSize)
	if was := w.statusAt[slot]; was != 0 {
		w.Failing--
		w.Nodes[was]--
		w.statusAt[slot] = 0
		w.Passing[block] |= bit
	}

	if s.Code != preemption.Success {
		at := w.indexOf(s)
		w.Failing++
		w.Nodes[at]++
		w.statusAt[slot] = at
		w.Passing[block] &^= bit
	}
}

// indexOf returns the index of a failing status in Statuses, to which it adds the status if it is new.
func (w *tableWriter) indexOf(s preemption.Status) int32 {
	// Mostly one node after the other fails with the same status.
	if last := &w.Statuses[w.last]; w.last > 0 && last.Code == s.Code && slices.Equal(last.Reasons, s.Reasons) {
		return w.last
	}

	// These statuses differ in code and reasons only, and the text has both.
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
