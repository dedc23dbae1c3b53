package bounded_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/bounded"
)

// Ranks keeps the ranks that are sums over the victims, in their order, and no second cost.
func TestRanks(t *testing.T) {
	work := preemption.Rank{Name: "work", Cost: func(*outrank.Pod) int64 { return 1 }}
	money := preemption.Rank{Name: "money", Cost: func(*outrank.Pod) int64 { return 1 }}
	distance := preemption.Rank{Name: "distance", Figure: func(*preemption.Candidate) int64 { return 1 }}
	for _, test := range []struct {
		name  string
		ranks []preemption.Rank
		want  []string
	}{
		{"the default ones", nil, nil},
		{"those of kube-scheduler", preemption.DefaultRanks(), []string{"budget-violations", "top-priority", "priority-sum", "victim-count", "start-time"}},
		{"a cost", []preemption.Rank{work, preemption.ByVictims}, []string{"work", "victim-count"}},
		{"a second cost", []preemption.Rank{work, preemption.ByVictims, money}, []string{"work", "victim-count"}},
		{"a figure", []preemption.Rank{preemption.ByViolations, distance, money}, []string{"budget-violations", "money"}},
		{"figures alone, which leaves the default ones", []preemption.Rank{distance}, nil},
	} {
		var got []string
		for _, r := range bounded.Ranks(test.ranks) {
			got = append(got, r.Name)
		}
		assert.Equal(t, test.want, got, test.name)
	}
}
