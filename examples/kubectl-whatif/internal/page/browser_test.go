package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/chrome"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// themes are what readers prefer.
var themes = map[string][]string{
	"light": {"prefers-color-scheme", "light"},
	"dark":  {"prefers-color-scheme", "dark"},
}

// The pages in a browser: no complaint, nothing fetched, the victims those of the
// plan, and nothing wider than the window, on screens and telephones, light and
// dark.
func TestInBrowser(t *testing.T) {
	c := chrome.Start(t)
	all := cases(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		in := all[name]
		page := written(t, in)
		c.Open([]byte(page))
		c.Silent(name)
		for theme, features := range themes {
			for _, width := range []int{1200, 1075, 890, 740, 700, 360} {
				c.Look(width, features...)
				fits(t, c, name, width)
				whole(t, c, name, width)
				if width != 1200 && width != 700 && width != 360 {
					continue
				}
				if width != 700 {
					c.Screenshot(name + "-" + theme + "-" + map[int]string{1200: "wide", 360: "narrow"}[width])
				}
			}
			legible(t, c, name+" "+theme)
		}
		c.Look(700)
		c.Call("Emulation.setEmulatedMedia", map[string]any{"media": "print", "features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}})
		fits(t, c, name+" on paper", 700)
		legible(t, c, name+" on paper")
		markedInBrowser(t, c, name, in.Explanation)
		c.Silent(name)
	}
}

// A cluster of 5,000 nodes in a browser.
func TestLargeInBrowser(t *testing.T) {
	cluster, p, err := clustergen.Benchmark(5000, 30, 100)
	require.NoError(t, err)
	in := decided(t, cluster, p)
	c := chrome.Start(t)
	c.Open([]byte(written(t, in)))
	for theme, features := range themes {
		for _, width := range []int{1200, 360} {
			c.Look(width, features...)
			fits(t, c, "5000", width)
			c.Screenshot(fmt.Sprint("5000-", theme, "-", width))
		}
		legible(t, c, "5000 "+theme)
	}
	markedInBrowser(t, c, "5000", in.Explanation)
	var cells int
	const seen = `[...document.querySelectorAll(".cells .i")].filter(e => e.checkVisibility() && e.getBoundingClientRect().width > 4).length`
	c.Eval(seen, &cells)
	assert.Zero(t, cells, "the nodes of an answer are a line")
	c.Eval(`document.querySelectorAll("details.panel").forEach(e => e.open = true) || 1`, new(any))
	c.Eval(seen, &cells)
	assert.Equal(t, 5000, cells, "that opens")
	fits(t, c, "5000, opened", 360)
	legible(t, c, "5000, opened")
	c.Silent("5000")
}

// fits checks that nothing is wider than the window.
func fits(t *testing.T, c *chrome.Browser, name string, width int) {
	var wide struct {
		Scroll, Client int
		What           []string
	}
	c.Eval(`({scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth,
		what: [...document.querySelectorAll("body *")].filter(e => e.id != "tip" && !e.closest((matchMedia("print").matches ? "" : ".scroll, ") + "svg, thead, .skip") && e.getBoundingClientRect().right > innerWidth + 1)
			.slice(0, 5).map(e => e.outerHTML.slice(0, 200))})`, &wide)
	assert.LessOrEqual(t, wide.Scroll, wide.Client, "%s is wider than %d: %s", name, width, wide.What)
	assert.Empty(t, wide.What, "%s reaches beyond %d", name, width)
}

// whole checks that each text in a stripe that is shown lies within its stripe.
func whole(t *testing.T, c *chrome.Browser, name string, width int) {
	var clipped []string
	c.Eval(`[...document.querySelectorAll(".bar .t, .bar .n, .bar .mark")].filter(e => e.checkVisibility() && getComputedStyle(e).display != "none").filter(e => {
			const box = e.parentElement.querySelector(":scope > .box").getBoundingClientRect(), own = e.getBoundingClientRect();
			const lack = e.closest(".bar").querySelector(".lack");
			return own.left < box.left - 0.5 || own.right > box.right + 0.5 || lack && e.closest("[data-preemptor]") && own.right > lack.getBoundingClientRect().left;
		}).map(e => e.textContent)`, &clipped)
	assert.Empty(t, clipped, "%s at %d: texts that are wider than their stripe", name, width)
}

// markedInBrowser checks the marked pods, in the pictures and in the table.
func markedInBrowser(t *testing.T, c *chrome.Browser, name string, e *preemption.Plan) {
	want := []string{}
	for _, key := range victimKeys(e) {
		want = append(want, screen.Safe(key))
	}
	slices.Sort(want)
	for _, where := range []string{"svg", ".victims tr"} {
		got := []string{}
		c.Eval(`[...new Set([...document.querySelectorAll("`+where+` [data-victim], `+where+`[data-victim]")].map(e => e.dataset.victim))]`, &got)
		slices.Sort(got)
		assert.Equal(t, want, got, "%s: victims in %s", name, where)
	}
	// A hatched pod is a victim, and has a size in one of the pictures of the
	// chosen node.
	var unseen []string
	c.Eval(`[...new Set([...document.querySelectorAll(".scene [data-victim]")].map(e => e.dataset.victim))]
		.filter(v => ![...document.querySelectorAll(".scene [data-victim]")].some(e => e.dataset.victim == v && e.querySelector(".hatch").getBoundingClientRect().width > 0))`, &unseen)
	assert.Empty(t, unseen, name)
}

// contrast is a function in the page: it lists texts with too little contrast to
// their background.
const contrast = `(() => {
	const rgb = s => { const m = s.match(/[\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1]; };
	const light = c => { const f = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const behind = e => {
		for (; e; e = e.parentElement) {
			if (e.namespaceURI.endsWith("svg")) {
				const box = e.parentElement && e.tagName != "svg" && e.parentElement.querySelector(":scope > .box");
				if (e.classList.contains("n")) return rgb(getComputedStyle(e.parentElement.querySelector(".chip")).fill);
				if (e.closest(".leaves")) return rgb(getComputedStyle(e).stroke); // text on a hatch has an edge of its own
				if (box && getComputedStyle(box).fill.startsWith("rgb")) return rgb(getComputedStyle(box).fill);
				continue;
			}
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c[3] == 1) return c;
		}
		return [255, 255, 255];
	};
	const out = {};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; n = walker.nextNode();) {
		const e = n.parentElement;
		if (!n.data.trim() || e.closest("script, style, title, [hidden]") || !e.checkVisibility()) continue;
		const style = getComputedStyle(e), front = rgb(e.namespaceURI.endsWith("svg") ? style.fill : style.color);
		const r = ratio(front, behind(e));
		const key = (e.getAttribute("class") || e.tagName) + " in " + (e.parentElement.getAttribute("class") || e.parentElement.tagName);
		if (r < 4.5) out[key] = r;
	}
	return out;
})()`

// legible checks that all texts stand out from their background.
func legible(t *testing.T, c *chrome.Browser, name string) {
	var faint map[string]float64
	c.Eval(contrast, &faint)
	assert.Empty(t, faint, "%s: texts with a contrast below 4.5", name)
}

// By the keyboard: the first stop skips the pictures, the arrow keys go from pod
// to pod and name each, and a letter leads to its node.
func TestKeyboard(t *testing.T) {
	c := chrome.Start(t)
	cluster, p := sample(t, "shop/checkout-2")
	c.Open([]byte(written(t, decided(t, cluster, p))))
	c.Look(1200)
	var text string
	c.Press("Tab")
	c.Eval(`document.activeElement.textContent`, &text)
	assert.Equal(t, "Skip the pictures: the answer in words", text)
	c.Press("Tab")
	c.Eval(`document.activeElement.getAttribute("aria-label")`, &text)
	assert.Equal(t, "cpu of node apps-b2 before: 7.2 of 7.8 taken, 92\u00a0%, by 7 pods, of which 3 leave", text)
	tip := func() string { c.Eval(`tip.hidden ? "" : tip.textContent`, &text); return text }
	assert.Contains(t, tip(), "priority 2000")
	c.Press("End")
	assert.Contains(t, tip(), "media/thumbnails-6b8f4-hs9cd (leaves, is terminating already)\npriority 100, batch\ncpu 1.2, memory 2Gi")
	c.Press("ArrowLeft")
	assert.Contains(t, tip(), "nightly/reindex-29517-p8kfh (leaves)")
	c.Press("Escape")
	assert.Empty(t, tip())
	c.Silent("the keyboard")
}

// The pointer shows the pod below it, and the resource can be chosen.
func TestPointerAndChoice(t *testing.T) {
	c := chrome.Start(t)
	cluster, p := sample(t, "shop/checkout-2")
	c.Open([]byte(written(t, decided(t, cluster, p))))
	c.Look(1200)
	var at struct{ X, Y float64 }
	c.Eval(`(r => ({x: r.x + r.width / 2, y: r.y + r.height / 2}))(document.querySelector("[data-preemptor] rect").getBoundingClientRect())`, &at)
	c.Call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y})
	var text string
	c.Eval(`tip.hidden ? "" : tip.textContent`, &text)
	assert.Contains(t, text, "shop/checkout-2 (the pod that is asked about)\npriority 100000, production")
	shares := func() string {
		c.Eval(`[...document.querySelectorAll(".taken")].map(e => e.innerText.trim().split("\n")[0]).join(" ")`, &text)
		return text
	}
	assert.Equal(t, "92 % 96 % 95 % 92 % 90 % 37 % 77 % 53 %", strings.ReplaceAll(shares(), "\u00a0", " "))
	c.Eval(`document.getElementById("by-1").click() || 1`, new(any))
	byMemory := shares()
	assert.Regexp(t, `^94.% (\d+.% ){6}\d+.%$`, byMemory)
	c.Eval(`document.getElementById("by-z").click() || 1`, new(any))
	assert.NotEqual(t, byMemory, shares())
	assert.Contains(t, text, "96\u00a0%")
	c.Silent("the choice")
}

// For a screen reader pictures have names and tables have headings, and without
// the script, in forced colours and on paper all of it is there.
func TestOtherReaders(t *testing.T) {
	c := chrome.Start(t)
	cluster, p := large(t)
	in := decided(t, cluster, p)
	c.Open([]byte(written(t, in)))
	var problems []string
	c.Eval(`[...document.querySelectorAll("svg")].filter(e => !e.closest("[aria-hidden=true]") && !e.parentElement.closest("svg") && !e.getAttribute("aria-label")).map(e => e.outerHTML.slice(0, 99))
		.concat([...document.querySelectorAll("table")].filter(e => !e.querySelector("thead th")).map(e => "a table without headings"))
		.concat([...document.querySelectorAll("[aria-labelledby]")].filter(e => !document.getElementById(e.getAttribute("aria-labelledby"))).map(e => "a label that is missing"))
		.concat([...document.querySelectorAll("[id]")].map(e => e.id).filter((id, i, all) => all.indexOf(id) != i))
		.concat([...document.querySelectorAll("a[href^='#']")].filter(e => !document.querySelector(e.getAttribute("href"))).map(e => "a link to nowhere"))`, &problems)
	assert.Empty(t, problems)
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
		}
	}
	c.Ask("Accessibility.getFullAXTree", nil, &tree)
	roles := map[any]int{}
	for _, n := range tree.Nodes {
		if !n.Ignored {
			roles[n.Role.Value]++
		}
	}
	assert.Equal(t, 1, roles["main"])
	assert.Equal(t, 3, roles["table"], "victims, nodes that matter and candidates; that of all nodes is folded")
	assert.Greater(t, roles["rowheader"], 10)
	var seen int
	for _, emulated := range []map[string]any{
		{"media": "screen", "features": []map[string]string{{"name": "forced-colors", "value": "active"}}},
		{"media": "print", "features": []map[string]string{}},
	} {
		c.Call("Emulation.setEmulatedMedia", emulated)
		c.Eval(`[...document.querySelectorAll(".hatch")].filter(e => e.checkVisibility() && getComputedStyle(e).fill.includes("#hatch")).length`, &seen)
		assert.Positive(t, seen, "hatches")
		c.Eval(`new Set([...document.querySelectorAll(".cells .i")].map(e => getComputedStyle(e).backgroundColor)).size`, &seen)
		assert.GreaterOrEqual(t, seen, 1)
	}
	c.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	c.Open([]byte(written(t, in)))
	c.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	c.Eval(`[...document.querySelectorAll(".walk .i")].filter(e => !(e.querySelector("title") || e.title)).length`, &seen)
	require.Zero(t, seen, "without the script the browser shows the names")
	c.Silent("the other readers")
}
