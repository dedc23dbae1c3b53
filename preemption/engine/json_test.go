package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// shop is a cluster that has something to say in every field of a plan: budgets
// that are violated, a victim on its way out, a pod that loses its nomination,
// nodes that cannot help, and times that are neither in UTC nor whole seconds.
func shop() *outrank.Cluster {
	east := time.FixedZone("east", 3*3600)
	pod := func(name, node, cpu string, priority int32, options ...func(*outrank.Pod)) *outrank.Pod {
		p := &outrank.Pod{
			Namespace: "shop", Name: name, UID: "uid-" + name, NodeName: node,
			Priority: outrank.Priority(priority), PriorityClassName: "standard",
			StartTime: time.Date(2026, 1, 10, 12, 0, 0, 250_000_000, east), Labels: map[string]string{"app": name},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
		}
		for _, option := range options {
			option(p)
		}
		return p
	}
	leaving := func(p *outrank.Pod) { p.DeletionTimestamp = gen.Now.Add(-time.Minute) }
	waiting := func(p *outrank.Pod) { p.NominatedNodeName, p.StartTime = "n1", time.Time{} }
	plain := func(p *outrank.Pod) {
		p.Namespace, p.UID, p.PriorityClassName, p.Priority, p.StartTime = "", "", "", nil, time.Time{}
	}
	node := func(name, cpu string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "pods", "10")}
	}
	cordoned := node("n4", "4")
	cordoned.Unschedulable = true
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "3"), node("n2", "3"), node("n3", "1"), cordoned, node("n5", "3")},
		Pods: []*outrank.Pod{
			pod("keep", "n1", "1", 1000), pod("cart", "n1", "1", 20), pod("mail", "n1", "1", 10, leaving),
			pod("search", "n2", "1", 30), pod("index", "n2", "2", 25), pod("ads", "n5", "3", 2000),
			pod("plain", "n3", "1", 0, plain), pod("later", "", "1", 5, waiting),
		},
		Budgets: []*outrank.PodDisruptionBudget{
			{Namespace: "shop", Name: "cart", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "cart"}}},
			{Namespace: "shop", Name: "index", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "index"}}},
			{Namespace: "shop", Name: "search", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "search"}}},
		},
	}
}

func buyer(cpu string) *outrank.Pod {
	return &outrank.Pod{
		Namespace: "shop", Name: "buyer", UID: "uid-buyer", Priority: outrank.Priority(100),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
	}
}

// twoForms is an answer in both of its forms.
type twoForms interface {
	json.Marshaler
	fmt.Stringer
}

func indented(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	require.NoError(t, err)
	return string(text) + "\n"
}

// The answers that there are, each as JSON and as text. What stands in the files
// is read by others: a change that is no addition needs another version.
func TestGoldenAnswers(t *testing.T) {
	ctx := context.Background()
	never := buyer("2")
	never.PreemptionPolicy = outrank.PreemptNever
	scored := preemption.Config{
		Variant: outrank.VariantSimplified,
		Ranks:   []preemption.Rank{{Name: "n2 first", Figure: func(c *preemption.Candidate) int64 { return -int64(strings.Count(c.Node, "2")) }}},
	}
	plan := func(config preemption.Config, p *outrank.Pod) twoForms {
		return must(newEvaluator(t, config).Preempt(ctx, newSnapshot(t, shop()), preemption.Request{Pod: p, Now: gen.Now}))
	}
	group := func(c *outrank.Cluster, pods []*outrank.Pod) twoForms {
		return must(newEvaluator(t, preemption.Config{}).PreemptGroup(ctx, newSnapshot(t, c), preemption.GroupRequest{Pods: pods, Now: now}))
	}
	violating := grouped()
	violating.Budgets = []*outrank.PodDisruptionBudget{{Name: "all", Selector: &outrank.LabelSelector{
		MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.Exists}},
	}}}
	tree := grouped()
	tree.Release = withGates("CompositePodGroup")
	tree.Budgets = violating.Budgets
	tree.Composites = []*outrank.CompositePodGroup{composite("stores", "", 100), composite("all", "", 1000)}
	tree.Composites[0].DisruptionMode = outrank.DisruptPodGroup
	below(tree.Groups[0], "stores")
	below(tree.Groups[1], "all")
	waits, waiting := grouped(), training()
	waits.Pods[1].DeletionTimestamp, waits.Pods[1].DisruptionReason = now, outrank.PreemptionByScheduler
	waiting[1].NominatedNodeName = waits.Pods[1].NodeName
	huge := training()
	huge[1].Containers = []outrank.Container{{Requests: resource.MustList("cpu", "64")}}
	for name, said := range map[string]twoForms{
		"plan_preempt":        plan(preemption.Config{}, buyer("2")),
		"plan_scored":         plan(scored, buyer("2")),
		"plan_ruled":          plan(preemption.Config{Guard: atMost{"Two go", 2}.guard(), Eligibility: preemption.Eligibility{AnyPriority: true, Take: anyBody}}, buyer("2")),
		"plan_fits":           plan(preemption.Config{}, buyer("0")),
		"plan_never":          plan(preemption.Config{}, never),
		"plan_nothing_helps":  plan(preemption.Config{}, buyer("4")),
		"plan_zero":           preemption.Plan{},
		"explanation":         must(newEvaluator(t, preemption.Config{}).Explain(ctx, newSnapshot(t, shop()), preemption.Request{Pod: buyer("2"), Now: gen.Now})),
		"explanation_costs":   explainBy(t, byCost(func(p *outrank.Pod) int64 { return int64(len(p.Name)) }), shop(), buyer("2")),
		"group_preempt":       group(violating, training()),
		"group_nothing_helps": group(grouped(), huge),
		"group_tree":          group(tree, training()),
		"group_waits":         group(waits, waiting),
		"group_too_few":       group(grouped(), training()[:1]),
		"group_zero":          preemption.GroupPlan{},
	} {
		t.Run(name, func(t *testing.T) {
			scenario.Golden(t, filepath.Join("..", "testdata", "json", name+".json"), indented(t, said))
			scenario.Golden(t, filepath.Join("..", "testdata", "json", name+".txt"), said.String()+"\n")
		})
	}
}

// Every plan has JSON and text, whatever the cluster: the JSON is valid and
// twice the same, refers to the pods of the plan, and its enums are read back as
// what they were.
func TestEveryPlanHasJSONAndText(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		ex := explain(t, c, p)
		text, err := json.Marshal(ex)
		require.NoError(t, err)
		again, err := json.Marshal(explain(t, c, p))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
		require.Equal(t, ex.String(), explain(t, c, p).String())

		var read struct {
			APIVersion, Kind, Node string
			Outcome                preemption.Outcome
			Ineligible             preemption.Ineligibility
			DecidedBy              string
			Victims                []struct {
				Pod struct{ Namespace, Name string }
			}
			Candidates []struct{ Node string }
			Nodes      []struct {
				Status struct{ Code string }
			}
		}
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, []any{"outrank/v1", "Explanation", ex.Node, ex.Outcome, ex.Ineligible, decidedBy(ex)},
			[]any{read.APIVersion, read.Kind, read.Node, read.Outcome, read.Ineligible, read.DecidedBy})
		require.Len(t, read.Victims, len(ex.Victims))
		for i, v := range ex.Victims {
			require.Equal(t, string(v.Pod.Key()), read.Victims[i].Pod.Namespace+"/"+read.Victims[i].Pod.Name)
			require.Contains(t, ex.String(), string(v.Pod.Key()))
		}
		require.Len(t, read.Candidates, len(ex.Candidates))
		require.Len(t, read.Nodes, len(ex.Nodes))
		for i, n := range ex.Nodes {
			require.Equal(t, n.Status.Code.String(), read.Nodes[i].Status.Code)
		}
	})
}

// The same of groups.
func TestEveryGroupPlanHasJSONAndText(t *testing.T) {
	t.Parallel()
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		plan := preemptGroup(t, newSnapshot(t, c), pods)
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		var read struct {
			Outcome   preemption.Outcome
			Placement []struct{ Node string }
			Victims   []struct{ Pods []struct{ Name string } }
		}
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, plan.Outcome, read.Outcome)
		require.Len(t, read.Placement, len(plan.Placement))
		units := slices.Collect(plan.Units())
		require.Len(t, read.Victims, len(units))
		for i, unit := range units {
			require.Len(t, read.Victims[i].Pods, len(unit))
			require.Contains(t, plan.String(), unitText(unit))
		}
	})
}

// decidedBy is what the JSON says of what decides.
func decidedBy(ex *preemption.Plan) string {
	if len(ex.Candidates) > 1 {
		return cmp.Or(ex.DecidedBy, "node-order")
	}
	return ""
}

// What has no value has a text and JSON all the same.
func TestZeroAnswers(t *testing.T) {
	for _, v := range []fmt.Stringer{
		preemption.Plan{}, &preemption.Plan{}, preemption.Plan{}, preemption.GroupPlan{},
		preemption.Victim{}, preemption.Status{}, preemption.Count{},
		preemption.Assignment{}, preemption.Plan{Outcome: "odd", Ineligible: "odd, too"},
		preemption.Plan{
			Candidate:  preemption.Candidate{Victims: make([]preemption.Victim, 2), Score: preemption.Score{Own: map[string]int64{}}, ClearedNominations: make([]*outrank.Pod, 1)},
			TurnedDown: make([]preemption.Count, 9),
		},
		preemption.GroupPlan{Victims: []preemption.Victim{{Violated: make([]*outrank.PodDisruptionBudget, 1)}}, Placement: make([]preemption.Assignment, 1)},
	} {
		var text string
		assert.NotPanics(t, func() { text = v.String() }, "%T", v)
		assert.False(t, strings.HasSuffix(text, "\n"), "%T: %q", v, text)
	}
	for _, v := range []any{
		preemption.Plan{}, preemption.GroupPlan{}, (*preemption.Plan)(nil), (*preemption.GroupPlan)(nil),
		preemption.Plan{
			Candidate: preemption.Candidate{Victims: make([]preemption.Victim, 1), Certificate: &preemption.Certificate{}},
			Nodes:     make([]preemption.NodeReport, 1), Candidates: make([]preemption.Candidate, 1), TurnedDown: make([]preemption.Count, 1),
		},
		preemption.GroupPlan{
			Victims:   []preemption.Victim{{}, {Violated: make([]*outrank.PodDisruptionBudget, 1), Blocked: &outrank.Pod{}}},
			Placement: make([]preemption.Assignment, 1), TurnedDown: &preemption.Refusal{},
		},
	} {
		text, err := json.Marshal(v)
		assert.NoError(t, err, "%T", v)
		assert.True(t, json.Valid(text), "%T: %s", v, text)
	}
}

// Values print and marshal as themselves, and not as the one that they embed.
func TestEmbeddedAnswers(t *testing.T) {
	status := preemption.Status{Code: preemption.Unschedulable, Filter: "F", Reasons: []string{"a", "b"}}
	count := preemption.Count{Status: status, Nodes: 3}
	assert.Equal(t, "[3 F: a, b] F: a, b", fmt.Sprint([]preemption.Count{count}, status))
	report := struct {
		Plan  *preemption.Plan `json:"plan"`
		Other int              `json:"other"`
	}{&preemption.Plan{Outcome: preemption.Fits, Candidate: preemption.Candidate{Node: "n"}, TurnedDown: []preemption.Count{count}}, 1}
	text, err := json.Marshal(report)
	require.NoError(t, err)
	assert.Equal(t, `{"plan":{"apiVersion":"outrank/v1","kind":"Plan","outcome":"fits","node":"n","victims":[],"clearedNominations":[],`+
		`"feasible":0,"turnedDown":[{"nodes":3,"code":"unschedulable","filter":"F","reasons":["a","b"]}],"unhelpful":[]},"other":1}`, string(text))
}

// An answer is written and never read: an empty plan in silence would be a plan
// without victims.
func TestAnswersCannotBeReadBack(t *testing.T) {
	for _, to := range []any{&preemption.Plan{}, &preemption.GroupPlan{}} {
		text, err := json.Marshal(to)
		require.NoError(t, err)
		err = json.Unmarshal(text, to)
		assert.ErrorIs(t, err, errors.ErrUnsupported, "%T", to)
		assert.ErrorContains(t, err, strings.TrimPrefix(fmt.Sprintf("%T cannot be read", to), "*"))
		assert.NoError(t, json.Unmarshal([]byte("null"), to), "%T", to)
	}
}

// Any time that an object has can be written, and stands there as an API server writes it.
func TestAnswersOfAnyYear(t *testing.T) {
	for want, at := range map[string]time.Time{
		"9999-12-31T23:59:59Z":  time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		"10000-01-01T09:59:59Z": time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("west", -10*3600)),
		"-0001-12-31T00:01:00Z": time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("east", 23*3600+59*60)),
	} {
		text, err := json.Marshal(preemption.Plan{
			Pod: &outrank.Pod{Name: "p", StartTime: at}, Outcome: preemption.Preempts,
			Candidate: preemption.Candidate{Victims: []preemption.Victim{{Pod: &outrank.Pod{Name: "v", StartTime: at}}}},
		})
		require.NoError(t, err)
		assert.Equal(t, 2, strings.Count(string(text), `"startTime":"`+want+`"`), "%s", text)
		text, err = json.Marshal(preemption.Plan{Candidate: preemption.Candidate{Score: preemption.Score{Start: at}}})
		require.NoError(t, err)
		assert.Contains(t, string(text), `"start":"`+want+`"`)
	}
}

// What JSON cannot say is an error that names the object and the field.
func TestAnswersThatJSONCannotSay(t *testing.T) {
	odd := &outrank.Pod{Name: "odd\xff"}
	for _, test := range []struct {
		answer any
		text   string
	}{
		{preemption.Plan{Pod: odd}, `plan: pod.name: "odd\xff" is not UTF-8`},
		{preemption.Plan{TurnedDown: []preemption.Count{{Status: preemption.Status{Reasons: []string{"\xff"}}}}}, `plan: turnedDown[0].reasons[0]: "\xff" is not UTF-8`},
	} {
		_, err := json.Marshal(test.answer)
		assert.ErrorContains(t, err, test.text)
	}
	_, err := preemption.Plan{Outcome: "\xff"}.MarshalJSON()
	assert.ErrorIs(t, err, outrank.ErrInvalid)
}

// Numbers stay exact, and only a caller who wants it gets HTML escaped.
func TestExactJSON(t *testing.T) {
	for variant, want := range map[outrank.Variant]string{0: `"clearedNominations":[],"feasible"`, outrank.VariantSimplified: `"graceSeconds":0,`} {
		text, err := json.Marshal(preemption.Plan{Outcome: preemption.Preempts, Variant: variant})
		require.NoError(t, err)
		assert.Contains(t, string(text), want)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(preemption.Plan{Refused: preemption.Unschedulable.Because("a < b & c")}))
	assert.Contains(t, b.String(), `"refused":{"code":"unschedulable","reasons":["a < b & c"]}`)
}

// The text of a plan stays a few lines, however many ways nodes have to say no.
func TestPlanTextStaysShort(t *testing.T) {
	ex := &preemption.Plan{Outcome: preemption.Fits, Nodes: []preemption.NodeReport{}}
	for i := range 100 {
		ex.TurnedDown = append(ex.TurnedDown, preemption.Count{Nodes: 1, Status: preemption.Unschedulable.Because(fmt.Sprint("reason-", i))})
		ex.Candidates = append(ex.Candidates, preemption.Candidate{Node: fmt.Sprint("n", i)})
	}
	ex.Unhelpful = ex.TurnedDown
	assert.Equal(t, "no pod: fits on 0 nodes\n"+
		"  as things are: 1 reason-0, 1 reason-1, 1 reason-2, 1 reason-3 and 96 more\n"+
		"  after removal: 1 reason-0, 1 reason-1, 1 reason-2, 1 reason-3 and 96 more\n"+
		"  candidates: n0 [], n1 [], n2 [] and 97 more; decided by: equal in every rank; first in node order", ex.String())
}

// Where the snapshot has moved pods since they were read, plans name the places that it
// knows, for one pod and for groups: of victims, and of pods that lose a nomination. The
// answer is that about pods that say where they are.
func TestPropertyPlansNamePlacesOfTheSnapshot(t *testing.T) {
	t.Parallel()
	moved := 0
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, gang []*outrank.Pod) {
		snap, p := newSnapshot(t, unplaced(t, c)), *gang[0]
		for _, q := range c.Pods {
			if q.Finished() {
				continue
			}
			if at := q.NodeName; at != snap.NodeOf(q.Key()) {
				require.NoError(t, snap.Bind(q.Key(), at))
				moved++
			} else if at == "" && q.NominatedNodeName != snap.NominationOf(q.Key()) {
				require.NoError(t, snap.Nominate(q.Key(), q.NominatedNodeName))
				moved++
			}
		}
		p.Name, p.Group, p.NominatedNodeName = "single", "", ""
		for _, config := range []preemption.Config{{}, {Victims: preemption.Exact{}}, {Ranks: []preemption.Rank{byLastDigit}}} {
			e, across := newEvaluator(t, config), newEvaluator(t, preemption.Config{Victims: preemption.Across{}, Ranks: config.Ranks})
			for _, ask := range []func(*engine.Snapshot) (any, error){
				func(s *engine.Snapshot) (any, error) {
					return e.Preempt(context.Background(), s, preemption.Request{Pod: &p, Now: gen.Now})
				},
				func(s *engine.Snapshot) (any, error) {
					return e.Explain(context.Background(), s, preemption.Request{Pod: &p, Now: gen.Now})
				},
				func(s *engine.Snapshot) (any, error) {
					return across.Preempt(context.Background(), s, preemption.Request{Pod: &p, Now: gen.Now})
				},
			} {
				require.Equal(t, text(ask(newSnapshot(t, snap.Cluster()))), text(ask(snap)))
			}
		}
		request := preemption.GroupRequest{Pods: gang, Now: gen.Now}
		e := newEvaluator(t, preemption.Config{})
		want, err := e.PreemptGroup(context.Background(), newSnapshot(t, snap.Cluster()), request)
		require.NoError(t, err)
		got, err := e.PreemptGroup(context.Background(), snap, request)
		require.NoError(t, err)
		require.Equal(t, asJSON(want), asJSON(got))
	})
	require.Positive(t, moved)
}

// unplaced is the cluster with copies of its pods of which some that run on its nodes have
// no place yet, and some that wait other nominations.
func unplaced(t *rapid.T, c *outrank.Cluster) *outrank.Cluster {
	before, there := *c, map[string]bool{}
	for _, n := range c.Nodes {
		there[n.Name] = true
	}
	before.Pods = nil
	for _, p := range c.Pods {
		q := *p
		switch {
		case p.Finished() || !rapid.Bool().Draw(t, "is moved"):
		case there[p.NodeName]:
			q.NodeName, q.NominatedNodeName = "", ""
		case p.NodeName == "" && there[p.NominatedNodeName]:
			q.NominatedNodeName = rapid.SampledFrom(append([]string{""}, c.Nodes[0].Name)).Draw(t, "was nominated to")
		}
		before.Pods = append(before.Pods, &q)
	}
	return &before
}
