package outrank_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
)

func TestSelectorMatches(t *testing.T) {
	exp := func(key string, op outrank.Operator, values ...string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: key, Operator: op, Values: values}}}
	}
	labels := map[string]string{"app": "web", "tier": ""}
	for _, test := range []struct {
		name string
		s    *outrank.LabelSelector
		want bool
	}{
		{"nil picks nothing", nil, false},
		{"empty picks everything", &outrank.LabelSelector{}, true},
		{"equal label", &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, true},
		{"other value", &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, false},
		{"an empty value is not a missing label", &outrank.LabelSelector{MatchLabels: map[string]string{"zone": ""}}, false},
		{"an empty value matches itself", &outrank.LabelSelector{MatchLabels: map[string]string{"tier": ""}}, true},
		{"In", exp("app", outrank.In, "db", "web"), true},
		{"In without the key", exp("zone", outrank.In, "a"), false},
		{"In without values is invalid", exp("app", outrank.In), false},
		{"NotIn", exp("app", outrank.NotIn, "web"), false},
		{"NotIn without the key", exp("zone", outrank.NotIn, "a"), true},
		{"NotIn without values is invalid", exp("zone", outrank.NotIn), false},
		{"Exists", exp("tier", outrank.Exists), true},
		{"Exists without the key", exp("zone", outrank.Exists), false},
		{"Exists with values is invalid", exp("tier", outrank.Exists, "a"), false},
		{"DoesNotExist", exp("zone", outrank.DoesNotExist), true},
		{"DoesNotExist with the key", exp("app", outrank.DoesNotExist), false},
		{"operators have one spelling", exp("app", "in", "web"), false},
		{"Gt is for nodes", exp("app", outrank.Gt, "1"), false},
		{"bad key", exp("-app", outrank.DoesNotExist), false},
		{"bad value", exp("app", outrank.NotIn, "-"), false},
		{"all must hold", &outrank.LabelSelector{
			MatchLabels:      map[string]string{"app": "web"},
			MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.DoesNotExist}},
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, test.s.Matches(labels), "%+v.Matches(%v)", test.s, labels)
			m, err := test.s.Matcher()
			assert.Equal(t, test.s.Validate() != nil, err != nil, "Matcher and Validate agree: %v", err)
			if err == nil {
				assert.Equal(t, test.want, m.Matches(labels), "Matcher")
				assert.Equal(t, test.s.Empty(), m.Empty())
			}
		})
	}
}

// A nil selector picks nothing, and so it is no empty one.
func TestSelectorEmpty(t *testing.T) {
	for _, test := range []struct {
		s    *outrank.LabelSelector
		want bool
	}{
		{nil, false},
		{&outrank.LabelSelector{}, true},
		{&outrank.LabelSelector{MatchLabels: map[string]string{}, MatchExpressions: []outrank.Requirement{}}, true},
		{&outrank.LabelSelector{MatchLabels: map[string]string{"app": ""}}, false},
		{&outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.Exists}}}, false},
	} {
		assert.Equal(t, test.want, test.s.Empty(), "%+v", test.s)
	}
}

func TestSelectorKeysAndValues(t *testing.T) {
	for _, test := range []struct {
		key string
		ok  bool
	}{
		{"a", true}, {"A.b_c-9", true}, {"Z0", true}, {"example.com/a", true}, {"a-b.c/x", true}, {"z0-9.9/x", true},
		{strings.Repeat("a", 63), true}, {strings.Repeat("a", 64), false},
		{strings.Repeat("a", 63) + "." + strings.Repeat("b", 189) + "/x", true},
		{strings.Repeat("a", 63) + "." + strings.Repeat("b", 190) + "/x", false},
		{"", false}, {"/a", false}, {"a/", false}, {"a/b/c", false}, {"-a", false}, {"a-", false},
		{"Example.com/a", false}, {"a..b/x", false}, {"a.-b/x", false}, {"a-.b/x", false}, {"a-/x", false}, {"a./x", false}, {"ä", false}, {"a b", false},
	} {
		s := outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: test.key, Operator: outrank.Exists}}}
		assert.Equal(t, test.ok, s.Validate() == nil, "key %q: %v", test.key, s.Validate())
	}
	for _, test := range []struct {
		value string
		ok    bool
	}{
		{"", true}, {"a", true}, {"1.2_3-x", true}, {strings.Repeat("a", 64), false}, {".a", false}, {"a/b", false},
	} {
		s := outrank.LabelSelector{MatchLabels: map[string]string{"k": test.value}}
		assert.Equal(t, test.ok, s.Validate() == nil, "value %q: %v", test.value, s.Validate())
	}
}

func TestSelectorValidateNamesEverything(t *testing.T) {
	s := &outrank.LabelSelector{
		MatchLabels:      map[string]string{"-": "/"},
		MatchExpressions: []outrank.Requirement{{Key: "a", Operator: outrank.Exists, Values: []string{"+"}}},
	}
	err := s.Validate()
	assert.ErrorIs(t, err, outrank.ErrSelector)
	assert.EqualError(t, err, `invalid label selector: matchLabels["-"]: "-" is not a label key
invalid label selector: matchLabels["-"]: "/" is not a label value
invalid label selector: matchExpressions[0].operator: Exists takes no values
invalid label selector: matchExpressions[0].values[0]: "+" is not a label value`)
}

func TestMatcherAllocatesNothing(t *testing.T) {
	s := &outrank.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []outrank.Requirement{{Key: "tier", Operator: outrank.In, Values: []string{"a", "b"}}},
	}
	m, err := s.Matcher()
	assert.NoError(t, err)
	labels := map[string]string{"app": "web", "tier": "b"}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if !m.Matches(labels) || !s.Matches(labels) {
			t.Fatal("does not match")
		}
	}))
}
