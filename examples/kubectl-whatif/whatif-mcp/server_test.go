package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// programs is a folder with kubectl-whatif and this program, as a release has them.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if programs, err = os.MkdirTemp("", "whatif-mcp"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(programs)
		for name, folder := range map[string]string{"kubectl-whatif": "..", "whatif-mcp": "."} {
			cmd := exec.Command("go", "build", "-o", filepath.Join(programs, name), ".")
			cmd.Dir = folder
			if text, err := cmd.CombinedOutput(); err != nil {
				panic(fmt.Sprintf("%v\n%s", err, text))
			}
		}
		return m.Run()
	}())
}

// usual are the settings of the command line.
func usual() *server {
	return &server{program: filepath.Join(programs, "kubectl-whatif"), most: 1 << 20, patience: time.Minute}
}

// connected is a client of a server in this process.
func connected(t *testing.T, s *server) *mcp.ClientSession {
	t.Helper()
	require.NoError(t, s.check())
	there, here := mcp.NewInMemoryTransports()
	_, err := s.serve().Connect(t.Context(), there, nil)
	require.NoError(t, err)
	return client(t, here)
}

func client(t *testing.T, over mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), over, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// called calls a tool, and returns its text and whether that is an error.
func called(t *testing.T, c *mcp.ClientSession, tool string, arguments any) (string, bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err, tool)
	require.Len(t, r.Content, 1)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// direct is what the program itself writes, beside a file text-1 with the deployment.
func direct(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "kubectl-whatif"), append(args, "-o", "json")...)
	cmd.Dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, "text-1"), []byte(deployment), 0o600))
	cmd.Stdin = strings.NewReader(stdin)
	text, err := cmd.Output()
	require.NoError(t, err, args)
	return string(text)
}

type object = map[string]any

const deployment = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"replicas": 2,
"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
"spec": {"containers": [{"name": "a", "image": "x", "resources": {"requests": {"cpu": "500m", "memory": "256Mi"}}}]}}}}`

// cases are questions about the sample, and what the program is asked for the same answer.
var cases = []struct {
	tool      string
	arguments object
	question  string // of the answer, empty for that about one pod
	args      string // MANIFEST stands for a file with the deployment
}{
	{"pod", object{"pending": "shop/checkout-2"}, "", "--pending shop/checkout-2"},
	{"pod", object{"pending": "shop/checkout-2", "replacements": 2, "exact": true, "trace": true}, "", "--pending shop/checkout-2 --replacements 2 --exact --trace"},
	{"pod", object{"cpu": "2", "memory": "4Gi", "class": "standard", "namespace": "shop", "labels": object{"app": "x", "b": "c"}, "tolerations": []string{"dedicated=gpu:NoSchedule"},
		"requests": object{"nvidia.com/gpu": "1"}, "list": 0}, "",
		"--cpu 2 --memory 4Gi --class standard -n shop -l app=x,b=c --toleration dedicated=gpu:NoSchedule --request nvidia.com/gpu=1 --list 0"},
	{"pod", object{"changes": []object{{"manifests": deployment}}, "one": true}, "", "-f MANIFEST --one"},
	{"pod", object{"sample": "pdb"}, "", "--sample pdb"},
	{"pending", object{}, "pending", "--pending all"},
	{"pending", object{"namespace": "shop", "changes": []object{{"without": "apps-a1"}}}, "pending", "--without apps-a1 --pending all -n shop"},
	{"replicas", object{"pending": "shop/checkout-2", "replicas": 3}, "replicas", "--pending shop/checkout-2 --replicas 3"},
	{"why_not", object{"pending": "shop/checkout-2", "node": "gpu-b1"}, "whyNot", "--pending shop/checkout-2 --why-not gpu-b1"},
	{"on_node", object{"cpu": "1", "memory": "1Gi", "node": "apps-a1", "static": true}, "onNode", "--cpu 1 --memory 1Gi --on-node apps-a1 --static"},
	{"across", object{"pending": "shop/checkout-2"}, "across", "--pending shop/checkout-2 --across"},
	{"more_nodes", object{"node": "apps-a1"}, "moreNodes", "--more-nodes apps-a1"},
	{"least_priority", object{"pending": "shop/checkout-2"}, "leastPriority", "--pending shop/checkout-2 --least-priority"},
	{"largest", object{"cpu": "1", "memory": "1Gi", "priority": 100000}, "largest", "--cpu 1 --memory 1Gi --priority 100000 --largest"},
	{"emptiable", object{"nodes": "all"}, "emptiable", "--emptiable all"},
	{"why_preempted", object{"pod": "reports/exporter-5c7d8-mm2zx"}, "whyPreempted", "--why-preempted reports/exporter-5c7d8-mm2zx"},
	{"change", object{"changes": []object{{"setClass": "batch=200000"}}}, "classes", "--set-class batch=200000"},
	{"change", object{"changes": []object{{"without": "apps-a1"}, {"without": "apps-b2"}}}, "without", "--without apps-a1,apps-b2"},
	{"change", object{"changes": []object{{"addNode": "apps-a1=2"}, {"manifests": deployment}, {"delete": "shop/checkout-0"}, {"setBudget": "media/transcoder=0"},
		{"resize": "shop/checkout-1=cpu=3"}, {"recreate": true}}}, "change",
		"--add-node apps-a1=2 -f MANIFEST --delete shop/checkout-0 --set-budget media/transcoder=0 --resize shop/checkout-1=cpu=3 --recreate"},
	{"report", object{"release": "v1.36"}, "report", "--report --release v1.36"},
}

// The answers are those of the program, and every question has a tool.
func TestAnswersOfTheProgram(t *testing.T) {
	c := connected(t, usual())
	asked := map[string]bool{"group": true, "diff": true} // of the pod where groups are scheduled as one; and in a test of its own
	for _, q := range cases {
		text, failed := called(t, c, q.tool, q.arguments)
		require.False(t, failed, "%s %v: %s", q.tool, q.arguments, text)
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, []byte(direct(t, "", strings.Fields(strings.ReplaceAll(q.args, "MANIFEST", "text-1"))...))))
		assert.Equal(t, want.String(), text, "%s %v", q.tool, q.arguments)
		var answer struct{ Question string }
		require.NoError(t, json.Unmarshal([]byte(text), &answer))
		assert.Equal(t, q.question, answer.Question, "%s %v", q.tool, q.arguments)
		asked[answer.Question] = true
	}
	source, err := os.ReadFile("../inquiry.go")
	require.NoError(t, err)
	questions := regexp.MustCompile(`(?m)^\task\w+ +(?:inquiry )?= "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	require.Len(t, questions, 17)
	for _, m := range questions {
		assert.True(t, asked[m[1]] || m[1] == "pod" && asked[""], "no tool asks the question %s", m[1])
	}
}

// All tools say of themselves that they only read, and what each field means.
func TestToolsAreDescribed(t *testing.T) {
	c := connected(t, usual())
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	used := map[string]bool{"diff": true}
	for _, q := range cases {
		used[q.tool] = true
	}
	require.Len(t, list.Tools, len(used))
	for _, tool := range list.Tools {
		assert.True(t, used[tool.Name], tool.Name)
		require.NotNil(t, tool.Annotations, tool.Name)
		assert.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
		assert.Regexp(t, `^[A-Z].*\?$`, tool.Annotations.Title)
		assert.Greater(t, len(tool.Description), 60, tool.Name)
		schema := tool.InputSchema.(map[string]any)
		assert.Equal(t, false, schema["additionalProperties"], tool.Name)
		for name, field := range schema["properties"].(map[string]any) {
			assert.NotEmpty(t, field.(map[string]any)["description"], "%s of %s", name, tool.Name)
		}
	}
	assert.Contains(t, c.InitializeResult().Instructions, "Nothing is changed anywhere")
}

// sampleDump is the sample as a dump.
func sampleDump(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../sample/cluster.json")
	require.NoError(t, err)
	return string(text)
}

// A dump comes as text, as a file of the folder, or from the command line; the answer is the same.
func TestPlaces(t *testing.T) {
	dump := sampleDump(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "now.json"), []byte(dump), 0o600))
	want := direct(t, dump, "--cluster", "-", "--pending", "all")
	var short bytes.Buffer
	require.NoError(t, json.Compact(&short, []byte(want)))
	s := usual()
	s.files = dir
	c := connected(t, s)
	for _, place := range []object{{"dump": dump}, {"cluster": "now.json"}} {
		text, failed := called(t, c, "pending", place)
		require.False(t, failed, text)
		assert.Equal(t, short.String(), text)
	}
	s = usual()
	s.cluster = filepath.Join(dir, "now.json")
	text, failed := called(t, connected(t, s), "pending", object{})
	require.False(t, failed, text)
	assert.Contains(t, text, `"question":"pending"`)

	// What has changed since another dump.
	before := strings.Replace(dump, `"value": 100000`, `"value": 100001`, 1)
	text, failed = called(t, c, "diff", object{"cluster": "now.json", "before": before})
	require.False(t, failed, text)
	assert.Contains(t, text, `"question":"diff"`)
}

// A question reaches no file beside those of the folder, and none without one.
func TestNoOtherFiles(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.json")
	require.NoError(t, os.WriteFile(outside, []byte(sampleDump(t)), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.json")))
	s := usual()
	s.files = dir
	c, none := connected(t, s), connected(t, usual())
	for _, name := range []string{outside, "link.json", "../" + filepath.Base(filepath.Dir(outside)) + "/secret.json", "missing.json", "-"} {
		text, failed := called(t, c, "report", object{"cluster": name})
		assert.True(t, failed, name)
		assert.Contains(t, text, "is no file in the folder of -files", name)
		assert.NotContains(t, text, dir)
		text, failed = called(t, none, "report", object{"cluster": name})
		assert.True(t, failed, name)
		assert.Contains(t, text, "was started without -files", name)
	}
	for _, arguments := range []object{
		{"changes": []object{{"delete": "@" + outside}}},
		{"changes": []object{{"without": "--cluster=" + outside}}},
		{"changes": []object{{"setClass": outside}}},
	} {
		text, failed := called(t, c, "change", arguments)
		assert.True(t, failed, text)
		assert.NotContains(t, text, "shop/checkout")
	}
	// A value never becomes a flag.
	text, failed := called(t, c, "pod", object{"pending": "--live"})
	assert.True(t, failed)
	assert.Contains(t, text, "--live")
}

// Errors are the messages of the program, without the names of the server's folders.
func TestErrorsOfTheProgram(t *testing.T) {
	c := connected(t, usual())
	for _, q := range []struct {
		tool      string
		arguments object
		want      string
	}{
		{"pod", object{"pending": "shop/checkout-9"}, "whatif: there is no pod shop/checkout-9 in the dump; near it: shop/checkout-2"},
		{"pod", object{"pending": "all"}, "the tool pending asks about all that wait"},
		{"why_not", object{"pending": "shop/checkout-2", "node": "x"}, "x"},
		{"pod", object{"cpu": "-1"}, "whatif: --cpu -1"},
		{"pod", object{"dump": "{}", "sample": "pdb"}, "give one of them"},
		{"change", object{}, "there is none"},
		{"change", object{"changes": []object{{"without": "apps-a1", "addNode": "apps-a1"}}}, "changes[0]: a change has one field, and this one has 2"},
		{"change", object{"changes": []object{{"manifests": "kind: [oops"}}}, "text-1"},
		{"replicas", object{"pending": "shop/checkout-2", "replicas": -1}, "replicas"},
		{"pod", object{"pending": "shop/checkout-2", "release": "v1.2"}, "v1.2"},
	} {
		text, failed := called(t, c, q.tool, q.arguments)
		assert.True(t, failed, "%s %v: %s", q.tool, q.arguments, text)
		assert.Contains(t, text, q.want, "%s %v", q.tool, q.arguments)
		assert.NotContains(t, text, os.TempDir(), "%s %v", q.tool, q.arguments)
	}
	// What is not in the schema never comes to the program.
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "pod", Arguments: object{"nonsense": 1}})
	if err == nil {
		assert.True(t, r.IsError)
	}
}

// hostile are dumps that no cluster has.
func hostile() map[string]string {
	const pods = `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": %s, "pods": "10"}}},` +
		`{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"priority": %s, "containers": [{"name": "a", "resources": {"requests": {"cpu": %s}}}]}}]}`
	out := map[string]string{
		"nothing":            " ",
		"no JSON":            "\x00\xff\xfe{",
		"cut off":            `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "n"`,
		"no list":            `[1, 2, 3]`,
		"a number":           `7`,
		"nothing in it":      `{"kind": "List", "items": []}`,
		"null items":         `{"kind": "List", "items": [null, {}, {"kind": "Pod"}]}`,
		"other kinds":        `{"kind": "List", "items": [{"kind": 7, "metadata": []}]}`,
		"deep":               strings.Repeat(`{"a":`, 100000) + "1" + strings.Repeat("}", 100000),
		"deep lists":         strings.Repeat("[", 1<<20),
		"aliases":            "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nkind: List\nitems: [*e,*e,*e,*e]\n",
		"a huge amount":      fmt.Sprintf(pods, `"1e999999999"`, "1", `"1"`),
		"a huge number":      fmt.Sprintf(pods, "1"+strings.Repeat("0", 100000), "1", `"1"`),
		"a huge priority":    fmt.Sprintf(pods, `"1"`, "99999999999999999999", `"1"`),
		"no number":          fmt.Sprintf(pods, `"1"`, "1", `"many"`),
		"a negative request": fmt.Sprintf(pods, `"1"`, "1", `"-5"`),
		"a node that is missing": `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1", "pods": "10"}}},` +
			`{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "gone", "containers": [{"name": "a"}]}}]}`,
		"terminal codes": `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "\u001b]0;x\u0007"}}]}`,
	}
	return out
}

// Whatever a dump is, there is an answer or an error that says something, and the server goes on.
func TestHostileDumps(t *testing.T) {
	c := connected(t, usual())
	for name, dump := range hostile() {
		for _, tool := range []string{"report", "pending"} {
			ctx, stop := context.WithTimeout(t.Context(), 50*time.Second)
			r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: object{"dump": dump}})
			stop()
			require.NoError(t, err, "%s: %s", name, tool)
			text := r.Content[0].(*mcp.TextContent).Text
			assert.NotContains(t, text, "panic", name)
			assert.NotContains(t, text, "goroutine", name)
			assert.NotContains(t, text, "\x1b", name)
			if r.IsError {
				assert.Contains(t, text, "whatif: ", name)
				assert.Less(t, len(text), 64<<10, name)
			} else {
				assert.True(t, json.Valid([]byte(text)), name)
			}
		}
	}
	text, failed := called(t, c, "pod", object{"pending": "shop/checkout-2"})
	assert.False(t, failed, text)
}

// Answers, their time, and lists in questions are bounded.
func TestBounds(t *testing.T) {
	s := usual()
	s.most = 2 << 10
	text, failed := called(t, connected(t, s), "pod", object{"pending": "shop/checkout-2"})
	assert.True(t, failed)
	assert.Contains(t, text, "the answer has more than 2048 bytes; ask about less")

	// A program that never ends, and one that never stops writing.
	for script, want := range map[string]string{"sleep 600": "no answer within 300ms", "yes": "the answer has more than 2048 bytes"} {
		s = usual()
		s.most, s.patience = 2<<10, 300*time.Millisecond
		if script == "yes" {
			s.patience = time.Minute
		}
		s.program = filepath.Join(t.TempDir(), "program")
		require.NoError(t, os.WriteFile(s.program, []byte("#!/bin/sh\nexec "+script+"\n"), 0o700))
		text, failed = called(t, connected(t, s), "report", object{})
		assert.True(t, failed)
		assert.Contains(t, text, want)
	}

	c := connected(t, usual())
	many := make([]object, mostValues+1)
	for i := range many {
		many[i] = object{"without": "n"}
	}
	text, failed = called(t, c, "change", object{"changes": many})
	assert.True(t, failed)
	assert.Contains(t, text, "changes: 1001 are more than 1000")
	text, failed = called(t, c, "pod", object{"cpu": "1", "claims": make([]string, mostValues+1)})
	assert.True(t, failed)
	assert.Contains(t, text, "claims: 1001 are more than 1000")
}

func TestRefusedSettings(t *testing.T) {
	for args, want := range map[string]string{
		"-live -context x":         "name different clusters",
		"-most 5":                  "an answer has more than 1024 bytes",
		"-patience 0s":             "an answer takes longer",
		"-cluster /does/not/exist": "-cluster: ",
		"-whatif /does/not/exist":  "-whatif: ",
		"-files /does/not/exist":   "-files: ",
		"surplus":                  `unexpected argument "surplus"`,
		"-cluster /dev/null -live": "name different clusters",
		"-nonsense":                "-nonsense",
	} {
		err := run(t.Context(), strings.Fields(args), new(bytes.Buffer))
		assert.ErrorContains(t, err, want, args)
	}
	t.Setenv("PATH", t.TempDir())
	assert.ErrorContains(t, run(t.Context(), nil, new(bytes.Buffer)), "is neither beside this program nor in the PATH")
}

// The program itself over standard input and output, as an agent starts it.
func TestOverStandardStreams(t *testing.T) {
	cmd := exec.Command(filepath.Join(programs, "whatif-mcp"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	c := client(t, &mcp.CommandTransport{Command: cmd})
	text, failed := called(t, c, "pod", object{"pending": "shop/checkout-2"})
	assert.False(t, failed)
	assert.Contains(t, text, `"apiVersion":"whatif/v1"`)
	text, failed = called(t, c, "report", object{"dump": "{"})
	assert.True(t, failed)
	assert.Contains(t, text, "whatif: ")
	require.NoError(t, c.Close())
	assert.True(t, cmd.ProcessState.Success(), cmd.ProcessState.String())
	assert.Empty(t, stderr.String())

	out, err := exec.Command(filepath.Join(programs, "whatif-mcp"), "-version").Output()
	require.NoError(t, err)
	assert.Regexp(t, `^whatif-mcp \S+.*, rules of Kubernetes v1\.37 \(the default\) and v1\.36, go`, string(out))
}
