package manifest_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/internal/tests/seeded"
)

// Elements get their kind from their list, before or after them. Those with a
// kind of their own do not wait for it.
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

// The elements held back are bounded, and take memory in proportion to the input.
func TestHeldElementsAreBounded(t *testing.T) {
	allocated := func(text string) (uint64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := manifest.Each(strings.NewReader(text), func(manifest.Item) error { return nil })
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	megabyte := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	_, err := allocated(`{"items":[` + strings.Repeat(megabyte+",", 65) + megabyte + `],"kind":"AList"}`)
	assert.ErrorIs(t, err, manifest.ErrSyntax)
	assert.ErrorContains(t, err, "put kind first")
	assert.NotContains(t, err.Error(), "not JSON")
	var memory [2]uint64
	most := seeded.Sample(1<<16, 1<<20)
	for i, elements := range []int{most >> 3, most} {
		memory[i], err = allocated(`{"items":[` + strings.Repeat(`{},`, elements) + `{}]}`)
		require.NoError(t, err)
	}
	assert.Less(t, memory[1], 12*memory[0], "eight times as many elements")
}

// endless is a text with a beginning that then repeats itself without an end.
type endless struct {
	begin, more string
	read        int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		from := e.begin[min(e.read, len(e.begin)):]
		if from == "" {
			from = e.more[(e.read-len(e.begin))%len(e.more):]
		}
		c := copy(p[n:], from)
		n, e.read = n+c, e.read+c
	}
	return n, nil
}

// The memory of a stream has a bound, wherever the long text stands.
func TestTextsAreBounded(t *testing.T) {
	for _, begin := range []string{
		`{"a":"`, `{"kind":"`, `{"`, `{"a":[`, `{"items":[{"a":"`, `{"items":[{"a":[`, `{"items":["`, `{"items":[{"items":[{"a":{"b":"`, `{"items":[],"a":"`,
	} {
		texts := []string{"x", `\"`}
		if strings.HasSuffix(begin, "[") {
			texts = []string{"1,"}
		}
		for _, more := range texts[:min(len(texts), seeded.Sample(1, 2))] {
			in := &endless{begin: begin, more: strings.Repeat(more, 1<<15)}
			_, err := itemsOf(in)
			assert.ErrorIs(t, err, manifest.ErrSyntax, begin)
			assert.ErrorContains(t, err, "is longer than 8 MB", begin)
			assert.Less(t, in.read, 20<<20, "%s%s", begin, more)
		}
	}
}

// Lists that stand in lists are read as they come, however long they are.
func TestNestedListsAreNotKept(t *testing.T) {
	inner := strings.TrimSuffix(strings.Repeat(`{"kind":"A","a":"`+strings.Repeat("x", 1<<10)+`"},`, 10<<10), ",")
	for _, text := range []string{`{"kind":"List","items":[{"kind":"List","items":[`, `{"items":[{"items":[`} {
		n := 0
		require.NoError(t, manifest.Each(strings.NewReader(text+inner+`],"kind":"List"}]}`), func(it manifest.Item) error {
			assert.Equal(t, "A", it.Kind)
			n++
			return nil
		}))
		assert.Equal(t, 10<<10, n)
	}
}

func TestNestedLists(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"of their own kinds", `{"items":[{"kind":"List","items":[{"kind":"A"}]},{"kind":"B"}]}`, []string{`items[0].items[0] "A" {"kind":"A"}`, `items[1] "B" {"kind":"B"}`}},
		{"kind behind the items", `{"items":[{"items":[{"kind":"A"},{"a":1}],"kind":"CList"}]}`,
			[]string{`items[0].items[0] "A" {"kind":"A"}`, `items[0].items[1] "C" {"a":1}`}},
		{"no kind at all stays within its list", `{"items":[{"items":[{"a":1}]},{"b":1}],"kind":"CList"}`,
			[]string{`items[0].items[0] "" {"a":1}`, `items[1] "C" {"b":1}`}},
		{"something else that has items", `{"items":[{"kind":"Menu","items":[{"kind":"A"}]}]}`, []string{`items[0] "Menu" {"kind":"Menu","items":[{"kind":"A"}]}`}},
		{"something else without items", `{"items":[{"kind":"Menu","items":null},{"kind":"BlackList"}]}`,
			[]string{`items[0] "Menu" {"kind":"Menu","items":null}`, `items[1] "BlackList" {"kind":"BlackList"}`}},
		{"empty", `{"items":[{"kind":"List"},{"kind":"AList","items":null},{"kind":"AList","items":[]}]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := itemsOf(iotest.HalfReader(strings.NewReader(c.text)))
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}
