package filtertest_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/filtertest"
)

// bad are filters that break a rule. Where alone is set, no other rule is
// reported; the rest break others as a consequence.
var bad = []struct {
	name   string
	rule   filtertest.Rule
	alone  bool
	filter func() engine.Filter
}{
	{"no name", filtertest.NamedRule, true, func() engine.Filter {
		return &quota{name: func() string { return "" }}
	}},
	{"the name of a built-in filter", filtertest.NamedRule, true, func() engine.Filter {
		return &quota{name: func() string { return preemption.NodePorts }}
	}},
	{"a name that changes", filtertest.NamedRule, true, func() engine.Filter {
		times := 0
		return &quota{name: func() string { times++; return fmt.Sprint("Quota", times) }}
	}},
	{"panics without a name", filtertest.NoPanicRule, true, func() engine.Filter {
		return &quota{name: func() string { panic("no name") }}
	}},
	{"panics in Check", filtertest.NoPanicRule, true, func() engine.Filter {
		return &quota{check: func(_ *quotaState, n *outrank.Node) preemption.Status { panic("at " + n.Name) }}
	}},
	{"panics with two pods removed", filtertest.NoPanicRule, true, func() engine.Filter {
		return &quota{limit: 3, remove: func(s *quotaState, _ *outrank.Pod, n *outrank.Node) {
			if s.calls++; s.calls == 2 {
				panic("two")
			}
			s.count[n.Name]--
		}}
	}},
	{"a nil pointer for a nil state", filtertest.NilRule, true, func() engine.Filter {
		return &quota{start: func(*quotaState, *outrank.Pod, *engine.Snapshot) (preemption.FilterState, error) {
			var none *quotaState
			return none, nil
		}}
	}},
	{"a nil clone", filtertest.NilRule, true, func() engine.Filter {
		return &quota{clone: func(*quotaState) preemption.FilterState { return nil }}
	}},
	{"writes a label to the preemptor", filtertest.ReadOnlyRule, true, func() engine.Filter {
		return &quota{limit: 2, start: func(s *quotaState, pod *outrank.Pod, _ *engine.Snapshot) (preemption.FilterState, error) {
			pod.Labels["seen"] = "yes"
			return s, nil
		}}
	}},
	{"cordons a node", filtertest.ReadOnlyRule, true, func() engine.Filter {
		return &quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			n.Unschedulable = true
			return s.right(n)
		}}
	}},
	{"marks removed pods", filtertest.ReadOnlyRule, true, func() engine.Filter {
		return &quota{limit: 2, remove: func(s *quotaState, p *outrank.Pod, n *outrank.Node) {
			p.NodeName = ""
			s.count[n.Name]--
		}}
	}},
	{"uses a budget up", filtertest.ReadOnlyRule, true, func() engine.Filter {
		return &quota{limit: 2, start: func(s *quotaState, _ *outrank.Pod, snap *engine.Snapshot) (preemption.FilterState, error) {
			for b := range snap.Budgets() {
				b.DisruptionsAllowed--
			}
			return s, nil
		}}
	}},
	{"changes the snapshot", filtertest.ReadOnlyRule, true, func() engine.Filter {
		return &quota{limit: 2, start: func(s *quotaState, _ *outrank.Pod, snap *engine.Snapshot) (preemption.FilterState, error) {
			for n := range snap.Nodes() {
				for _, p := range snap.PodsOn(n.Name) {
					return s, snap.RemovePod(p.Key())
				}
			}
			return s, nil
		}}
	}},
	{"every second answer is no", filtertest.SameAnswerRule, true, func() engine.Filter {
		return &quota{check: func(s *quotaState, n *outrank.Node) preemption.Status {
			s.calls++
			s.limit = 1000 * (s.calls % 2)
			return s.right(n)
		}}
	}},
	{"counts its attempts", filtertest.SameAnswerRule, true, func() engine.Filter {
		var times sync.Map
		return &quota{check: func(s *quotaState, _ *outrank.Node) preemption.Status {
			at, _ := times.LoadOrStore(s.pod, len(fmt.Sprintf("%p", s)))
			times.Store(s.pod, at.(int)+1)
			return preemption.Unschedulable.Because(fmt.Sprint("attempt ", at))
		}}
	}},
	{"is not available every time", filtertest.SameAnswerRule, true, func() engine.Filter {
		times := 0
		return &quota{start: func(s *quotaState, _ *outrank.Pod, _ *engine.Snapshot) (preemption.FilterState, error) {
			if times++; times%5 == 0 {
				return nil, errors.New("timeout")
			}
			return s, nil
		}}
	}},
	{"goes by the address of the pod", filtertest.SameAnswerRule, true, func() engine.Filter {
		return &quota{check: func(s *quotaState, _ *outrank.Node) preemption.Status {
			return preemption.Unschedulable.Because(fmt.Sprintf("pod at %p", s.pod))
		}}
	}},
	{"success with reasons", filtertest.StatusRule, true, func() engine.Filter {
		return &quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			status := s.right(n)
			status.Reasons = []string{"quota"}
			return status
		}}
	}},
	{"a code of the engine", filtertest.StatusRule, true, func() engine.Filter {
		return &quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			status := s.right(n)
			if status.Code != preemption.Success {
				status.Code = preemption.Contradiction
			}
			return status
		}}
	}},
	{"one buffer for all reasons", filtertest.KeptStatusRule, false, func() engine.Filter {
		return &quota{check: func(s *quotaState, n *outrank.Node) preemption.Status {
			if s.reasons == nil {
				s.reasons = make([]string, 1)
			}
			s.reasons[0] = fmt.Sprint(s.count[n.Name], " pods on ", n.Name)
			return preemption.Status{Code: preemption.Unschedulable, Reasons: s.reasons}
		}}
	}},
	{"remembers an answer that is out of date", filtertest.CheckRule, false, func() engine.Filter {
		return &quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			if s.memo == nil {
				s.memo = map[string]preemption.Status{}
			}
			if _, ok := s.memo[n.Name]; !ok {
				s.memo[n.Name] = s.right(n)
			}
			return s.memo[n.Name]
		}}
	}},
	{"a clone that shares its map", filtertest.CloneRule, false, func() engine.Filter {
		return &quota{limit: 2, clone: func(s *quotaState) preemption.FilterState {
			c := *s
			return &c
		}}
	}},
	{"a clone that is the state itself", filtertest.CloneRule, false, func() engine.Filter {
		return &quota{limit: 2, clone: func(s *quotaState) preemption.FilterState { return s }}
	}},
	{"a clone that forgets", filtertest.CloneRule, false, func() engine.Filter {
		return &quota{limit: 2, clone: func(s *quotaState) preemption.FilterState {
			c := s.copy()
			clear(c.count)
			return c
		}}
	}},
	{"a clone that does not follow", filtertest.CloneRule, false, func() engine.Filter {
		return &quota{limit: 2, clone: func(s *quotaState) preemption.FilterState {
			c := s.copy()
			deaf := *s.quota
			deaf.remove = func(*quotaState, *outrank.Pod, *outrank.Node) {}
			c.quota = &deaf
			return c
		}}
	}},
	{"Add does nothing", filtertest.RestoreRule, false, func() engine.Filter {
		return &quota{limit: 2, add: func(*quotaState, *outrank.Pod, *outrank.Node) {}}
	}},
	{"Remove counts too often", filtertest.RestoreRule, false, func() engine.Filter {
		return &quota{limit: 2, remove: func(s *quotaState, _ *outrank.Pod, n *outrank.Node) { s.count[n.Name] -= 2 }}
	}},
	{"Remove empties all nodes", filtertest.RestoreRule, false, func() engine.Filter {
		return &quota{limit: 2, remove: func(s *quotaState, _ *outrank.Pod, n *outrank.Node) {
			for name := range s.count {
				if name != n.Name {
					s.count[name] = 0
				}
			}
			s.count[n.Name]--
		}}
	}},
	{"goes by the last pod removed", filtertest.OrderRule, false, func() engine.Filter {
		return &quota{limit: 1000,
			check: func(s *quotaState, n *outrank.Node) preemption.Status {
				if s.last == "" {
					return s.right(n)
				}
				return preemption.Unschedulable.Because("after " + s.last)
			},
			remove: func(s *quotaState, p *outrank.Pod, _ *outrank.Node) { s.last = string(p.Key()) },
			add:    func(s *quotaState, _ *outrank.Pod, _ *outrank.Node) { s.last = "" },
		}
	}},
	{"follows nothing", filtertest.FollowRule, true, func() engine.Filter {
		return &quota{limit: 2,
			remove: func(*quotaState, *outrank.Pod, *outrank.Node) {},
			add:    func(*quotaState, *outrank.Pod, *outrank.Node) {},
		}
	}},
	{"knows pods of the snapshot alone", filtertest.FollowRule, true, func() engine.Filter {
		return &quota{limit: 1, add: func(s *quotaState, p *outrank.Pod, n *outrank.Node) {
			if p.NodeName == n.Name {
				s.count[n.Name]++
			}
		}}
	}},
	{"no say until it is too late", filtertest.FollowRule, true, func() engine.Filter {
		return &quota{limit: 2, start: func(s *quotaState, _ *outrank.Pod, snap *engine.Snapshot) (preemption.FilterState, error) {
			for n := range snap.Nodes() {
				if s.right(n).Code != preemption.Success {
					return s, nil
				}
			}
			return nil, nil
		}}
	}},
	{"unresolvable, but for the pods there", filtertest.UnresolvableRule, true, func() engine.Filter {
		return &quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
			status := s.right(n)
			if status.Code != preemption.Success {
				status.Code = preemption.UnschedulableAndUnresolvable
			}
			return status
		}}
	}},
	{"one pod for all attempts", filtertest.AttemptRule, false, func() engine.Filter {
		var lock sync.Mutex
		var latest *outrank.Pod
		return &quota{
			start: func(s *quotaState, pod *outrank.Pod, _ *engine.Snapshot) (preemption.FilterState, error) {
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
		}
	}},
	{"does not concern itself with what it counts", filtertest.ConcernRule, false, func() engine.Filter {
		return &choosy{quota{limit: 2}}
	}},
	{"an attached state that follows no removal", filtertest.AttachedRule, true, func() engine.Filter {
		return &busy{limit: 2, remove: func(busyCounts, *outrank.Pod, *outrank.Node) {}}
	}},
	{"clones of an attached state share their map", filtertest.AttachedRule, true, func() engine.Filter {
		return &busy{limit: 2, clone: func(c busyCounts) preemption.ClusterState { return c }}
	}},
	{"attempts change the attached state", filtertest.AttachedRule, false, func() engine.Filter {
		return &busy{limit: 2, attempt: func(a *busyAttempt, n *outrank.Node) {
			if count := a.more[n.Name]; count < -1 {
				a.cluster.on["of "+n.Name] = -count
			}
			if a.cluster.on["of "+n.Name] > 0 && a.more[n.Name] == 0 {
				a.cluster.on[n.Name]--
			}
		}}
	}},
	{"works on one goroutine alone", filtertest.ConcurrencyRule, true, homesick},
	{"never a say", filtertest.SayRule, true, func() engine.Filter { return &quota{limit: 1000} }},
	{"never a state", filtertest.SayRule, true, func() engine.Filter { return gpuSharing{2} }},
	{"never started", filtertest.SayRule, true, func() engine.Filter {
		return &quota{start: func(*quotaState, *outrank.Pod, *engine.Snapshot) (preemption.FilterState, error) {
			return nil, errors.New("no connection")
		}}
	}},
}

// homesick is right as long as the goroutine that asked first asks it.
func homesick() engine.Filter {
	var once sync.Once
	var home string
	return &quota{limit: 2, check: func(s *quotaState, n *outrank.Node) preemption.Status {
		here := goroutine()
		once.Do(func() { home = here })
		if here != home {
			return preemption.Unschedulable.Because("far from home")
		}
		return s.right(n)
	}}
}

// choosy counts all pods, and says that only the busy ones concern it.
type choosy struct{ quota }

func (*choosy) Concerns(p *outrank.Pod) bool { return isBusy(p) }

// goroutine is the number of the goroutine as the runtime prints it.
func goroutine() string {
	buffer := make([]byte, 64)
	text := string(buffer[:runtime.Stack(buffer, false)])
	return strings.Fields(text)[1]
}

// few is how many clusters show each fault here.
func few() int { return seeded.InShort(6, 12) }

func TestBadFilters(t *testing.T) {
	for _, b := range bad {
		t.Run(b.name, func(t *testing.T) {
			err := filtertest.Check(b.filter(), filtertest.Options{Clusters: few()})
			var found *filtertest.Error
			require.True(t, errors.As(err, &found), "%v", err)
			var rules []filtertest.Rule
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
	broken := map[filtertest.Rule]bool{}
	for _, b := range bad {
		broken[b.rule] = true
	}
	for rule := filtertest.NamedRule; rule <= filtertest.SayRule; rule++ {
		assert.True(t, broken[rule], rule)
		assert.NotEmpty(t, rule.String())
	}
	assert.Equal(t, "unknown rule", filtertest.Rule(0).String())
	assert.Len(t, broken, int(filtertest.SayRule))
}
