package priority

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// problemsOf returns "object: field" for each problem of an error, and checks
// that the error wraps sentinel.
func problemsOf(t require.TestingT, err, sentinel error) []string {
	if err == nil {
		return nil
	}
	require.ErrorIs(t, err, sentinel)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	var input *outrank.InputError
	require.ErrorAs(t, err, &input)
	var fields []string
	for _, p := range input.Problems {
		require.NotEmpty(t, p.Text)
		fields = append(fields, p.Object+": "+p.Field)
	}
	return fields
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		class        *outrank.PriorityClass
		want         []string
	}{
		{"zero value but for the name", "0 is a value like any other", &outrank.PriorityClass{Name: "a"}, nil},
		{"highest value", "the bound is inclusive", &outrank.PriorityClass{Name: "a", Value: 1_000_000_000}, nil},
		{"above it", "kept for the system", &outrank.PriorityClass{Name: "a", Value: 1_000_000_001}, []string{"priorityclass a: value"}},
		{"lowest value", "negative ones are fine", &outrank.PriorityClass{Name: "a", Value: math.MinInt32}, nil},
		{"global default", "allowed by itself", &outrank.PriorityClass{Name: "a", GlobalDefault: true}, nil},
		{"policy Never", "known", &outrank.PriorityClass{Name: "a", PreemptionPolicy: "Never"}, nil},
		{"policy in lower case", "case matters", &outrank.PriorityClass{Name: "a", PreemptionPolicy: "never"}, []string{"priorityclass a: preemptionPolicy"}},
		{"nil", "nothing to look at", nil, []string{"priorityclass: "}},
		{"no name", "an object needs one", &outrank.PriorityClass{}, []string{"priorityclass: metadata.name"}},
		{"upper case", "not a DNS subdomain", &outrank.PriorityClass{Name: "High"}, []string{"priorityclass High: metadata.name"}},
		{"system prefix", "reserved", &outrank.PriorityClass{Name: "system-x"}, []string{"priorityclass system-x: metadata.name"}},
		{"system without a dash", "not the prefix", &outrank.PriorityClass{Name: "system"}, nil},
		{"built in", "its own value", &outrank.PriorityClass{Name: clusterCriticalName, Value: 2_000_000_000}, nil},
		{"the other built in", "its own value", &outrank.PriorityClass{Name: nodeCriticalName, Value: 2_000_001_000}, nil},
		{"built in with the other's value", "only its own value will do",
			&outrank.PriorityClass{Name: clusterCriticalName, Value: NodeCritical}, []string{"priorityclass system-cluster-critical: value"}},
		{"built in with a small value", "only its own value will do",
			&outrank.PriorityClass{Name: nodeCriticalName, Value: 1}, []string{"priorityclass system-node-critical: value"}},
		{"built in as the default", "never",
			&outrank.PriorityClass{Name: nodeCriticalName, Value: NodeCritical, GlobalDefault: true}, []string{"priorityclass system-node-critical: globalDefault"}},
		{"all wrong", "every problem is listed",
			&outrank.PriorityClass{Name: "a_b", Value: math.MaxInt32, PreemptionPolicy: "x"},
			[]string{"priorityclass a_b: metadata.name", "priorityclass a_b: value", "priorityclass a_b: preemptionPolicy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := problemsOf(t, Validate(c.class), ErrClass)
			if diff := testdiff.Diff(c.want, got); diff != "" {
				t.Errorf("%s: Validate(%+v) (-want +got):\n%s", c.reason, c.class, diff)
			}
		})
	}
}

// subdomain is the definition that isSubdomain is held to.
var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

func TestIsSubdomain(t *testing.T) {
	for name, want := range map[string]bool{
		"":                       false,
		"a":                      true,
		"0.a-b.c":                true,
		"a..b":                   false,
		".a":                     false,
		"a.":                     false,
		"a.-b":                   false,
		"a-.b":                   false,
		"ä":                      false,
		strings.Repeat("a", 253): true,
		strings.Repeat("a", 254): false,
	} {
		require.Equal(t, want, isSubdomain(name), "isSubdomain(%q)", name)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("az09-..AÄ_\x00")), -1, 8, -1).Draw(t, "name")
		require.Equal(t, subdomain.MatchString(name), isSubdomain(name), "isSubdomain(%q)", name)
	})
}

// No class and no table makes the package panic, and an error always wraps its
// sentinel.
func TestAnyClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := &outrank.PriorityClass{
			Name:             rapid.OneOf(rapid.String(), rapid.Just(nodeCriticalName)).Draw(t, "name"),
			Value:            rapid.Int32().Draw(t, "value"),
			GlobalDefault:    rapid.Bool().Draw(t, "default"),
			PreemptionPolicy: outrank.PreemptionPolicy(rapid.String().Draw(t, "policy")),
		}
		one := problemsOf(t, Validate(class), ErrClass)
		table, err := NewTable([]*outrank.PriorityClass{class})
		require.Equal(t, len(one), len(problemsOf(t, err, ErrClass)), "a table is as strict as Validate")
		require.Equal(t, err == nil, table != nil)
		_, err = (*Table)(nil).With(class)
		_, builtIn := builtInValue(class.Name)
		require.Equal(t, len(one) > 0 || builtIn, err != nil, "built-in classes are always there")
	})
}
