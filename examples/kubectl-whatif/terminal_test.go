package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// shown is the answer on a screen.
func shown(t *testing.T, s console.Screen, dump string, args ...string) string {
	t.Helper()
	opts, err := parse(args)
	require.NoError(t, err, args)
	var watch stopwatch
	scene, err := look(opts, strings.NewReader(dump), &bytes.Buffer{}, &watch)
	require.NoError(t, err, args)
	var r result
	if scene.ask == askPod {
		r, err = scene.decide(&watch)
	} else {
		r, err = scene.answered(nil)
	}
	require.NoError(t, err, args)
	var out bytes.Buffer
	require.NoError(t, write(console.Page{W: &out, Screen: s}, opts, r))
	return out.String()
}

// hostile are unlikely names that occur all the same.
var hostile = []string{
	"<script>alert(1)</script>", `"quoted" 'twice' & more`, "emoji-😀-👩‍👩‍👧", strings.Repeat("n", 253), "שלום-עולם", "日本語の名前",
	"bell\x07\x1b[2J\u202e", "two\nlines", "100%d%s", "",
}

// hostileDump has each of the names on a node, a pod that can leave, one that cannot, and a budget.
func hostileDump() string {
	items := []string{podItem("waits", "", 50, "1"), podItem(hostile[4], "", 40, "1"), podItem(hostile[6], "", 30, "9")}
	for i, name := range hostile {
		if name == "" {
			continue
		}
		items = append(items, nodeItem(name, "2"), podItem("v"+name, name, i, "1"), podItem("s"+name, name, 100, "1"),
			budgetItem("b"+name, "v"+name, 0))
	}
	items = append(items, classItem("high", 7, false))
	return listOf(items...)
}

var colorCodes = regexp.MustCompile("\x1b\\[(1|2|31|32|33|0)m")

// With any names, no line is wider than the terminal unless a single word is, and
// no control character comes through, in answers to all questions.
func TestHostileNamesOnTerminals(t *testing.T) {
	dump := hostileDump()
	for _, args := range []string{
		"--pending default/waits", "--pending default/waits --replacements 2", "--pending all", "--pending default/waits --replicas 3",
		"--pending default/waits --why-not " + hostile[5], "--pending default/waits --static --on-node " + hostile[5],
		"--set-class high=60", "--without " + hostile[5] + "," + hostile[4],
	} {
		for _, width := range []int{0, 60, 80, 132} {
			text := shown(t, console.Screen{Width: width, Color: true, Terminal: true}, dump, append(strings.Fields(args), "--cluster", "-")...)
			text = colorCodes.ReplaceAllString(text, "")
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if width > 0 && console.Width(line) > width {
					longest := 0
					for _, word := range strings.Fields(line) {
						longest = max(longest, console.Width(word))
					}
					assert.Greater(t, longest, width-30, "%s at %d: %s", args, width, line)
				}
				bad := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\u2068' && r != '\u2069' })
				assert.Negative(t, bad, "%s: %q", args, line)
				assert.Equal(t, strings.Count(line, "\u2068"), strings.Count(line, "\u2069"), "what turns around is kept in: %q", line)
			}
			require.NotContains(t, text, "%!", args)
		}
	}
}

// A narrow terminal shortens names in the middle, and a pipe and -o wide have them whole.
func TestWide(t *testing.T) {
	narrow := shown(t, console.Screen{Width: 72, Terminal: true}, "", "--list", "1")
	assert.Contains(t, narrow, "…")
	assert.NotContains(t, narrow, "apps-a2 ")
	for _, s := range []console.Screen{{Width: 72, Terminal: true}, {}} {
		wide := shown(t, s, "", "-o", "wide")
		assert.NotContains(t, wide, "…")
		for _, whole := range []string{
			"reports/exporter-5c7d8-mm2zx, nightly/reindex-29517-p8kfh, media/thumbnails-6b8f4-hs9cd\n", "apps-b2, apps-a1, apps-a2\n",
		} {
			assert.Contains(t, wide, whole)
		}
	}
	many := listOf(append(many(30, func(i int) string { return nodeItem(numbered("a-node-with-a-name", i), "1") }), podItem("x", numbered("a-node-with-a-name", 0), 1, "1"))...)
	assert.Contains(t, answered(t, many, "--cluster", "-", "--priority", "1"), " and 25 more")
	assert.Contains(t, answered(t, many, "--cluster", "-", "--priority", "1", "-o", "wide"), "a-node-with-a-name-29\n")
}
