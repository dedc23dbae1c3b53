package kueue

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever stands in any place of a dump, there is an answer or an error.
func TestSpoiltDumps(t *testing.T) {
	text, err := os.ReadFile("../../sample/kueue.json")
	require.NoError(t, err)
	var root any
	require.NoError(t, json.Unmarshal(text, &root))
	answers, errors := 0, 0
	try := func() {
		spoilt, err := json.Marshal(root)
		require.NoError(t, err)
		c, err := Read(strings.NewReader(string(spoilt)))
		if err != nil {
			errors++
			return
		}
		asked, err := c.Pending("vision/job-detect-aa410")
		if err == nil {
			_, _, err = Ask(c, &Settings{}, asked, c.Latest())
		}
		if err != nil {
			errors++
			return
		}
		answers++
	}
	values := []any{nil, "x", "", -1, 9e18, 0.5, true, []any{}, []any{nil}, map[string]any{}, map[string]any{"x": nil}}
	places := 0
	var walk func(x any)
	walk = func(x any) {
		visit := func(get any, set func(any)) {
			places++
			set(values[places%len(values)]) // each place another
			try()
			set(get)
			walk(get)
		}
		switch x := x.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(x)) {
				visit(x[k], func(n any) { x[k] = n })
			}
		case []any:
			for i, v := range x {
				visit(v, func(n any) { x[i] = n })
			}
		}
	}
	walk(root)
	assert.Greater(t, places, 300)
	assert.Greater(t, answers, 100)
	assert.Greater(t, errors, 100)
	t.Log(places, answers, errors)
}
