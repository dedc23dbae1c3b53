package preemption

import (
	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The words of the enums, indexed by value. Programs read them: a word never
// changes, and a new value gets a new one.
var (
	codeWords = []string{
		Success: "success", Unschedulable: "unschedulable",
		UnschedulableAndUnresolvable: "unschedulable-and-unresolvable", Contradiction: "contradiction",
	}
	outcomeWords = []string{
		Fits: "fits", NotEligible: "not-eligible", NothingHelps: "nothing-helps", Preempt: "preempt",
	}
	ineligibilityWords = []string{
		Eligible: "eligible", PolicyNever: "policy-never", VictimsTerminating: "victims-terminating",
		Nominated: "nominated", Disabled: "disabled", ByCaller: "by-caller",
	}
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

// MarshalText returns the code as a word for programs: "success",
// "unschedulable", "unschedulable-and-unresolvable" or "contradiction". Any
// other value is an error that names the type.
func (c Code) MarshalText() ([]byte, error) { return answerjson.Word(codeWords, c) }

// UnmarshalText reads what MarshalText returns. Any other text is an error that
// names the type, and leaves c as it was.
func (c *Code) UnmarshalText(text []byte) error { return answerjson.ParseWord(codeWords, text, c) }

// MarshalText returns the outcome as a word for programs: "fits",
// "not-eligible", "nothing-helps" or "preempt". Any other value is an error that
// names the type.
func (o Outcome) MarshalText() ([]byte, error) { return answerjson.Word(outcomeWords, o) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (o *Outcome) UnmarshalText(text []byte) error {
	return answerjson.ParseWord(outcomeWords, text, o)
}

// MarshalText returns the reason as a word for programs: "eligible",
// "policy-never", "victims-terminating", "nominated" or "disabled". Any other
// value is an error that names the type.
func (i Ineligibility) MarshalText() ([]byte, error) { return answerjson.Word(ineligibilityWords, i) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (i *Ineligibility) UnmarshalText(text []byte) error {
	return answerjson.ParseWord(ineligibilityWords, text, i)
}

// MarshalText returns the rank as a word for programs: "budget-violations",
// "top-priority", "priority-sum", "victim-count", "start-time", "cost", "node-order"
// or "own-score"; empty for 0, which is no rank. Any other value is an error that
// names the type.
func (r Rank) MarshalText() ([]byte, error) { return answerjson.Word(rankWords(), r) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (r *Rank) UnmarshalText(text []byte) error { return answerjson.ParseWord(rankWords(), text, r) }
