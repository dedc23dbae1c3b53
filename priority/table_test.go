package priority

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

func names(classes []outrank.PriorityClass) []string {
	out := []string{}
	for _, c := range classes {
		out = append(out, c.Name)
	}
	return out
}

func TestNewTable(t *testing.T) {
	node := &outrank.PriorityClass{Name: nodeCriticalName, Value: NodeCritical, Description: "listed"}
	for _, c := range []struct {
		name, reason string
		classes      []*outrank.PriorityClass
		want         []string // classes in order
		fallback     string
		problems     []string
	}{
		{name: "none", reason: "built-in classes always exist",
			want: []string{nodeCriticalName, clusterCriticalName}},
		{name: "a built-in one listed", reason: "it is there once",
			classes: []*outrank.PriorityClass{node}, want: []string{nodeCriticalName, clusterCriticalName}},
		{name: "order", reason: "value descending, then name",
			classes: []*outrank.PriorityClass{{Name: "c", Value: 1}, {Name: "b", Value: 1}, {Name: "a", Value: -1}, {Name: "d", Value: 5}},
			want:    []string{nodeCriticalName, clusterCriticalName, "d", "b", "c", "a"}},
		{name: "one default", reason: "the ordinary case",
			classes: []*outrank.PriorityClass{{Name: "a", Value: 1}, {Name: "b", Value: 2, GlobalDefault: true}},
			want:    []string{nodeCriticalName, clusterCriticalName, "b", "a"}, fallback: "b"},
		{name: "several defaults", reason: "a race can leave them: the lowest value wins, then the first by name",
			classes: []*outrank.PriorityClass{
				{Name: "z", Value: 3, GlobalDefault: true}, {Name: "y", Value: 2, GlobalDefault: true},
				{Name: "x", Value: 2, GlobalDefault: true}, {Name: "low", Value: 1}},
			want: []string{nodeCriticalName, clusterCriticalName, "z", "x", "y", "low"}, fallback: "x"},
		{name: "duplicate", reason: "two of one name, even if alike",
			classes:  []*outrank.PriorityClass{{Name: "a"}, {Name: "a"}},
			problems: []string{"priorityclass a: metadata.name"}},
		{name: "built in twice", reason: "that is a duplicate too",
			classes:  []*outrank.PriorityClass{node, node},
			problems: []string{"priorityclass system-node-critical: metadata.name"}},
		{name: "several problems", reason: "all are listed, in the order given; nameless ones by number",
			classes: []*outrank.PriorityClass{{}, nil, {Name: nodeCriticalName}, {Name: "ok"}, {Name: "a", Value: UserMax + 1}, {}},
			problems: []string{"priorityclass number 1: metadata.name", "priorityclass number 2: ",
				"priorityclass system-node-critical: value", "priorityclass a: value", "priorityclass number 6: metadata.name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, err := NewTable(c.classes)
			if diff := testdiff.Diff(c.problems, problemsOf(t, err, ErrClass)); diff != "" {
				t.Fatalf("%s: problems (-want +got):\n%s", c.reason, diff)
			}
			if err != nil {
				require.Nil(t, table)
				return
			}
			if diff := testdiff.Diff(c.want, names(table.Classes())); diff != "" {
				t.Errorf("%s: classes (-want +got):\n%s", c.reason, diff)
			}
			fallback, ok := table.Default()
			require.Equal(t, c.fallback, fallback.Name, c.reason)
			require.Equal(t, c.fallback != "", ok, c.reason)
			for _, class := range table.Classes() {
				got, ok := table.Lookup(class.Name)
				require.True(t, ok)
				require.Equal(t, class, got)
				require.NotEmpty(t, got.PreemptionPolicy, "an empty policy is filled in")
			}
		})
	}
}

func TestListedBuiltInKeepsItsText(t *testing.T) {
	table, err := NewTable([]*outrank.PriorityClass{{Name: nodeCriticalName, Value: NodeCritical, Description: "listed"}})
	require.NoError(t, err)
	class, _ := table.Lookup(nodeCriticalName)
	require.Equal(t, "listed", class.Description)
}

func TestTableKeepsNothingOfTheCaller(t *testing.T) {
	class := &outrank.PriorityClass{Name: "a", Value: 1}
	input := []*outrank.PriorityClass{class}
	table, err := NewTable(input)
	require.NoError(t, err)
	require.Empty(t, class.PreemptionPolicy, "what an empty policy means is not written back")
	class.Value, input[0] = 7, nil
	table.Classes()[0].Name = "scribbled"
	got, _ := table.Lookup("a")
	require.EqualValues(t, 1, got.Value)
	require.Equal(t, []string{nodeCriticalName, clusterCriticalName, "a"}, names(table.Classes()))
}

func TestZeroTable(t *testing.T) {
	for name, table := range map[string]*Table{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, []string{nodeCriticalName, clusterCriticalName}, names(table.Classes()))
			_, ok := table.Default()
			require.False(t, ok)
			r, err := table.Resolve(&outrank.Pod{Name: "p", PriorityClassName: clusterCriticalName})
			require.NoError(t, err)
			require.Equal(t, ClusterCritical, r.Value)
			more, err := table.With(&outrank.PriorityClass{Name: "a"})
			require.NoError(t, err)
			require.Len(t, more.Classes(), 3)
			_, err = table.Without("a")
			require.ErrorIs(t, err, ErrUnknownClass)
		})
	}
}

func TestWithAndWithout(t *testing.T) {
	table, err := NewTable([]*outrank.PriorityClass{{Name: "a", Value: 1, GlobalDefault: true}})
	require.NoError(t, err)
	for _, c := range []struct {
		name, reason string
		class        *outrank.PriorityClass
		want         []string
	}{
		{"new", "nothing speaks against it", &outrank.PriorityClass{Name: "b"}, nil},
		{"nil", "nothing to create", nil, []string{"priorityclass: "}},
		{"taken", "the name must be free", &outrank.PriorityClass{Name: "a"}, []string{"priorityclass a: metadata.name"}},
		{"built in", "it is there already", &outrank.PriorityClass{Name: nodeCriticalName, Value: NodeCritical},
			[]string{"priorityclass system-node-critical: metadata.name"}},
		{"second default", "only one is let in", &outrank.PriorityClass{Name: "b", GlobalDefault: true},
			[]string{"priorityclass b: globalDefault"}},
		{"all wrong", "everything is listed", &outrank.PriorityClass{Name: "a", Value: UserMax + 1, GlobalDefault: true},
			[]string{"priorityclass a: value", "priorityclass a: metadata.name", "priorityclass a: globalDefault"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			more, err := table.With(c.class)
			if diff := testdiff.Diff(c.want, problemsOf(t, err, ErrClass)); diff != "" {
				t.Fatalf("%s: With(%+v) (-want +got):\n%s", c.reason, c.class, diff)
			}
			require.Equal(t, err == nil, more != nil)
			require.Len(t, table.Classes(), 3, "the old table stays as it was")
		})
	}
	for _, name := range []string{nodeCriticalName, clusterCriticalName} {
		_, err := table.Without(name)
		require.Equal(t, []string{"priorityclass " + name + ": metadata.name"}, problemsOf(t, err, ErrClass))
	}
	_, err = table.Without("b")
	require.Equal(t, []string{"priorityclass b: metadata.name"}, problemsOf(t, err, ErrUnknownClass))
	before := table.Classes()
	less, err := table.Without("a")
	require.NoError(t, err)
	_, ok := less.Default()
	require.False(t, ok, "the default went with its class")
	require.Equal(t, before, table.Classes(), "the old table stays as it was")
}

// A table built step by step equals the table built at once, whatever the
// order, and Default is the result of a plain search.
func TestTableAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := map[string]outrank.PriorityClass{}
		table := (*Table)(nil)
		t.Repeat(map[string]func(*rapid.T){
			"create": func(t *rapid.T) {
				c := outrank.PriorityClass{
					Name:             fmt.Sprint("c", rapid.IntRange(0, 9).Draw(t, "name")),
					Value:            rapid.Int32Range(-2, 2).Draw(t, "value"),
					GlobalDefault:    rapid.Bool().Draw(t, "default"),
					PreemptionPolicy: rapid.SampledFrom([]outrank.PreemptionPolicy{outrank.PreemptLowerPriority, outrank.PreemptNever}).Draw(t, "policy"),
				}
				_, taken := model[c.Name]
				_, hasDefault := table.Default()
				next, err := table.With(&c)
				require.Equal(t, taken || c.GlobalDefault && hasDefault, err != nil, "With(%+v): %v", c, err)
				if err == nil {
					model[c.Name], table = c, next
				}
			},
			"delete": func(t *rapid.T) {
				name := fmt.Sprint("c", rapid.IntRange(0, 9).Draw(t, "name"))
				_, there := model[name]
				next, err := table.Without(name)
				require.Equal(t, there, err == nil, "Without(%s): %v", name, err)
				if err == nil {
					delete(model, name)
					table = next
				}
			},
			"": func(t *rapid.T) {
				var all []*outrank.PriorityClass
				for _, c := range model {
					all = append(all, &c)
				}
				again, err := NewTable(all)
				require.NoError(t, err)
				require.Equal(t, again.Classes(), table.Classes())
				require.True(t, slices.IsSortedFunc(table.Classes(), func(a, b outrank.PriorityClass) int {
					return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name))
				}), "%v", table.Classes())
				var want outrank.PriorityClass
				for _, c := range model {
					if c.GlobalDefault {
						want = c
					}
				}
				got, _ := table.Default()
				require.Equal(t, want, got)
			},
		})
	})
}

func TestSeveralDefaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int32Range(-1, 1), 1, 6).Draw(t, "values")
		var classes []*outrank.PriorityClass
		var want *outrank.PriorityClass
		for i, v := range values {
			c := &outrank.PriorityClass{Name: fmt.Sprint("c", i), Value: v, GlobalDefault: rapid.Bool().Draw(t, "default")}
			classes = append(classes, c)
			if c.GlobalDefault && (want == nil || c.Value < want.Value) {
				want = c
			}
		}
		table, err := NewTable(rapid.Permutation(classes).Draw(t, "order"))
		require.NoError(t, err)
		got, ok := table.Default()
		require.Equal(t, want != nil, ok)
		if ok {
			require.Equal(t, want.Name, got.Name)
		}
	})
}
