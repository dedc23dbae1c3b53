package filters_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// headcount allows a number of pods of one app on a node. It counts the pods that it is told of, one by one.
type headcount struct {
	app   string
	most  int
	count map[string]int // by node
}

func (h *headcount) counts(p *outrank.Pod) bool             { return p.Labels["app"] == h.app }
func (h *headcount) Add(p *outrank.Pod, n *outrank.Node)    { h.change(p, n, 1) }
func (h *headcount) Remove(p *outrank.Pod, n *outrank.Node) { h.change(p, n, -1) }

func (h *headcount) change(p *outrank.Pod, n *outrank.Node, by int) {
	if h.counts(p) {
		h.count[n.Name] += by
	}
}

func (h *headcount) Check(n *outrank.Node) preemption.Status {
	if h.count[n.Name] >= h.most {
		return preemption.Unschedulable.Because("enough of them")
	}
	return preemption.Status{}
}

func (h *headcount) Clone() preemption.FilterState {
	c := &headcount{h.app, h.most, map[string]int{}}
	for node, count := range h.count {
		c.count[node] = count
	}
	return c
}

// filterOf begins with the pods of the view.
func filterOf(app string, most int, selective bool) *preemption.Filter {
	f := &preemption.Filter{Name: "Headcount", Start: func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		h := &headcount{app, most, map[string]int{}}
		for n := range view.Nodes() {
			for _, p := range view.PodsOn(n.Name) {
				h.Add(p, n)
			}
		}
		return h, nil
	}}
	if selective {
		f.Concerns = func(p *outrank.Pod) bool { return p.Labels["app"] == app }
	}
	return f
}

// A filter of the caller is told of all pods that leave and come back, or of those that concern it. So its
// answer always follows from the pods that are there.
func TestPropertyFilterOfTheCaller(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		c := world{node: anything, pod: func(t *rapid.T, p *outrank.Pod) {
			p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app")}
		}}.draw(t)
		most := rapid.IntRange(1, 3).Draw(t, "most")
		q := questionAbout(t, c, &outrank.Pod{Name: "asks", Labels: map[string]string{"app": "web"}})
		begun, err := filters.Begun(filterOf("web", most, rapid.Bool().Draw(t, "selective")), q)
		require.NoError(t, err)
		f, other := begun.OnNode(nil), begun.OnNode(nil)
		n := q.Snap.NodeState("n0")
		f.Enter(n)
		other.Enter(n)
		check := func(f filters.NodeFilter, there []*state.PodState) {
			for _, nominated := range [][]*state.PodState{nil, n.Nominated} {
				count := 0
				for _, p := range slices.Concat(there, nominated) {
					if p.Pod.Labels["app"] == "web" {
						count++
					}
				}
				want := filters.Success
				if count >= most {
					want = filters.Unschedulable
					refused++
				}
				require.Equal(t, want, f.Check(nominated).Code, "%d pods, of which %d may be there", count, most)
			}
		}
		there := slices.Clone(n.Pods)
		check(f, there)
		var away []*state.PodState
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			if len(there) > 0 && rapid.Bool().Draw(t, "leaves") {
				i := rapid.IntRange(0, len(there)-1).Draw(t, "pod")
				f.Change(there[i], -1)
				away, there = append(away, there[i]), slices.Delete(there, i, i+1)
			} else if len(away) > 0 {
				f.Change(away[0], 1)
				there, away = append(there, away[0]), away[1:]
			}
			check(f, there)
		}
		check(other, n.Pods) // which another worker has, with all pods there
	})
	require.Positive(t, refused)
}

// What a filter of the caller returns at the start decides whether it has a part in the attempt.
func TestBegun(t *testing.T) {
	broken := errors.New("no licence server")
	starts := func(state preemption.FilterState, err error) *preemption.Filter {
		return &preemption.Filter{Name: "mine", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) { return state, err }}
	}
	onNodes := func(refused string) func(*outrank.Pod, *outrank.Node) preemption.Status {
		return func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
			if n.Name == refused {
				return preemption.UnschedulableAndUnresolvable.Because("not there")
			}
			return preemption.Status{}
		}
	}
	key := func(*outrank.Pod) string { return "" }
	for _, test := range []struct {
		name   string
		filter *preemption.Filter
		part   bool
		want   string // of the nodes a and b
		err    error
	}{
		{"nothing to say", starts(nil, nil), false, "", nil},
		{"an error", starts(nil, broken), false, "", broken},
		{"a state", starts(&headcount{app: "web", count: map[string]int{"a": 1, "b": 0}, most: 1}, nil), true, "unschedulable, success", nil},
		{"a rule about nodes", &preemption.Filter{Name: "mine", Node: onNodes("b")}, true, "success, unschedulable-and-unresolvable", nil},
		{"one with a key", &preemption.Filter{Name: "mine", Node: onNodes("b"), Key: key}, true, "success, unschedulable-and-unresolvable", nil},
		{"one with a key that refuses nothing", &preemption.Filter{Name: "mine", Node: onNodes("c"), Key: key}, false, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := questionAbout(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "a"}, {Name: "b"}}}, &outrank.Pod{Name: "asks"})
			begun, err := filters.Begun(test.filter, q)
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.part, begun != nil)
			if begun == nil {
				return
			}
			f, codes := begun.OnNode(nil), []any{}
			for _, node := range []string{"a", "b"} {
				f.Enter(q.Snap.NodeState(node))
				codes = append(codes, f.Check(nil).Code.Public())
			}
			assert.Equal(t, test.want, fmt.Sprintf("%v, %v", codes...))
		})
	}
}

// A state that refuses the pod ends the attempt before the first node, after the built-in filters (rule 7.15.10).
func TestFilterOfTheCallerRefuses(t *testing.T) {
	refuses := &preemption.Filter{Name: "mine", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
		return preemption.Refuse(preemption.Unschedulable.Because("closed")), nil
	}}
	q := questionAbout(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "a"}}}, &outrank.Pod{Name: "asks"})
	var plan filters.Plan
	plan.Begin(q)
	begun, err := filters.Begun(refuses, q)
	require.NoError(t, err)
	plan.Add(begun, filters.FirstOfCaller)
	assert.Equal(t, filters.Status{Code: filters.UnschedulableAndUnresolvable, By: filters.FirstOfCaller, Text: []string{"closed"}}, plan.Refused)
}
