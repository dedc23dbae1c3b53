package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// manifest writes a file that -pod can read.
func manifest(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pod.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Bad input ends with status 2, an empty standard output, and a message with
// advice.
func TestBadInput(t *testing.T) {
	small := listOf(nodeItem("n", "1"), podItem("runs", "n", 1, "1"), podItem("waits", "", 2, "1"))
	dump := []string{"--cluster", "-", "--pending", "default/waits"}
	for _, tt := range []struct {
		name  string
		stdin string
		args  []string
		want  []string // of the message
	}{
		{"a flag that is none", "", []string{"-bogus"}, []string{"unknown flag -bogus; run kubectl whatif -h"}},
		{"an argument without a flag", "", []string{"dump.json"}, []string{`unexpected argument "dump.json"`}},
		{"a file for an argument", "", []string{"dump.yaml"}, []string{"like --cluster dump.yaml or --filename dump.yaml"}},
		{"a pod for an argument", "", []string{"shop/checkout-2"}, []string{`unexpected argument "shop/checkout-2"`, "like --pending shop/checkout-2; run"}},
		{"a command misspelt", "", []string{"verison"}, []string{"and the command is called version"}},
		{"a node misspelt", "", []string{"--without", "aps-a1"}, []string{"--without aps-a1: there is no such node in the dump; near it: apps-a1, apps-a2"}},
		{"a part of a node's name", "", []string{"--why-not", "gpu"}, []string{"--why-not gpu: there is no such node in the dump; near it: gpu-b1"}},
		{"a node like no other", "", []string{"--why-not", "zzz"}, []string{"--why-not zzz: there is no such node in the dump\n"}},
		{"a change of a class that cannot be", "", []string{"--set-class", "system-node-critical=5"},
			[]string{"the change of priority classes cannot be used: 1 problem\n  priorityclass system-node-critical: value: 5 is not 2000001000"}},
		{"an unknown format", "", []string{"-o", "xml"}, []string{"--output xml: the formats are text, wide, json, yaml or html"}},
		{"a time in words", "", []string{"-now", "yesterday"}, []string{"a time is written like 2026-01-10T12:00:00Z"}},
		{"the time that stands for none", "", []string{"-now", "0001-01-01T00:00:00Z"}, []string{"no time to ask about"}},
		{"too many workers", "", []string{"-workers", "9999"}, []string{"--workers", "not between 0 and 1024"}},
		{"less than nothing to list", "", []string{"-list", "-1"}, []string{"--list -1"}},
		{"an empty name", "", []string{"-pending", ""}, []string{"--pending is empty"}},

		{"two pods: pending and described", "", []string{"-pending", "a/b", "-cpu", "1"}, []string{"--pending and --cpu name different pods"}},
		{"two pods: manifest and described", "", []string{"-pod", "f", "-labels", "a=b"}, []string{"--labels describes a pod of its own, and --filename brings others"}},
		{"a manifest that cannot be read, and another pod", "", []string{"-pod", "f", "-pending", "a/b"}, []string{"--filename: open f"}},
		{"two priorities", "", []string{"-class", "batch", "-priority", "7"}, []string{"--class and --priority both say"}},
		{"two files on one standard input", "", []string{"-cluster", "-", "-pod", "-"}, []string{"--cluster - and --filename - both read standard input"}},
		{"an amount given twice", "", []string{"-cpu", "1", "-request", "cpu=2"}, []string{"cpu is given twice"}},

		{"a flag given twice", "", []string{"-class", "a", "-class", "b"}, []string{"--class: the flag is given twice; give it once"}},
		{"a file given twice", "", []string{"--cluster", "-,-"}, []string{"--cluster: standard input is named twice"}},
		{"no file", "", []string{"--cluster", ""}, []string{"--cluster is empty"}},
		{"an empty file name", "", []string{"-f", "a,,b"}, []string{"--filename is empty"}},
		{"a switch given twice", "", []string{"-timings", "-timings=false"}, []string{"timings: the flag is given twice"}},
		{"a label key that is none", "", []string{"-labels", "a b=c"}, []string{`"a b" is no key of a label: letters, digits`}},
		{"a label value that is none", "", []string{"-node-selector", "a=b c"}, []string{`"b c" is no value of a label: letters, digits`}},
		{"a name that is none", "", []string{"-name", "My_Pod"}, []string{`--name "My_Pod" is no name of a pod: small letters`}},
		{"a namespace that is none", "", []string{"-namespace", "a.b"}, []string{`--namespace "a.b" is no name of a namespace: small letters`}},
		{"a namespace misspelt", "", []string{"--namespace", "shpo", "--cpu", "1"},
			[]string{"pod shpo/what-if cannot be created: there is no namespace shpo in the dump; it has shop"}},
		{"a namespace like no other", "", []string{"--namespace", "elsewhere", "--cpu", "1"},
			[]string{"there is no namespace elsewhere in the dump; it has kube-system, media, ml, nightly, reports and 3 more"}},
		{"a manifest in an unknown namespace", item("Pod", "new", map[string]any{"metadata": map[string]any{"namespace": "shpo"}}), []string{"--filename", "-"},
			[]string{"pod shpo/new cannot be created: there is no namespace shpo"}},
		{"a manifest with labels that are none", item("Pod", "new", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b c"}}}), []string{"--filename", "-"},
			[]string{`pod default/new: metadata.labels: "b c" is not a label value`}},

		{"no amount", "", []string{"-cpu", "many"}, []string{`"many"`, "an amount is written like 500m"}},
		{"a negative amount", "", []string{"-memory", "-1Gi"}, []string{"an amount cannot be negative"}},
		{"a request without a name", "", []string{"-request", "5"}, []string{"write name=amount"}},
		{"a resource nobody counts", "", []string{"-request", "foo=1"}, []string{`"foo" is not counted by the scheduler`}},
		{"labels that are none", "", []string{"-labels", "a"}, []string{"write a=b,c=d"}},
		{"a label twice", "", []string{"-labels", "a=1,a=2"}, []string{"a is given twice"}},
		{"a priority that is no number", "", []string{"-priority", "high"}, []string{"a whole number of 32 bits"}},
		{"a priority of 33 bits", "", []string{"-priority", "4294967296"}, []string{"a whole number of 32 bits"}},
		{"a class that is unknown", "", []string{"--class", "urgent"},
			[]string{"there is no priority class urgent", "production (100000), standard (1000)"}},
		{"a class misspelt", "", []string{"--class", "prodution"}, []string{"there is no priority class prodution; near it: production (100000); known: system-node-critical"}},
		{"a class where the dump has none", small, []string{"--cluster", "-", "--class", "urgent"},
			[]string{"add priorityclasses to kubectl get, or use --priority"}},
		{"a name that is taken", "", []string{"--cpu", "1", "--namespace", "shop", "--name", "checkout-0"},
			[]string{"already", "another --name"}},

		{"a file that is not there", "", []string{"-cluster", "/no/such/file"}, []string{"/no/such/file", "no such file"}},
		{"a dump of namespaces", listOf(item("Namespace", "x", nil)), dump, []string{"standard input: the dump holds no nodes; did you forget nodes in kubectl get"}},
		{"an empty dump", " \n", dump, []string{"standard input is empty; fill it with kubectl get nodes,pods"}},
		{"an empty list", listOf(), dump, []string{"standard input is empty"}},
		{"a dump without nodes", listOf(podItem("waits", "", 1, "1")), dump,
			[]string{"the dump holds no nodes; did you forget nodes in kubectl get"}},
		{"an empty dump in YAML", "apiVersion: v1\nkind: List\n", dump, []string{"standard input is empty"}},
		{"a dump in YAML with a key twice", "apiVersion: v1\nkind: Pod\nkind: Node\n", dump,
			[]string{`standard input: YAML document 1, line 3: key "kind" already set in map`}},
		{"a dump cut short", small[:len(small)-9], dump, []string{"standard input cannot be used: 1 problem", "the input ends inside an object"}},
		{"an error of kubectl in front", "Error from server (Forbidden): pods is forbidden\n" + small, dump,
			[]string{`a message of kubectl, "Error from server (Forbidden): pods is forbidden"; mend what it says`}},
		{"a warning of kubectl in front", "Warning: v1 ComponentStatus is deprecated\n" + small, dump,
			[]string{`a message of kubectl, "Warning: v1 ComponentStatus is deprecated"; keep standard error out of the file`}},
		{"a text without an end", `{"kind":"Pod","metadata":{"name":"` + strings.Repeat("x", 9<<20), dump,
			[]string{"what begins at byte 0 is longer than 8 MB; no API server has an object of that size"}},
		{"an error of the API server", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"nodes is forbidden"}`, dump,
			[]string{`document 1: this is an error of the API server, "nodes is forbidden"`}},
		{"a pod to be named by the API server", `{"kind":"Pod","metadata":{"generateName":"job-"}}`, []string{"--filename", "-"},
			[]string{`only the API server makes one of generateName "job-": give the object a name here`}},
		{"a broken gzip", "\x1f\x8bnot", dump, []string{"standard input", "gzip"}},
		{"a dump but no question", small, []string{"-cluster", "-", "--exact"}, []string{"which pod?", "--pending", "pending in the dump: default/waits"}},
		{"a dump but nobody waits", listOf(nodeItem("n", "1")), []string{"-cluster", "-", "--exact"}, []string{"which pod?", "no pod of the dump is pending"}},
		{"a dump with mistakes", listOf(nodeItem("n", "1"), podItem("a", "n", 1, "one"), podItem("b", "n", 1, "-1x")), dump,
			[]string{"standard input cannot be used: 2 problems", `pod default/a: spec.containers[0].resources.requests.cpu: `, `"one"`, "pod default/b"}},
		{"the same pod twice", listOf(nodeItem("n", "1"), podItem("a", "n", 1, "1"), podItem("a", "n", 1, "1")), dump,
			[]string{"pod default/a: metadata.name: there are two of this name"}},
		{"classes that cannot be", listOf(nodeItem("n", "1"), classItem("huge", 2_000_000_000, false)), []string{"--cluster", "-", "--cpu", "1"},
			[]string{"the priority classes of the dump cannot be used", "priorityclass huge: value"}},

		{"a pod that runs", "", []string{"--pending", "shop/checkout-1"},
			[]string{"shop/checkout-1 is not pending, it already runs on node apps-b3", "pending pods like it: shop/checkout-2"}},
		{"a pod misspelt", "", []string{"-pending", "shop/chekout-2"}, []string{"no pod shop/chekout-2 in the dump; near it: shop/checkout-2, shop/checkout-0 (runs on apps-a1)"}},
		{"a pod of another namespace", "", []string{"-pending", "search/checkout-2"}, []string{"near it: shop/checkout-2"}},
		{"a pod without its namespace", "", []string{"-pending", "checkout-2"}, []string{"no pod default/checkout-2", "near it: shop/checkout-2"}},
		{"a pod like no other", "", []string{"-pending", "zz/quux"}, []string{"no pod zz/quux", "takes namespace/name"}},
		{"a pod that has ended", listOf(nodeItem("n", "1"), podItem("done", "n", 1, "1", func(_, _, s map[string]any) { s["phase"] = "Succeeded" })),
			[]string{"-cluster", "-", "-pending", "default/done"}, []string{"no pod default/done", "1 finished pod left out"}},

		{"a manifest that is not there", "", []string{"-pod", "/no/such/pod"}, []string{"--filename: open /no/such/pod"}},
		{"a manifest that is no YAML", "kind: Pod\n\tx: 1\n", []string{"-pod", "-"}, []string{"--filename -: YAML document 1, line 2: found a tab"}},
		{"a manifest that is no JSON", "{kind: Pod}", []string{"-pod", "-"}, []string{"--filename - cannot be used", "this looks like YAML"}},
		{"a manifest of something else", item("Service", "d", nil), []string{"-pod", "-"}, []string{"--filename - holds no pod and nothing that makes pods; only 1 Service"}},
		{"no manifest at all", "", []string{"-pod", "-"}, []string{"--filename - holds no pod and nothing that makes pods"}},
		{"an error in place of a manifest", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no pods"}`, []string{"-f", "-"},
			[]string{`this is an error of the API server, "no pods"`}},
		{"a message in place of a manifest", "Error from server (NotFound): pods \"x\" not found\n", []string{"-f", "-"}, []string{"a message of kubectl"}},
		{"two manifests", podItem("a", "", 1, "1") + podItem("b", "", 1, "1"), []string{"-f", "-", "--one"}, []string{"--filename - holds 2 objects that make pods; choose one with --name: Pod/a, Pod/b"}},
		{"two manifests, neither of which is meant", podItem("a", "", 1, "1") + podItem("b", "", 1, "1"), []string{"-f", "-", "--name", "c"},
			[]string{"--filename - holds nothing named c that makes pods; it has Pod/a, Pod/b"}},
		{"two manifests of one name", podItem("a", "", 1, "1") + podItem("a", "", 1, "1"), []string{"-f", "-", "--name", "a", "--one"}, []string{"holds 2 objects named a"}},
		{"a manifest of another namespace", podItem("a", "", 1, "1", namespaced("shop")), []string{"-f", "-", "-n", "media"},
			[]string{"Pod/a is of namespace shop, and --namespace says media"}},
		{"a deployment without a template", strings.Replace(item("Deployment", "d", nil), `"v1"`, `"apps/v1"`, 1), []string{"-f", "-"}, []string{"--filename -: deployment d: spec.template.spec: missing"}},

		{"a toleration without a key", "", []string{"--toleration", "=a:NoSchedule"}, []string{"--toleration =a:NoSchedule: no key; write key=value:Effect"}},
		{"a toleration of an unknown effect", "", []string{"--toleration", "a=b:NoSchedul"}, []string{`"NoSchedul" is no effect of a taint: they are NoSchedule`}},
		{"a toleration of what is no taint", "", []string{"--toleration", "a b"}, []string{`"a b" is no key of a label`}},
		{"a port that is none", "", []string{"--host-port", "http"}, []string{`"http" is no port`}},
		{"a port too large", "", []string{"--host-port", "65536"}, []string{`"65536" is no port`}},
		{"a port of no address", "", []string{"--host-port", "here:80"}, []string{`"here" is no address`}},
		{"a port of no protocol", "", []string{"--host-port", "80/icmp"}, []string{`"ICMP" is no protocol`}},
		{"a port twice", "", []string{"--host-port", "80", "--host-port", "80/tcp"}, []string{"the port is given twice"}},
		{"a claim that is no name", "", []string{"--claim", "A_b"}, []string{`"A_b" is no name of a claim`}},
		{"a claim where there are none", small, []string{"--cluster", "-", "--claim", "data"}, []string{"--claim data: the dump holds no claims; add pv,pvc"}},
		{"a manifest with mistakes", podItem("new", "", 1000, "a lot"), []string{"-pod", "-"}, []string{"spec.containers[0].resources.requests.cpu"}},
		{"a manifest of a pod that runs", item("Pod", "checkout-0", map[string]any{"metadata": map[string]any{"namespace": "shop"}}), []string{"--filename", "-"},
			[]string{"shop/checkout-0 of the manifest already runs on node apps-a1", "another metadata.name"}},
		{"a manifest whose number is not its class's", podItem("new", "", 7, "1"), []string{"--filename", "-"},
			[]string{"default/new would be rejected", "spec.priority: is 7, but class standard gives 1000"}},
		{"a manifest of an unknown class", item("Pod", "new", map[string]any{"spec": map[string]any{"priorityClassName": "urgent"}}), []string{"--filename", "-"},
			[]string{"there is no priority class urgent; known:"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := whatif(tt.stdin, tt.args...)
			if status != 2 || stdout != "" {
				t.Errorf("whatif %q: status %d and output %q, want 2 and none", tt.args, status, stdout)
			}
			for _, want := range tt.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("whatif %q says\n%swant it to contain %q", tt.args, stderr, want)
				}
			}
		})
	}
}

// A dump with problems throughout does not fill the screen.
func TestManyProblems(t *testing.T) {
	for _, tt := range []struct {
		mistakes, lines int
		last            string
	}{
		{20, 21, "  pod default/p-19: "},
		{21, 22, "  and 1 more"},
		{50, 22, "  and 30 more"},
		{1200, 22, "  and 1180 more"}, // of which the library keeps 1,000
	} {
		bad := many(tt.mistakes, func(i int) string { return podItem(numbered("p", i), "n", 1, "x") })
		_, _, stderr := whatif(listOf(append(bad, nodeItem("n", "1"))...), "-cluster", "-", "-cpu", "1")
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		if len(lines) != tt.lines || !strings.HasPrefix(lines[len(lines)-1], tt.last) {
			t.Errorf("%d mistakes make %d lines that end with %q, want %d and %q", tt.mistakes, len(lines), lines[len(lines)-1], tt.lines, tt.last)
		}
		if head := fmt.Sprintf(" cannot be used: %d problems", tt.mistakes); !strings.HasSuffix(lines[0], head) {
			t.Errorf("%q does not end with %q", lines[0], head)
		}
	}
}

// Harmless oddities are reported beside the answer.
func TestNotices(t *testing.T) {
	lost := many(7, func(i int) string { return podItem(numbered("lost", i), "gone", 1, "1") })
	done := podItem("done", "n", 1, "1", func(_, _, s map[string]any) { s["phase"] = "Failed" })
	dump := listOf(append(lost, done, nodeItem("n", "1"), podItem("waits", "", 2, "1"),
		item("Service", "s", nil), item("ConfigMap", "a", nil), item("ConfigMap", "b", nil))...)
	status, stdout, stderr := whatif(dump, "-cluster", "-", "-pending", "default/waits", "-o", "json", "-list", "2")
	if status != 0 || strings.Count(stdout, `"spec.nodeName"`) != 7 {
		t.Errorf("status %d, want 0 and all seven warnings in\n%s", status, stdout)
	}
	lines := strings.Split(stderr, "\n")
	if len(lines) != 8 { // five warnings, two lines about the rest, and the end
		t.Fatalf("%d lines on standard error, want 8:\n%s", len(lines), stderr)
	}
	for i, want := range map[int]string{
		0: `whatif: warning: pod default/lost-00: spec.nodeName: no node "gone"`,
		5: "whatif: and 2 warnings more",
		6: "whatif: left out: 2 ConfigMap, 1 Service, 1 finished pod",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d of standard error is %q, want %q", i, lines[i], want)
		}
	}
}

// Kinds that take no part fill no more than a line.
func TestManyUnknownKinds(t *testing.T) {
	objects := []string{nodeItem("n", "1"), `{"kind":"` + strings.Repeat("Long", 1000) + `","metadata":{"name":"x"}}`}
	for i := range 1000 {
		objects = append(objects, fmt.Sprintf(`{"kind":"Kind%d","metadata":{"name":"x"}}`, i))
	}
	objects = append(objects, `{"kind":"Kind999","metadata":{"name":"y"}}`)
	_, _, stderr := whatif(listOf(objects...), "--cluster", "-", "--cpu", "1")
	if !strings.Contains(stderr, "2 Kind999, 981 objects of 981 other kinds") || len(stderr) > 500 {
		t.Errorf("standard error has %d bytes, want at most 500, with the most frequent kind:\n%s", len(stderr), stderr)
	}
}

// An amount with a unit that does not exist is answered by one that does.
func TestAmountsThatAreMeant(t *testing.T) {
	for text, want := range map[string]string{"8GB": "8Gi?", "8gi": "8Gi?", "1.5 gb": "1.5Gi?", "512MB": "512Mi?", "8x": ""} {
		status, _, stderr := whatif("", "--cpu", "1", "--memory", text)
		assert.Equal(t, 2, status)
		if want == "" {
			assert.NotContains(t, stderr, "did you mean")
			continue
		}
		assert.Contains(t, stderr, "did you mean "+want)
	}
}
