package lockstep

import (
	"flag"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/convert"
)

// check runs a property over so many cases, or over as many as the flag
// -rapid.checks says.
func check(t *testing.T, cases int, property func(*rapid.T)) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		checks := flag.Lookup("rapid.checks")
		before := checks.Value.String()
		require.NoError(t, checks.Value.Set(strconv.Itoa(cases)))
		defer func() { require.NoError(t, checks.Value.Set(before)) }()
	}
	rapid.Check(t, property)
}

// pick draws one of the values.
func pick[T any](t *rapid.T, name string, values ...T) T {
	return values[rapid.IntRange(0, len(values)-1).Draw(t, name)]
}

// one draws true in one of n cases.
func one(t *rapid.T, in int, name string) bool {
	return rapid.IntRange(0, in-1).Draw(t, name) == in-1
}

func toPod(t require.TestingT, pod *corev1.Pod) *outrank.Pod {
	p, err := convert.Pod(pod)
	require.NoError(t, err)
	return p
}

func toNode(t require.TestingT, node *corev1.Node) *outrank.Node {
	n, err := convert.Node(node)
	require.NoError(t, err)
	return n
}
