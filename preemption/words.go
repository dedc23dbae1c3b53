package preemption

import (
	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// rankWords returns the words of Rules. That of the zero Rank, which is
// none, is empty.
func rankWords() []string {
	words := make([]string, len(rank.Rules))
	for r := range rank.Rules {
		words[r] = rank.Rules[r].Word
	}
	return words
}

// MarshalText returns the rank as a word for programs: "budget-violations",
// "top-priority", "priority-sum", "victim-count", "start-time", "cost", "node-order"
// or "own-score"; empty for 0, which is no rank. Any other value is an error that
// names the type.
func (r Rank) MarshalText() ([]byte, error) { return answerjson.Word(rankWords(), r) }

// UnmarshalText reads what MarshalText returns. Any other text is an error that names the type,
// and leaves r as it was.
func (r *Rank) UnmarshalText(text []byte) error { return answerjson.ParseWord(rankWords(), text, r) }
