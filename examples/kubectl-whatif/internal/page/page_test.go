package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// decided is the input for a pod in a cluster.
func decided(t require.TestingT, c *outrank.Cluster, pod *outrank.Pod) Input {
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	ctx, now := context.Background(), clustergen.Now()
	e, err := eval.Explain(ctx, snap, preemption.Request{Pod: pod, Now: now})
	require.NoError(t, err)
	r, err := explain.Ask(ctx, explain.Question{Evaluator: eval, Snapshot: snap, Request: preemption.Request{Pod: pod, Now: now}, Plan: e}, explain.Options{Classes: c.Classes})
	require.NoError(t, err)
	in := Input{Source: "a cluster", Snapshot: snap, Explanation: e, Report: r, Now: now}
	if e.Outcome == preemption.Preempts {
		in.Replacements, err = explain.Replacements(ctx, explain.Question{Evaluator: eval, Snapshot: snap, Request: preemption.Request{Now: now}, Plan: plantest.Unexplained(e)}, explain.Options{Depth: 1})
		require.NoError(t, err)
	}
	return in
}

func written(t require.TestingT, in Input) string {
	var out bytes.Buffer
	require.NoError(t, Write(&out, in))
	return out.String()
}

// sample is the program's sample cluster with one of its pending pods.
func sample(t testing.TB, key outrank.Key) (*outrank.Cluster, *outrank.Pod) {
	f, err := os.Open("../../sample/cluster.json")
	require.NoError(t, err)
	defer f.Close()
	c, err := kube.ReadCluster(f)
	require.NoError(t, err)
	at := slices.IndexFunc(c.Pods, func(p *outrank.Pod) bool { return p.Key() == key })
	require.GreaterOrEqual(t, at, 0, key)
	return c, c.Pods[at]
}

func node(name string, offers ...string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList(append([]string{"pods", "10"}, offers...)...)}
}

func pod(name, on string, priority int32, asks ...string) *outrank.Pod {
	return &outrank.Pod{
		Name: name, NodeName: on, Priority: outrank.Priority(priority), Phase: outrank.PhaseRunning, StartTime: clustergen.Now().Add(-1e12),
		Containers: []outrank.Container{{Name: "c", Requests: resource.MustList(asks...)}},
	}
}

// deferred is a node with a pod that is to grow and has to wait for room.
func deferred(t require.TestingT, to string) (*outrank.Cluster, *outrank.Pod) {
	release, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	require.NoError(t, err)
	me := pod("me", "n1", 100, "cpu", to)
	me.ResizeDeferred = true
	me.Containers[0].AllocatedResources, me.Containers[0].Actual = resource.MustList("cpu", "2"), resource.MustList("cpu", "2")
	return &outrank.Cluster{
		Release: release, Nodes: []*outrank.Node{node("n1", "cpu", "4"), node("n2", "cpu", "8")},
		Pods: []*outrank.Pod{pod("a", "n1", 1, "cpu", "1"), pod("b", "n1", 1, "cpu", "1"), me},
	}, me
}

// together is a cluster in which a victim takes a pod on another node along.
func together(t require.TestingT) (*outrank.Cluster, *outrank.Pod) {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	a, b := pod("worker-0", "n1", 1, "cpu", "3"), pod("worker-1", "n2", 1, "cpu", "3")
	a.Group, b.Group = "training", "training"
	return &outrank.Cluster{
		Release: release, Nodes: []*outrank.Node{node("n1", "cpu", "4"), node("n2", "cpu", "4")},
		Pods:   []*outrank.Pod{a, b, pod("web", "n2", 500, "cpu", "1")},
		Groups: []*outrank.PodGroup{{Name: "training", DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(1)}},
	}, pod("urgent", "", 100, "cpu", "4")
}

// cases are the clusters of the page's tests, by their subject.
func cases(t testing.TB) map[string]Input {
	t.Helper()
	out := map[string]Input{}
	add := func(name string, c *outrank.Cluster, p *outrank.Pod) { out[name] = decided(t, c, p) }
	for name, key := range map[string]outrank.Key{"sample": "shop/checkout-2", "never": "ml/train-2", "hopeless": "reports/year-end-29517-j6tqs"} {
		c, p := sample(t, key)
		add(name, c, p)
	}
	steps := out["sample"]
	steps.Tables = []Table{
		{
			Title: "Step by step", Note: strings.Repeat("Put back one by one. ", 9), Columns: []Column{{Title: "#", Number: true}, {Title: "Pod"}, {Title: "Put back"}},
			Rows: []TableRow{{Cells: []string{"1", "shop/a-pod-with-a-long-name-5c7d8-mm2zx", "leaves"}, Notes: []string{strings.Repeat("NodeResourcesFit: cpu ", 9), "breaks a budget"}}}, More: 3,
		},
		{Title: "The ranks", Text: "Nothing is compared.\nNobody is out."},
	}
	out["steps"] = steps
	c, _ := sample(t, "shop/checkout-2")
	add("fits", c, pod("small", "", 100, "cpu", "100m"))
	may, _ := sample(t, "shop/checkout-2")
	might := pod("might", "", 100000, "cpu", "3", "memory", "8Gi")
	might.PreemptionPolicy = outrank.PreemptNever
	add("might", may, might)
	for name, to := range map[string]string{"resize": "3", "resize fits": "2", "resize too large": "5"} {
		c, p := deferred(t, to)
		add(name, c, p)
	}
	c, p := together(t)
	add("together", c, p)
	add("empty", &outrank.Cluster{}, pod("lonely", "", 0, "cpu", "1"))
	port := func(p *outrank.Pod) *outrank.Pod {
		p.Containers[0].Ports = []outrank.Port{{HostPort: 80, Protocol: "TCP"}}
		return p
	}
	add("nothing asked", &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "cpu", "4")}, Pods: []*outrank.Pod{port(pod("holder", "n1", 1)), pod("other", "n1", 1, "cpu", "1")},
	}, port(pod("wants", "", 5)))
	add("over", &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "cpu", "1")}, Pods: []*outrank.Pod{pod("a", "n1", 1, "cpu", "1"), pod("b", "n1", 9, "cpu", "9000000000000")},
	}, pod("wants", "", 5, "cpu", "1"))
	c, p = large(t)
	add("large", c, p)
	shape := clustergen.Shape{Nodes: 200, PodsPerNode: 9, Budgets: 20, Nominated: 20, Taints: true, Selectors: true, Ports: true, Affinity: true, Spread: true, Volumes: true}
	for seed := range uint64(3) {
		c, err := clustergen.Cluster(shape, seed)
		require.NoError(t, err)
		p, err := clustergen.Preemptor(shape, seed)
		require.NoError(t, err)
		add(fmt.Sprint("varied ", seed), c, p)
	}
	c, p = strange(names...)
	add("strange names", c, p)
	return out
}

// large is a cluster of 300 nodes, which are not drawn pod by pod.
func large(t require.TestingT) (*outrank.Cluster, *outrank.Pod) {
	c, p, err := clustergen.Benchmark(300, 20, 10)
	require.NoError(t, err)
	return c, p
}

// The outcomes that the cases have to reach.
func TestCasesAreWhatTheySay(t *testing.T) {
	all := cases(t)
	for name, want := range map[string]preemption.Outcome{
		"sample": preemption.Preempts, "never": preemption.NotEligible, "might": preemption.NotEligible, "hopeless": preemption.NothingHelps,
		"fits": preemption.Fits, "resize": preemption.Preempts, "resize fits": preemption.Fits, "resize too large": preemption.NothingHelps,
		"together": preemption.Preempts, "empty": preemption.NothingHelps, "nothing asked": preemption.Preempts, "large": preemption.Preempts,
		"strange names": preemption.Preempts,
	} {
		assert.Equal(t, want, all[name].Explanation.Outcome, name)
	}
	assert.True(t, slices.ContainsFunc(all["together"].Explanation.Victims, func(v preemption.Victim) bool { return v.Node == "n2" }))
	assert.NotEmpty(t, all["might"].Explanation.Candidates)
	assert.Positive(t, all["resize too large"].Report.Nothing.Nearest.Gone)
}

var marked = regexp.MustCompile(` data-(victim|would|preemptor)="([^"]*)"`)

// marks are the pods that the pictures of a page mark, by role.
func marks(page string) map[string][]string {
	out := map[string][]string{}
	pictures := regexp.MustCompile(`<tr[^>]*data-victim[^>]*>`).ReplaceAllString(page, "")
	for _, m := range marked.FindAllStringSubmatch(pictures, -1) {
		if !slices.Contains(out[m[1]], m[2]) {
			out[m[1]] = append(out[m[1]], m[2])
		}
	}
	return out
}

// victimKeys are the keys of a plan's victims, sorted.
func victimKeys(e *preemption.Plan) []string {
	var keys []string
	for i := range e.Victims {
		keys = append(keys, string(e.Victims[i].Pod.Key()))
	}
	slices.Sort(keys)
	return keys
}

// The pods that the pictures mark as victims are those of the plan, all of them,
// and nobody is one where nobody leaves.
func TestVictimsAreThoseOfThePlan(t *testing.T) {
	for name, in := range cases(t) {
		if name == "strange names" {
			continue // the browser reads them back
		}
		got := marks(written(t, in))
		slices.Sort(got["victim"])
		assert.Equal(t, victimKeys(in.Explanation), got["victim"], name)
		if in.Explanation.Outcome == preemption.Preempts {
			assert.Equal(t, []string{string(in.Explanation.Pod.Key())}, got["preemptor"], name)
			assert.Empty(t, got["would"], name)
		}
	}
}

// The drawn parts add up: before to the snapshot's account of the node, after to
// that without the victims and with the preemptor, and no pod is drawn twice.
func TestPartsAddUp(t *testing.T) {
	for name, in := range cases(t) {
		d := newMaker(&in)
		e := in.Explanation
		for _, m := range d.members {
			var c *preemption.Candidate
			if e.Outcome == preemption.Preempts {
				c = &e.Candidate
			}
			takes := c != nil && c.Node == m.node.Name
			for _, v := range d.views {
				before, after := d.parts(d.nodePodsOf(m.node.Name, c, takes), v.Name)
				used := in.Snapshot.Used(m.node.Name, v.Name)
				require.InDelta(t, float64(used), sum(before), 0, "%s: %s of %s before", name, v.Name, m.node.Name)
				freed, come := 0.0, 0.0
				known := map[*outrank.Pod]bool{}
				for _, p := range before {
					require.False(t, known[p.pod], "%s: %s twice", name, p.pod.Key())
					known[p.pod] = true
					if p.role == leaves {
						freed += float64(p.amount)
					}
					if takes && p.role == comes {
						come -= float64(p.amount)
					}
				}
				if takes {
					come += float64(d.needed(v.Name))
				}
				after = slices.DeleteFunc(after, func(p part) bool { return p.role == kept })
				require.InDelta(t, float64(used)-freed+come, sum(after), 0, "%s: %s of %s after", name, v.Name, m.node.Name)
			}
		}
	}
}

// Segments lie side by side, as wide as their amounts, and within the picture.
func TestSegmentsLieSideBySide(t *testing.T) {
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		require.NoError(t, err)
		return n
	}
	for name, in := range cases(t) {
		d := newMaker(&in)
		for _, s := range d.scenes() {
			for _, m := range s.Meters {
				for _, b := range m.Bars {
					at := 0.0
					for _, seg := range b.Segments {
						require.InDelta(t, at, number(seg.X), 0.02, name)
						at = number(seg.X) + number(seg.Width)
					}
					require.LessOrEqual(t, at, 100.02, name)
					if b.Lack != "" {
						require.InDelta(t, at, number(b.Full)+number(b.Lack), 0.03, name)
					}
				}
			}
		}
	}
}

// A name in a stripe is that of a pod, whole.
func TestNamesInStripesAreWhole(t *testing.T) {
	shown, left := 0, 0
	for name, in := range cases(t) {
		d := newMaker(&in)
		known := map[string]bool{}
		for p := range in.Snapshot.Pods() {
			known[screen.Safe(p.Name)] = true
		}
		known[screen.Safe(in.Explanation.Pod.Name)] = true
		for _, s := range d.scenes() {
			for _, m := range s.Meters {
				for _, b := range m.Bars {
					for _, seg := range b.Segments {
						switch {
						case seg.Text == "":
							left++
						case seg.Class != "kept" && seg.Class != "rest":
							shown++
							assert.True(t, known[seg.Text], "%s: %q is no pod", name, seg.Text)
						}
					}
				}
			}
		}
	}
	assert.Positive(t, shown)
	assert.Positive(t, left)
}

// Every page ends with what to do, and says it once.
func TestPagesEndWithWhatToDo(t *testing.T) {
	ends := func(name, page string) {
		at := strings.LastIndex(page, "<section")
		require.Positive(t, at, name)
		assert.Regexp(t, `^<section class="todo" aria-labelledby="todo"><h2 id="todo">What to do</h2><ul>(<li>.+</li>)+</ul></section>\n</main>`, page[at:], name)
		assert.Equal(t, 1, strings.Count(page, `class="todo"`), name)
	}
	all := cases(t)
	for name, in := range all {
		ends(name, written(t, in))
	}
	ends("overview", overviewPage(t, overview(t, 3)))
	for name, in := range all {
		if e := in.Explanation; in.Report.Leaving == nil && (e.Outcome == preemption.NotEligible || e.Outcome == preemption.NothingHelps) {
			assert.NotContains(t, written(t, in), "Nothing to do", "%s: the pod stays pending", name)
		}
	}
	for name, want := range map[string]string{
		"sample":           "Nothing to do if those pods may leave: kube-scheduler evicts them by itself.",
		"fits":             "Nothing to do: it starts on one of the ",
		"resize fits":      "Nothing to do: its kubelet carries the resize out.",
		"resize too large": "Nothing that was tried makes room for it: it stays pending.",
		"might":            "Give it a class without the preemption policy Never: evictions would make room on ",
	} {
		in := all[name]
		page := written(t, in)
		_, todo, _ := strings.Cut(page, `id="todo"`)
		assert.Contains(t, todo, want, name)
	}
}

// What makes room stands at the end, and not among what is missing as well.
func TestHelpIsSaidOnce(t *testing.T) {
	in := cases(t)["hopeless"]
	require.NotNil(t, in.Report.Nothing)
	in.Report.Nothing.Enough = &explain.Enough{Priority: 7, Trial: explain.Trial{Outcome: preemption.Fits}}
	page := html.UnescapeString(written(t, in))
	assert.Equal(t, 1, strings.Count(page, "Priority 7 would be enough, and 6 is not"))
	_, todo, _ := strings.Cut(page, `id="todo"`)
	assert.Contains(t, todo, "Priority 7 would be enough")
}

// The nodes that matter stand before those that are folded, the chosen one first, and the
// victims' part of a large cluster is there without a click.
func TestNodesThatMatterAreFirst(t *testing.T) {
	c, p := large(t)
	in := decided(t, c, p)
	page := written(t, in)
	matter, all := strings.Index(page, `<h2 id="cluster">The nodes that matter`), strings.Index(page, `<h2 id="all">All nodes, by what became of them`)
	require.Positive(t, matter)
	assert.Less(t, matter, all)
	rows := regexp.MustCompile(`<tr role="row" id="node-\d+" class="(\S+) `).FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, rows)
	assert.Equal(t, "chosen", rows[0][1])
	assert.NotContains(t, page, "<details open")
	for _, fold := range regexp.MustCompile(`(?s)<details class="panel.*?</details>`).FindAllString(page, -1) {
		assert.Regexp(t, `^<details class="panel [a-z-]+"><summary><b>[\d\x{202f}]+</b> nodes? <span class="tag">`, fold)
	}
	assert.Equal(t, 300, strings.Count(page, `class="i a`), "each node is in a fold")
}

// Of a small cluster a dozen nodes are shown at once, and the others are a line for each
// answer that opens to the same rows.
func TestManyNodesOfASmallClusterAreFolded(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range 50 {
		name := fmt.Sprint("n", i)
		c.Nodes = append(c.Nodes, node(name, "cpu", "2"))
		c.Pods = append(c.Pods, pod("p"+name, name, int32(i%2)*9, "cpu", "2"))
	}
	page := written(t, decided(t, c, pod("wants", "", 5, "cpu", "2")))
	before, folded, _ := strings.Cut(page, `<h2 id="all">The other nodes`)
	row := `<tr role="row" id="node-`
	assert.Equal(t, mostAtOnce, strings.Count(before, row))
	assert.Equal(t, 50-mostAtOnce, strings.Count(folded, row))
	assert.Contains(t, folded, `<details class="panel in-vain"><summary><b>25</b> nodes <span class="tag">no room</span>`)
	wellFormed(t, page)
}

// Same input, same bytes, and the input is only read.
func TestSameBytes(t *testing.T) {
	for name, in := range cases(t) {
		assert.Equal(t, written(t, in), written(t, in), name)
	}
}

// A page of a large cluster stays below two megabytes.
func TestLargePageIsBounded(t *testing.T) {
	c, p, err := clustergen.Benchmark(5000, 30, 100)
	require.NoError(t, err)
	in := decided(t, c, p)
	page := written(t, in)
	assert.Less(t, len(page), 2_000_000)
	assert.Equal(t, 5000, strings.Count(page, `class="i a`), "cells")
	got := marks(page)
	slices.Sort(got["victim"])
	assert.Equal(t, victimKeys(in.Explanation), got["victim"])
}

// More nodes than there are cells share cells, and the table is cut.
func TestCellsAreBounded(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range 2*mostCells + 1 {
		c.Nodes = append(c.Nodes, node(fmt.Sprint("n", i), "cpu", "1"))
	}
	page := written(t, decided(t, c, pod("wants", "", 5, "cpu", "2")))
	assert.LessOrEqual(t, strings.Count(page, `class="i a`), mostCells)
	for _, text := range []string{fmt.Sprintf("And %d more nodes.", mostCells+1), "n0 and 2 more nodes that are as full or less"} {
		assert.True(t, strings.Contains(page, text), text)
	}
}

// Many pods on a node are drawn as one, but never a victim.
func TestManyPodsOfANode(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("pods", "1000", "cpu", "10")}}}
	for i := range 990 {
		c.Pods = append(c.Pods, pod(fmt.Sprint("p", i), "n1", int32(i%2*10), "cpu", "10m"))
	}
	in := decided(t, c, pod("wants", "", 5, "cpu", "1"))
	require.Len(t, in.Explanation.Victims, 90)
	page := written(t, in)
	assert.Contains(t, page, "more pods</title>")
	got := marks(page)
	slices.Sort(got["victim"])
	assert.Equal(t, victimKeys(in.Explanation), got["victim"])
	assert.Less(t, len(page), 700_000)
}

// The resource that nodes are shown by at first is the caller's, if it plays a
// part.
func TestResourceShownFirst(t *testing.T) {
	c, p := sample(t, "shop/checkout-2")
	in := decided(t, c, p)
	for name, want := range map[resource.Name]string{"": "cpu", "memory": "memory", "cpu": "cpu", "unheard.of/x": "cpu"} {
		in.Resource = name
		assert.Regexp(t, `id="by-\d" checked>`+want+`<`, written(t, in), name)
	}
}

func TestIncomplete(t *testing.T) {
	c, p := sample(t, "shop/checkout-2")
	whole := decided(t, c, p)
	for name, spoil := range map[string]func(*Input){
		"snapshot":    func(in *Input) { in.Snapshot = nil },
		"explanation": func(in *Input) { in.Explanation = nil },
		"pod":         func(in *Input) { in.Explanation = &preemption.Plan{} },
		"report":      func(in *Input) { in.Report = nil },
	} {
		in := whole
		spoil(&in)
		var out bytes.Buffer
		require.ErrorIs(t, Write(&out, in), ErrIncomplete, name)
		assert.Zero(t, out.Len(), name)
	}
}

// An explanation of another snapshot makes a page about neither, and no panic.
func TestOtherSnapshot(t *testing.T) {
	c, p := sample(t, "shop/checkout-2")
	in := decided(t, c, p)
	other, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("elsewhere", "cpu", "1")}})
	require.NoError(t, err)
	in.Snapshot = other
	assert.Contains(t, written(t, in), "elsewhere")
	empty, err := engine.NewSnapshot(&outrank.Cluster{})
	require.NoError(t, err)
	in.Snapshot = empty
	assert.Contains(t, written(t, in), "shop/checkout-2")
}

type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriterFails(t *testing.T) {
	c, p := sample(t, "shop/checkout-2")
	require.ErrorIs(t, Write(full{}, decided(t, c, p)), errFull)
}
