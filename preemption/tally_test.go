package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// licencesByRack counts the web pods of each rack; a node without a rack has no domain.
func licencesByRack() *preemption.Tally[int] {
	return &preemption.Tally[int]{
		Domain:   func(_ *outrank.Pod, n *outrank.Node) string { return n.Labels["rack"] },
		Concerns: func(p *outrank.Pod) bool { return p.Labels["app"] == "web" },
		Change:   func(count int, _ *outrank.Pod, by int) int { return count + by },
	}
}

// A tally counts the running pods by domains, and its filter follows them through an attempt.
func TestTallies(t *testing.T) {
	rack := func(name string) func(*outrank.Node) { return nodeLabels("rack", name) }
	tally := licencesByRack()
	one := tally.Filter("Licences", func(count int, _ *outrank.Pod, _ *outrank.Node) preemption.Status {
		if count > 0 {
			return preemption.Unschedulable.Because("taken")
		}
		return preemption.Status{}
	})
	cluster := []any{
		node("a", rack("1")), node("b", rack("1")), node("c", rack("2")), node("d"),
		pod("x", "a", 1, web), pod("y", "b", 200), pod("z", "d", 1, web),
	}
	const taken = "Unschedulable Licences [taken]"
	const nobody = " out: Unresolvable [No preemption victims found for incoming pod]\n"
	runRows(t, []row{
		{
			name:    "a domain spans its nodes, and where there is none nothing counts",
			cluster: cluster, pod: preemptor(web), config: preemption.Config{Filters: []*preemption.Filter{one}},
			want: "a: " + taken + "\na <- x (0)\nb: " + taken + "\nb" + nobody + "c: fits\nd: fits\nbest a",
		},
		{
			name:    "it limits those that it counts",
			cluster: cluster, pod: preemptor(), config: preemption.Config{Filters: []*preemption.Filter{one}},
			want: "a: fits\nb: fits\nc: fits\nd: fits",
		},
	})

	c := clusterOf(cluster...)
	explain(t, c, preemptor(), looking(func(view preemption.View) {
		assert.Equal(t, []int{1, 0, 0}, []int{tally.Count(view, "1"), tally.Count(view, "2"), tally.Count(view, "3")})
		byNode := &preemption.Tally[int]{Change: tally.Change}
		assert.Equal(t, 1, byNode.Count(view, "b"), "without a Domain each node is one, and without Concerns all count")
	}))
	_, err := preemption.Preempt(c, preemption.Request{Pod: preemptor()}, preemption.Config{Filters: []*preemption.Filter{(&preemption.Tally[int]{}).Filter("None", nil)}})
	require.ErrorIs(t, err, outrank.ErrInvalid, "a tally without a Change")
}

// Without a Change, or without a cluster, nothing is counted.
func TestTallyWithoutWhatItNeeds(t *testing.T) {
	var none *preemption.Tally[int]
	counts := &preemption.Tally[int]{Change: func(count int, _ *outrank.Pod, by int) int { return count + by }}
	for _, tally := range []*preemption.Tally[int]{none, {}, counts} {
		if got := tally.Count(nil, "a"); got != 0 {
			t.Errorf("Count(nil) = %d, want 0", got)
		}
	}
}
