package outrank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
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

// A gang has a size and no other group has one, whether of pods or of groups, and topologies are labels.
func TestGroupRules(t *testing.T) {
	for _, test := range []struct {
		name   string
		policy outrank.GroupPolicy
		count  int32
		key    string
		want   string // the end of the only problem's field; empty where there is none
	}{
		{"no policy", "", 0, "zone", ""},
		{"basic", outrank.BasicPolicy, 0, "example.com/rack", ""},
		{"a gang of one", outrank.GangPolicy, 1, "zone", ""},
		{"a gang of none", outrank.GangPolicy, 0, "zone", "Count"},
		{"a gang of less", outrank.GangPolicy, -1, "zone", "Count"},
		{"a size without a policy", "", 1, "zone", "Count"},
		{"basic with a size", outrank.BasicPolicy, 1, "zone", "Count"},
		{"another policy", "herd", 1, "zone", "spec.schedulingPolicy"},
		{"no label", "", 0, "a b", "spec.schedulingConstraints.topology[0].key"},
	} {
		for _, c := range []*outrank.Cluster{
			{Groups: []*outrank.PodGroup{{Name: "g", Policy: test.policy, MinCount: test.count, Topology: []string{test.key}}}},
			{Composites: []*outrank.CompositePodGroup{{Name: "g", Policy: test.policy, MinGroupCount: test.count, Topology: []string{test.key}}}},
		} {
			err := c.Validate()
			if test.want == "" {
				assert.NoError(t, err, test.name)
				continue
			}
			var wrong *outrank.InputError
			if assert.ErrorAs(t, err, &wrong, test.name) && assert.Len(t, wrong.Problems, 1, "%v", err) {
				assert.True(t, strings.HasSuffix(wrong.Problems[0].Field, test.want), "%s: %v", test.name, err)
			}
		}
	}
}

// A workload has templates of one kind, at most eight in a list and on at most four levels, and their names
// differ within a list.
func TestTemplateRules(t *testing.T) {
	groups := func(names ...string) (ts []outrank.PodGroupTemplate) {
		for _, name := range names {
			ts = append(ts, outrank.PodGroupTemplate{Name: name})
		}
		return ts
	}
	above := func(ts ...outrank.CompositePodGroupTemplate) []outrank.CompositePodGroupTemplate {
		return []outrank.CompositePodGroupTemplate{{Name: "t", CompositePodGroupTemplates: ts}}
	}
	last := outrank.CompositePodGroupTemplate{Name: "t", PodGroupTemplates: groups("g")}
	for _, test := range []struct {
		name string
		w    outrank.Workload
		want string // empty where there is no problem
	}{
		{"none", outrank.Workload{}, ""},
		{"eight", outrank.Workload{PodGroupTemplates: groups("a", "b", "c", "d", "e", "f", "g", "h")}, ""},
		{"nine", outrank.Workload{PodGroupTemplates: groups("a", "b", "c", "d", "e", "f", "g", "h", "i")}, "9 templates, and 8 are the most"},
		{"two of one name", outrank.Workload{PodGroupTemplates: groups("a", "b", "a")}, "podGroupTemplates[2].name: there are two of this name"},
		{"one without a name", outrank.Workload{PodGroupTemplates: groups("a", "")}, "podGroupTemplates[1].name: missing"},
		{"both kinds", outrank.Workload{PodGroupTemplates: groups("a"), CompositePodGroupTemplates: above()}, "spec: both podGroupTemplates and compositePodGroupTemplates"},
		{"four levels", outrank.Workload{CompositePodGroupTemplates: above(above(last)...)}, ""},
		{"five levels", outrank.Workload{CompositePodGroupTemplates: above(above(above(last)...)...)}, "below the last of 4 levels"},
	} {
		test.w.Name = "w"
		err := (&outrank.Cluster{Workloads: []*outrank.Workload{&test.w}}).Validate()
		if test.want == "" {
			assert.NoError(t, err, test.name)
		} else {
			assert.ErrorContains(t, err, test.want, test.name)
		}
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
