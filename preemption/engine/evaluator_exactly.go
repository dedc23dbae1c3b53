package engine

import "github.com/outrank-go/outrank"

// Exactly returns an evaluator of the same configuration that searches for exact victims
// ([preemption.Policy].Exact), and charges budgets for these alone. Scorers, extenders and a chooser
// are left out: it goes by the ranks. Error: [outrank.ErrInvalid] where a chooser may take
// pods of any priority, which exact victims are not, or where there is a [Guard], by which
// they are not chosen.
func (e *Evaluator) Exactly() (*Evaluator, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	c := e.Config()
	if e.config.AnyPriority() {
		return nil, &outrank.InputError{Problems: []outrank.Problem{{
			Object: "preemption config", Field: "Chooser.AnyPriority", Text: "set, and exact victims are of lower priority",
		}}}
	}
	c.Policy.Exact, c.Chooser, c.Scorers, c.Extenders = true, nil, nil, nil
	return NewEvaluator(c)
}
