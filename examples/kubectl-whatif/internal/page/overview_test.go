package page

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/chrome"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// overview is an overview of so many nodes, of which the second goes and the
// first gets pods in place of others.
func overview(t require.TestingT, nodes int) Overview {
	c := &outrank.Cluster{}
	for i := range nodes {
		name := fmt.Sprintf("n%d", i+1)
		c.Nodes = append(c.Nodes, node(name, "cpu", "4"))
		c.Pods = append(c.Pods, pod("a"+name, name, 1, "cpu", "1"), pod("b"+name, name, 100, "cpu", "2"))
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	return Overview{
		Title: "What if?", Source: "a cluster", Headline: "Something happens", Summary: "Not much.", Snapshot: snap,
		Figures: []Figure{{"7", "things"}}, Caveats: []string{"beware"}, Now: clustergen.Now(),
		Leave: []Mark{{"default/an1", "leaves for default/new"}, {"default/bn2", "loses its node"}},
		Come:  []Arrival{{pod("new", "", 50, "cpu", "1"), "n1", "arrives"}, {pod("bn2", "", 100, "cpu", "1"), "n1", "arrives"}},
		Gone:  []string{"n2"},
		Tables: []Table{{
			Title: "Those who move", Note: "In order.", Columns: []Column{{"#", true}, {"Pod", false}, {"Outcome", false}},
			Rows: []TableRow{{[]string{"1", "default/new", "pushes out 1 pod"}, []string{"who leaves: default/an1"}}}, More: 3,
		}, {Title: "In words", Text: "first\n  then"}},
	}
}

func overviewPage(t require.TestingT, in Overview) string {
	var out bytes.Buffer
	require.NoError(t, WriteOverview(&out, in))
	return out.String()
}

var overviewMarks = regexp.MustCompile(`data-(victim|would|preemptor)="([^"]*)"`)

// markedIn are the pods that a page marks, by kind of mark.
func markedIn(page string) map[string][]string {
	out := map[string][]string{}
	for _, m := range overviewMarks.FindAllStringSubmatch(page, -1) {
		if list := out[m[1]]; len(list) == 0 || list[len(list)-1] != m[2] {
			out[m[1]] = append(list, m[2])
		}
	}
	return out
}

func TestOverview(t *testing.T) {
	page := overviewPage(t, overview(t, 3))
	assert.Equal(t, map[string][]string{"victim": {"default/bn2", "default/an2", "default/an1"}, "preemptor": {"default/new", "default/bn2"}}, markedIn(page),
		"who is on a node that goes leaves, too")
	for _, want := range []string{
		"<title>What if?</title>", "<h1>Something happens</h1>", "Not much.", "<dd>7</dd>", "beware",
		"cpu of node n1 before: 3 of 4 taken, 75\u00a0%, by 2 pods, of which 1 leaves",
		"cpu of node n1 after: 4 of 4 taken, 100\u00a0%, by 3 pods, of which 2 arrive",
		"default/an1 (leaves for default/new)\npriority 1", "1 pod leaves, 2 arrive",
		`<span class="tag">gone</span> with all that is on it`, `<span class="tag">unchanged</span>`,
		`<td role="cell" class="num" data-label="#">1</td><th role="rowheader" scope="row">default/new</th><td role="cell" data-label="Outcome">pushes out 1 pod<small>who leaves: default/an1</small></td>`, "And 3 more.",
		`<span class="step">first</span><span class="step">  then</span>`,
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "asked about", "nobody in particular is")

	in := overview(t, 3)
	in.May, in.Come, in.Gone = true, nil, nil
	page = overviewPage(t, in)
	assert.Equal(t, map[string][]string{"would": {"default/an1", "default/bn2"}}, markedIn(page), "nobody really leaves")
	assert.Contains(t, page, "1 pod could be pushed out")
	assert.NotContains(t, page, "after:")
}

// A cluster of many nodes is a field, with the nodes that change pulled out.
func TestLargeOverview(t *testing.T) {
	in := overview(t, 100)
	page := overviewPage(t, in)
	assert.Equal(t, 100, strings.Count(page, `<i class="i `)+strings.Count(page, `<a class="i `))
	assert.Equal(t, 2, strings.Count(page, `<tr role="row" id="node-`))
	assert.Contains(t, page, `<summary><b>98</b> nodes <span class="tag">unchanged</span> where nothing changes</summary>`)
	for i := range 50 {
		in.Leave = append(in.Leave, Mark{outrank.Key(fmt.Sprintf("default/bn%d", i+10)), ""})
	}
	page = overviewPage(t, in)
	assert.Equal(t, mostChanged, strings.Count(page, `<tr role="row" id="node-`))
	assert.Contains(t, page, "And 12 more nodes that change.")
}

// Names are text, whatever they contain.
func TestOverviewNames(t *testing.T) {
	in := overview(t, 2)
	for _, text := range names {
		in.Headline, in.Summary, in.Source, in.Title = text, text, text, text
		in.Leave[0].Note, in.Come[0].Note, in.Come[0].Pod.Name = text, text, text
		in.Caveats[0], in.Tables[0].Title, in.Tables[0].Rows[0].Cells[1], in.Tables[0].Rows[0].Notes[0] = text, text, text, text
		page := overviewPage(t, in)
		wellFormed(t, page)
		require.NotRegexp(t, turning, html.UnescapeString(page))
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOverviewErrors(t *testing.T) {
	assert.ErrorIs(t, WriteOverview(&bytes.Buffer{}, Overview{}), ErrNoSnapshot)
	broken := errors.New("broken")
	assert.ErrorIs(t, WriteOverview(failing{broken}, overview(t, 1)), broken)
	empty, err := engine.NewSnapshot(&outrank.Cluster{})
	require.NoError(t, err)
	wellFormed(t, overviewPage(t, Overview{Snapshot: empty}))
}

// Overviews in a browser: no complaint, nothing fetched, nothing wider than the
// window, everything legible.
func TestOverviewInBrowser(t *testing.T) {
	c := chrome.Start(t)
	for name, in := range map[string]Overview{"small overview": overview(t, 4), "large overview": overview(t, 300)} {
		c.Open([]byte(overviewPage(t, in)))
		for theme, features := range themes {
			for _, width := range []int{1200, 360} {
				c.Look(width, features...)
				fits(t, c, name, width)
				whole(t, c, name, width)
				c.Screenshot(fmt.Sprint(name, "-", theme, "-", width))
			}
			legible(t, c, name+" "+theme)
		}
		c.Silent(name)
	}
}

// Pods that move have the colour and the letter of the node that they come from, wherever they
// go; new ones and those that were pending have neither.
func TestPodsHaveTheColourOfTheirNode(t *testing.T) {
	in := overview(t, 3)
	page := overviewPage(t, in)
	assert.Contains(t, page, `<li><span class="letter from0">A</span><bdi>n2</bdi></li>`, "the legend")
	assert.Contains(t, page, `<span class="letter from0">A</span><bdi>n2</bdi></th>`, "the row")
	assert.Contains(t, page, `<g class="i comes from0" data-preemptor="default/bn2"><title>default/bn2 (arrives, from n2)`)
	assert.Contains(t, page, `<text class="mark"`)
	assert.Contains(t, page, `<g class="i comes" data-preemptor="default/new"><title>default/new (arrives)`)
	assert.Contains(t, page, `<g class="i stays"><title>default/bn1`, "who stays has no colour")
	assert.NotContains(t, page, `class="i low`)

	// Nodes without a letter of their own have the colour of arrivals, and the title names them.
	in = overview(t, 20)
	in.Leave, in.Come = nil, nil
	for i := range 10 {
		p := pod(fmt.Sprint("an", i+3), "", 1, "cpu", "1")
		for range min(1, i) {
			in.Come = append(in.Come, Arrival{p, "n1", "arrives"})
		}
		in.Leave = append(in.Leave, Mark{p.Key(), "leaves"})
	}
	page = overviewPage(t, in)
	assert.Equal(t, mostOrigins, strings.Count(page, `<li><span class="letter from`))
	assert.Contains(t, page, "(arrives, from n12)")
}

// The nodes that go come first, then those that most pods come to, then those that most leave.
func TestOrderOfOverview(t *testing.T) {
	in := overview(t, 100)
	in.Leave = append(in.Leave, Mark{"default/an50", ""}, Mark{"default/an60", ""}, Mark{"default/bn60", ""})
	in.Come = append(in.Come, Arrival{pod("more", "", 50, "cpu", "1"), "n70", "arrives"})
	var got []string
	for _, m := range regexp.MustCompile(`<tr role="row" id="node-\d+".*?<bdi>(n\d+)</bdi>`).FindAllStringSubmatch(overviewPage(t, in), -1) {
		got = append(got, m[1])
	}
	assert.Equal(t, []string{"n2", "n1", "n70", "n60", "n50"}, got)
}

// In a small cluster, too, nodes where nothing changes are a line that opens.
func TestUnchangedNodesAreALine(t *testing.T) {
	page := overviewPage(t, overview(t, 10))
	before, folded, ok := strings.Cut(page, `<details class="panel not-tried"><summary><b>8</b> nodes <span class="tag">unchanged</span> where nothing changes</summary>`)
	require.True(t, ok)
	assert.Equal(t, 2, strings.Count(before, `<tr role="row" id="node-`))
	assert.Equal(t, 8, strings.Count(folded, `<tr role="row" id="node-`))
	assert.NotContains(t, page, "<details open")
}

// An overview of 5,000 nodes with all of them changed, and all tables full, stays below three
// megabytes.
func TestLargeOverviewIsBounded(t *testing.T) {
	c, _, err := clustergen.Benchmark(5000, 30, 100)
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	in := overview(t, 1)
	in.Snapshot, in.Gone, in.Leave, in.Come = snap, nil, nil, nil
	for i, p := range c.Pods {
		if i%30 < 3 && p.NodeName != "" {
			in.Leave = append(in.Leave, Mark{p.Key(), "leaves for another one"})
			in.Come = append(in.Come, Arrival{p, c.Nodes[i%5000].Name, "arrives"})
		}
	}
	notes := []string{strings.Repeat("a reason ", 30)}
	in.Tables = nil
	for range 3 {
		table := Table{Title: "T", Columns: []Column{{"Pod", false}, {"Outcome", false}}}
		for range MostRows {
			table.Rows = append(table.Rows, TableRow{[]string{"namespace/pod", "stays pending"}, notes})
		}
		in.Tables = append(in.Tables, table)
	}
	page := overviewPage(t, in)
	assert.Less(t, len(page), 3_000_000)
	assert.Equal(t, 5000, strings.Count(page, `<i class="i `)+strings.Count(page, `<a class="i `))
	assert.Equal(t, mostChanged, strings.Count(page, `<tr role="row" id="node-`))
}

// An overview begins with the resource that most arrivals ask for, unless the caller names one.
func TestResourceOfOverview(t *testing.T) {
	in := overview(t, 3)
	first := func() string {
		return regexp.MustCompile(`id="by-\d" checked>([^<]*)<`).FindStringSubmatch(overviewPage(t, in))[1]
	}
	in.Come = []Arrival{{pod("a", "", 1, "cpu", "1", "memory", "1Gi"), "n1", ""}, {pod("b", "", 1, "cpu", "1", "example.com/gpu", "9"), "n1", ""}}
	assert.Equal(t, "cpu", first())
	in.Resource = "example.com/gpu"
	assert.Equal(t, "example.com/gpu", first())
	in.Resource, in.Come = "", []Arrival{{pod("a", "", 1), "n1", ""}}
	assert.Equal(t, "cpu", first())
}
