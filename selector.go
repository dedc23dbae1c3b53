package outrank

import (
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/internal/apis"
)

// Operator says how a requirement compares a label with its values.
type Operator string

// The operators of label and node selectors. Gt and Lt exist for nodes alone.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
	Gt           Operator = "Gt"
	Lt           Operator = "Lt"
)

// LabelSelector picks objects by their labels. All that it lists must hold;
// an empty selector picks everything, a nil one nothing.
type LabelSelector struct {
	// MatchLabels are labels that the object must have, with these values.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// MatchExpressions are requirements that must all hold.
	MatchExpressions []Requirement `json:"matchExpressions,omitempty"`
}

// Requirement is one demand on a label.
type Requirement struct {
	Key      string   `json:"key"`
	Operator Operator `json:"operator"`
	// Values must not be empty with In and NotIn, and must be empty with other operators.
	Values []string `json:"values,omitempty"`
}

// ErrSelector is wrapped by every error about a selector.
var ErrSelector = errors.New("invalid label selector")

// Empty reports whether the selector demands nothing and so picks everything.
// A nil selector is not empty: it picks nothing.
func (s *LabelSelector) Empty() bool {
	return s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

// Matches reports whether the selector picks an object with these labels
// (group 6.1). An invalid selector picks nothing. Time is linear in the size of the
// selector; nothing is allocated. To match many objects, use
// [LabelSelector.Matcher], which checks the selector only once.
func (s *LabelSelector) Matches(labels map[string]string) bool {
	return s != nil && !s.invalid() && Matcher{s}.Matches(labels)
}

// Matcher prepares the selector for matching many objects. It returns the error of
// [LabelSelector.Validate]. The matcher reads the selector itself, which must not
// change while the matcher is used. Any number of goroutines may use it.
func (s *LabelSelector) Matcher() (Matcher, error) {
	if s != nil && s.invalid() {
		return Matcher{}, s.Validate()
	}
	return Matcher{s}, nil
}

// Matcher is a valid label selector. Its zero value, like a nil selector,
// matches nothing.
type Matcher struct{ selector *LabelSelector }

// Empty reports whether the selector demands nothing and so picks everything.
func (m Matcher) Empty() bool { return m.selector.Empty() }

// Matches reports whether the selector picks an object with these labels. Time
// is linear in the size of the selector; nothing is allocated.
func (m Matcher) Matches(labels map[string]string) bool {
	if m.selector == nil {
		return false
	}
	for k, v := range m.selector.MatchLabels {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	for i := range m.selector.MatchExpressions {
		if !m.selector.MatchExpressions[i].holds(labels) {
			return false
		}
	}
	return true
}

// holds reports whether the labels meet a valid requirement (rules 6.1.3 and 6.1.6).
func (r *Requirement) holds(labels map[string]string) bool {
	value, ok := labels[r.Key]
	switch r.Operator {
	case In:
		return ok && slices.Contains(r.Values, value)
	case NotIn:
		return !ok || !slices.Contains(r.Values, value)
	case Exists:
		return ok
	case DoesNotExist:
		return !ok
	}
	return false
}

// Validate reports every problem of the selector at once, each wrapping
// [ErrSelector]; nil for a valid or a nil selector. Fields are named as in the
// Kubernetes object, without a leading dot.
func (s *LabelSelector) Validate() error {
	var errs []error
	for _, p := range s.problems() {
		errs = append(errs, fmt.Errorf("%w: %s: %s", ErrSelector, p.field, p.text))
	}
	return errors.Join(errs...)
}

// invalid reports whether the selector has problems, without building texts.
func (s *LabelSelector) invalid() bool {
	if s.malformed() {
		return true
	}
	for i := range s.MatchExpressions {
		for _, v := range s.MatchExpressions[i].Values {
			if apis.ValueProblem(v) != "" {
				return true
			}
		}
	}
	return false
}

// malformed is like invalid, but leaves the values of expressions unchecked.
func (s *LabelSelector) malformed() bool {
	for k, v := range s.MatchLabels {
		if apis.KeyProblem(k) != "" || apis.ValueProblem(v) != "" {
			return true
		}
	}
	for i := range s.MatchExpressions {
		r := &s.MatchExpressions[i]
		if apis.KeyProblem(r.Key) != "" || r.operatorProblem() != "" {
			return true
		}
	}
	return false
}

// problems lists the problems of the selector, labels by key and expressions in their order.
func (s *LabelSelector) problems() []fieldProblem {
	if s == nil || !s.invalid() {
		return nil
	}

	var ps []fieldProblem
	add := func(field, text string) {
		if text != "" {
			ps = append(ps, fieldProblem{field, text})
		}
	}

	// Keys are sorted, so that the same selector gives the same text.
	for _, k := range apis.SortedKeys(s.MatchLabels) {
		add(fmt.Sprintf("matchLabels[%s]", apis.Quote(k)), apis.KeyProblem(k))
		add(fmt.Sprintf("matchLabels[%s]", apis.Quote(k)), apis.ValueProblem(s.MatchLabels[k]))
	}

	for i := range s.MatchExpressions {
		r, at := &s.MatchExpressions[i], fmt.Sprintf("matchExpressions[%d]", i)
		add(at+".key", apis.KeyProblem(r.Key))
		add(at+".operator", r.operatorProblem())
		for j, v := range r.Values {
			add(fmt.Sprintf("%s.values[%d]", at, j), apis.ValueProblem(v))
		}
	}
	return ps
}

// operatorProblem says that the operator is unknown, or that the number of values does not
// suit it (rules 6.1.3 and 6.1.4).
func (r *Requirement) operatorProblem() string {
	switch r.Operator {
	case In, NotIn:
		if len(r.Values) == 0 {
			return string(r.Operator) + " needs values"
		}
	case Exists, DoesNotExist:
		if len(r.Values) > 0 {
			return string(r.Operator) + " takes no values"
		}
	default:
		return apis.Quote(string(r.Operator)) + " is none of In, NotIn, Exists, DoesNotExist"
	}
	return ""
}
