package filtertest_test

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
)

// bad are filters that break a rule. Where alone is set, no other rule is
// reported; the rest break others as a consequence.
var bad = []struct {
	name   string
	rule   string
	alone  bool
	filter func() *preemption.Filter
}{
	{"no name", ruleNamed, true, func() *preemption.Filter { return named("") }},
	{"the name of a built-in filter", ruleNamed, true, func() *preemption.Filter { return named(preemption.NodePorts) }},
	{"nothing that it is asked by", ruleNamed, true, func() *preemption.Filter { return &preemption.Filter{Name: "Idle"} }},
	{"asked by a Node and a Start", ruleNamed, true, func() *preemption.Filter {
		f := quota{limit: 2}.filter()
		f.Node = maintenance().Node
		return f
	}},
	{"panics in Check", ruleNoPanic, true, func() *preemption.Filter {
		return quota{check: func(_ *quotaState, n *outrank.Node) preemption.Status { panic("at " + n.Name) }}.filter()
	}},
	{"panics with two pods removed", ruleNoPanic, true, func() *preemption.Filter {
		return quota{limit: 3, remove: func(s *quotaState, _ *outrank.Pod, n *outrank.Node) {
			if s.calls++; s.calls == 2 {
				panic("two")
			}
			s.count[n.Name]--
		}}.filter()
	}},
	{"a nil pointer for a nil state", ruleNil, true, func() *preemption.Filter {
		return quota{start: func(*quotaState, *outrank.Pod, preemption.View) (preemption.FilterState, error) {
			var none *quotaState
			return none, nil
		}}.filter()
	}},
	{"a nil clone", ruleNil, true, func() *preemption.Filter {
		return quota{clone: func(*quotaState) preemption.FilterState { return nil }}.filter()
	}},
	{"writes a label to the preemptor", ruleReadOnly, true, func() *preemption.Filter {
		return quota{limit: 2, start: func(s *quotaState, pod *outrank.Pod, _ preemption.View) (preemption.FilterState, error) {
			pod.Labels["seen"] = "yes"
			return s, nil
		}}.filter()
	}},
	{"cordons a node", ruleReadOnly, true, func() *preemption.Filter {
		return quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			n.Unschedulable = true
			return s.right(n)
		}}.filter()
	}},
	{"marks removed pods", ruleReadOnly, true, func() *preemption.Filter {
		return quota{limit: 2, remove: func(s *quotaState, p *outrank.Pod, n *outrank.Node) {
			p.NodeName = ""
			s.count[n.Name]--
		}}.filter()
	}},
	{"uses a budget up", ruleReadOnly, true, func() *preemption.Filter {
		return quota{limit: 2, start: func(s *quotaState, _ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
			for b := range view.(snapshot).Budgets() {
				b.DisruptionsAllowed--
			}
			return s, nil
		}}.filter()
	}},
	{"changes the snapshot", ruleReadOnly, true, func() *preemption.Filter {
		return quota{limit: 2, start: func(s *quotaState, _ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
			for n := range view.Nodes() {
				for _, p := range view.PodsOn(n.Name) {
					return s, view.(snapshot).RemovePod(p.Key())
				}
			}
			return s, nil
		}}.filter()
	}},
	{"every second answer is no", ruleSameAnswer, true, func() *preemption.Filter {
		return quota{check: func(s *quotaState, n *outrank.Node) preemption.Status {
			s.calls++
			s.limit = 1000 * (s.calls % 2)
			return s.right(n)
		}}.filter()
	}},
	{"counts its attempts", ruleSameAnswer, true, func() *preemption.Filter {
		var times sync.Map
		return quota{check: func(s *quotaState, _ *outrank.Node) preemption.Status {
			at, _ := times.LoadOrStore(s.pod, len(fmt.Sprintf("%p", s)))
			times.Store(s.pod, at.(int)+1)
			return preemption.Unschedulable.Because(fmt.Sprint("attempt ", at))
		}}.filter()
	}},
	{"is not available every time", ruleSameAnswer, true, func() *preemption.Filter {
		times := 0
		return quota{start: func(s *quotaState, _ *outrank.Pod, _ preemption.View) (preemption.FilterState, error) {
			if times++; times%5 == 0 {
				return nil, errors.New("timeout")
			}
			return s, nil
		}}.filter()
	}},
	{"goes by the address of the pod", ruleSameAnswer, true, func() *preemption.Filter {
		return quota{check: func(s *quotaState, _ *outrank.Node) preemption.Status {
			return preemption.Unschedulable.Because(fmt.Sprintf("pod at %p", s.pod))
		}}.filter()
	}},
	{"success with reasons", ruleStatus, true, func() *preemption.Filter {
		return quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			status := s.right(n)
			status.Reasons = []string{"quota"}
			return status
		}}.filter()
	}},
	{"a code of the engine", ruleStatus, true, func() *preemption.Filter {
		return quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			status := s.right(n)
			if status.Code != preemption.Success {
				status.Code = preemption.Contradiction
			}
			return status
		}}.filter()
	}},
	{"one buffer for all reasons", ruleKeptStatus, false, func() *preemption.Filter {
		return quota{check: func(s *quotaState, n *outrank.Node) preemption.Status {
			if s.reasons == nil {
				s.reasons = make([]string, 1)
			}
			s.reasons[0] = fmt.Sprint(s.count[n.Name], " pods on ", n.Name)
			return preemption.Status{Code: preemption.Unschedulable, Reasons: s.reasons}
		}}.filter()
	}},
	{"remembers an answer that is out of date", ruleCheck, false, func() *preemption.Filter {
		return quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			if s.memo == nil {
				s.memo = map[string]preemption.Status{}
			}
			if _, ok := s.memo[n.Name]; !ok {
				s.memo[n.Name] = s.right(n)
			}
			return s.memo[n.Name]
		}}.filter()
	}},
	{"a clone that shares its map", ruleClone, false, func() *preemption.Filter {
		return quota{limit: 2, clone: func(s *quotaState) preemption.FilterState {
			c := *s
			return &c
		}}.filter()
	}},
	{"a clone that is the state itself", ruleClone, false, func() *preemption.Filter {
		return quota{limit: 2, clone: func(s *quotaState) preemption.FilterState { return s }}.filter()
	}},
	{"a clone that forgets", ruleClone, false, func() *preemption.Filter {
		return quota{limit: 2, clone: func(s *quotaState) preemption.FilterState {
			c := s.copy()
			clear(c.count)
			return c
		}}.filter()
	}},
	{"a clone that does not follow", ruleClone, false, func() *preemption.Filter {
		return quota{limit: 2, clone: func(s *quotaState) preemption.FilterState {
			c := s.copy()
			c.quota.remove = func(*quotaState, *outrank.Pod, *outrank.Node) {}
			return c
		}}.filter()
	}},
	{"Add does nothing", ruleRestore, false, func() *preemption.Filter {
		return quota{limit: 2, add: func(*quotaState, *outrank.Pod, *outrank.Node) {}}.filter()
	}},
	{"Remove counts too often", ruleRestore, false, func() *preemption.Filter {
		return quota{limit: 2, remove: func(s *quotaState, _ *outrank.Pod, n *outrank.Node) { s.count[n.Name] -= 2 }}.filter()
	}},
	{"Remove empties all nodes", ruleRestore, false, func() *preemption.Filter {
		return quota{limit: 2, remove: func(s *quotaState, _ *outrank.Pod, n *outrank.Node) {
			for name := range s.count {
				if name != n.Name {
					s.count[name] = 0
				}
			}
			s.count[n.Name]--
		}}.filter()
	}},
	{"goes by the last pod removed", ruleOrder, false, func() *preemption.Filter {
		return quota{limit: 1000,
			check: func(s *quotaState, n *outrank.Node) preemption.Status {
				if s.last == "" {
					return s.right(n)
				}
				return preemption.Unschedulable.Because("after " + s.last)
			},
			remove: func(s *quotaState, p *outrank.Pod, _ *outrank.Node) { s.last = string(p.Key()) },
			add:    func(s *quotaState, _ *outrank.Pod, _ *outrank.Node) { s.last = "" },
		}.filter()
	}},
	{"follows nothing", ruleFollow, true, func() *preemption.Filter {
		return quota{limit: 2,
			remove: func(*quotaState, *outrank.Pod, *outrank.Node) {},
			add:    func(*quotaState, *outrank.Pod, *outrank.Node) {},
		}.filter()
	}},
	{"knows pods of the snapshot alone", ruleFollow, true, func() *preemption.Filter {
		return quota{limit: 1, add: func(s *quotaState, p *outrank.Pod, n *outrank.Node) {
			if p.NodeName == n.Name {
				s.count[n.Name]++
			}
		}}.filter()
	}},
	{"no say until it is too late", ruleFollow, true, func() *preemption.Filter {
		return quota{limit: 2, start: func(s *quotaState, _ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
			for n := range view.Nodes() {
				if s.right(n).Code != preemption.Success {
					return s, nil
				}
			}
			return nil, nil
		}}.filter()
	}},
	{"unresolvable, but for the pods there", ruleUnresolvable, true, func() *preemption.Filter {
		return quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			status := s.right(n)
			if status.Code != preemption.Success {
				status.Code = preemption.UnschedulableAndUnresolvable
			}
			return status
		}}.filter()
	}},
	{"one pod for all attempts", ruleAttempt, false, func() *preemption.Filter {
		var lock sync.Mutex
		var latest *outrank.Pod
		return quota{
			start: func(s *quotaState, pod *outrank.Pod, _ preemption.View) (preemption.FilterState, error) {
				lock.Lock()
				defer lock.Unlock()
				latest = pod
				return s, nil
			},
			check: func(*quotaState, *outrank.Node) preemption.Status {
				lock.Lock()
				defer lock.Unlock()
				return preemption.Unschedulable.Because("asked for by one of " + latest.Requests().String())
			},
		}.filter()
	}},
	{"does not concern itself with what it counts", ruleConcern, false, func() *preemption.Filter {
		f := quota{limit: 2}.filter() // it counts all pods
		f.Concerns = isBusy
		return f
	}},
	{"a tracked state that follows no removal", ruleTracked, true, func() *preemption.Filter {
		return busy{limit: 2, remove: func(busyCounts, *outrank.Pod, *outrank.Node) {}}.filter()
	}},
	{"clones of a tracked state share their map", ruleTracked, true, func() *preemption.Filter {
		return busy{limit: 2, clone: func(c busyCounts) preemption.ClusterState { return c }}.filter()
	}},
	{"attempts change the tracked state", ruleTracked, false, func() *preemption.Filter {
		return busy{limit: 2, attempt: func(a *busyAttempt, n *outrank.Node) {
			if count := a.more[n.Name]; count < -1 {
				a.cluster.on["of "+n.Name] = -count
			}
			if a.cluster.on["of "+n.Name] > 0 && a.more[n.Name] == 0 {
				a.cluster.on[n.Name]--
			}
		}}.filter()
	}},
	{"works on one goroutine alone", ruleConcurrency, true, homesick},
	{"never a say", ruleSay, true, func() *preemption.Filter { return quota{limit: 1000}.filter() }},
	{"never a state", ruleSay, true, func() *preemption.Filter { return gpuSharing{2}.filter() }},
	{"never started", ruleSay, true, func() *preemption.Filter {
		return quota{start: func(*quotaState, *outrank.Pod, preemption.View) (preemption.FilterState, error) {
			return nil, errors.New("no connection")
		}}.filter()
	}},
}

// homesick is right as long as the goroutine that asked first asks it.
func homesick() *preemption.Filter {
	var once sync.Once
	var home string
	return quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
		here := goroutine()
		once.Do(func() { home = here })
		if here != home {
			return preemption.Unschedulable.Because("far from home")
		}
		return s.right(n)
	}}.filter()
}

// snapshot is what a view is that a bad filter changes.
type snapshot interface {
	Budgets() iter.Seq[*outrank.PodDisruptionBudget]
	RemovePod(outrank.Key) error
}

// named returns a filter that does nothing wrong, of a name.
func named(name string) *preemption.Filter {
	f := quota{limit: 2}.filter()
	f.Name = name
	return f
}

// goroutine is the number of the goroutine as the runtime prints it.
func goroutine() string {
	buffer := make([]byte, 64)
	text := string(buffer[:runtime.Stack(buffer, false)])
	return strings.Fields(text)[1]
}

// few is how many clusters show each fault here.
func few() int { return seeded.Sample(6, 12) }

func TestBadFilters(t *testing.T) {
	for _, b := range bad {
		t.Run(b.name, func(t *testing.T) {
			err := filtertest.Check(b.filter(), filtertest.Options{Clusters: few()})
			var found *filtertest.Error
			require.True(t, errors.As(err, &found), "%v", err)
			var rules []string
			for _, v := range found.Violations {
				rules = append(rules, v.Rule)
			}
			t.Log(err)
			assert.Contains(t, rules, b.rule)
			if b.alone {
				assert.Len(t, rules, 1, "rules %v", rules)
			}
		})
	}
}

// Every rule has a filter that breaks it.
func TestEveryRuleCanBeBroken(t *testing.T) {
	broken := map[string]bool{}
	for _, b := range bad {
		broken[b.rule] = true
	}
	for _, rule := range rulesOfFilters {
		assert.True(t, broken[rule], rule)
	}
	assert.Len(t, broken, len(rulesOfFilters))
}
