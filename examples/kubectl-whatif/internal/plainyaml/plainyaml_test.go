package plainyaml

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The texts that kubectl writes need no parser, and mean what the parser says that they mean.
func TestPlainYAML(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"an object", "kind: Pod\nmetadata:\n  name: a\n"},
		{"a list in the column of its key", "a:\n- b: 1\n  c:\n  - d\n  - e: f\ng: h\n"},
		{"a list further to the right", "a:\n  - b\n  -   c: 1\n      d: 2\n  -\n    e: 3\nf: g\n"},
		{"lists in lists", "a:\n- - b\n  - c\n- - d\n"},
		{"nothing", "a:\nb:\n- \n- c\nd:\n"},
		{"empty values", "a: {}\nb: []\nc: \"\"\nd: ''\ne: null\n"},
		{"numbers", "a: 0\nb: 300\nc: -7\nd: 999999999999999999\n"},
		{"amounts", "a: 100m\nb: 128Mi\nc: 1.4.2\nd: 10.0.0.0/24\ne: 5Gi\nf: -Xmx1g\ng: --config=a\n"},
		{"identities", "a: 00000010-7d1c-4f0e-9a51-00000001eef0\nb: 12345678e-1-1-1\nc: containerd://1e-a\n"},
		{"words", "a: true\nb: false\nc: yesterday\nd: None\ne: offline\nf: /dev/null\ng: $(POD_NAME)\n"},
		{"quotes", "a: \"2026-01-10T08:00:00Z\"\nb: 'it''s: # a \"text\"'\nc: \"say \\\"no\\\"\\n\\tand \\\\ \"\n"},
		{"keys", "app.kubernetes.io/name: a\n\"8080\": b\n'true': c\nf:metadata: d\n"},
		{"keys that are not sorted", "b: 1\na:\n  d: 1\n  c: {}\nf10: 1\nf2: 1\n"},
		{"what JSON escapes", "a: x<y>&z\nb: a\\b\n"},
		{"a literal text", "a: |\n  one\n    two: 3\n\n  # three\n\n\nb: |-\n  end\n\nc: d\n"},
		{"a literal text at the end", "a: |\n  one\n"},
		{"spaces at the end", "a: b  \nc:  \n  d: e \n"},
		{"a colon in a word", "a: http://b:8080/c#d\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, err := yaml.YAMLToJSONStrict([]byte(tt.text))
			require.NoError(t, err)
			got, ok := new(Converter).JSON([]byte(tt.text))
			require.True(t, ok)
			assert.Equal(t, string(want), string(got))
		})
	}
}

// Whatever may mean something else is left to the parser.
func TestYAMLForTheParser(t *testing.T) {
	for _, text := range []string{
		"", "\n", "a", "a: b", "- a\n\n", "a: b\n\nc: d\n", "# a\nb: c\n", "a: b # c\n", "a: {b: c}\n", "a: [b]\n", "a: &b c\n", "a: *b\n", "a: !b c\n",
		"a: b\n  c\n", "- a\n  b\n", "a: \"b\n  c\"\n", "a: >\n  b\n", "a: |2\n  b\n", "a: |+\n  b\n", "a: |\n\n  b\n", "a: |\nb: c\n",
		"a: yes\n", "a: No\n", "a: ~\n", "a: 1.5\n", "a: 012\n", "a: 0x1f\n", "a: 1e3\n", "a: 1_000\n", "a: -0\n", "a: .5\n", "a: 1234567890123456789\n",
		"a: 2026-01-10\n", "a: 2026-01-10T08:00:00Z\n", "on: a\n", "8080: a\n", "<<: a\n", "? a\n", "a: b: c\n", "a: b:\n", "a: -\n", "a: - b\n", "---\na: b\n",
		"a: 1\na: 2\n", "b: 1\na: 2\nb: 3\n", "a:\n  b: 1\n c: 2\n", "a: 1\n  b: 2\n", "a:\n\tb: 1\n", "a : b\n", "a: \u00e4\n", "a: \"\\u00e4\"\n", "a: 'b\n", "a: 'b'c'\n",
		"a: \"b\" c\n", "a: b\r\n", "- a\nb: c\n", "a: 1\n- b\n", "a:\n- b\n c: d\n", "a: |\n  b\n c: d\n", "a: @b\n", "a: %b\n", "a: `b`\n",
		strings.Repeat("a", 2000) + ": b\n", strings.Repeat("- ", 1000) + "a\n",
	} {
		_, ok := new(Converter).JSON([]byte(text))
		assert.False(t, ok, "%q", text)
	}
}

// FuzzPlainYAML checks that what needs no parser means what the parser says.
func FuzzPlainYAML(f *testing.F) {
	for _, text := range []string{
		"a: b\nc:\n- d: 1\n  e: |\n    f\n- g\nh:\n  i: 'j'\n", "b: 1\na: \"x\\n\"\n", "- - a\n  - b\n-\n  c: d\n", "a: 1.2.3\nb: 0b1\nc: 1-2-3\nd: -a\n",
		"a: |-\n  b\n\n   c\n \nd:\n", "a:\n  - b\n  - c:\n", "a: 1e5\nb: 12e-4-4\nc: 0xfg\n", "a: b:c\nd: e#f\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := new(Converter).JSON([]byte(text))
		if !ok || len(text) > 2000 {
			return
		}
		want, err := yaml.YAMLToJSONStrict([]byte(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, string(want), string(got), "%q", text)
	})
}
