package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/chrome"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// The README and the sample are beside the folder of this package.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	m.Run()
}

// said is an answer of the program.
type said struct {
	Status         int
	Stdout, Stderr string
}

// native asks the program of this machine.
func native(t *testing.T, program string, args ...string) said {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return said{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// ready waits until the page has compiled the program.
const ready = `new Promise((done) => { const look = () => document.body.dataset.state === "loading" ? setTimeout(look, 20) : done(document.body.dataset.state); look(); })`

// answered waits until the page shows an answer.
const answered = `new Promise((done) => { const look = () => document.body.dataset.state !== "done" ? setTimeout(look, 20) : done({
	stdout: document.getElementById("text").textContent, stderr: document.getElementById("notes").textContent,
	state: document.getElementById("state").textContent, frame: document.getElementById("frame").srcdoc, saved: document.getElementById("save").download}); look(); })`

// quoted is a text as JavaScript writes it.
func quoted(t *testing.T, text string) string {
	t.Helper()
	q, err := json.Marshal(text)
	require.NoError(t, err)
	return string(q)
}

// The page gives the answers of the program, whether it is opened from the disk or comes from a
// server, fetches nothing, and the browser has nothing to say about it.
func TestPageInBrowser(t *testing.T) {
	c := chrome.Start(t)
	dir := t.TempDir()
	require.NoError(t, write(dir, "", "v0.9.0"))
	program := filepath.Join(t.TempDir(), "kubectl-whatif")
	require.NoError(t, exec.Command("go", "build", "-o", program, ".").Run())

	size := 0
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 5)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		size += packed.Len()
	}
	assert.Less(t, size, 10_000_000, "bytes, compressed")

	c.Visit("file://" + dir + "/index.html")
	var state string
	c.Eval(ready, &state)
	require.Equal(t, "ready", state)
	questions, err := offeredBy("README.md")
	require.NoError(t, err)
	require.Len(t, questions.Questions, 10)
	var offers []string
	c.Eval(`[...document.querySelectorAll("[data-line]")].map((b) => b.dataset.line)`, &offers)
	lines := []string{
		"kubectl whatif", "kubectl whatif -h", "kubectl whatif --sample pdb --trace", "kubectl whatif --sample affinity --exact", "kubectl whatif --pending all -o json",
		"kubectl whatif --cluster sample/cluster.json --report -o yaml", "kubectl whatif --cluster sample -f sample/deployment.yaml --exit-status",
		"kubectl whatif --pending shop/checkout-9", "kubectl whatif kueue --cluster sample/kueue.json -f sample/kueue-job.yaml", "kubectl whatif --cluster none.json", "kubectl whatif --nonsense",
		`kubectl whatif --cpu "1" -l 'a=b',c=d --why-not apps-a1`, "kubectl whatif --live",
	}
	require.Len(t, offers, len(questions.all()))
	for i, q := range questions.all() {
		assert.Equal(t, q.Line, offers[i])
	}
	lines = append(lines, offers...)
	for _, line := range lines {
		asked, _, _ := strings.Cut(line, " > ")
		var got said
		c.Eval("whatif.ask("+quoted(t, line)+")", &got)
		want := native(t, program, strings.Fields(strings.NewReplacer("kubectl whatif", "", `"`, "", `'`, "").Replace(asked))...)
		if strings.Contains(line, "--live") { // there is no kubectl in a browser
			assert.Equal(t, 2, got.Status)
			assert.Contains(t, got.Stderr, "kubectl is not installed here")
			continue
		}
		if strings.Contains(line, "none.json") { // systems word that differently
			assert.Equal(t, want.Status, got.Status)
			assert.Equal(t, strings.ToLower(want.Stderr), strings.ToLower(got.Stderr))
			continue
		}
		if strings.Contains(line, " -h") { // the number of processors is no part of the help
			assert.Equal(t, want.Stdout, got.Stdout)
			continue
		}
		assert.Equal(t, want, got, line)
	}
	c.Silent("the page from the disk")

	// The same from a server. Nothing beside the page itself comes from there.
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	c.Visit(server.URL + "/#--pending%20all")
	var shown struct{ Stdout, Stderr, State, Frame, Saved string }
	c.Eval(answered, &shown)
	assert.Equal(t, native(t, program, "--pending", "all").Stdout, shown.Stdout, "the question of the link")
	assert.Equal(t, "exit status 0", shown.State)
	assert.Equal(t, "whatif.txt", shown.Saved)
	own := c.Fetched()
	for _, url := range own {
		assert.Contains(t, []string{"/", "/style.css", "/program.js", "/worker.js", "/page.js"}, strings.TrimPrefix(strings.Split(url, "#")[0], server.URL))
	}
	assert.Len(t, own, 5)

	// A person chooses a question, then a page in place of the text.
	c.Eval(`document.querySelector("[data-line*='--without']").click(), "clicked"`, &state)
	c.Eval(answered, &shown)
	assert.Equal(t, native(t, program, "--without", "apps-a1,apps-b2").Stdout, shown.Stdout)
	c.Eval(`document.getElementById("form").value = "html", document.getElementById("form").dispatchEvent(new Event("change")), "chosen"`, &state)
	c.Eval(answered, &shown)
	assert.Equal(t, native(t, program, "--without", "apps-a1,apps-b2", "-o", "html").Stdout, shown.Frame)
	assert.Empty(t, shown.Stdout)
	assert.Equal(t, "whatif.html", shown.Saved)
	c.Screenshot("browser-page")

	// A dump that is opened is asked about, gzipped or not; what is no dump is an error.
	dump, err := os.ReadFile("sample/cluster.json")
	require.NoError(t, err)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(dump)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	// More than one piece is read of the last, which has a checksum of all its bytes.
	var pieces bytes.Buffer
	z, err = gzip.NewWriterLevel(&pieces, gzip.NoCompression)
	require.NoError(t, err)
	cluster, _, err := clustergen.Benchmark(150, 30, 5)
	require.NoError(t, err)
	require.NoError(t, kube.WriteCluster(z, cluster))
	require.NoError(t, z.Close())
	require.Greater(t, pieces.Len(), 1<<20)
	files := map[string][]byte{"dump.json": dump, "dump.json.gz": packed.Bytes(), "broken.json": dump[:len(dump)/2], "pieces.json.gz": pieces.Bytes()}
	for name, text := range files {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		var root struct{ Root struct{ NodeID int } }
		c.Ask("DOM.getDocument", nil, &root)
		var input struct{ NodeID int }
		c.Ask("DOM.querySelector", map[string]any{"nodeId": root.Root.NodeID, "selector": "#dump"}, &input)
		c.Call("DOM.setFileInputFiles", map[string]any{"files": []string{path}, "nodeId": input.NodeID})
		c.Eval(`document.getElementById("form").value = "text", document.getElementById("line").value = "kubectl whatif --cpu 1 --memory 1Gi --replicas 3", document.getElementById("question").requestSubmit(), "asked"`, &state)
		c.Eval(answered, &shown)
		cmd := exec.Command(program, "--cpu", "1", "--memory", "1Gi", "--replicas", "3", "--cluster", name)
		cmd.Dir = filepath.Dir(path)
		want, err := cmd.Output()
		assert.Equal(t, err == nil, strings.HasSuffix(shown.State, " 0"), name)
		assert.Equal(t, string(want), shown.Stdout, name)
	}
	for _, width := range []int{1200, 360} {
		c.Look(width)
		var wide bool
		c.Eval("document.documentElement.scrollWidth > innerWidth", &wide)
		assert.False(t, wide, "wider than the window of %d", width)
	}
	c.Silent("the page from a server")
}

// The same program makes the same page.
func TestPageIsTheSame(t *testing.T) {
	program := filepath.Join(t.TempDir(), "x.wasm")
	require.NoError(t, os.WriteFile(program, []byte("program"), 0o600))
	one, err := pageOf(program, "v0.9.0")
	require.NoError(t, err)
	two, err := pageOf(program, "v0.9.0")
	require.NoError(t, err)
	assert.Equal(t, one, two)
	assert.Contains(t, string(one["index.html"]), "kubectl-whatif</code> v0.9.0")
	assert.NotContains(t, string(one["index.html"]), "://")
	_, err = pageOf(program+"x", "v0.9.0")
	assert.Error(t, err)
}
