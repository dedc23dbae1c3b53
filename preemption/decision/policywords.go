package decision

import "github.com/outrank-go/outrank/internal/answerjson"

// The words of a policy's enums, indexed by value. Files hold them: a word
// never changes, and a new value gets a new one.
var (
	victimRuleWords = []string{Reprieve: "reprieve", Exact: "exact"}
	budgetRuleWords = []string{PerVictim: "per-victim", VictimsAlone: "victims-alone"}
)

// MarshalText returns the rule as a word for programs: "reprieve" or "exact". Any other value is an error that names the type.
func (r VictimRule) MarshalText() ([]byte, error) { return answerjson.Word(victimRuleWords, r) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (r *VictimRule) UnmarshalText(text []byte) error {
	return answerjson.ParseWord(victimRuleWords, text, r)
}

// MarshalText returns the rule as a word for programs: "per-victim" or
// "victims-alone". Any other value is an error that names the type.
func (r BudgetRule) MarshalText() ([]byte, error) { return answerjson.Word(budgetRuleWords, r) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (r *BudgetRule) UnmarshalText(text []byte) error {
	return answerjson.ParseWord(budgetRuleWords, text, r)
}
