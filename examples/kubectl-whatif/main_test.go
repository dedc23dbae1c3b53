package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
)

var update = flag.Bool("update", false, "write the golden files anew")

// whatif runs the program with a dump on standard input.
func whatif(dump string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, strings.NewReader(dump), &out, &err)
	return status, out.String(), err.String()
}

// answered runs the program where an answer is due, and nothing else.
func answered(t *testing.T, dump string, args ...string) string {
	t.Helper()
	status, stdout, stderr := whatif(dump, args...)
	if status != 0 || stderr != "" {
		t.Fatalf("whatif %q: status %d, standard error %q, want 0 and nothing", args, status, stderr)
	}
	return stdout
}

// parse reads a command line.
func parse(args []string) (opts *options, err error) {
	root := newCommand(func(o *options) error { opts = o; return nil })
	err = execute(root, args, streams{strings.NewReader(""), io.Discard, io.Discard})
	return opts, err
}

// answerOf returns the answer as -o json prints it.
func answerOf(t *testing.T, dump string, args ...string) *Answer {
	t.Helper()
	answered(t, dump, args...)
	opts, err := parse(args)
	if err != nil {
		t.Fatal(err)
	}
	s, err := look(opts, strings.NewReader(dump), io.Discard, new(stopwatch))
	if err != nil {
		t.Fatalf("whatif %q: %v", args, err)
	}
	d, err := s.decide(new(stopwatch))
	if err != nil {
		t.Fatalf("whatif %q: %v", args, err)
	}
	return newAnswer(d, opts.answer.list)
}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		file string
		args []string
	}{
		{"sample.txt", nil},
		{"sample.json", []string{"-o", "json"}},
		{"fits.txt", []string{"-cpu", "100m", "-class", "batch"}},
		{"never.txt", []string{"-pending", "ml/train-2"}},
		{"hopeless.txt", []string{"-pending", "reports/year-end-29517-j6tqs"}},
		{"one-zone.txt", []string{"-cpu", "6", "-memory", "12Gi", "-priority", "200000", "-node-selector", "topology.kubernetes.io/zone=eu-1a"}},
		{"short-list.txt", []string{"-list", "1"}},
		{"report.txt", []string{"--report"}},
		{"report.json", []string{"--report", "-o", "json"}},
		{"diff.txt", []string{"--diff", "sample/cluster.json", "--add-node", "apps-a1", "--set-class", "batch=300000"}},
		{"usage.txt", []string{"-h"}},
		{"kueue.txt", []string{"kueue"}},
		{"kueue.json", []string{"kueue", "-o", "json", "--kueue-config", "sample/kueue-config.yaml"}},
		{"kueue-waits.txt", []string{"kueue", "--kueue-config", "sample/kueue-config.yaml"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			got := answered(t, "", tt.args...)
			file := filepath.Join("testdata", tt.file+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("whatif %q, after a change that is meant run go test -update (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

// A report tells clusters apart by the exit status, a comparison only what got worse, and both
// are about the changes, too.
func TestReport(t *testing.T) {
	free, drain := "testdata/cases/free.yaml", "testdata/cases/drain.yaml"
	for _, tt := range []struct {
		args   string
		status int
		says   []string
	}{
		{"--report", exitStays, []string{"How does the sample cluster stand?", "4 pods are pending: 3 find no place", "media/transcoder-58c4d-vb9zk by media/transcoder"}},
		{"--cluster " + drain, exitStays, []string{"The drain of 1 of 2 nodes never ends.", "default/b by default/x"}},
		{"--cluster " + drain + "," + free, exitFits, []string{"No pod is pending.", "Every node can be drained by itself."}},
		{"--cluster " + drain + " --report --add-node n1", exitFits, []string{"after      --add-node n1", "Every node can be drained by itself."}},
		{"--cluster " + drain + " --diff " + drain, exitFits, []string{"Nothing in the report has changed."}},
		{"--cluster " + drain + " --diff " + drain + "," + free, exitStays, []string{"for the worse", "n2  leaves 1 pod without a place  leaves 2 pods without a place  worse"}},
		{"--diff sample/cluster.json --add-node apps-a1 --list 9", exitFits, []string{"apps-a1-new1  -", "none for the worse"}},
		{"--cluster " + drain + "," + free + " --diff " + drain + " --report", exitFits, []string{"none for the worse", "never empties: 1 pod held      leaves 1 pod without a place"}},
	} {
		status, stdout, stderr := whatif("", append(strings.Fields(tt.args), "--exit-status")...)
		if status != tt.status || stderr != "" {
			t.Errorf("whatif %s: status %d, want %d; standard error %q", tt.args, status, tt.status, stderr)
		}
		for _, text := range tt.says {
			if !strings.Contains(stdout, text) {
				t.Errorf("whatif %s does not say %q:\n%s", tt.args, text, stdout)
			}
		}
		if status, page, stderr := whatif("", append(strings.Fields(tt.args), "-o", "html")...); status != 0 || stderr != "" || !strings.Contains(page, "<html") {
			t.Errorf("whatif %s -o html: status %d, standard error %q", tt.args, status, stderr)
		}
	}
	for args, says := range map[string]string{
		"--report --pending all":                   "different questions",
		"--report --cpu 1":                         "--report asks about the whole cluster, and --cpu names a pod",
		"--diff nowhere.json":                      "--diff: open nowhere.json",
		"--diff=":                                  "--diff is empty",
		"--cluster - --diff -":                     "both read standard input",
		"--diff testdata/cases/dep5.yaml":          "the dump holds no nodes",
		"--report --diff sample/cluster.json -f x": "x",
	} {
		if status, stdout, stderr := whatif("", strings.Fields(args)...); status != exitUnusable || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("whatif %s: status %d and %q, want it to say %q", args, status, stderr, says)
		}
	}
}

// The sample is read on ordinary screens, and nothing in it wraps.
func TestSampleFitsTheScreen(t *testing.T) {
	for _, args := range [][]string{nil, {"-pending", "ml/train-2"}, {"-cpu", "2", "-memory", "4Gi"}, {"-h"}} {
		for line := range strings.Lines(answered(t, "", args...)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 110 {
				t.Errorf("whatif %q prints a line of %d columns: %s", args, n, line)
			}
		}
	}
}

func TestSameBytesTwice(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		want := answered(t, "", "-o", format, "-workers", "1")
		for _, workers := range []string{"1", "2", "7"} {
			if got := answered(t, "", "-o", format, "-workers", workers); got != want {
				t.Errorf("-o %s -workers %s differs from -workers 1:\n%s", format, workers, cmp.Diff(want, got))
			}
		}
	}
}

// A dump that was shuffled but for its nodes is the same cluster.
func TestOrderOfTheDumpMeansNothing(t *testing.T) {
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(sample, &list); err != nil {
		t.Fatal(err)
	}
	var nodes, rest []string
	for _, item := range list.Items {
		if strings.Contains(string(item), `"kind":"Node"`) {
			nodes = append(nodes, string(item))
		} else {
			rest = append([]string{string(item)}, rest...)
		}
	}
	args := []string{"-cluster", "-", "-pending", sampleQuestion}
	want := answered(t, string(sample), args...)
	if got := answered(t, listOf(append(rest, nodes...)...), args...); got != want {
		t.Errorf("whatif of a reversed dump (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// The library decides; the program only reports.
func TestVictimsAreThoseOfThePlan(t *testing.T) {
	want := planned(t)
	var inText, inJSON []string
	rows := regexp.MustCompile(`(?m)^ +\d+  (\S+/\S+) +-?\d+`)
	for _, m := range rows.FindAllStringSubmatch(answered(t, ""), -1) {
		inText = append(inText, m[1])
	}
	for _, v := range documentOf(t, "").Decision.Victims {
		inJSON = append(inJSON, v.Pod.key())
	}
	if diff := cmp.Diff(want, inText); diff != "" {
		t.Errorf("victims in the text (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, inJSON); diff != "" {
		t.Errorf("victims in the JSON (-want +got):\n%s", diff)
	}
	if len(want) < 2 {
		t.Errorf("the sample has %d victims, too few to show anything", len(want))
	}
}

func planned(t *testing.T) (victims []string) {
	t.Helper()
	c, err := kube.ReadCluster(bytes.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	snap, err := engine.NewSnapshot(c)
	if err != nil {
		t.Fatal(err)
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: c.Pod("shop", "checkout-2"), Now: clock.Of(c)})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range plan.Victims {
		victims = append(victims, string(v.Pod.Key()))
	}
	return victims
}

func TestGzip(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(sample); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	args := []string{"-cluster", "-", "-pending", sampleQuestion}
	want, got := answered(t, string(sample), args...), answered(t, zipped.String(), args...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("whatif of a gzipped dump (-want +got):\n%s", diff)
	}
}

func TestTimings(t *testing.T) {
	status, stdout, stderr := whatif("", "-timings")
	if status != 0 || stdout != answered(t, "") {
		t.Errorf("-timings changes the answer; status %d", status)
	}
	if want := `^whatif: loading took \d+\.\d+ s, indexing took \d+\.\d+ s, deciding took \d+\.\d+ s, explaining took \d+\.\d+ s\n$`; !regexp.MustCompile(want).MatchString(stderr) {
		t.Errorf("standard error %q, want %s", stderr, want)
	}
}

// Names come from a file; none may speak to the terminal.
func TestHostileNames(t *testing.T) {
	evil := "n\x1b[2J\u202e"
	dump := listOf(nodeItem(evil, "1"), podItem("v"+evil, evil, 1, "1"), podItem("p", "", 2, "1"),
		podItem("lost", "gone\x07", 1, "1"), `{"kind":"Odd\u001b","metadata":{"name":"x"}}`)
	status, stdout, stderr := whatif(dump, "-cluster", "-", "-pending", "default/p")
	if status != 0 {
		t.Fatalf("status %d, standard error %q", status, stderr)
	}
	for _, text := range []string{stdout, stderr} {
		if i := strings.IndexFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("a hidden character at %d of %q", i, text)
		}
	}
	if want := `vn\x1b[2J\u202e`; !strings.Contains(stdout, want) {
		t.Errorf("the victim is not shown as %s in:\n%s", want, stdout)
	}
	_, _, stderr = whatif(listOf(podItem("bad"+evil, evil, 1, "\x1b")), "-cluster", "-")
	if !strings.Contains(stderr, `pod default/badn\x1b[2J`) || strings.ContainsRune(stderr, '\x1b') {
		t.Errorf("a problem is told as %q", stderr)
	}
	doc := new(document)
	_, stdout, _ = whatif(dump, "-cluster", "-", "-pending", "default/p", "-o", "json")
	if err := json.Unmarshal([]byte(stdout), doc); err != nil || doc.Decision.Node != evil {
		t.Errorf("node %q, error %v; JSON keeps names as they are", doc.Decision.Node, err)
	}
}
