package page

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// names are texts that try to be more than text.
var names = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='alert(1)`, `</style><style>*{display:none}`, `</title></svg><b>`,
	`<!--`, `-->`, `]]>`, `{{.Policy}}`, `javascript:alert(1)`, `url(#x)`, `&lt;&amp;&#x0;`, "\\u003cscript\\u003e",
	"🐘🦄👩‍👩‍👧‍👦", "שלום", "مرحبا-٣", "\u202eevil\u202c", "a\u2066b", "line\nbreak\ttab", "nul\x00", "bad\xff\xfe", "\ufeff",
	strings.Repeat("n", 253), strings.Repeat("ש", 253), strings.Repeat("<", 253), "",
}

// strange is a cluster in which everything has one of the names: two nodes, a
// victim, one that stays, a group of pods, classes and owners.
func strange(names ...string) (*outrank.Cluster, *outrank.Pod) {
	name := func(i int) string { return fmt.Sprint(names[i%len(names)], i) }
	c := &outrank.Cluster{}
	for i := range 5 {
		c.Nodes = append(c.Nodes, node(name(i), "cpu", "20", "example.com/"+name(i+1), "99"))
	}
	for i := range 6 * len(names) {
		p := pod(name(i), name(i%5), int32(i%7), "cpu", "1", "example.com/"+name(i%5+1), "1")
		p.Namespace, p.PriorityClassName = name(i+1), name(i+2)
		p.Labels = map[string]string{"app": "x"}
		p.Owner = outrank.Owner{Kind: name(i + 3), Name: name(i + 4)}
		c.Pods = append(c.Pods, p)
		if i < 20 {
			c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: name(i), Namespace: p.Namespace, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "x"}}})
		}
	}
	p := pod(name(2)+"-asks", "", 5, "cpu", "2", "example.com/"+name(1), "2")
	p.Namespace, p.PriorityClassName = name(3), name(4)
	return c, p
}

// Elements and attributes of a page.
var (
	knownTags = words(`html head meta title link style body a svg defs pattern rect path circle header p span h1 h2 h3 bdi dl div dt dd aside ul li main section
		figure figcaption b line text g table thead tbody tr th td small fieldset legend label input i details summary footer script`)
	knownAttributes = words(`lang dir charset http-equiv content name rel href class id width height aria-hidden aria-label aria-labelledby role patternUnits
		patternTransform x y cx cy r rx d dy x1 x2 y1 y2 transform data-victim data-would data-preemptor data-outcome tabindex type checked scope title hidden open data-label`)
)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

var (
	tagText       = regexp.MustCompile(`^<(/?)([A-Za-z0-9]+)((?: [A-Za-z0-9-]+(?:="[^"<>]*")?)*) ?/?>`)
	attributeText = regexp.MustCompile(` ([A-Za-z0-9-]+)(?:="([^"<>]*)")?`)
	entity        = regexp.MustCompile(`^&(?:#\d+|#x[0-9a-fA-F]+|[a-z]+);`)
)

// wellFormed checks that a page consists of known elements with known attributes
// alone, that they end in the right order, and that its own script and style are
// the only ones.
func wellFormed(t require.TestingT, page string) {
	body, ok := strings.CutPrefix(page, "<!doctype html>\n")
	require.True(t, ok)
	body = strings.Replace(body, "<style>"+string(style)+"</style>", "<style></style>", 1)
	body = strings.Replace(body, "<script>"+string(script)+"</script>", "<script></script>", 1)
	require.Equal(t, 1, strings.Count(body, "<script"), "scripts")
	require.Equal(t, 1, strings.Count(body, "<style"), "styles")
	var open []string
	for at := 0; at < len(body); {
		switch body[at] {
		case '&':
			require.Regexp(t, entity, body[at:min(len(body), at+20)])
			at++
		case '>':
			require.Fail(t, "a stray >", body[max(0, at-60):at+1])
			return
		case '<':
			m := tagText.FindStringSubmatch(body[at:])
			require.NotNil(t, m, "no tag: %q", body[at:min(len(body), at+200)])
			require.True(t, knownTags[m[2]], "element %s", m[2])
			open = follow(t, open, m)
			for _, a := range attributeText.FindAllStringSubmatch(m[3], -1) {
				require.True(t, knownAttributes[a[1]], "attribute %s of %s", a[1], m[0])
				if a[1] == "href" {
					require.Regexp(t, `^(#[a-z0-9-]+|data:,)$`, a[2])
				}
			}
			at += len(m[0])
		default:
			at++
		}
	}
	require.Empty(t, open)
}

// follow keeps account of the elements that are open. Those of the long table
// end where the next one begins.
func follow(t require.TestingT, open []string, tag []string) []string {
	name := tag[2]
	switch {
	case slices.Contains([]string{"meta", "link", "input"}, name), strings.HasSuffix(tag[0], "/>"):
		return open
	case tag[1] == "":
		return append(open, name)
	}
	for len(open) > 0 && open[len(open)-1] != name && slices.Contains([]string{"td", "th", "tr"}, open[len(open)-1]) {
		open = open[:len(open)-1]
	}
	require.NotEmpty(t, open, tag[0])
	require.Equal(t, open[len(open)-1], name, "ends in the wrong order")
	return open[:len(open)-1]
}

// turning matches characters that turn text around, which names must not smuggle in.
var turning = regexp.MustCompile("[\u202a-\u202e\u2066\u2067\u200e\u200f\x00-\x08\x0b-\x1f]")

func checkNames(t require.TestingT, in Input) {
	page := written(t, in)
	wellFormed(t, page)
	require.NotRegexp(t, turning, html.UnescapeString(page))
}

// Whatever names look like, they are text.
func TestNamesAreText(t *testing.T) {
	for i := range names {
		rotated := slices.Concat(names[i:], names[:i])
		c, p := strange(rotated...)
		in := decided(t, c, p)
		require.Equal(t, preemption.Preempts, in.Explanation.Outcome)
		in.Title, in.Source, in.Priority = rotated[0], rotated[1], rotated[2]
		in.Caveats, in.Hints = rotated, rotated
		checkNames(t, in)
	}
	for name, in := range cases(t) {
		t.Run(name, func(t *testing.T) { checkNames(t, in) })
	}
}

// In a cluster of many nodes, too.
func TestNamesInTheField(t *testing.T) {
	c, p := strange(names...)
	for i := range MostDetailed {
		c.Nodes = append(c.Nodes, node(fmt.Sprint(i, names[i%len(names)]), "cpu", "1"))
	}
	in := decided(t, c, p)
	require.Contains(t, written(t, in), `class="cells`)
	checkNames(t, in)
}

func FuzzNames(f *testing.F) {
	for i := range names {
		f.Add(names[i], names[(i+7)%len(names)], names[(i+13)%len(names)])
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		cluster, p := strange(a, b, c)
		if _, err := engine.NewSnapshot(cluster); err != nil {
			return // names that no snapshot takes
		}
		in := decided(t, cluster, p)
		in.Title, in.Source, in.Priority, in.Caveats = a, b, c, []string{a, b, c}
		checkNames(t, in)
	})
}

// A title that the page makes itself keeps a name apart that runs from right to
// left.
func TestTitleOfTurnedName(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "cpu", "1")}}
	in := decided(t, c, pod("שלום", "", 1, "cpu", "1"))
	require.Contains(t, written(t, in), "<title>Who leaves for \u2068default/שלום\u2069?</title>")
}

func TestPieces(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []piece
	}{
		{"", []piece{{Text: ""}}},
		{"all of it", []piece{{Text: "all of it"}}},
		{"node (שלום), then", []piece{{Text: "node "}, {Text: "("}, {Text: "שלום", Turned: true}, {Text: "), "}, {Text: "then"}}},
	} {
		require.Equal(t, tt.want, pieces(tt.in), tt.in)
	}
}

func TestClipped(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{{"short", 5, "short"}, {"web-7f9c-abcde", 9, "web-…bcde"}, {"größenwahn", 5, "gr…hn"}, {"a\nb", 9, `a\nb`}} {
		require.Equal(t, tt.want, clipped(tt.in, tt.most))
	}
}
