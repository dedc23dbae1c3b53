package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func in(group string) with { return func(p *outrank.Pod) { p.Group = group } }

func started(minutes int) with {
	return func(p *outrank.Pod) { p.StartTime = gen.Now.Add(time.Duration(minutes) * time.Minute) }
}

func memory(amount string) with {
	return func(p *outrank.Pod) {
		p.Containers[0].Requests = p.Containers[0].Requests.Plus(resource.MustList("memory", amount))
	}
}

func namespace(name string) with { return func(p *outrank.Pod) { p.Namespace = name } }

func whole(name string) *outrank.PodGroup {
	return &outrank.PodGroup{Name: name, DisruptionMode: outrank.DisruptPodGroup}
}

func prior(g *outrank.PodGroup, priority int32) *outrank.PodGroup {
	g.Priority = &priority
	return g
}

func policy(name string, policy outrank.GroupPolicy, minCount int32) *outrank.PodGroup {
	return &outrank.PodGroup{Name: name, Policy: policy, MinCount: minCount}
}

// gang is n pods of priority 9 that want one cpu each.
func gang(n int, options ...with) []*outrank.Pod {
	var pods []*outrank.Pod
	for i := range n {
		pods = append(pods, pod(fmt.Sprint("gang-", i), 9, "1", append([]with{started(0), in("gang")}, options...)...))
	}
	return pods
}

// say returns a plan in one line: outcome, victims, violations, placement.
func say(p *preemption.GroupPlan) string {
	text := string(p.Outcome)
	if p.Ineligible != "" {
		text += " (" + p.Ineligible.Message() + ")"
	}
	if p.Unhelpful != nil {
		text += ": " + told(p, "after removal")
	}
	if len(p.Victims) > 0 {
		var units []string
		violations := 0
		for unit := range p.Units() {
			units = append(units, unitText(unit))
			for _, v := range unit {
				violations += min(1, len(v.Violated))
			}
		}
		text += fmt.Sprintf(" %v violations %d", units, violations)
	}
	for _, a := range p.Placement {
		text += "; " + strings.TrimPrefix(a.String(), "default/")
	}
	return text
}

// choice returns the node of a candidate with the victims.
func choice(c preemption.Candidate) string {
	var victims []string
	for _, v := range c.Victims {
		victims = append(victims, v.String())
	}
	return c.Node + " [" + strings.Join(victims, ", ") + "]"
}

// told returns what the text of a plan says about something; empty for nothing.
func told(plan fmt.Stringer, about string) string {
	for line := range strings.Lines(plan.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), about+": "); ok {
			return text
		}
	}
	return ""
}

// Each rule of chapter 12 once, with the reason. The book must agree.
func TestGroupRules(t *testing.T) {
	budget := func(name, covers string, allowed int32) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: name, Selector: selects(covers), DisruptionsAllowed: allowed}
	}
	nodes := func(cpus ...string) []*outrank.Node {
		var ns []*outrank.Node
		for i, cpu := range cpus {
			ns = append(ns, node(fmt.Sprint("n", i+1), cpu, "a"))
		}
		return ns
	}
	tagged := func(p *outrank.Pod) { p.Labels = map[string]string{"app": "web", "tier": "x"} }
	tier := &outrank.LabelSelector{MatchLabels: map[string]string{"tier": "x"}}
	for _, test := range []struct {
		name string
		c    *outrank.Cluster
		pods []*outrank.Pod
		want string
	}{
		{
			name: "as things are there is room: one after the other, first node first",
			c:    &outrank.Cluster{Nodes: nodes("1", "3")}, pods: gang(3),
			want: "fits; gang-0 on n1; gang-1 on n2; gang-2 on n2",
		},
		{
			name: "all or none: room for one of two helps nobody",
			c: &outrank.Cluster{Nodes: nodes("2"), Pods: []*outrank.Pod{
				pod("high", 9, "1", on("n1")), pod("low", 1, "1", on("n1")),
			}},
			pods: gang(2),
			want: "nothing-helps: no place for default/gang-1: 1 NodeResourcesFit: Insufficient cpu",
		},
		{
			name: "victims come from every node",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1")), pod("b", 2, "1", on("n2")),
			}},
			pods: gang(2), want: "preempt [default/b default/a] violations 0; gang-0 on n1; gang-1 on n2",
		},
		{
			name: "the most important pods are put back first",
			c: &outrank.Cluster{Nodes: nodes("2"), Pods: []*outrank.Pod{
				pod("a", 2, "1", on("n1")), pod("b", 1, "1", on("n1")),
			}},
			pods: gang(1), want: "preempt [default/b] violations 0; gang-0 on n1",
		},
		{
			name: "an equal priority protects",
			c:    &outrank.Cluster{Nodes: nodes("1"), Pods: []*outrank.Pod{pod("a", 9, "1", on("n1"))}},
			pods: gang(1), want: "nothing-helps",
		},
		{
			name: "a group goes as a whole, from nodes that nobody needs, too",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Groups: []*outrank.PodGroup{whole("g")}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), in("g")), pod("b", 1, "1", on("n2"), in("g")),
			}},
			pods: gang(1), want: "preempt [default/g (2 pods)] violations 0; gang-0 on n1",
		},
		{
			name: "pods of a group of the other mode go one by one",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{{Name: "g"}}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), in("g")), pod("b", 1, "1", on("n1"), in("g")),
			}},
			pods: gang(1), want: "preempt [default/b] violations 0; gang-0 on n1",
		},
		{
			name: "so do those of a group that is not there: it is in another namespace",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{{Name: "g", Namespace: "x", DisruptionMode: outrank.DisruptPodGroup}}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), in("g")), pod("b", 1, "1", on("n1"), in("g")),
			}},
			pods: gang(1), want: "preempt [default/b] violations 0; gang-0 on n1",
		},
		{
			name: "a group without a priority counts 0, whatever its pods have",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Groups: []*outrank.PodGroup{whole("g")}, Pods: []*outrank.Pod{
				pod("a", 9, "1", on("n1"), in("g")), pod("b", 1, "1", on("n2"), in("g")),
			}},
			pods: gang(1), want: "preempt [default/g (2 pods)] violations 0; gang-0 on n1",
		},
		{
			name: "its own priority counts instead of theirs",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{prior(whole("g"), 1)}, Pods: []*outrank.Pod{
				pod("a", 9, "1", on("n1"), in("g")), pod("b", 2, "1", on("n1")),
			}},
			pods: gang(1), want: "preempt [default/g (1 pods)] violations 0; gang-0 on n1",
		},
		{
			name: "in the other mode, too",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{prior(&outrank.PodGroup{Name: "g"}, 20)}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), in("g")), pod("b", 2, "1", on("n1")),
			}},
			pods: gang(1), want: "preempt [default/b] violations 0; gang-0 on n1",
		},
		{
			name: "pods that name no group are not of one group with those of no group",
			c:    &outrank.Cluster{Nodes: nodes("1"), Pods: []*outrank.Pod{pod("a", 1, "1", on("n1"))}},
			pods: gang(1, in("")), want: "preempt [default/a] violations 0; gang-0 on n1",
		},
		{
			name: "a group is put back before a single pod of its priority, though that started earlier",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{prior(whole("g"), 1)}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), started(-90)), pod("b", 1, "1", on("n1"), in("g")),
			}},
			pods: gang(1), want: "preempt [default/a] violations 0; gang-0 on n1",
		},
		{
			name: "of two groups the larger is put back first, though the other started earlier",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{whole("g"), whole("h")}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), in("g"), started(-90)), pod("b", 1, "500m", on("n1"), in("h")), pod("c", 1, "500m", on("n1"), in("h")),
			}},
			pods: gang(1), want: "preempt [default/g (1 pods)] violations 0; gang-0 on n1",
		},
		{
			name: "of two groups of one size the one whose first pod started earlier",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{whole("g"), whole("h")}, Pods: []*outrank.Pod{
				pod("a", 1, "500m", on("n1"), in("g"), started(-50)), pod("b", 1, "500m", on("n1"), in("g"), started(-50)),
				pod("c", 1, "500m", on("n1"), in("h"), started(0)), pod("d", 1, "500m", on("n1"), in("h"), started(-90)),
			}},
			pods: gang(1), want: "preempt [default/g (2 pods)] violations 0; gang-0 on n1",
		},
		{
			name: "the name of the group settles the rest, not that of its pods",
			c: &outrank.Cluster{Nodes: nodes("2"), Groups: []*outrank.PodGroup{whole("g"), whole("h")}, Pods: []*outrank.Pod{
				pod("z", 1, "1", on("n1"), in("g")), pod("a", 1, "1", on("n1"), in("h")),
			}},
			pods: gang(1), want: "preempt [default/h (1 pods)] violations 0; gang-0 on n1",
		},
		{
			name: "of two single pods the earlier start, before the name",
			c: &outrank.Cluster{Nodes: nodes("2"), Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), started(-1)), pod("b", 1, "1", on("n1"), started(-2)),
			}},
			pods: gang(1), want: "preempt [default/a] violations 0; gang-0 on n1",
		},
		{
			name: "who violates a budget is put back first",
			c: &outrank.Cluster{Nodes: nodes("2"), Budgets: []*outrank.PodDisruptionBudget{budget("b", "web", 0)}, Pods: []*outrank.Pod{
				pod("a", 2, "1", on("n1")), pod("b", 1, "1", on("n1"), app("web")),
			}},
			pods: gang(1), want: "preempt [default/a] violations 0; gang-0 on n1",
		},
		{
			name: "each pod of a group that violates a budget counts",
			c: &outrank.Cluster{Nodes: nodes("3"), Groups: []*outrank.PodGroup{whole("g")}, Budgets: []*outrank.PodDisruptionBudget{budget("b", "web", 0)}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), in("g")), pod("b", 1, "1", on("n1"), in("g"), app("web")), pod("c", 1, "1", on("n1"), in("g"), app("web")),
			}},
			pods: gang(1), want: "preempt [default/g (3 pods)] violations 2; gang-0 on n1",
		},
		{
			name: "every pod of a group is charged, also behind one that violates a budget (rule 12.9.10)",
			c: &outrank.Cluster{
				Nodes:   nodes("3"),
				Groups:  []*outrank.PodGroup{prior(whole("g"), 2)},
				Budgets: []*outrank.PodDisruptionBudget{budget("none", "web", 0), {Name: "one", Selector: selects("db"), DisruptionsAllowed: 1}},
				Pods: []*outrank.Pod{
					pod("a", 2, "1", on("n1"), in("g"), app("web"), started(-90)), pod("b", 2, "1", on("n1"), in("g"), app("db")),
					pod("c", 1, "1", on("n1"), app("db")),
				},
			},
			// b leaves nothing to c of what the budget one allows. Both units violate, and g
			// is put back first.
			pods: gang(1), want: "preempt [default/c] violations 1; gang-0 on n1",
		},
		{
			name: "one place is enough for a group of the basic policy (rule 12.9.3): nobody has to leave for the second",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.BasicPolicy, 0), 9)}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1")),
			}},
			pods: gang(2), want: "fits; gang-0 on n2",
		},
		{
			name: "with everybody away all that find a place get it, under the basic policy too",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.BasicPolicy, 0), 9)}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1")), pod("b", 2, "1", on("n2")),
			}},
			pods: gang(2), want: "preempt [default/b default/a] violations 0; gang-0 on n1; gang-1 on n2",
		},
		{
			name: "a gang gets the places that it needs, and pods that fit nowhere are passed over",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 2), 9)}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1")), pod("b", 2, "1", on("n2")),
			}},
			pods: []*outrank.Pod{pod("large", 9, "4", in("gang")), pod("p", 9, "1", in("gang")), pod("q", 9, "1", in("gang"))},
			want: "preempt [default/b default/a] violations 0; p on n1; q on n2",
		},
		{
			name: "one that can have too few gets none, and says why the first has no place",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 2), 9)}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1")), pod("b", 9, "1", on("n2")),
			}},
			pods: gang(3),
			want: "nothing-helps: no place for default/gang-1: 2 NodeResourcesFit: Insufficient cpu; minCount (2) cannot be satisfied: 1 scheduled, 0 remaining",
		},
		{
			name: "pods of the gang that run already count, and one place is needed at least",
			c: &outrank.Cluster{Nodes: nodes("2", "1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 2), 9)}, Pods: []*outrank.Pod{
				pod("own-1", 9, "1", on("n1"), in("gang")), pod("own-2", 9, "1", on("n1"), in("gang")), pod("b", 2, "1", on("n2")),
			}},
			pods: gang(3), want: "preempt [default/b] violations 0; gang-0 on n2",
		},
		{
			name: "for one pod the first budget that has nothing left ends it, in the order of the cluster: here the other is charged",
			c: &outrank.Cluster{
				Nodes:   nodes("2"),
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b-one", Selector: tier, DisruptionsAllowed: 1}, budget("a-none", "web", 0)},
				Pods: []*outrank.Pod{
					pod("a", 2, "1", on("n1"), tagged),
					pod("b", 1, "1", on("n1"), func(p *outrank.Pod) { p.Labels = map[string]string{"tier": "x"} }),
				},
			},
			pods: gang(1), want: "preempt [default/b] violations 1; gang-0 on n1",
		},
		{
			name: "and here it is not",
			c: &outrank.Cluster{
				Nodes:   nodes("2"),
				Budgets: []*outrank.PodDisruptionBudget{budget("b-none", "web", 0), {Name: "a-one", Selector: tier, DisruptionsAllowed: 1}},
				Pods: []*outrank.Pod{
					pod("a", 2, "1", on("n1"), tagged),
					pod("b", 1, "1", on("n1"), func(p *outrank.Pod) { p.Labels = map[string]string{"tier": "x"} }),
				},
			},
			pods: gang(1), want: "preempt [default/b] violations 0; gang-0 on n1",
		},
		{
			name: "room is left for a nominated pod of the same priority",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Pods: []*outrank.Pod{
				pod("other", 9, "1", nominated("n1")), pod("a", 1, "1", on("n2")),
			}},
			pods: gang(1), want: "preempt [default/a] violations 0; gang-0 on n2",
		},
		{
			name: "the pods of the group keep each other away, or near",
			c: &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "1", "b")}, Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n2")),
			}},
			pods: gang(2, app("web"), apart("web")), want: "preempt [default/a] violations 0; gang-0 on n1; gang-1 on n2",
		},
		{
			name: "a group that never preempts",
			c:    &outrank.Cluster{Nodes: nodes("1"), Pods: []*outrank.Pod{pod("a", 1, "1", on("n1"))}},
			pods: gang(1, func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }),
			want: "not-eligible (not eligible due to preemptionPolicy=Never.)",
		},
		{
			name: "a group whose victims still leave a node that one of its pods is nominated to",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), leaving(outrank.PreemptionByScheduler)), pod("b", 1, "1", on("n2")),
				pod("gang-1", 9, "1", nominated("n1")),
			}},
			pods: gang(2), want: "not-eligible (not eligible due to a terminating pod on the nominated node.)",
		},
		{
			name: "on another node it is not waited for",
			c: &outrank.Cluster{Nodes: nodes("1", "1"), Pods: []*outrank.Pod{
				pod("a", 1, "1", on("n1"), leaving(outrank.PreemptionByScheduler)), pod("b", 2, "1", on("n2")),
			}},
			pods: gang(1, nominated("n2")), want: "preempt [default/a] violations 0; gang-0 on n1",
		},
		{
			name: "with unlike pods first fit is not exact: lacking what keeps gang-0 off n1 it gives up",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{
					{Name: "n1", Allocatable: resource.MustList("cpu", "3", "memory", "1Gi", "pods", "9")},
					{Name: "n2", Allocatable: resource.MustList("cpu", "2", "memory", "1Gi", "pods", "9")},
				},
				Pods: []*outrank.Pod{pod("a", 1, "0", on("n1"), memory("1Gi")), pod("b", 2, "1", on("n2"))},
			},
			pods: []*outrank.Pod{pod("p1", 9, "2", memory("1Gi")), pod("p2", 9, "3")},
			want: "nothing-helps: no place for default/p2: 1 NodeResourcesFit: Insufficient cpu, 1 NodeResourcesFit: Insufficient cpu",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			snap := newSnapshot(t, withGroups(test.c))
			plan := preemptGroup(t, snap, test.pods)
			assert.Equal(t, test.want, say(plan))
			for _, refused := range []bool{false, true} {
				groupsAgreeWithBook(t, withGroups(test.c), preemption.GroupRequest{Pods: test.pods, Now: gen.Now, Refused: refused}, preemption.Config{})
			}
		})
	}
}
