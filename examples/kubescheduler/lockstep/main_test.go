package lockstep

import (
	"flag"
	"math/bits"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	kubeletmetrics "k8s.io/kubernetes/pkg/kubelet/metrics"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/internal/tests/seeded"
)

// TestMain keeps the reference from logging errors that are made on purpose, and
// from waiting after errors.
func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil
	metrics.Register()
	kubeletmetrics.Register()
	seeded.Run(m, 100)
}

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

// below draws a number below n. All are about as likely, where rapid's own generators
// prefer the ends of a range.
func below(t *rapid.T, n int, name string) int { return numbers(n).Draw(t, name) }

var generators = map[int]*rapid.Generator[int]{}

func numbers(n int) *rapid.Generator[int] {
	if generators[n] == nil {
		generators[n] = rapid.Custom(func(t *rapid.T) int {
			value := 0
			for range bits.Len(uint(n)) + 2 {
				value *= 2
				if rapid.Bool().Draw(t, "") {
					value++
				}
			}
			return value % n
		})
	}
	return generators[n]
}

// pick draws one of the values.
func pick[T any](t *rapid.T, name string, values ...T) T { return values[below(t, len(values), name)] }

// one draws true in one of n cases.
func one(t *rapid.T, in int, name string) bool { return below(t, in, name) == in-1 }

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
