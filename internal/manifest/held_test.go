package manifest_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/manifest"
)

// Elements get their kind from their list, wherever it says that. Those that have
// one of their own do not wait for it.
func TestKindAfterItems(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"first", `{"kind":"AList","items":[{"a":1},{"kind":"B"}]}`, []string{`items[0] "A" {"a":1}`, `items[1] "B" {"kind":"B"}`}},
		{"last", `{"items":[{"a":1},{"b":[2]}],"kind":"AList"}`, []string{`items[0] "A" {"a":1}`, `items[1] "A" {"b":[2]}`}},
		{"last, and some have their own", `{"items":[{"a":1},{"kind":"B"},{"b":2}],"kind":"AList"}`,
			[]string{`items[1] "B" {"kind":"B"}`, `items[0] "A" {"a":1}`, `items[2] "A" {"b":2}`}},
		{"never", `{"items":[{"a":1}]}`, []string{`items[0] "" {"a":1}`}},
		{"a List says nothing", `{"items":[{"a":1}],"kind":"List"}`, []string{`items[0] "" {"a":1}`}},
		{"a List says so first", `{"kind":"List","items":[{"a":1},{"kind":"B"}]}`, []string{`items[0] "" {"a":1}`, `items[1] "B" {"kind":"B"}`}},
		{"no objects", `{"items":[null,7],"kind":"AList"}`, []string{`items[0] "" null`, `items[1] "" 7`}},
		{"twice", `{"items":[{"a":1}],"kind":"AList"}{"items":[{"b":1}],"kind":"BList"}`, []string{`items[0] "A" {"a":1}`, `items[0] "B" {"b":1}`}},
	} {
		got, err := itemsOf(iotest.HalfReader(strings.NewReader(c.text)))
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
}

// What is held back is bounded, and takes memory in proportion to the input.
func TestHeldElementsAreBounded(t *testing.T) {
	allocated := func(text string) (uint64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := manifest.Each(strings.NewReader(text), func(manifest.Item) error { return nil })
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	_, err := allocated(`{"items":[{"a":"` + strings.Repeat("x", 65<<20) + `"}],"kind":"AList"}`)
	assert.ErrorIs(t, err, manifest.ErrSyntax)
	assert.ErrorContains(t, err, "put kind first")
	assert.NotContains(t, err.Error(), "not JSON")
	var memory [2]uint64
	for i, elements := range []int{1 << 17, 1 << 20} {
		memory[i], err = allocated(`{"items":[` + strings.Repeat(`{},`, elements) + `{}]}`)
		require.NoError(t, err)
	}
	assert.Less(t, memory[1], 12*memory[0], "eight times as many elements")
}
