package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// A node has room, but a constraint fails there in which its own pods have no
// part. If no pod may be evicted, the status says that there are no victims;
// otherwise it is that of the constraint.
func TestRoomButNobodyToLeave(t *testing.T) {
	const own = 100
	for _, lowest := range []int32{own - 1, own, own + 1} {
		for _, others := range []int32{own, own + 1, 1000} {
			c := &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "b"), node("n3", "4", "a")},
				Pods: []*outrank.Pod{
					pod("web-1", 1000, "1", on("n3"), app("web")), pod("web-2", 1000, "1", on("n3"), app("web")),
					pod("low", lowest, "1", on("n1")), pod("other", others, "1", on("n1")), pod("db", 1000, "4", on("n2")),
				},
			}
			for name, asker := range map[string]*outrank.Pod{
				"short":   pod("p", own, "3"),
				"shorter": pod("p", own, "4"),
				"spread":  pod("p", own, "1", app("web"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("web")})),
				"apart":   pod("p", own, "1", apart("web")),
				"near":    pod("p", own, "1", near("nobody")),
				"volumes": pod("p", own, "1", has(outrank.Volume{Claim: "zonal", Zones: map[string][]string{outrank.ZoneLabel: {"nowhere"}}})),
			} {
				got := newWorld(t, c).agree(t, asker, gen.Now)
				if name == "spread" || name == "apart" {
					assert.Equal(t, preemption.NothingHelps, got.Outcome)
					assert.Len(t, got.Unhelpful, map[bool]int{true: 2, false: 1}[lowest < own], "lowest %d, others %d, %s: %v", lowest, others, name, got.Unhelpful)
				}
			}
		}
	}
}

// The last rank looks at the earliest start among the victims of the top
// priority, also where one that started later violates a budget and is asked
// first whether it may stay.
func TestEarliestStartWhereBudgetsAreViolated(t *testing.T) {
	started := func(minutes int) with { return startedAgo(time.Duration(minutes) * time.Minute) }
	for _, guarded := range []int{50, 80, 100, 130} {
		for _, free := range []int{60, 85, 95, 120} {
			c := &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a")},
				Pods: []*outrank.Pod{
					pod("guarded-1", 1, "1", on("n1"), app("web"), started(guarded)), pod("free-1", 1, "1", on("n1"), started(free)),
					pod("guarded-2", 1, "1", on("n2"), app("web"), started(90)), pod("free-2", 1, "1", on("n2"), started(80)),
				},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web")}},
			}
			want := "n1"
			if max(guarded, free) > 90 {
				want = "n2"
			}
			assert.Equal(t, want, newWorld(t, c).agree(t, pod("p", 100, "2"), gen.Now).Node, "guarded %d, free %d", guarded, free)
		}
	}
}

// A node that lacks one of two topology keys counts for neither constraint, so
// that its pods do not make room in a domain when they leave.
func TestLeavingWhereNobodyIsCounted(t *testing.T) {
	lacking := node("lacking", "4", "a")
	whole := node("whole", "4", "a")
	whole.Labels["rack"] = "r1"
	far := node("far", "4", "b")
	far.Labels["rack"] = "r2"
	constraint := func(key string) outrank.TopologySpreadConstraint {
		return outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: key, LabelSelector: selects("web")}
	}
	said := map[string]bool{}
	for low := range 3 {
		for high := range 3 {
			c := &outrank.Cluster{Nodes: []*outrank.Node{lacking, whole, far}, Pods: []*outrank.Pod{pod("full", 1000, "4", on("far"))}}
			for i := range low {
				c.Pods = append(c.Pods, pod(fmt.Sprint("low", i), 1, "1", on("lacking"), app("web")))
			}
			for i := range high {
				c.Pods = append(c.Pods, pod(fmt.Sprint("high", i), 1000, "1", on("whole"), app("web")))
			}
			for _, keys := range [][]string{{"zone", "rack"}, {"rack", "zone"}} {
				p := pod("p", 100, "1", app("web"), func(p *outrank.Pod) {
					p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{constraint(keys[0]), constraint(keys[1])}
				})
				said[fmt.Sprint(newWorld(t, c).agree(t, p, gen.Now).Unhelpful)] = true
			}
		}
	}
	assert.Greater(t, len(said), 1, "it made no difference: %v", said)
}
