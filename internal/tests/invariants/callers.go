package invariants

import (
	"fmt"
	"maps"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// atMost is the caller's filter: it turns a pod of the app a away where as many of them are. It may say that no other pod
// concerns it.
func atMost(most int, concerns bool) *preemption.Filter {
	f := &preemption.Filter{
		Name: filterName,
		Start: func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
			if pod.Labels["app"] != "a" {
				return nil, nil
			}
			s := &ofA{most: most, there: map[string]int{}}
			for node := range view.Nodes() {
				for _, p := range view.PodsOn(node.Name) {
					s.Add(p, node)
				}
			}
			return s, nil
		},
	}
	if concerns {
		f.Concerns = func(p *outrank.Pod) bool { return p.Labels["app"] == "a" }
	}
	return f
}

// ofA counts the pods of the app a on each node.
type ofA struct {
	most  int
	there map[string]int
}

func (s *ofA) Add(p *outrank.Pod, n *outrank.Node)    { s.count(p, n, 1) }
func (s *ofA) Remove(p *outrank.Pod, n *outrank.Node) { s.count(p, n, -1) }

func (s *ofA) count(p *outrank.Pod, n *outrank.Node, by int) {
	if p.Labels["app"] == "a" {
		s.there[n.Name] += by
	}
}

func (s *ofA) Check(n *outrank.Node) preemption.Status {
	if s.there[n.Name] < s.most {
		return preemption.Status{}
	}
	return preemption.Unschedulable.Because(thereOfA(s.there[n.Name]))
}

const filterName = "AtMost"

func thereOfA(count int) string { return fmt.Sprintf("%d there already", count) }

func (s *ofA) Clone() preemption.FilterState {
	return &ofA{most: s.most, there: maps.Clone(s.there)}
}

// mostAway is the caller's guard: of the app b at most so many more pods are away than of the app a. So it may be a pod
// that comes back which it refuses.
func mostAway(most int) *preemption.Guard {
	return &preemption.Guard{
		Name: guardName,
		Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
			return &away{most: most}, nil
		},
	}
}

const guardName = "MostAway"

// away counts the pods that are away: those of the app b, less those of the app a.
type away struct{ most, count int }

func (s *away) Remove(p *outrank.Pod, _ *outrank.Node) { s.count += weight(p.Labels["app"]) }
func (s *away) Add(p *outrank.Pod, _ *outrank.Node)    { s.count -= weight(p.Labels["app"]) }

// weight is what a pod of an app counts for the guard.
func weight(app string) int {
	switch app {
	case "a":
		return -1
	case "b":
		return 1
	}
	return 0
}

func (s *away) Check() preemption.Status {
	if s.count <= s.most {
		return preemption.Status{}
	}
	return preemption.Unschedulable.Because(tooManyAway)
}

const tooManyAway = "too many would be away"

func (s *away) Rule(*outrank.Pod) string { return "" }

func (s *away) Clone() preemption.GuardState {
	c := *s
	return &c
}
