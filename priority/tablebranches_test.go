package priority_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// classesOf lists a table as name=value.
func classesOf(t *priority.Table) []string {
	var out []string
	for _, c := range t.Classes() {
		out = append(out, fmt.Sprint(c.Name, "=", c.Value))
	}
	return out
}

// Tables made from one table are independent of one another, and that one stays
// as it was, however many classes there are.
func TestTablesFromOneTable(t *testing.T) {
	table, err := priority.NewTable(nil)
	require.NoError(t, err)
	for i := range int32(20) {
		before := classesOf(table)
		high, err := table.With(&outrank.PriorityClass{Name: "high", Value: 1000})
		require.NoError(t, err)
		low, err := table.With(&outrank.PriorityClass{Name: "low", Value: -1000})
		require.NoError(t, err)
		middle, err := high.With(&outrank.PriorityClass{Name: "middle", Value: 500})
		require.NoError(t, err)
		fewer, err := middle.Without("high")
		require.NoError(t, err)

		builtIn, rest := before[:2:2], before[2:]
		require.Equal(t, before, classesOf(table))
		require.Equal(t, append(append(builtIn, "high=1000"), rest...), classesOf(high))
		require.Equal(t, append(before[:len(before):len(before)], "low=-1000"), classesOf(low))
		require.Equal(t, append(append(builtIn, "high=1000", "middle=500"), rest...), classesOf(middle))
		require.Equal(t, append(append(builtIn, "middle=500"), rest...), classesOf(fewer))
		for _, each := range []*priority.Table{table, high, low, middle, fewer} {
			for _, c := range each.Classes() {
				found, ok := each.Lookup(c.Name)
				require.True(t, ok, c.Name)
				require.Equal(t, c, found)
			}
		}
		table, err = table.With(&outrank.PriorityClass{Name: fmt.Sprint("class-", i), Value: -i})
		require.NoError(t, err)
	}
}
