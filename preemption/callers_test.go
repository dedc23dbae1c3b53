package preemption_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// apart keeps web pods of one node apart, as a filter of the caller with a state of its own would: it begins
// with what the view shows, and follows the pods that come and go.
func apart(changes ...func(*preemption.Filter)) *preemption.Filter {
	f := &preemption.Filter{Name: "Apart", Start: func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		if pod.Labels["app"] != "web" {
			return nil, nil
		}
		s := &apartState{count: map[string]int{}}
		for n := range view.Nodes() {
			for _, p := range view.PodsOn(n.Name) {
				s.change(p, n, 1)
			}
		}
		return s, nil
	}}
	for _, change := range changes {
		change(f)
	}
	return f
}

type apartState struct {
	count map[string]int
	// told lists the pods that came and went; nil if the test does not want to know.
	told *[]string
}

func (s *apartState) change(p *outrank.Pod, n *outrank.Node, by int) {
	if p.Labels["app"] == "web" {
		s.count[n.Name] += by
	}
	if s.told != nil {
		*s.told = append(*s.told, fmt.Sprintf("%s %+d", p.Name, by))
	}
}

func (s *apartState) Add(p *outrank.Pod, n *outrank.Node)    { s.change(p, n, 1) }
func (s *apartState) Remove(p *outrank.Pod, n *outrank.Node) { s.change(p, n, -1) }

func (s *apartState) Check(n *outrank.Node) preemption.Status {
	if s.count[n.Name] > 0 {
		return preemption.Status{Code: preemption.Unschedulable, Filter: "its own name", ExcludedBy: "nobody", Reasons: []string{"a web pod is there"}}
	}
	return preemption.Status{Reasons: []string{"which a success has none of"}}
}

func (s *apartState) Clone() preemption.FilterState {
	c := &apartState{count: map[string]int{}, told: s.told}
	for k, v := range s.count {
		c.count[k] = v
	}
	return c
}

// on answers from the node alone.
func on(name string, answer func(n *outrank.Node) preemption.Status) *preemption.Filter {
	return &preemption.Filter{Name: name, Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status { return answer(n) }}
}

// Filters of the caller are asked behind the built-in ones, in their order (rule 7.1.4), and follow the pods
// of a dry run like them (groups 7.16 and 9).
func TestFiltersOfTheCaller(t *testing.T) {
	const there = "a: Unschedulable Apart [a web pod is there]\n"
	with := func(filters ...*preemption.Filter) preemption.Config { return preemption.Config{Filters: filters} }
	broken := on("Broken", func(*outrank.Node) preemption.Status { return preemption.Contradiction.Because("it is away") })
	noSSD := on("NoSSD", func(n *outrank.Node) preemption.Status {
		if n.Labels["disk"] == "ssd" {
			return preemption.UnschedulableAndUnresolvable.Because("an SSD")
		}
		return preemption.Status{}
	})
	runRows(t, []row{
		{
			name:    "those in the way leave, and others come back",
			cluster: []any{node("a"), pod("x", "a", 1, web), pod("y", "a", 1)},
			pod:     preemptor(web),
			config:  with(apart()),
			want:    there + "a <- x (0)\nbest a",
		},
		{
			name:    "one that has nothing to say about the pod is not asked",
			cluster: []any{node("a"), pod("x", "a", 1, web)},
			pod:     preemptor(),
			config:  with(apart()),
			want:    "a: fits",
		},
		{
			name:    "it is told of those that are nominated, if they are important enough",
			cluster: []any{node("a"), pod("n", "", 100, web, nominatedTo("a")), node("b"), pod("m", "", 99, web, nominatedTo("b"))},
			pod:     preemptor(web),
			config:  with(apart()),
			want:    there + "a out: Unresolvable [No preemption victims found for incoming pod]\nb: fits",
		},
		{
			name:    "it is asked behind the built-in ones, and of several the first that fails is the answer",
			cluster: []any{node("a"), pod("x", "a", 200, web, cpu("1")), node("b", nodeLabels("disk", "ssd")), pod("y", "b", 200, web)},
			pod:     preemptor(web, cpu("1")),
			config:  with(noSSD, apart()),
			want: `
				a: Unschedulable NodeResourcesFit [Insufficient cpu]
				a out: Unresolvable [No preemption victims found for incoming pod]
				b: Unresolvable NoSSD [an SSD]`,
		},
		{
			name:    "who has no part in what it says is never told of",
			why:     "It is told of nobody, and so does not know that x has left.",
			cluster: []any{node("a"), pod("x", "a", 1, web)},
			pod:     preemptor(web),
			config:  with(apart(func(f *preemption.Filter) { f.Concerns = func(p *outrank.Pod) bool { return p.Name != "x" } })),
			want:    there + "a out: Unschedulable Apart [a web pod is there]",
		},
		{
			name:    "pods of a unit elsewhere come and go with it (rule 12.8.2)",
			release: withGroups(t),
			cluster: []any{node("a"), node("b", cordoned), group("g", 1, whole), pod("x", "a", 1, web, ofGroup("g")), pod("y", "b", 1, web, ofGroup("g"))},
			pod:     preemptor(web),
			config:  with(apart()),
			want:    there + "a <- x, y on b (0)\nb: Unresolvable NodeUnschedulable [node(s) were unschedulable]\nbest a",
		},
		{
			name:    "one that is broken leaves no candidate (rule 8.12)",
			cluster: []any{node("a"), pod("x", "a", 1)},
			pod:     preemptor(),
			config:  with(broken),
			want:    "a: Contradiction Broken [it is away]",
		},
		{
			name:    "an error of its start ends the attempt",
			cluster: []any{node("a")},
			pod:     preemptor(),
			config: with(&preemption.Filter{Name: "Failing", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
				return nil, errPlanted
			}}),
			want: "error: filter Failing: pod default/p: planted",
		},
	})
}

// What Start returned is only cloned. Each clone is told of all pods that come and go, and a nominated one
// has no node.
func TestFilterStatesFollow(t *testing.T) {
	var told []string
	var first *apartState
	config := preemption.Config{Filters: []*preemption.Filter{{Name: "Apart", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
		first = &apartState{count: map[string]int{"a": 1}, told: &told}
		return first, nil
	}}}}
	c := clusterOf(node("a"), pod("x", "a", 2, web), pod("y", "a", 1), pod("n", "", 200, nominatedTo("a")))
	plan := explain(t, c, preemptor(web), config)
	require.Equal(t, []string{"x"}, victimNames(plan.Victims))
	assert.Equal(t, map[string]int{"a": 1}, first.count, "what Start returned has not changed")
	assert.Equal(t, []string{
		"n +1",                 // as things are, beside the nominated pod, which fails
		"x -1", "y -1", "n +1", // everybody away
		"x +1", "n +1", "x -1", // x does not come back
		"y +1", "n +1", // y does
	}, told)
}
