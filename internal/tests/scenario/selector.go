package scenario

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
)

// requirement is one requirement of a selector, in the syntax of kubectl:
//
//	key=value   key in (a,b)   key notin (a,b)   key   !key   key>5   key<5
type requirement struct {
	key      string
	operator outrank.Operator
	values   []string
	// equal is set for key=value, which label selectors keep apart from key in (value).
	equal bool
}

// comparison maps the operators that compare numbers to their signs.
var comparison = map[outrank.Operator]string{outrank.Gt: ">", outrank.Lt: "<"}

// parseRequirement reads one requirement. It looks for signs first, because only the forms with words have
// spaces.
func parseRequirement(text string) (requirement, error) {
	// The forms with a sign.
	switch key, value, found := strings.Cut(text, "="); {
	case found:
		return requirement{key: key, operator: outrank.In, values: []string{value}, equal: true}, checkKey(key, text)
	case strings.HasPrefix(text, "!"):
		return requirement{key: text[1:], operator: outrank.DoesNotExist}, checkKey(text[1:], text)
	}

	for _, operator := range []outrank.Operator{outrank.Gt, outrank.Lt} {
		if key, value, found := strings.Cut(text, comparison[operator]); found {
			return requirement{key: key, operator: operator, values: []string{value}}, checkKey(key, text)
		}
	}

	// A key alone asks whether the label exists.
	key, rest, found := strings.Cut(text, " ")
	if !found {
		return requirement{key: text, operator: outrank.Exists}, checkKey(text, text)
	}

	var r requirement
	word, values, _ := strings.Cut(strings.TrimSpace(rest), " ")
	switch word {
	case "in":
		r.operator = outrank.In
	case "notin":
		r.operator = outrank.NotIn
	default:
		return r, fmt.Errorf("%q is no requirement", text)
	}

	// inner changes nothing if there are no parentheses.
	values = strings.TrimSpace(values)
	list := inner(values)
	if list == values {
		return r, fmt.Errorf("%q has no values in parentheses", text)
	}
	if list != "" {
		r.values = parts(list, ',')
	}
	r.key = key
	return r, checkKey(key, text)
}

// checkKey returns an error if key is empty or has characters of the syntax. The text is that of the whole
// requirement.
func checkKey(key, text string) error {
	if key == "" || strings.ContainsAny(key, " ()<>!=") {
		return fmt.Errorf("%q has no key", text)
	}
	return nil
}

// parseSelector reads a label selector: requirements, all of which must hold, separated by commas.
// "everything" is the empty selector, and "nothing" the nil one.
func parseSelector(text string) (*outrank.LabelSelector, error) {
	switch text {
	case "everything":
		return &outrank.LabelSelector{}, nil
	case "nothing":
		return nil, nil
	}
	s := &outrank.LabelSelector{}
	for _, part := range parts(text, ',') {
		r, err := parseRequirement(part)
		switch {
		case err != nil:
			return nil, err
		case r.operator == outrank.Gt || r.operator == outrank.Lt:
			return nil, fmt.Errorf("%q: labels of pods are not compared as numbers", part)
		case r.equal:
			if s.MatchLabels == nil {
				s.MatchLabels = map[string]string{}
			}
			s.MatchLabels[r.key] = r.values[0]
		default:
			s.MatchExpressions = append(s.MatchExpressions, outrank.Requirement{Key: r.key, Operator: r.operator, Values: r.values})
		}
	}
	return s, nil
}

// parseNodeSelector reads a node selector: terms separated by "|", one of which must hold. A term is a list
// of requirements separated by commas, all of which must hold; "empty" is the term without any. The key
// metadata.name stands for the field of that name.
func parseNodeSelector(text string) (*outrank.NodeSelector, error) {
	s := &outrank.NodeSelector{}
	for _, term := range parts(text, '|') {
		t := outrank.NodeSelectorTerm{}
		if term != "empty" {
			for _, part := range parts(term, ',') {
				r, err := parseRequirement(part)
				if err != nil {
					return nil, err
				}
				to := &t.MatchExpressions
				if r.key == outrank.FieldName {
					to = &t.MatchFields
				}
				*to = append(*to, outrank.NodeRequirement{Key: r.key, Operator: r.operator, Values: r.values})
			}
		}
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, t)
	}
	return s, nil
}

// Selector returns a setter that sets s to a label selector.
func Selector(s **outrank.LabelSelector) Setter {
	return func(value string) (err error) {
		*s, err = parseSelector(value)
		return err
	}
}

func nodeSelector(s **outrank.NodeSelector) Setter {
	return func(value string) (err error) {
		*s, err = parseNodeSelector(value)
		return err
	}
}

// Labels returns a setter that sets m to labels like a=b,c=d.
func Labels(m *map[string]string) Setter {
	return func(value string) error {
		*m = map[string]string{}
		for _, part := range parts(value, ',') {
			k, v, ok := strings.Cut(part, "=")
			if !ok || k == "" {
				return fmt.Errorf("%q is not key=value", part)
			}
			if _, twice := (*m)[k]; twice {
				return fmt.Errorf("%s is given twice", k)
			}
			(*m)[k] = v
		}
		return nil
	}
}
