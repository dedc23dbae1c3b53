package filtertest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
)

// fewGuard limits how many pods may go. Its fields break it.
type fewGuard struct {
	name     string
	most     int
	atFirst  bool // refuses an empty set
	byOrder  bool // depends on the order of removals
	shared   bool // clones share
	forgets  bool // Add does nothing
	nilClone bool
	writes   bool
}

func (g fewGuard) guard() *preemption.Guard {
	return &preemption.Guard{Name: g.name, Start: func(preemptors []*outrank.Pod, _ preemption.View) (preemption.GuardState, error) {
		if g.writes {
			preemptors[0].Labels["seen"] = "yes"
		}
		return &fewState{fewGuard: g}, nil
	}}
}

type fewState struct {
	fewGuard
	away int
	last string
}

func (s *fewState) Remove(p *outrank.Pod, _ *outrank.Node) { s.away, s.last = s.away+1, p.Name }
func (s *fewState) Add(*outrank.Pod, *outrank.Node) {
	if !s.forgets {
		s.away--
	}
}

func (s *fewState) Check() preemption.Status {
	refused := s.away > s.most || s.atFirst && s.away == 0 || s.byOrder && s.away > 1 && len(s.last) > 0 && s.last[len(s.last)-1]%2 == 0
	if refused {
		return preemption.Unschedulable.Because("too many")
	}
	return preemption.Status{}
}

func (s *fewState) Rule(*outrank.Pod) string { return "few" }

func (s *fewState) Clone() preemption.GuardState {
	switch {
	case s.nilClone:
		return nil
	case s.shared:
		return s
	}
	c := *s
	return &c
}

// A guard that keeps its contract passes, and each way to break it is named.
func TestCheckGuard(t *testing.T) {
	require.NoError(t, filtertest.CheckGuard(fewGuard{name: "Few", most: 1}.guard(), filtertest.Options{Clusters: *clusters}))
	for _, tt := range []struct {
		guard fewGuard
		rule  string
	}{
		{fewGuard{most: 1}, ruleNamed},
		{fewGuard{name: "Few", most: 1, writes: true}, ruleReadOnly},
		{fewGuard{name: "Few", most: 1, nilClone: true}, ruleNil},
		{fewGuard{name: "Few", most: 1, atFirst: true}, ruleNobody},
		{fewGuard{name: "Few", most: 1, forgets: true}, ruleRestore},
		{fewGuard{name: "Few", most: 1, shared: true}, ruleClone},
		{fewGuard{name: "Few", most: 9, byOrder: true}, ruleOrder},
		{fewGuard{name: "Few", most: 1000}, ruleSay},
	} {
		t.Run(fmt.Sprint(tt.rule), func(t *testing.T) {
			err := filtertest.CheckGuard(tt.guard.guard(), filtertest.Options{Clusters: few()})
			var found *filtertest.Error
			require.ErrorAs(t, err, &found)
			var rules []string
			for _, v := range found.Violations {
				rules = append(rules, v.Rule)
			}
			assert.Contains(t, rules, tt.rule)
		})
	}
	assert.ErrorIs(t, filtertest.CheckGuard(nil, filtertest.Options{}), outrank.ErrInvalid)
	assert.ErrorIs(t, filtertest.CheckGuard(fewGuard{}.guard(), filtertest.Options{Clusters: -1}), outrank.ErrInvalid)
}

// A guard that gives back less than it took is found out, with the calls.
func ExampleCheckGuard() {
	err := filtertest.CheckGuard(fewGuard{name: "Few", most: 1, atFirst: true}.guard(), filtertest.Options{Clusters: 5})
	var found *filtertest.Error
	if errors.As(err, &found) {
		fmt.Println(found.Violations[0].Rule)
	}
	fmt.Println(filtertest.CheckGuard(fewGuard{name: "Few", most: 1}.guard(), filtertest.Options{Clusters: 20}))
	// Output:
	// a guard allows that nobody is away
	// <nil>
}
