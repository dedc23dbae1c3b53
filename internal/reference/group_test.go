package reference_test

import (
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/internal/testdiff"
	"github.com/outrank-go/outrank/resource"
)

func TestDecideGroup(t *testing.T) {
	pod := func(name, node, group string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Group: group, Priority: &priority, StartTime: gen.Now.Add(-time.Hour),
			Labels:     map[string]string{"app": name},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		}
	}
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "1", "pods", "9")}
	}
	three := []*outrank.Node{node("n1"), node("n2"), node("n3")}
	whole := []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup}}
	low := outrank.Priority(0)
	for _, test := range []struct {
		name       string
		c          *outrank.Cluster
		pods       []*outrank.Pod
		victims    [][]string
		violations int
		placement  map[string]string
	}{
		{
			name:      "single pods: who is where the pod is placed leaves, be it the more important one",
			c:         &outrank.Cluster{Nodes: three[:2], Pods: []*outrank.Pod{pod("a", "n1", "", 2), pod("b", "n2", "", 1)}},
			pods:      []*outrank.Pod{pod("p", "", "", 9)},
			victims:   [][]string{{"default/a"}},
			placement: map[string]string{"default/p": "n1"},
		},
		{
			name:      "a group goes as a whole",
			c:         &outrank.Cluster{Nodes: three, Groups: whole, Pods: []*outrank.Pod{pod("a", "n1", "g", 2), pod("b", "n2", "g", 1), pod("c", "n3", "", 3)}},
			pods:      []*outrank.Pod{pod("p", "", "", 9)},
			victims:   [][]string{{"default/a", "default/b"}},
			placement: map[string]string{"default/p": "n1"},
		},
		{
			name: "the priority of the group counts for its pods",
			c: &outrank.Cluster{
				Nodes: three[:2], Groups: []*outrank.PodGroup{{Name: "g", Priority: low}},
				Pods: []*outrank.Pod{pod("a", "n1", "g", 20), pod("b", "n2", "", 1)},
			},
			pods:      []*outrank.Pod{pod("p", "", "", 9)},
			victims:   [][]string{{"default/a"}},
			placement: map[string]string{"default/p": "n1"},
		},
		{
			name: "a budget keeps the lesser pod",
			c: &outrank.Cluster{
				Nodes: three[:2], Pods: []*outrank.Pod{pod("a", "n1", "", 2), pod("b", "n2", "", 1)},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "b"}}}},
			},
			pods:      []*outrank.Pod{pod("p", "", "", 9)},
			victims:   [][]string{{"default/a"}},
			placement: map[string]string{"default/p": "n1"},
		},
		{
			name: "all or none",
			c:    &outrank.Cluster{Nodes: three[:2], Pods: []*outrank.Pod{pod("a", "n1", "", 9), pod("b", "n2", "", 1)}},
			pods: []*outrank.Pod{pod("p", "", "", 9), pod("q", "", "", 9)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.c.Release = withGroups(t)
			d := reference.DecideGroup(reference.GroupInput{Cluster: test.c, Pods: test.pods, Now: gen.Now})
			var victims [][]string
			for _, v := range d.Victims {
				var pods []string
				for _, p := range v.Pods {
					pods = append(pods, string(p.Key()))
				}
				victims = append(victims, pods)
			}
			if diff := testdiff.Diff(test.victims, victims); diff != "" {
				t.Errorf("victims (-want +got):\n%s", diff)
			}
			if diff := testdiff.Diff(test.placement, d.Placement); diff != "" || d.Violations != test.violations {
				t.Errorf("%d violations, want %d; placement (-want +got):\n%s", d.Violations, test.violations, diff)
			}
		})
	}
}
