package execution_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// News of a pod that comes late makes no nomination where Find knows better, and
// touches that of no later pod (rules 15.4.4 and 15.4.5).
func TestLateVersionsMakeNoNomination(t *testing.T) {
	older, newer := withUID("1"), withUID("2")
	for name, c := range map[string]struct {
		why    string
		latest *outrank.Pod // nil for a pod that is gone
		do     func(n *execution.Nominator)
		want   string
	}{
		"waits":   {"nothing is against it", pendingPod("p", older), func(n *execution.Nominator) { n.Add(pendingPod("p", older), "n1") }, "n1"},
		"bound":   {"it runs by now", pendingPod("p", older, withNode("n3")), func(n *execution.Nominator) { n.Add(pendingPod("p", older), "n1") }, ""},
		"ended":   {"it is over", &outrank.Pod{Name: "p", UID: "1", Phase: outrank.PhaseFailed}, func(n *execution.Nominator) { n.Add(pendingPod("p", older), "n1") }, ""},
		"gone":    {"it is gone", nil, func(n *execution.Nominator) { n.Add(pendingPod("p", older), "n1") }, ""},
		"another": {"its name is another's", pendingPod("p", newer), func(n *execution.Nominator) { n.Add(pendingPod("p", older), "n1") }, ""},
		"update of a bound pod": {"an old version that names a node comes late", pendingPod("p", older, withNode("n3")),
			func(n *execution.Nominator) {
				n.Update(pendingPod("p", older), pendingPod("p", older, withNomination("n1")))
			}, ""},
		"not recorded any more": {"what was known of it goes as well", pendingPod("p", older, withNode("n3")), func(n *execution.Nominator) {
			find := n.Find
			n.Find = nil
			n.Add(pendingPod("p", older), "n1")
			n.Find = find
			n.Add(pendingPod("p", older), "n2")
		}, ""},
		"first seen late": {"the first that is heard of the earlier pod comes after the later one", pendingPod("p", newer), func(n *execution.Nominator) {
			n.Add(pendingPod("p", newer), "n2")
			n.Add(pendingPod("p", older), "n1")
		}, "n2"},
		"first seen late without a node": {"nor does a version without a nomination touch it", pendingPod("p", newer), func(n *execution.Nominator) {
			n.Add(pendingPod("p", newer), "n2")
			n.Add(pendingPod("p", older), "")
		}, "n2"},
		"late nomination first": {"the later pod takes the place", pendingPod("p", newer), func(n *execution.Nominator) {
			find := n.Find
			n.Find = nil
			n.Add(pendingPod("p", older), "n1")
			n.Find = find
			n.Add(pendingPod("p", newer), "n2")
		}, "n2"},
	} {
		t.Run(name, func(t *testing.T) {
			n := execution.Nominator{Find: func(key outrank.Key) (*outrank.Pod, bool) {
				assert.Equal(t, outrank.Key("default/p"), key)
				return c.latest, c.latest != nil
			}}
			c.do(&n)
			require.NoError(t, checkNominator(&n))
			assert.Equal(t, c.want, n.NodeOf("default/p"), c.why)
		})
	}
}

// Without Find, a pod that another one has replaced never takes the nomination of
// that one away (rule 15.4.5).
func TestEarlierPodsLeaveNominationsAlone(t *testing.T) {
	one, two, three := withUID("1"), withUID("2"), withUID("3")
	for name, late := range map[string]func(n *execution.Nominator){
		"add":              func(n *execution.Nominator) { n.Add(pendingPod("p", one), "n1") },
		"add without node": func(n *execution.Nominator) { n.Add(pendingPod("p", one), "") },
		"bound":            func(n *execution.Nominator) { n.Add(pendingPod("p", one, withNode("n9")), "") },
		"update": func(n *execution.Nominator) {
			n.Update(pendingPod("p", one), pendingPod("p", one, withNomination("n1")))
		},
		"successor": func(n *execution.Nominator) {
			n.Update(pendingPod("p", one), pendingPod("p", two, withNomination("n1")))
		},
		"delete":          func(n *execution.Nominator) { n.Remove(pendingPod("p", one)) },
		"the one between": func(n *execution.Nominator) { n.Add(pendingPod("p", two), "n1") },
	} {
		t.Run(name, func(t *testing.T) {
			var n execution.Nominator
			n.Add(pendingPod("p", one), "n1")
			n.Add(pendingPod("p", two), "n2")
			n.Update(pendingPod("p", two), pendingPod("p", three, withNomination("n3")))
			n.Update(pendingPod("p", three, withNomination("n3")), pendingPod("p", three, withNomination("n4")))
			late(&n)
			require.NoError(t, checkNominator(&n))
			assert.Equal(t, "n4", n.NodeOf("default/p"))
			assert.Equal(t, "3", n.NominatedTo("n4")[0].UID)
		})
	}
}

// A pod that was made anew while its predecessor failed gets no event and keeps its
// nomination; a pod that is gone for good has its event (rule 15.2.8).
func TestRecreatedPodHasNoPartInTheFailure(t *testing.T) {
	for name, c := range map[string]struct {
		find   func(outrank.Key) (*outrank.Pod, bool)
		want   execution.Result
		events int
	}{
		"recreated": {func(outrank.Key) (*outrank.Pod, bool) { return pendingPod("p", withUID("new")), true }, execution.Replaced, 0},
		"gone":      {func(outrank.Key) (*outrank.Pod, bool) { return nil, false }, execution.Gone, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var n execution.Nominator
			n.Add(pendingPod("p", withUID("new")), "n7")
			for _, outcome := range []preemption.Outcome{preemption.Preempts, preemption.NothingHelps, preemption.NotEligible} {
				r := &executiontest.Recorder{Find: c.find}
				h := newExecutor(t, execution.Config{Actions: r.Actions(), Nominator: &n})
				plan := turnedDown(outcome, countOf(1, preemption.NodePorts, "taken"))
				result, err := h.Fail(context.Background(), execution.Failure{Entry: entryOf(pendingPod("p", withUID("old"))), Plan: plan})
				require.NoError(t, err)
				assert.Equal(t, c.want, result.Result)
				assert.Len(t, eventsOf(r), c.events)
				assert.Equal(t, "n7", n.NodeOf("default/p"))
			}
		})
	}
}
