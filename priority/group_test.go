package priority_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

func withGates(t *testing.T, gates ...string) outrank.Release {
	t.Helper()
	set := map[string]bool{}
	for _, name := range gates {
		set[name] = true
	}
	r, err := outrank.V1_37.With(set)
	require.NoError(t, err)
	return r
}

// Groups and groups of groups are resolved by their own class, as pods are, and their
// policy with its gate (group 4.4).
func TestResolveGroups(t *testing.T) {
	plain, err := priority.NewTable([]*outrank.PriorityClass{{Name: "batch", Value: 100, PreemptionPolicy: outrank.PreemptNever}})
	require.NoError(t, err)
	fallback, err := plain.With(&outrank.PriorityClass{Name: "usual", Value: 7, GlobalDefault: true})
	require.NoError(t, err)
	policies := withGates(t, "PodGroupPreemptionPolicy", "CompositePodGroup")
	composites := withGates(t, "CompositePodGroup")
	p := outrank.Priority
	for _, c := range []struct {
		name    string
		release outrank.Release
		table   *priority.Table
		group   outrank.PodGroup
		want    priority.Resolution
		err     string
		is      error
	}{
		{"a class", composites, plain, outrank.PodGroup{PriorityClassName: "batch"}, priority.Resolution{Class: "batch", Value: 100}, "", nil},
		{"a class, with its policy", policies, plain, outrank.PodGroup{PriorityClassName: "batch"}, priority.Resolution{Class: "batch", Value: 100, Policy: outrank.PreemptNever}, "", nil},
		{"the default", policies, fallback, outrank.PodGroup{}, priority.Resolution{Class: "usual", Value: 7, Policy: outrank.PreemptLowerPriority}, "", nil},
		{"none", policies, plain, outrank.PodGroup{}, priority.Resolution{Policy: outrank.PreemptLowerPriority}, "", nil},
		{"the same brought along", policies, plain, outrank.PodGroup{PriorityClassName: "batch", Priority: p(100), PreemptionPolicy: outrank.PreemptNever},
			priority.Resolution{Class: "batch", Value: 100, Policy: outrank.PreemptNever}, "", nil},
		{"another priority", composites, plain, outrank.PodGroup{PriorityClassName: "batch", Priority: p(5)}, priority.Resolution{}, "spec.priority: is 5, but class batch gives 100", priority.ErrConflict},
		{"a priority without a class", composites, plain, outrank.PodGroup{Priority: p(5)}, priority.Resolution{}, "spec.priority: is 5, but a group without a class gets 0", priority.ErrConflict},
		{"another policy", policies, plain, outrank.PodGroup{PriorityClassName: "batch", PreemptionPolicy: outrank.PreemptLowerPriority}, priority.Resolution{},
			`spec.preemptionPolicy: is "PreemptLowerPriority", but class batch gives Never`, priority.ErrConflict},
		{"another policy, without the gate", composites, plain, outrank.PodGroup{PriorityClassName: "batch", PreemptionPolicy: outrank.PreemptLowerPriority},
			priority.Resolution{Class: "batch", Value: 100}, "", nil},
		{"no such class", composites, plain, outrank.PodGroup{PriorityClassName: "gone"}, priority.Resolution{}, `spec.priorityClassName: there is no class "gone"`, priority.ErrUnknownClass},
		{"an unknown release", 7, plain, outrank.PodGroup{}, priority.Resolution{}, "release 0x7 is not known", outrank.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.group.Name, c.group.Namespace = "g", "team"
			composite := outrank.CompositePodGroup{Name: "g", Namespace: "team", PriorityClassName: c.group.PriorityClassName, Priority: c.group.Priority, PreemptionPolicy: c.group.PreemptionPolicy}
			got, err := c.table.ResolveGroup(c.release, &c.group)
			above, aboveErr := c.table.ResolveComposite(c.release, &composite)
			assert.Equal(t, got, above)
			if c.err != "" {
				require.ErrorIs(t, err, c.is)
				require.ErrorContains(t, err, "podgroup team/g: "+c.err)
				require.ErrorIs(t, aboveErr, c.is)
				require.ErrorContains(t, aboveErr, "compositepodgroup team/g: "+c.err)
				return
			}
			require.NoError(t, errors.Join(err, aboveErr))
			assert.Equal(t, c.want, got)
			policy := c.want.Policy
			if policy == "" {
				policy = c.group.PreemptionPolicy
			}
			applied, root := got.ApplyToGroup(c.group), got.ApplyToComposite(composite)
			assert.Equal(t, []any{c.want.Class, c.want.Value, policy}, []any{applied.PriorityClassName, *applied.Priority, applied.PreemptionPolicy})
			assert.Equal(t, []any{c.want.Class, c.want.Value, policy}, []any{root.PriorityClassName, *root.Priority, root.PreemptionPolicy})
		})
	}
	_, err = plain.ResolveGroup(composites, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = plain.ResolveComposite(composites, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	for _, r := range outrank.Releases() {
		_, err = plain.ResolveComposite(r, &outrank.CompositePodGroup{Name: "g"})
		require.ErrorIs(t, err, outrank.ErrInvalid, "without its gate")
		got, err := plain.ResolveGroup(r, &outrank.PodGroup{Name: "g", PriorityClassName: "batch"})
		require.NoError(t, err)
		assert.Equal(t, priority.Resolution{Class: "batch", Value: 100}, got)
	}
}

// ExampleTable_ResolveGroup gives a group the priority of its class, and with the gate
// for it the class's policy.
func ExampleTable_ResolveGroup() {
	table, err := priority.NewTable([]*outrank.PriorityClass{{Name: "training", Value: 500, PreemptionPolicy: outrank.PreemptNever}})
	if err != nil {
		panic(err)
	}
	group := outrank.PodGroup{Name: "model", PriorityClassName: "training"}
	gated, _ := outrank.V1_37.With(map[string]bool{"PodGroupPreemptionPolicy": true})
	for _, r := range []outrank.Release{outrank.V1_37, gated} {
		res, err := table.ResolveGroup(r, &group)
		if err != nil {
			panic(err)
		}
		g := res.ApplyToGroup(group)
		fmt.Printf("%d %q\n", *g.Priority, g.PreemptionPolicy)
	}
	// Output:
	// 500 ""
	// 500 "Never"
}

// ExampleTable_ResolveComposite does the same for a group of groups.
func ExampleTable_ResolveComposite() {
	var table priority.Table
	release, _ := outrank.V1_37.With(map[string]bool{"CompositePodGroup": true})
	root := outrank.CompositePodGroup{Name: "job", PriorityClassName: "system-cluster-critical"}
	res, err := table.ResolveComposite(release, &root)
	fmt.Println(*res.ApplyToComposite(root).Priority, err)
	// Output: 2000000000 <nil>
}
