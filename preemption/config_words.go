package preemption

import "github.com/outrank-go/outrank/internal/answerjson"

// The words of a policy's enums, indexed by value. Files hold them: a word
// never changes, and a new value gets a new one.
var (
	waitingWords = []string{
		WaitForPreempted: "for-preempted", WaitForTerminating: "for-terminating", WaitWhileNominated: "while-nominated",
	}
	victimRuleWords = []string{Reprieve: "reprieve", Ascending: "ascending", Exact: "exact"}
	budgetRuleWords = []string{PerVictim: "per-victim", PerBudget: "per-budget", Uncharged: "uncharged", VictimsAlone: "victims-alone"}
)

// MarshalText returns the rule as a word for programs: "for-preempted",
// "for-terminating" or "while-nominated". Any other value is an error that names
// the type.
func (w Waiting) MarshalText() ([]byte, error) { return answerjson.Word(waitingWords, w) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (w *Waiting) UnmarshalText(text []byte) error {
	return answerjson.ParseWord(waitingWords, text, w)
}

// MarshalText returns the rule as a word for programs: "reprieve", "ascending" or
// "exact". Any other value is an error that names the type.
func (r VictimRule) MarshalText() ([]byte, error) { return answerjson.Word(victimRuleWords, r) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (r *VictimRule) UnmarshalText(text []byte) error {
	return answerjson.ParseWord(victimRuleWords, text, r)
}

// MarshalText returns the rule as a word for programs: "per-victim", "per-budget",
// "uncharged" or "victims-alone". Any other value is an error that names the type.
func (r BudgetRule) MarshalText() ([]byte, error) { return answerjson.Word(budgetRuleWords, r) }

// UnmarshalText reads what MarshalText returns; see [Code.UnmarshalText].
func (r *BudgetRule) UnmarshalText(text []byte) error {
	return answerjson.ParseWord(budgetRuleWords, text, r)
}
