package outrank_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/testdiff"
)

// Trees that no API server looks at are let in, with a warning (group 22.4).
func TestTreesOfGroups(t *testing.T) {
	composite := func(name, parent string) *outrank.CompositePodGroup {
		return &outrank.CompositePodGroup{Name: name, Parent: parent}
	}
	for _, test := range []struct {
		name       string
		groups     []*outrank.PodGroup
		composites []*outrank.CompositePodGroup
		want       []string
	}{
		{
			name:       "four levels",
			groups:     []*outrank.PodGroup{{Name: "g", Parent: "c3"}, {Name: "c3"}},
			composites: []*outrank.CompositePodGroup{composite("c3", "c2"), composite("c1", ""), composite("c2", "c1")},
		},
		{
			name:       "five levels",
			groups:     []*outrank.PodGroup{{Name: "g", Parent: "c4"}, {Name: "h", Parent: "c3"}},
			composites: []*outrank.CompositePodGroup{composite("c4", "c3"), composite("c3", "c2"), composite("c1", ""), composite("c2", "c1")},
			want:       []string{"podgroup default/g: spec.parentCompositePodGroupName: more than 4 levels of groups; no pending pod of the tree is scheduled"},
		},
		{
			name:       "no parent",
			groups:     []*outrank.PodGroup{{Name: "g", Parent: "c"}, {Name: "c"}, {Name: "h", Namespace: "ml", Parent: "d"}},
			composites: []*outrank.CompositePodGroup{composite("d", "e")},
			want: []string{
				`compositepodgroup default/d: spec.parentCompositePodGroupName: no composite pod group "e"; the group counts as the top of its tree, and its pending pods wait`,
				`podgroup default/g: spec.parentCompositePodGroupName: no composite pod group "c"; the group counts as the top of its tree, and its pending pods wait`,
				`podgroup ml/h: spec.parentCompositePodGroupName: no composite pod group "d"; the group counts as the top of its tree, and its pending pods wait`,
			},
		},
		{
			name:       "its own parent",
			composites: []*outrank.CompositePodGroup{composite("c", "c")},
			want:       []string{`compositepodgroup default/c: spec.parentCompositePodGroupName: "c" is also below this group; no pending pod of them is scheduled`},
		},
		{
			name:       "a circle and groups below it",
			groups:     []*outrank.PodGroup{{Name: "g", Parent: "c"}},
			composites: []*outrank.CompositePodGroup{composite("c", "a"), composite("a", "b"), composite("b", "a")},
			want: []string{
				"compositepodgroup default/c: spec.parentCompositePodGroupName: more than 4 levels of groups; no pending pod of the tree is scheduled",
				`compositepodgroup default/a: spec.parentCompositePodGroupName: "b" is also below this group; no pending pod of them is scheduled`,
				`compositepodgroup default/b: spec.parentCompositePodGroupName: "a" is also below this group; no pending pod of them is scheduled`,
				"podgroup default/g: spec.parentCompositePodGroupName: more than 4 levels of groups; no pending pod of the tree is scheduled",
			},
		},
		{
			name:       "two workloads",
			groups:     []*outrank.PodGroup{{Name: "g", Parent: "c", Workload: "v"}, {Name: "h", Parent: "c", Workload: "w"}, {Name: "i", Parent: "c"}},
			composites: []*outrank.CompositePodGroup{{Name: "c", Workload: "w"}},
			want:       []string{`podgroup default/g: spec.workloadRef.workloadName: "v", and that of the parent "c" is "w"; no pending pod of the tree is scheduled`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &outrank.Cluster{Groups: test.groups, Composites: test.composites}
			require.NoError(t, c.Validate())
			var got []string
			for _, w := range c.Warnings() {
				got = append(got, w.String())
			}
			assert.Empty(t, testdiff.Diff(test.want, got))
		})
	}
}

func ExampleCompositePodGroup() {
	root := &outrank.CompositePodGroup{Name: "train", Namespace: "ml", Policy: outrank.GangPolicy, MinGroupCount: 2}
	inner := &outrank.CompositePodGroup{Name: "workers", Namespace: "ml", Parent: "train", DisruptionMode: outrank.DisruptPodGroup}
	group := &outrank.PodGroup{Name: "rack-1", Namespace: "ml", Parent: "workers"}
	fmt.Println(group.ParentKey() == inner.Key(), inner.ParentKey() == root.Key(), root.ParentKey() == "")
	cluster := &outrank.Cluster{Groups: []*outrank.PodGroup{group}, Composites: []*outrank.CompositePodGroup{inner}}
	for _, w := range cluster.Warnings() {
		fmt.Println(w)
	}
	// Output:
	// true true true
	// compositepodgroup ml/workers: spec.parentCompositePodGroupName: no composite pod group "train"; the group counts as the top of its tree, and its pending pods wait
}

func ExampleWorkload() {
	job := &outrank.Workload{
		Name: "train", Namespace: "ml", Owner: outrank.Owner{Kind: "Job", Name: "train"},
		PodGroupTemplates: []outrank.PodGroupTemplate{{Name: "workers", Policy: outrank.GangPolicy, MinCount: 4}},
	}
	group := &outrank.PodGroup{Name: "train-workers", Namespace: "ml", Policy: outrank.GangPolicy, MinCount: 4, Workload: "train", Template: "workers"}
	fmt.Println(job.Key(), job.Owner, group.Template == job.PodGroupTemplates[0].Name)
	// Output: ml/train Job/train true
}

func TestUnknownGroupsAreAWarning(t *testing.T) {
	c := &outrank.Cluster{
		Pods: []*outrank.Pod{
			{Name: "member", Group: "g"},
			{Name: "lost", Group: "gone"},
			{Name: "elsewhere", Namespace: "ml", Group: "g"}, // a group is in its pods' namespace
			{Name: "alone"},
		},
		Groups: []*outrank.PodGroup{{Name: "g"}},
	}
	require.NoError(t, c.Validate())
	var got []string
	for _, w := range c.Warnings() {
		got = append(got, w.String())
	}
	want := []string{
		`pod default/lost: spec.schedulingGroup.podGroupName: no pod group "gone"; the pod counts by itself`,
		`pod ml/elsewhere: spec.schedulingGroup.podGroupName: no pod group "g"; the pod counts by itself`,
	}
	assert.Empty(t, testdiff.Diff(want, got))
}

func ExamplePodGroup() {
	group := &outrank.PodGroup{Name: "train", Namespace: "ml", DisruptionMode: outrank.DisruptPodGroup}
	pod := &outrank.Pod{Name: "worker-1", Namespace: "ml", Group: "train"}
	fmt.Println(pod.GroupKey() == group.Key(), pod.GroupKey())
	// Output: true ml/train
}
