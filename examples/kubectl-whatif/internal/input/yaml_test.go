package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// converted is the JSON of a text.
func converted(t *testing.T, text string) (string, error) {
	t.Helper()
	r, err := JSON(iotest.HalfReader(strings.NewReader(text)))
	require.NoError(t, err)
	out, err := io.ReadAll(r)
	return string(out), err
}

func TestYAML(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"one object", "kind: Pod\nmetadata:\n  name: a\n", `{"kind":"Pod","metadata":{"name":"a"}}`},
		{"documents", "kind: A\n---\nkind: B\n--- # and\nkind: C\n", `{"kind":"A"} {"kind":"B"} {"kind":"C"}`},
		{"marks and nothing between", "---\n---\n# nothing\n---\nkind: A\n---\n\n---\n", `{"kind":"A"}`},
		{"an end mark", "kind: A\n...\n---\nkind: B\n...\n", `{"kind":"A"} {"kind":"B"}`},
		{"a directive", "%YAML 1.1\n---\nkind: A\n", `{"kind":"A"}`},
		{"comments first", "# a\n\n# b\nkind: A\n", `{"kind":"A"}`},
		{"a mark in a text", "kind: A\ndata:\n  x: |\n    ---\n    - b\n", `{"data":{"x":"---\n- b\n"},"kind":"A"}`},
		{"no line end", "kind: A", `{"kind":"A"}`},
		{"carriage returns", "kind: A\r\n---\r\nkind: B\r\n", `{"kind":"A"} {"kind":"B"}`},
		{"a byte order mark", "\ufeffkind: A\n", `{"kind":"A"}`},
		{"aliases", "a: &x {b: 1}\nc: *x\n", `{"a":{"b":1},"c":{"b":1}}`},

		// Numbers keep their values, and words have kubectl's meanings.
		{"numbers", "a: 0.1\nb: 9223372036854775807\nc: 18446744073709551615\nd: -1\ne: 1e3\nf: 0.30\ng: 1.5Gi\nh: \"1\"\n",
			`{"a":0.1,"b":9223372036854775807,"c":18446744073709551615,"d":-1,"e":1000,"f":0.3,"g":"1.5Gi","h":"1"}`},
		{"words", "a: yes\nb: \"no\"\nc: ~\nd: 012\n", `{"a":true,"b":"no","c":null,"d":10}`},
		{"keys that are numbers", "a:\n  8080: x\n  true: z\n", `{"a":{"8080":"x","true":"z"}}`},

		{"JSON is left alone", `{"b":1,  "a":2}`, `{"b":1,  "a":2}`},
		{"so is what is neither", "Error from server: no\n{}", "Error from server: no {}"},
		{"also in small letters", "error: no such context\n", "error: no such context"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := converted(t, tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, strings.TrimSpace(strings.ReplaceAll(got, "\n", " ")))
		})
	}
}

func TestYAMLThatCannotBeUsed(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'l'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	long := "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 70) + "]\n"
	for _, tt := range []struct{ name, text, want string }{
		{"a key twice", "kind: A\n---\nkind: B\nmetadata:\n  name: x\n  name: y\n", `YAML document 2, line 6: key "name" already set in map`},
		{"a tab", "kind: A\nx:\n\ty: 1\n", "YAML document 1, line 3: found character that cannot start any token"},
		{"a list", "kind: A\n---\n- a\n", "YAML document 2, from line 2 on: this is no object but a list"},
		{"a list first", "- a\n", "YAML document 1, from line 1 on: this is no object but a list"},
		{"a text", "---\nhello\n", "this is no object but a text"},
		{"more than memory holds", bomb, "YAML document 1, from line 1 on: its aliases make more than 4 MB of it"},
		{"long texts, many times", long, "its aliases make more than 4 MB of it"},
		{"an alias of itself", "a: &a\n  b: *a\n", "YAML document 1, from line 1 on: "},
		{"an alias of nothing", "a: *b\n", "unknown anchor 'b' referenced"},
		{"a list cut off", "kind: A\n---\napiVersion: v1\nitems:\n- kind: Pod\n  metadata:\n    name: x\n", "YAML document 2, from line 2 on: this list does not say its kind"},
		{"a list cut off in an entry", "items:\n- kind: Pod\n- kin", "from line 1 on: this list does not say its kind; kubectl writes that behind its entries"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := converted(t, tt.text)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestGzippedYAML(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte("kind: A\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	got, err := converted(t, zipped.String())
	require.NoError(t, err)
	assert.Equal(t, "{\"kind\":\"A\"}\n", got)
}

// A long list is taken apart without losing or moving anything.
func TestYAMLLists(t *testing.T) {
	entries := "- kind: A\n  data: |\n    - not an entry\n    ---x\n\n  more:\n  - 1\n  - 2\n# between\n-   kind: B\n    x: \"a\n      b\"\n-\n  kind: C\n- {kind: D}\n"
	indented := "  " + strings.ReplaceAll(strings.TrimSuffix(entries, "\n"), "\n", "\n  ") + "\n"
	for name, text := range map[string]string{
		"as kubectl writes it": "apiVersion: v1\nitems:\n" + entries + "kind: List\nmetadata:\n  resourceVersion: \"\"\n",
		"items last":           "apiVersion: v1\nkind: List\nitems:\n" + entries,
		"items first":          "items:\n" + entries + "kind: List\n",
		"indented":             "kind: List\nitems:\n" + indented + "metadata: {}\n",
		"documents":            "---\nitems:\n" + entries + "kind: List\n---\nkind: X\n---\nitems:\n" + entries + "kind: List\n...\n",
		"comments around":      "# a\nkind: List\nitems:\n# b\n" + entries + "# c\nmetadata: {}\n# d\n",
		"no list at all":       "kind: A\nmetadata:\n  name: b\n",
		"an empty list":        "kind: List\nitems: []\n",
		"a text named items":   "kind: A\nitems:\n  a: b\n",
	} {
		t.Run(name, func(t *testing.T) {
			var want []any
			for _, doc := range strings.Split("\n"+strings.ReplaceAll(text, "\n...\n", "\n"), "\n---\n") {
				var v any
				require.NoError(t, yaml.Unmarshal([]byte(doc), &v))
				if v != nil {
					want = append(want, v)
				}
			}
			for _, size := range []int{0, 40, 90, wholeDocument} {
				y := newYAML(bufio.NewReaderSize(strings.NewReader(text), 16))
				y.size = size
				var got []any
				for d := json.NewDecoder(y); ; {
					var v any
					err := d.Decode(&v)
					if err == io.EOF {
						break
					}
					require.NoError(t, err, size)
					got = append(got, v)
				}
				assert.Empty(t, cmp.Diff(want, got), size)
			}
		})
	}
}

func TestYAMLListsThatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a key twice", "kind: List\nitems:\n- a: 1\nkind: List\n", `from line 4 on: key "kind" already set`},
		{"a key twice in an entry", "kind: List\nitems:\n- a: 1\n- b: 1\n  b: 2\n", `line 5: key "b" already set in map`},
		{"cut off behind an entry", "apiVersion: v1\nitems:\n- a: 1\n- b: 1\n", "YAML document 1, from line 5 on: this list does not say its kind"},
		{"items twice", "items:\n- a: 1\nitems:\n- a: 1\n", `key "items" already set`},
		{"an alias of another entry", "kind: List\nitems:\n- a: &x 1\n- a: *x\n", "unknown anchor 'x' referenced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			y := newYAML(bufio.NewReader(strings.NewReader(tt.text)))
			y.size = 22
			_, err := io.ReadAll(y)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}
