package priority

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

func TestResolve(t *testing.T) {
	bare := (*Table)(nil)
	never := &outrank.PriorityClass{Name: "batch", Value: -10, PreemptionPolicy: outrank.PreemptNever}
	plain, err := NewTable([]*outrank.PriorityClass{never, {Name: "web", Value: 1000}})
	require.NoError(t, err)
	withDefault, err := plain.With(&outrank.PriorityClass{Name: "usual", Value: 5, GlobalDefault: true, PreemptionPolicy: outrank.PreemptNever})
	require.NoError(t, err)

	const lower, no = outrank.PreemptLowerPriority, outrank.PreemptNever
	at := outrank.Priority
	for _, c := range []struct {
		name, reason string
		table        *Table
		pod          outrank.Pod
		want         Resolution
		sentinel     error
		problems     []string
	}{
		{name: "nothing at all", reason: "0, and no class name", table: plain, want: Resolution{"", 0, lower}},
		{name: "default class", reason: "its name, value and policy", table: withDefault, want: Resolution{"usual", 5, no}},
		{name: "named", reason: "the default does not matter", table: withDefault,
			pod: outrank.Pod{PriorityClassName: "web"}, want: Resolution{"web", 1000, lower}},
		{name: "policy of the class", reason: "Never is handed on", table: plain,
			pod: outrank.Pod{PriorityClassName: "batch"}, want: Resolution{"batch", -10, no}},
		{name: "built in", reason: "it is never missing", table: bare,
			pod: outrank.Pod{PriorityClassName: nodeCriticalName}, want: Resolution{nodeCriticalName, NodeCritical, lower}},
		{name: "the same priority", reason: "an equal one is fine", table: plain,
			pod: outrank.Pod{PriorityClassName: "web", Priority: at(1000), PreemptionPolicy: lower}, want: Resolution{"web", 1000, lower}},
		{name: "0 without a class", reason: "that is what it gets", table: bare,
			pod: outrank.Pod{Priority: at(0)}, want: Resolution{"", 0, lower}},
		{name: "unknown class", reason: "no fallback to the default", table: withDefault,
			pod: outrank.Pod{Name: "p", PriorityClassName: "nope"}, sentinel: ErrUnknownClass, problems: []string{"pod default/p: spec.priorityClassName"}},
		{name: "class name in upper case", reason: "case matters", table: plain,
			pod: outrank.Pod{Name: "p", PriorityClassName: "Web"}, sentinel: ErrUnknownClass, problems: []string{"pod default/p: spec.priorityClassName"}},
		{name: "other priority", reason: "it must not be chosen by hand", table: plain,
			pod: outrank.Pod{Name: "p", Namespace: "n", PriorityClassName: "web", Priority: at(7)}, sentinel: ErrConflict, problems: []string{"pod n/p: spec.priority"}},
		{name: "priority without a class", reason: "not even then", table: bare,
			pod: outrank.Pod{Name: "p", Priority: at(7)}, sentinel: ErrConflict, problems: []string{"pod default/p: spec.priority"}},
		{name: "0 against a default class", reason: "the default gives 5", table: withDefault,
			pod: outrank.Pod{Name: "p", Priority: at(0)}, sentinel: ErrConflict, problems: []string{"pod default/p: spec.priority"}},
		{name: "other policy", reason: "a class without a policy means PreemptLowerPriority", table: plain,
			pod: outrank.Pod{Name: "p", PriorityClassName: "web", PreemptionPolicy: no}, sentinel: ErrConflict, problems: []string{"pod default/p: spec.preemptionPolicy"}},
		{name: "policy without a class", reason: "refused as well", table: bare,
			pod: outrank.Pod{Name: "p", PreemptionPolicy: no}, sentinel: ErrConflict, problems: []string{"pod default/p: spec.preemptionPolicy"}},
		{name: "both", reason: "every problem is listed", table: plain,
			pod:      outrank.Pod{Name: "p", PriorityClassName: "batch", Priority: at(1), PreemptionPolicy: lower},
			sentinel: ErrConflict, problems: []string{"pod default/p: spec.priority", "pod default/p: spec.preemptionPolicy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := c.pod
			got, err := c.table.Resolve(&c.pod)
			if diff := testdiff.Diff(c.problems, problemsOf(t, err, c.sentinel)); diff != "" {
				t.Fatalf("%s: problems (-want +got):\n%s", c.reason, diff)
			}
			if diff := testdiff.Diff(c.want, got); diff != "" {
				t.Errorf("%s: Resolve (-want +got):\n%s", c.reason, diff)
			}
			require.Equal(t, before, c.pod, "the pod is only read")
		})
	}
	_, err = plain.Resolve(nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// A resolved pod resolves to the same again, as long as the class exists.
func TestResolveAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, err := NewTable([]*outrank.PriorityClass{{
			Name:             "a",
			Value:            rapid.Int32Max(UserMax).Draw(t, "value"),
			GlobalDefault:    rapid.Bool().Draw(t, "default"),
			PreemptionPolicy: rapid.SampledFrom([]outrank.PreemptionPolicy{"", outrank.PreemptNever}).Draw(t, "policy"),
		}})
		require.NoError(t, err)
		pod := outrank.Pod{Name: "p", PriorityClassName: rapid.SampledFrom([]string{"", "a", nodeCriticalName}).Draw(t, "class")}
		first, err := table.Resolve(&pod)
		require.NoError(t, err)
		resolved := first.Apply(pod)
		second, err := table.Resolve(&resolved)
		require.NoError(t, err)
		require.Equal(t, first, second)
		require.Equal(t, resolved, second.Apply(resolved))
		require.Nil(t, pod.Priority, "Apply works on a copy")
		*resolved.Priority++
		require.Equal(t, first.Value, *first.Apply(pod).Priority, "each copy has a priority of its own")
	})
}
