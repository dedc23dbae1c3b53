package engine_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// settings sets each field of a Config to something that has an effect, and those that say one of
// several things to each of them.
var settings = map[string]func(*preemption.Config){
	"Filters": func(c *preemption.Config) {
		c.Filters = []*preemption.Filter{{Name: "any", Node: func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }}}
	},
	"Variant": func(c *preemption.Config) { c.Variant = outrank.VariantSimplified },
	"Profile": func(c *preemption.Config) {
		c.Profile = preemption.Profile{Off: []string{preemption.NodePorts}, Schedulers: []string{outrank.DefaultScheduler}}
	},
	"Sample": func(c *preemption.Config) { c.Sample = &preemption.Sample{} },
	"Extenders": func(c *preemption.Config) {
		c.Extenders = []preemption.Extender{extender{name: "x", process: keep}.extender()}
	},
	"Eligibility.Refuse": func(c *preemption.Config) {
		c.Eligibility.Refuse = func(_ *outrank.Pod, by preemption.Ineligibility, _ preemption.Status) preemption.Ineligibility {
			return by
		}
	},
	"Eligibility.Take":        func(c *preemption.Config) { c.Eligibility.Take = anyBody },
	"Eligibility.AnyPriority": func(c *preemption.Config) { c.Eligibility.AnyPriority = true },
	"Guard":                   func(c *preemption.Config) { c.Guard = openGuard{}.guard() },
	"Importance": func(c *preemption.Config) {
		c.Importance = func(a, b *outrank.Pod) int { return strings.Compare(a.Name, b.Name) }
	},
	"Chooser": func(c *preemption.Config) {
		c.Victims = preemption.Chooser{Name: "all", Choose: preemption.NodeView.Possible}
	},
	"Exact":         func(c *preemption.Config) { c.Victims = preemption.Exact{Limit: 1000} },
	"Across":        func(c *preemption.Config) { c.Victims = preemption.Across{Limit: 1000} },
	"ChargeVictims": func(c *preemption.Config) { c.Budgets = preemption.ChargeVictims },
	"NeverViolate":  func(c *preemption.Config) { c.Budgets = preemption.NeverViolate },
	"Ranks": func(c *preemption.Config) {
		c.Ranks = []preemption.Rank{preemption.ByVictims, {Name: "one", Cost: func(*outrank.Pod) int64 { return 1 }}}
	},
	"Figure": func(c *preemption.Config) {
		c.Ranks = []preemption.Rank{{Name: "none", Figure: func(*preemption.Candidate) int64 { return 0 }}}
	},
	"Costs": func(c *preemption.Config) {
		one := func(*outrank.Pod) int64 { return 1 }
		c.Ranks = []preemption.Rank{{Name: "one", Cost: one}, {Name: "two", Cost: one}}
	},
}

// saidBy are the settings that are said by one field, of which only one can be said.
var saidBy = map[string]string{
	"Chooser": "Victims", "Exact": "Victims", "Across": "Victims", "ChargeVictims": "Budgets", "NeverViolate": "Budgets",
	"Figure": "Ranks", "Costs": "Ranks",
}

// openGuard has something to say and lets anybody go.
type openGuard struct{}

func (f openGuard) guard() *preemption.Guard {
	return &preemption.Guard{Name: "open", Start: f.start}
}
func (openGuard) start([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
	return openGuard{}, nil
}
func (openGuard) Remove(*outrank.Pod, *outrank.Node) {}
func (openGuard) Add(*outrank.Pod, *outrank.Node)    {}
func (openGuard) Check() preemption.Status           { return preemption.Status{} }
func (openGuard) Rule(*outrank.Pod) string           { return "" }
func (openGuard) Clone() preemption.GuardState       { return openGuard{} }

// configCalls are the calls that may refuse a configuration, each asked a question that it
// has an answer to.
var configCalls = map[string]func(*engine.Evaluator, *engine.Snapshot) error{
	"Preempt": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		_, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: now})
		return err
	},
	"Explain": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		_, err := e.Explain(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: now})
		return err
	},
	"Candidates": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		for _, err := range e.Candidates(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: now}) {
			return err
		}
		return nil
	},
	"PreemptGroup": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		_, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: gang(1), Now: now})
		return err
	},
	"joint.RegretOf": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		plan := &preemption.Plan{Pod: pod("p", 9, "1"), Outcome: preemption.NothingHelps}
		_, err := joint.RegretOf(context.Background(), e, snap, plan, now)
		return err
	},
	"joint.Preempt": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		_, err := joint.Preempt(context.Background(), e, snap, joint.Request{Pods: []*outrank.Pod{pod("p", 9, "1")}, Now: now})
		return err
	},
}

// refusals are the pairs of settings that do not go together, each both ways, and the settings that
// calls refuse.
type refusals struct{ with, by map[string][]string }

// refusalsOfConfig reads them from the comment of Config. What the calls of package joint refuse
// stands in the comments of these.
func refusalsOfConfig(t *testing.T) refusals {
	file, err := parser.ParseFile(token.NewFileSet(), "../config.go", nil, parser.ParseComments)
	require.NoError(t, err)
	r := refusals{with: map[string][]string{}, by: map[string][]string{
		"joint.Preempt": {"Chooser", "Figure", "Costs", "Extenders", "NeverViolate"}, "joint.RegretOf": {"Guard"},
	}}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE || g.Specs[0].(*ast.TypeSpec).Name.Name != "Config" {
			continue
		}
		for line := range strings.Lines(g.Doc.Text()) {
			if !strings.HasPrefix(line, "\t") {
				continue
			}
			if call, list, ok := strings.Cut(line, " refuses a "); ok {
				call = strings.TrimSpace(call)
				require.Contains(t, configCalls, call)
				r.by[call] = append(r.by[call], listOf(t, list)...)
				continue
			}
			settings, others, ok := strings.Cut(line, " with ")
			require.True(t, ok, "%q says nothing", line)
			for _, a := range listOf(t, settings) {
				for _, b := range listOf(t, others) {
					r.with[a], r.with[b] = append(r.with[a], b), append(r.with[b], a)
				}
			}
		}
	}
	require.NotEmpty(t, r.with, "no table")
	require.Contains(t, r.by, "PreemptGroup")
	return r
}

// listOf reads names of settings.
func listOf(t *testing.T, list string) (out []string) {
	for name := range strings.SplitSeq(list, ",") {
		out = append(out, strings.TrimSpace(name))
		require.Contains(t, settings, out[len(out)-1])
	}
	return out
}

// fieldsOfConfig are the fields that there are.
func fieldsOfConfig() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[preemption.Config]()) {
		if f.Name != "Eligibility" {
			names = append(names, f.Name)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[preemption.Eligibility]()) {
		names = append(names, "Eligibility."+f.Name)
	}
	return names
}

// What the comment of Config says of each pair of settings, and of each call, is so.
func TestTableOfConfig(t *testing.T) {
	table := refusalsOfConfig(t)
	var fields []string
	for name := range settings {
		fields = append(fields, fieldOf(name))
	}
	slices.Sort(fields)
	require.ElementsMatch(t, fieldsOfConfig(), slices.Compact(fields))
	for _, a := range slices.Sorted(maps.Keys(settings)) {
		for _, b := range slices.Sorted(maps.Keys(settings)) {
			if a == b || a < b && fieldOf(a) != fieldOf(b) {
				holdsPair(t, table, a, b)
			}
		}
	}
}

// fieldOf is the field that says a setting.
func fieldOf(setting string) string {
	if field, ok := saidBy[setting]; ok {
		return field
	}
	return setting
}

// holdsPair compares what the table says of two settings with what becomes of them.
func holdsPair(t *testing.T, table refusals, a, b string) {
	t.Helper()
	var c preemption.Config
	settings[a](&c)
	settings[b](&c)
	e, err := engine.New(c)
	require.Equal(t, err, c.Validate())
	if slices.Contains(table.with[a], b) {
		require.ErrorIs(t, err, outrank.ErrInvalid, "%s with %s", a, b)
		require.True(t, strings.Contains(err.Error(), fieldOf(a)) || strings.Contains(err.Error(), fieldOf(b)), "%v", err)
		return
	}
	require.NoError(t, err, "%s with %s", a, b)
	for _, call := range slices.Sorted(maps.Keys(configCalls)) {
		snap := newSnapshot(t, &outrank.Cluster{Release: groupsOn, Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("low", 1, "1", on("n1"))}})
		err := configCalls[call](e.Parallel(2), snap)
		if slices.Contains(table.by[call], a) || slices.Contains(table.by[call], b) {
			assert.ErrorIs(t, err, outrank.ErrInvalid, "%s with %s and %s", call, a, b)
		} else {
			assert.NoError(t, err, "%s with %s and %s", call, a, b)
		}
	}
}
