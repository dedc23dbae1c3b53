package execution_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// A gated pod that is added brings its nomination from v1.37 on (rule 15.4.8).
func TestNominationsOfGatedPods(t *testing.T) {
	pod := func(node string, gates ...string) *outrank.Pod {
		p := pendingPod("p")
		p.NominatedNodeName, p.SchedulingGates = node, gates
		return p
	}
	for _, c := range []struct {
		name           string
		do             func(n *execution.Nominator)
		want36, want37 string
	}{
		{"added", func(n *execution.Nominator) { n.Add(pod("n1", "quota"), "") }, "", "n1"},
		{"without gates", func(n *execution.Nominator) { n.Add(pod("n1"), "") }, "n1", "n1"},
		{"the gates go", func(n *execution.Nominator) {
			n.Add(pod("n1", "quota"), "")
			n.Update(pod("n1", "quota"), pod("n1"))
		}, "n1", "n1"},
		{"updated while gated", func(n *execution.Nominator) {
			n.Add(pod("n1", "quota"), "")
			n.Update(pod("n1", "quota"), pod("n1", "other"))
		}, "n1", "n1"},
		{"nominated while gated", func(n *execution.Nominator) { n.Add(pod("", "quota"), "n2") }, "n2", "n2"},
		{"nominated, and updated", func(n *execution.Nominator) {
			n.Add(pod("", "quota"), "n2")
			n.Update(pod("", "quota"), pod("", "other"))
		}, "n2", "n2"},
	} {
		for r, want := range map[outrank.Release]string{outrank.V1_36: c.want36, outrank.V1_37: c.want37} {
			n := &execution.Nominator{Release: r}
			c.do(n)
			assert.Equal(t, want, n.NodeOf("default/p"), "%v: %s", r, c.name)
			assert.Equal(t, want != "", n.Len() == 1, "%v: %s", r, c.name)
			assert.Len(t, n.NominatedTo(want), n.Len())
		}
	}
}

// A nomination that is cleared leaves no entry, whatever the pod itself names (rule
// 15.4.9).
func TestEmptyNominationLeavesNone(t *testing.T) {
	for _, r := range outrank.Releases() {
		n := &execution.Nominator{Release: r}
		pod := pendingPod("p")
		pod.NominatedNodeName = "n1"
		n.Add(pod, "")
		handler := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions(), Nominator: n})
		plan := &preemption.Plan{Outcome: preemption.NothingHelps, Pod: pod}
		_, err := handler.Fail(context.Background(), execution.Failure{Entry: queue.Entry{Pod: pod}, Plan: ofRelease(r, plan)})
		require.NoError(t, err)
		assert.Zero(t, n.Len())
		assert.Empty(t, n.NominatedTo(""))
		assert.Empty(t, n.NominatedTo("n1"))
	}
}

// A binding is tried again from v1.37 on (rule 14.1.13).
func TestBindingsAreRetried(t *testing.T) {
	passing := fmt.Errorf("unavailable: %w", execution.ErrRetriable)
	for _, c := range []struct {
		name           string
		errs           []error // of the tries; nil after them
		most           int     // tries, as is set
		want36, want37 int     // tries
		fails          bool
	}{
		{"at once", nil, 0, 1, 1, false},
		{"the third time", []error{passing, passing}, 0, 1, 3, false},
		{"never", slices.Repeat([]error{passing}, 9), 0, 1, 4, true},
		{"not for a conflict", []error{assert.AnError}, 0, 1, 1, true},
		{"as often as is set", slices.Repeat([]error{passing}, 9), 2, 1, 2, true},
	} {
		for r, want := range map[outrank.Release]int{outrank.V1_36: c.want36, outrank.V1_37: c.want37} {
			tries := 0
			e := newExecutor(t, execution.Config{Tries: c.most, Actions: execution.Actions{Bind: func(context.Context, *outrank.Pod, string) error {
				if tries++; tries <= len(c.errs) {
					return c.errs[tries-1]
				}
				return nil
			}}})
			err := e.Bind(context.Background(), r, pendingPod("p"), "n1")
			assert.Equal(t, want, tries, "%v: %s", r, c.name)
			assert.Equal(t, c.fails || want <= len(c.errs), err != nil, "%v: %s", r, c.name)
		}
	}
	nobody := newExecutor(t, execution.Config{})
	require.ErrorIs(t, nobody.Bind(context.Background(), 0, pendingPod("p"), "n1"), outrank.ErrInvalid)
	require.ErrorIs(t, nobody.Bind(context.Background(), 0, nil, "n1"), outrank.ErrInvalid)
}
