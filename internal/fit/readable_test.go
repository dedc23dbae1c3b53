package fit_test

import (
	"math/big"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// texts are values of requirements: those that a label can have, and those that none can.
var texts = []string{
	"ssd", "hdd", "", "0", "1", "2", "3", "4", "5", "002", "08", "1.5", "1e3", "0x10", "1_0", "9223372036854775807", "9223372036854775808",
	"-1", "+3", "-0", "+", "-", " 3", "3 ", "3.", ".3", "a b", "-a", "ü", "-9223372036854775808", "+9223372036854775807",
}

var labelText = regexp.MustCompile(`^$|^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

// number reads a text of digits alone, as those are that a label can have, if it has 64 bits.
func number(text string) *big.Int {
	if !regexp.MustCompile(`^[0-9]+$`).MatchString(text) {
		return nil
	}
	n, _ := new(big.Int).SetString(text, 10)
	if !n.IsInt64() {
		return nil
	}
	return n
}

// readable says whether kube-scheduler can read a requirement (rule 7.5.8).
func readable(r outrank.NodeRequirement) bool {
	compares := r.Operator == outrank.Gt || r.Operator == outrank.Lt
	return !slices.ContainsFunc(r.Values, func(v string) bool { return !labelText.MatchString(v) || compares && number(v) == nil })
}

// holds is group 7.5 about one requirement that an API server lets in, in plain words.
func holds(r outrank.NodeRequirement, labels map[string]string) bool {
	value, there := labels[r.Key]
	switch r.Operator {
	case outrank.In:
		return there && slices.Contains(r.Values, value)
	case outrank.NotIn:
		return !there || !slices.Contains(r.Values, value)
	case outrank.Exists:
		return there
	case outrank.DoesNotExist:
		return !there
	}
	have := number(value)
	if have == nil {
		return false
	}
	return map[outrank.Operator]int{outrank.Gt: 1, outrank.Lt: -1}[r.Operator] == have.Cmp(number(r.Values[0]))
}

func requirement(t *rapid.T) outrank.NodeRequirement {
	r := outrank.NodeRequirement{
		Key:      rapid.SampledFrom([]string{"disk", "gen"}).Draw(t, "key"),
		Operator: rapid.SampledFrom([]outrank.Operator{outrank.In, outrank.NotIn, outrank.Exists, outrank.DoesNotExist, outrank.Gt, outrank.Gt, outrank.Lt, outrank.Lt}).Draw(t, "operator"),
	}
	switch r.Operator {
	case outrank.In, outrank.NotIn:
		r.Values = rapid.SliceOfN(rapid.SampledFrom(texts), 1, 3).Draw(t, "values")
	case outrank.Gt, outrank.Lt:
		r.Values = []string{rapid.SampledFrom(texts).Draw(t, "value")}
	}
	return r
}

// A term matches the nodes for which all that it lists holds, and none where
// kube-scheduler cannot read one of the requirements (rules 7.5.3 to 7.5.8).
func TestPropertyTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := map[string]string{}
		for _, key := range []string{"disk", "gen"} {
			if rapid.Bool().Draw(t, "has "+key) {
				labels[key] = rapid.SampledFrom(texts).Filter(labelText.MatchString).Draw(t, key)
			}
		}
		term := outrank.NodeSelectorTerm{MatchExpressions: rapid.SliceOfN(rapid.Custom(requirement), 1, 3).Draw(t, "term")}
		want, clear := true, true
		for _, r := range term.MatchExpressions {
			clear = clear && readable(r)
			want = want && clear && holds(r, labels)
		}
		want = want && clear
		assert.Equal(t, want, fit.MatchesTerm(term, &outrank.Node{Name: "n1", Labels: labels}), "%v on %v", term, labels)
		assert.Equal(t, want, fit.MatchesLabels(&outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{term}}, labels), "%v on %v", term, labels)
		assert.Equal(t, clear, fit.TermProblem(&term) == "", "%v: %s", term, fit.TermProblem(&term))
	})
}
