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
	"github.com/outrank-go/outrank/preemption/joint"
)

// settings sets each field of a Config and of its Policy to something that has an effect.
var settings = map[string]func(*engine.Config){
	"Release": func(c *engine.Config) { c.Release = groupsOn },
	"Filters": func(c *engine.Config) {
		c.Filters = []*preemption.Filter{{Name: "any", Node: func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }}}
	},
	"Workers":    func(c *engine.Config) { c.Workers = 2 },
	"Variant":    func(c *engine.Config) { c.Variant = outrank.VariantSimplified },
	"Plugins":    func(c *engine.Config) { c.Plugins.Off = []string{preemption.NodePorts} },
	"Sample":     func(c *engine.Config) { c.Sample = &preemption.Sample{} },
	"Schedulers": func(c *engine.Config) { c.Schedulers = []string{"default-scheduler"} },
	"Extenders": func(c *engine.Config) {
		c.Extenders = []preemption.Extender{extender{name: "x", process: keep}.extender()}
	},
	"MayPreempt": func(c *engine.Config) {
		c.MayPreempt = func(_ *outrank.Pod, _ preemption.Status, by preemption.Ineligibility) preemption.Ineligibility {
			return by
		}
	},
	"MayEvict": func(c *engine.Config) { c.MayEvict = func(_, _ *outrank.Pod) bool { return true } },
	"MayTake":  func(c *engine.Config) { c.MayTake = func(_, _ *outrank.Pod) string { return "rule" } },
	"Guard":    func(c *engine.Config) { c.Guard = openGuard{}.guard() },
	"Importance": func(c *engine.Config) {
		c.Importance = func(a, b *outrank.Pod) int { return strings.Compare(a.Name, b.Name) }
	},
	"Cost": func(c *engine.Config) { c.Cost = func(*outrank.Pod) int64 { return 1 } },
	"Chooser": func(c *engine.Config) {
		c.Chooser = &engine.Chooser{Name: "all", AnyPriority: c.Chooser != nil && c.Chooser.AnyPriority, Choose: (*engine.NodeView).Possible}
	},
	"Chooser.AnyPriority": func(c *engine.Config) {
		c.Chooser = &engine.Chooser{Name: "all", AnyPriority: true, Choose: (*engine.NodeView).Possible}
	},
	"Scorers": func(c *engine.Config) {
		c.Scorers = []preemption.Scorer{{Name: "none", Score: func(*preemption.Candidate) int64 { return 0 }}}
	},
	"Policy.Disabled":        func(c *engine.Config) { c.Policy.Disabled = true },
	"Policy.Exact":           func(c *engine.Config) { c.Policy.Exact = true },
	"Policy.Limit":           func(c *engine.Config) { c.Policy.Limit = 1000 },
	"Policy.CallLimit":       func(c *engine.Config) { c.Policy.CallLimit = 1000 },
	"Policy.Strict":          func(c *engine.Config) { c.Policy.Strict = true },
	"Policy.VictimsAlone":    func(c *engine.Config) { c.Policy.VictimsAlone = true },
	"Policy.Ranks":           func(c *engine.Config) { c.Policy.Ranks = []preemption.Rank{preemption.ByVictims} },
	"Policy.NominatedInTurn": func(c *engine.Config) { c.Policy.NominatedInTurn = true },
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
	"Exactly": func(e *engine.Evaluator, _ *engine.Snapshot) error {
		_, err := e.Exactly()
		return err
	},
	"PreemptAcross": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		_, err := e.PreemptAcross(context.Background(), snap, pod("p", 9, "1"), now)
		return err
	},
	"PreemptGroup": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		_, err := e.PreemptGroup(context.Background(), snap, engine.GroupRequest{Pods: gang(1), Now: now})
		return err
	},
	"joint.Preempt": func(e *engine.Evaluator, snap *engine.Snapshot) error {
		_, err := joint.Preempt(context.Background(), e, snap, joint.Request{Pods: []*outrank.Pod{pod("p", 9, "1")}, Now: now})
		return err
	},
}

// tableRow is a setting in the table of what goes together.
type tableRow struct{ with, calls []string }

// tableOfConfig reads the table from the comment of Config.
func tableOfConfig(t *testing.T) map[string]tableRow {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	require.NoError(t, err)
	rows := map[string]tableRow{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE || g.Specs[0].(*ast.TypeSpec).Name.Name != "Config" {
			continue
		}
		for line := range strings.Lines(g.Doc.Text()) {
			cells := strings.Split(strings.TrimSpace(line), "|")
			if len(cells) != 4 || strings.TrimSpace(cells[1]) == "setting" {
				continue
			}
			name := strings.TrimSpace(cells[1])
			require.NotContains(t, rows, name)
			rows[name] = tableRow{listOf(cells[2]), listOf(cells[3])}
		}
	}
	require.NotEmpty(t, rows, "no table")
	return rows
}

func listOf(cell string) (out []string) {
	for name := range strings.SplitSeq(cell, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// fieldsOfConfig are all settings that there are.
func fieldsOfConfig() []string {
	names := []string{"Chooser.AnyPriority"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[engine.Config]()) {
		if f.Name != "Policy" {
			names = append(names, f.Name)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[preemption.Policy]()) {
		names = append(names, "Policy."+f.Name)
	}
	return names
}

// The table in the comment of Config names every setting, and what it says of each pair of
// them, and of each call, is so.
func TestTableOfConfig(t *testing.T) {
	rows := tableOfConfig(t)
	require.ElementsMatch(t, fieldsOfConfig(), slices.Collect(maps.Keys(settings)))
	require.ElementsMatch(t, slices.Collect(maps.Keys(settings)), slices.Collect(maps.Keys(rows)))
	for name, row := range rows {
		for _, other := range row.with {
			require.Contains(t, rows[other].with, name, "%s does not go with %s, and the other way round", name, other)
		}
		for _, call := range row.calls {
			require.Contains(t, configCalls, call)
		}
	}
	for _, a := range slices.Sorted(maps.Keys(settings)) {
		for _, b := range slices.Sorted(maps.Keys(settings)) {
			if a <= b {
				holdsPair(t, rows, a, b)
			}
		}
	}
}

// holdsPair compares what the table says of two settings with what becomes of them.
func holdsPair(t *testing.T, rows map[string]tableRow, a, b string) {
	t.Helper()
	var c engine.Config
	settings[a](&c)
	settings[b](&c)
	e, err := engine.NewEvaluator(c)
	require.Equal(t, err, c.Validate())
	if slices.Contains(rows[a].with, b) {
		require.ErrorIs(t, err, outrank.ErrInvalid, "%s with %s", a, b)
		first, _, _ := strings.Cut(a, ".Any")
		second, _, _ := strings.Cut(b, ".Any")
		require.True(t, strings.Contains(err.Error(), first) || strings.Contains(err.Error(), second), "%v", err)
		return
	}
	require.NoError(t, err, "%s with %s", a, b)
	for _, call := range slices.Sorted(maps.Keys(configCalls)) {
		snap := newSnapshot(t, &outrank.Cluster{Release: groupsOn, Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("low", 1, "1", on("n1"))}})
		err := configCalls[call](e, snap)
		if slices.Contains(rows[a].calls, call) || slices.Contains(rows[b].calls, call) {
			assert.ErrorIs(t, err, outrank.ErrInvalid, "%s with %s and %s", call, a, b)
		} else {
			assert.NoError(t, err, "%s with %s and %s", call, a, b)
		}
	}
}
