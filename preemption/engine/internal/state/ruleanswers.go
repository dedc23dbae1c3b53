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

// ruleAnswers keeps the answers of rules about nodes, each until its node changes. The readers of a snapshot
// share it. Its lock is not held while a rule is asked, so that two readers may ask the same at once; either
// answer is right.
type ruleAnswers struct {
	mu     sync.Mutex // guards all but Log, which only changes of the snapshot write
	Tables map[AnswersKey]keptTable
	uses   uint64
	// Log lists the slots whose node has changed, the oldest change first. It is emptied together with
	// Tables.
	Log []int32
}

// AnswersKey identifies a table: a rule, and its key for the pods that it treats alike. A rule is identified
// by its address; nil stands for the built-in filters.
type AnswersKey struct {
	Rule *preemption.Filter
	Key  string
}

// AnswerTable has a rule's answer about every node. It never changes, so that snapshots can share it.
type AnswerTable struct {
	// Rule is a number that identifies the rule in this process.
	Rule uint64
	// statusAt has, by slot, the index of the node's answer in Statuses.
	statusAt []int32
	// Statuses has the different answers, with nothing but code and reasons. The first is Success.
	Statuses []preemption.Status
	// Nodes has the number of nodes with each of Statuses, 0 for Success, and Failing is their sum.
	Nodes   []int
	Failing int
	// Passing has a bit for each slot, unset if the node fails. It is also set for slots without a node.
	Passing []uint64
}

// keptTable is a table with the bookkeeping of the snapshot that keeps it.
type keptTable struct {
	*AnswerTable
	synced int    // number of log entries that the table reflects
	used   uint64 // value of uses when the table was last used
}

func newRuleAnswers() *ruleAnswers { return &ruleAnswers{} }

// MostTables bounds the number of tables that a snapshot keeps, and mostKeptAnswers the number of answers in
// all of them. One table is always allowed.
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

// changed logs that the node of a slot has changed. slots is the number of slots of the snapshot; once the
// log is much longer than that, all tables are dropped.
func (m *ruleAnswers) changed(slot int32, slots int) {
	if len(m.Tables) == 0 {
		return
	}
	if m.Log = append(m.Log, slot); len(m.Log) > 1024+2*slots {
		clear(m.Tables)
		m.Log = m.Log[:0]
	}
}

// find returns the table for a key, nil if there is none, and the slots whose nodes have changed since it was
// made. The slots are valid until the snapshot changes.
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

// lastRule is the last number that was given to a rule in this process. Unlike its address, a rule's number
// is never reused, so that remembered answers cannot pass for another rule's.
var lastRule atomic.Uint64

// keep stores an up-to-date table and numbers its rule. If there are as many tables as there may be, the
// least recently used one goes.
func (m *ruleAnswers) keep(key AnswersKey, t *AnswerTable) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Tables == nil {
		m.Tables = map[AnswersKey]keptTable{}
	}

	// All tables of a rule have the same number. While one of them is kept, the rule cannot be collected, so
	// that no other rule has its address.
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

// dropOldest drops the least recently used table.
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

// tableWriter builds a table.
type tableWriter struct {
	AnswerTable
	known map[string]int32 // index of each status by its text; nil until needed
	last  int32            // index of the status that was found last
}

// continues reports whether a new table may start as a copy of this one, which may be nil. It may not if
// there are more than twice as many statuses as slots, because most of them are no longer any node's.
func (t *AnswerTable) continues(slots int) bool { return t != nil && len(t.Statuses) <= 64+2*slots }

// tableFrom begins a table for this many slots with the answers of an earlier table, or without any for nil.
// Slots without an answer have Success.
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

// set writes the answer about a node. An earlier answer is subtracted from the counts first.
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

// indexOf returns the index of a failing status in Statuses, and adds the status if it is new.
func (w *tableWriter) indexOf(s preemption.Status) int32 {
	// Neighboring nodes mostly fail with the same status.
	if last := &w.Statuses[w.last]; w.last > 0 && last.Code == s.Code && slices.Equal(last.Reasons, s.Reasons) {
		return w.last
	}

	// The statuses here have only a code and reasons, and the text covers both.
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
