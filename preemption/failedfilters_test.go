package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// A verdict names the filters in the order of the alphabet and each once,
// however the nodes are counted.
func TestFiltersOfAVerdict(t *testing.T) {
	count := func(nodes int, filter, reason string) preemption.Count {
		return preemption.Count{Nodes: nodes, Status: preemption.Status{
			Code: preemption.Unschedulable, Filter: filter, Reasons: []string{reason},
		}}
	}
	for _, c := range []struct {
		name   string
		counts []preemption.Count
		want   []string
	}{
		{"in no order", []preemption.Count{count(3, "c", "1"), count(2, "a", "2"), count(1, "b", "3")}, []string{"a", "b", "c"}},
		{"the same apart", []preemption.Count{count(3, "b", "1"), count(2, "a", "2"), count(1, "b", "3")}, []string{"a", "b"}},
		{"the same in a row", []preemption.Count{count(3, "a", "1"), count(2, "a", "2")}, []string{"a"}},
		{"without a filter", []preemption.Count{count(3, "b", "1"), count(2, "", "2"), count(1, "a", "3")}, []string{"a", "b"}},
		{"none", []preemption.Count{count(1, "", "1")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := preemption.Failure{
				Pod:  &outrank.Pod{Name: "p"},
				Plan: &preemption.Plan{Outcome: preemption.NothingHelps, TurnedDown: c.counts},
			}
			v, err := f.Verdict()
			require.NoError(t, err)
			assert.Equal(t, c.want, v.Filters)
		})
	}
}
