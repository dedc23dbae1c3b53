package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func each(text string) (out []string, err error) {
	err = Each(strings.NewReader(text), func(o Object) error {
		out = append(out, fmt.Sprintf("%s|%s|%s|%s|%s", o.APIVersion, o.Kind, o.Namespace, o.Name, o.Raw))
		return nil
	})
	return out, err
}

func TestEach(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"objects", `{"kind":"A","metadata":{"name":"x","namespace":"n"}} {"kind":"B","apiVersion":"g/v1"}`,
			[]string{`|A|n|x|{"kind":"A","metadata":{"name":"x","namespace":"n"}}`, `g/v1|B|||{"kind":"B","apiVersion":"g/v1"}`}},
		{"a list", `{"apiVersion":"v1","items":[{"kind":"A"},{"kind":"B"}],"kind":"List"}`, []string{`|A|||{"kind":"A"}`, `|B|||{"kind":"B"}`}},
		{"a list in a list", `{"kind":"List","items":[{"kind":"List","items":[{"kind":"A"}]}]}`, []string{`|A|||{"kind":"A"}`}},
		{"a list of one kind in a list", `{"kind":"List","items":[{"kind":"PodList","items":[{"metadata":{"name":"x"}}]},{"kind":"BlackList"}]}`,
			[]string{`|Pod||x|{"apiVersion":"","kind":"Pod","metadata":{"name":"x"}}`, `|BlackList|||{"kind":"BlackList"}`}},
		{"a list of one kind, told first", `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"x"}},{}]}`,
			[]string{`v1|Pod||x|{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}`, `v1|Pod|||{"apiVersion":"v1","kind":"Pod"}`}},
		{"a list of one kind, told last", `{"items":[{"metadata":{"name":"x"}}],"kind":"PodList"}`,
			[]string{`|Pod||x|{"apiVersion":"","kind":"Pod","metadata":{"name":"x"}}`}},
		{"an entry with a version of its own", `{"kind":"PodList","apiVersion":"v1","items":[{"apiVersion":"g/v1"}]}`,
			[]string{`g/v1|Pod|||{"apiVersion":"g/v1","kind":"Pod","apiVersion":"g/v1"}`}},
		{"an empty list", `{"kind":"List","items":[]} {"kind":"List","items":null}`, nil},
		{"items that are a field", `{"kind":"Menu","items":[{"kind":"A"}],"x":1}`, []string{`|A|||{"kind":"A"}`, `|Menu|||{"kind":"Menu","x":1}`}},
		{"what is no object", `{"kind":"List","items":[1]}`, []string{`||||1`}},
		{"fields of another type", `{"kind":1,"metadata":[]}`, []string{`||||{"kind":1,"metadata":[]}`}},
		{"nothing", " \n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := each(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestEachThatCannotBeUsed(t *testing.T) {
	for _, text := range []string{"{", `{"a":1`, "[]", "1", `{"items":1}`, `{"items":[`, `{"items":[{}`, `{"a":}`, "hello", `{"kind":"A"}}`} {
		_, err := each(text)
		assert.ErrorIs(t, err, ErrSyntax, text)
	}
	broken := errors.New("broken")
	assert.ErrorIs(t, Each(io.MultiReader(strings.NewReader(`{"a":`), failing{broken}), nil), broken)
	assert.ErrorIs(t, Each(strings.NewReader(`{"kind":"List","items":[{"kind":"A"}]}`), func(Object) error { return broken }), broken)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// merged is what files of these texts are as one.
func merged(t *testing.T, texts ...string) (string, error) {
	t.Helper()
	var names []string
	for i := range texts {
		names = append(names, fmt.Sprintf("f%d", i))
	}
	m := Merge(names, func(name string) (io.Reader, func() error, error) {
		var i int
		fmt.Sscanf(name, "f%d", &i)
		return strings.NewReader(texts[i]), func() error { return nil }, nil
	})
	r := m.Reader()
	defer r.Close()
	out, err := io.ReadAll(r)
	return string(out), err
}

func TestEachBoundsDepth(t *testing.T) {
	deep := strings.Repeat(`{"kind":"List","items":[`, 12) + strings.Repeat("]}", 12)
	_, err := each(deep)
	assert.ErrorContains(t, err, "lists stand in lists more than 10 deep")
}

func TestMerge(t *testing.T) {
	got, err := merged(t, `{"kind":"Pod","metadata":{"name":"a"},"x":1} {"kind":"Pod","metadata":{"name":"b"}}`,
		"kind: Pod\nmetadata:\n  name: a\nx: 1\n---\nkind: Pod\nmetadata:\n  name: a\n  namespace: ns\n---\nkind: Node\nmetadata:\n  name: a\n", `{"kind":"List","items":[]}`)
	require.NoError(t, err)
	assert.Equal(t, `{"kind":"Pod","metadata":{"name":"a"},"x":1}
{"kind":"Pod","metadata":{"name":"b"}}
{"kind":"Pod","metadata":{"name":"a","namespace":"ns"}}
{"kind":"Node","metadata":{"name":"a"}}
`, got, "the same pod once, and what only looks like it")

	_, err = merged(t, `{"kind":"Pod","metadata":{"name":"a","namespace":"n"}}`, `{"kind":"Pod","metadata":{"name":"a","namespace":"n"},"x":1}`)
	assert.EqualError(t, err, "f1: pod n/a is in f0, too, and not the same there: leave one of them out")

	got, err = merged(t, `{"kind":"A","metadata":{"name":"a"},"x":1} {"kind":"A","metadata":{"name":"b"}}`,
		`{"x" : 1, "metadata":{"name":"a"},"kind":"A"} {"metadata":{"name":"b"},"kind":"A"}`)
	require.NoError(t, err, "the same in another order")
	assert.Equal(t, 2, strings.Count(got, "\n"))

	got, err = merged(t, `{"kind":"A","metadata":{"name":"a"}}{"kind":"A","metadata":{"name":"a"},"x":1}`, "")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(got, "\n"), "within a file, the library finds them")

	got, err = merged(t, `{"kind":"A","apiVersion":"x/v1","metadata":{"name":"a"}}`, `{"kind":"A","apiVersion":"y/v1","metadata":{"name":"a"},"x":1}`)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(got, "\n"), "kinds of two groups")

	_, err = merged(t, "{}", "{")
	assert.ErrorContains(t, err, "f1: this cannot be read as JSON")
	_, err = merged(t, "{}", "a: 1\na: 2\n")
	assert.ErrorContains(t, err, `f1: YAML document 1, line 2: key "a" already set in map`)
}

// A reader that stops early leaves nothing running: the writer ends with it.
func TestMergeEndsEarly(t *testing.T) {
	ended := make(chan struct{})
	m := Merge([]string{"a"}, func(string) (io.Reader, func() error, error) {
		return strings.NewReader(strings.Repeat(`{"kind":"A"}`, 1000)), func() error { close(ended); return nil }, nil
	})
	r := m.Reader()
	_, err := r.Read(make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, r.Close())
	<-ended
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a.json", "c.yml", "d.txt", "e.json.gz", "sub/f.json", "empty/x.txt"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	in := func(names ...string) (out []string) {
		for _, name := range names {
			out = append(out, filepath.Join(dir, name))
		}
		return out
	}
	got, err := Expand([]string{dir}, false)
	require.NoError(t, err)
	assert.Equal(t, in("a.json", "b.yaml", "c.yml", "e.json.gz"), got)
	got, err = Expand([]string{dir}, true)
	require.NoError(t, err)
	assert.Equal(t, in("a.json", "b.yaml", "c.yml", "e.json.gz", "sub/f.json"), got)
	got, err = Expand(append(in("d.txt", "sub"), "-"), false)
	require.NoError(t, err, "a file that is named may be called anything")
	assert.Equal(t, append(in("d.txt", "sub/f.json"), "-"), got)

	_, err = Expand(in("empty"), false)
	assert.ErrorContains(t, err, "holds no file ending in .json, .yaml, .yml")
	_, err = Expand(append(in("a.json"), dir), false)
	assert.ErrorContains(t, err, "a.json is named twice")
	_, err = Expand(in("none"), false)
	assert.ErrorContains(t, err, "open "+filepath.Join(dir, "none")+": no such file")
}
