package figures_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/gen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/figures"
)

// cell returns a cell of 1,000 nodes for which the reference takes 100 ms, and 10 ms with its sample. Outrank takes
// the given time for each question, the first ever included.
func cell(row string, each time.Duration) *figures.Cell {
	c := &figures.Cell{
		Row: row, Nodes: 1000, Pods: 30_000, Node: "n", Victims: []string{"a/b"}, Conditions: "one day",
		Filters: 5 * time.Millisecond, PostFilter: 95 * time.Millisecond, Sampled: 5 * time.Millisecond,
		Ours: map[string]time.Duration{},
	}
	for _, way := range gen.RealWays() {
		c.Ours[way] = each
	}
	return c
}

func TestMisses(t *testing.T) {
	for _, test := range []struct {
		name  string
		given func() *figures.Cell
		want  []string
	}{
		{"within every bar", func() *figures.Cell { return cell("mixed", time.Millisecond) }, nil},
		{"slower than a hundredth of all nodes", func() *figures.Cell {
			c := cell("mixed", 100*time.Microsecond)
			c.Ours[gen.RealKnown], c.Sampled = 1001*time.Microsecond, time.Second
			return c
		}, []string{
			"mixed, 1,000 nodes, known: 100 times against all nodes, the bar is 100",
			"mixed, 1,000 nodes, known: 1.0 ms, the bar is 1.0 ms",
		}},
		{"slower than a tenth of the sample", func() *figures.Cell {
			c := cell("mixed", 900*time.Microsecond)
			c.Sampled = 0
			c.Ours[gen.RealRules] = 600 * time.Microsecond
			return c
		}, []string{
			"mixed, 1,000 nodes, priority new: 5.6 times against its sample, the bar is 10",
			"mixed, 1,000 nodes, rules new: 8.3 times against its sample, the bar is 10",
			"mixed, 1,000 nodes, second time: 5.6 times against its sample, the bar is 10",
			"mixed, 1,000 nodes, known: 5.6 times against its sample, the bar is 10",
			"mixed, 1,000 nodes, after a change: 5.6 times against its sample, the bar is 10",
		}},
		{"a reference that takes less than 1 ms is held to half the factor", func() *figures.Cell {
			c := cell("daemon", 15*time.Microsecond)
			c.Filters, c.PostFilter, c.Sampled = 400*time.Microsecond, 400*time.Microsecond, 400*time.Microsecond
			c.Ours[gen.RealKnown] = 17 * time.Microsecond
			return c
		}, []string{"daemon, 1,000 nodes, known: 47 times against all nodes, the bar is 50"}},
		{"volumes may take 3 ms", func() *figures.Cell {
			c := cell("volumes-by-zone", 3*time.Millisecond)
			c.PostFilter, c.Sampled = time.Second, time.Second
			return c
		}, nil},
		{"other rows may not", func() *figures.Cell {
			c := cell("mixed", time.Microsecond)
			c.PostFilter, c.Sampled = time.Second, time.Second
			c.Ours[gen.RealSecond] = 3 * time.Millisecond
			return c
		}, []string{"mixed, 1,000 nodes, second time: 3.0 ms, the bar is 1.0 ms"}},
		{"beyond 5,000 nodes no time is a bar", func() *figures.Cell {
			c := cell("mixed", 2*time.Millisecond)
			c.Nodes, c.PostFilter, c.Sampled = 15_000, time.Second, time.Second
			return c
		}, nil},
		{"a first question has a bar of its own", func() *figures.Cell {
			c := cell("mixed", time.Microsecond)
			c.Ours[gen.RealFirst] = 21 * time.Millisecond
			return c
		}, []string{"mixed, 1,000 nodes, first ever: 21 ms, the bar is 20 ms"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, figures.Misses([]*figures.Cell{test.given()}))
		})
	}
}

func TestWrite(t *testing.T) {
	slow, fast := cell("own-labels", 20*time.Millisecond), cell("mixed", 100*time.Microsecond)
	slow.Ours[gen.RealKnown] = 10 * time.Microsecond
	slow.Ours[gen.RealFirst] = 50 * time.Millisecond
	fast.Nodes = 5000
	var b strings.Builder
	figures.Write(&b, []*figures.Cell{slow, fast})
	assert.Equal(t, `Of 10 cells the worst against kube-scheduler with all nodes is own-labels, 1,000 nodes, priority new: 5.0 times. The best is own-labels, 1,000 nodes, known: 10000 times.
Of 10 cells the worst against its default sample is own-labels, 1,000 nodes, priority new: 0.5 times. The best is own-labels, 1,000 nodes, known: 1000 times.
The dearest is own-labels, 1,000 nodes, priority new: 20 ms. Of first questions it is own-labels, 1,000 nodes, first ever: 50 ms; and the worst against all nodes own-labels, 1,000 nodes, first ever: 2.0 times.

| 1,000 nodes | kube-scheduler: filters | victims | of its sample | first ever | priority new | rules new | second time | known | after a change | worst against its sample |
|---|---|---|---|---|---|---|---|---|---|---|
| own-labels | 5.0 ms | 95 ms | 5.0 ms | 50 ms, 2.0 times | 20 ms, 5.0 times | 20 ms, 5.0 times | 20 ms, 5.0 times | 10 µs, 10000 times | 20 ms, 5.0 times | 0.5 times, priority new |

| 5,000 nodes | kube-scheduler: filters | victims | of its sample | first ever | priority new | rules new | second time | known | after a change | worst against its sample |
|---|---|---|---|---|---|---|---|---|---|---|
| mixed | 5.0 ms | 95 ms | 5.0 ms | 100 µs, 1000 times | 100 µs, 1000 times | 100 µs, 1000 times | 100 µs, 1000 times | 100 µs, 1000 times | 100 µs, 1000 times | 100 times, priority new |
`, b.String())
}

// Raw results are read as they were written, and a result takes the place of an earlier one of its row and size.
func TestRawResults(t *testing.T) {
	was, other, now := cell("mixed", 1), cell("gt", 2), cell("mixed", 3)
	merged := figures.Merge([]*figures.Cell{was, other}, []*figures.Cell{now, cell("terms", 4)})
	require.Len(t, merged, 3)
	assert.Same(t, now, merged[0])
	assert.Same(t, other, merged[1])

	var b strings.Builder
	require.NoError(t, figures.WriteRaw(&b, merged))
	assert.Equal(t, 3, strings.Count(b.String(), "\n"), "a line for each")
	got, err := figures.Read(strings.NewReader(b.String()))
	require.NoError(t, err)
	assert.Equal(t, merged, got)

	_, err = figures.Read(strings.NewReader(b.String() + "{"))
	assert.ErrorContains(t, err, "raw result 4")
}

// The section of a document is replaced, and nothing beside it.
func TestSection(t *testing.T) {
	for _, test := range []struct{ name, given, want string }{
		{"in the middle", "# A\n\n" + figures.Heading + "\n\nold\n\n## B\n\nb\n", "# A\n\n" + figures.Heading + "\n\nnew\n\n## B\n\nb\n"},
		{"at the end", "# A\n\n" + figures.Heading + "\n\nold\n", "# A\n\n" + figures.Heading + "\n\nnew\n"},
		{"not yet there", "# A\n", "# A\n\n" + figures.Heading + "\n\nnew\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, figures.Section(test.given, "new\n"))
		})
	}
	text := figures.SectionText([]*figures.Cell{cell("mixed", 2*time.Millisecond)})
	assert.Contains(t, text, "Measured: one day.")
	assert.Contains(t, text, "- mixed, 1,000 nodes, known: 50 times against all nodes, the bar is 100\n")
}
