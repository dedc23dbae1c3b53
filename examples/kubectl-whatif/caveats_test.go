package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outrank-go/outrank/preemption"
)

// namespaced puts a pod into a namespace.
func namespaced(name string) func(meta, _, _ map[string]any) {
	return func(meta, _, _ map[string]any) { meta["namespace"] = name }
}

func withSpec(field string, value any) func(_, spec, _ map[string]any) {
	return func(_, spec, _ map[string]any) { spec[field] = value }
}

func nominatedTo(node string) func(_, _, status map[string]any) {
	return func(_, _, status map[string]any) { status["nominatedNodeName"] = node }
}

// claiming gives a pod a claim, and ephemeral one that is made along with it.
func claiming(name string) func(_, spec, _ map[string]any) {
	return withSpec("volumes", []any{map[string]any{"name": "v", "persistentVolumeClaim": map[string]any{"claimName": name}}})
}

var ephemeral = withSpec("volumes", []any{map[string]any{"name": "v", "ephemeral": map[string]any{"volumeClaimTemplate": map[string]any{}}}})

// choosy has a term about pods in namespaces by their labels.
var choosy = withSpec("affinity", map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{
	map[string]any{"topologyKey": "name", "labelSelector": map[string]any{},
		"namespaceSelector": map[string]any{"matchLabels": map[string]any{"team": "a"}}}}}})

// whole is a dump without gaps, and with the given objects in addition.
func whole(more ...string) string {
	return nameless(append(more, item("Namespace", "default", nil), item("Namespace", "kube-system", nil))...)
}

// nameless is a whole dump without namespaces.
func nameless(more ...string) string {
	return listOf(append([]string{nodeItem("n", "4"),
		podItem("x", "n", 1, "1"), podItem("sys", "n", 1, "1", namespaced("kube-system")),
		budgetItem("keep", "none", 0), classItem("low", 1, false)}, more...)...)
}

// caveatsOf returns the caveats of an answer; the text has the same as the JSON.
func caveatsOf(t *testing.T, dump string, args ...string) []string {
	t.Helper()
	var out []string
	for _, w := range documentOf(t, dump, args...).Caveats {
		out = append(out, w.String())
	}
	text := strings.Join(strings.Fields(answered(t, dump, args...)), " ")
	for _, caveat := range out {
		caveat = strings.Replace(caveat, "the dump: ", "the dump ", 1)
		if want := "- " + strings.Join(strings.Fields(caveat), " "); !strings.Contains(text, want) {
			t.Errorf("no %q in the text", want)
		}
	}
	if got := strings.Contains(text, "Before you rely on this:"); got != (len(out) > 0) {
		t.Errorf("the heading stands there: %v, and there are %d caveats", got, len(out))
	}
	return out
}

// Gaps in the dump and peculiarities of the pod stand with the answer, and
// nothing where there are none.
func TestCaveats(t *testing.T) {
	ask := []string{"-cluster", "-", "-cpu", "1", "-priority", "9"}
	pending := []string{"-cluster", "-", "-pending", "default/p"}
	p := func(edits ...func(_, _, _ map[string]any)) string { return podItem("p", "", 9, "1", edits...) }
	claim := func(class string) []string {
		return []string{
			item("PersistentVolumeClaim", "data", map[string]any{"spec": map[string]any{"storageClassName": class}}),
			item("StorageClass", "late", map[string]any{"provisioner": "disk.example.com", "volumeBindingMode": "WaitForFirstConsumer"}),
		}
	}
	const noBudgets, noClasses = "the dump: holds no disruption budgets; if the cluster has any", "the dump: holds no priority classes, and every cluster has some"
	for _, tt := range []struct {
		name, dump string
		args       []string
		want       []string // the beginning of each
	}{
		{"a whole dump", whole(), ask, nil},
		{"a whole dump, and a pod of it", whole(p()), pending, nil},
		{"the sample", "", nil, nil},

		{"nodes alone", listOf(nodeItem("n", "4")), ask, []string{"the dump: holds no pods, so that every node counts as empty", noBudgets, noClasses}},
		{"pending pods alone", listOf(nodeItem("n", "4"), p()), pending, []string{"the dump: holds no pod that has a node, so that every node counts as empty", noBudgets, noClasses}},
		{"one namespace", listOf(nodeItem("n", "4"), podItem("x", "n", 1, "1", namespaced("shop"))), ask,
			[]string{"the dump: holds pods of the namespace shop alone; if the cluster has others, they are missing: dump with -A", noBudgets, noClasses}},
		{"limits as no API server leaves them", whole(podItem("y", "n", 1, "1", withSpec("initContainers", []any{map[string]any{"resources": map[string]any{"limits": map[string]any{"cpu": "2"}}}}))), ask,
			[]string{"the dump: has limits without requests in 1 pod, as no API server leaves them; they count as asking for nothing: default/y"}},
		{"a namespace of which nothing is known", nameless(), append(ask, "-namespace", "shop"),
			[]string{"the dump: knows nothing of the namespace shop; if there is none, the pod cannot be created"}},
		{"a namespace of which there is something", nameless(), append(ask, "-namespace", "kube-system"), nil},
		{"namespaces that the pod selects", nameless(p(choosy)), pending,
			[]string{"the dump: does not hold namespaces default, kube-system, and 1 pod selects namespaces by label"}},
		{"namespaces that others select", whole(podItem("y", "n", 1, "1", choosy), podItem("z", "n", 1, "1", choosy, namespaced("shop"))), ask,
			[]string{"the dump: does not hold namespace shop, and 2 pods select namespaces by label"}},
		{"namespaces that are all there", whole(p(choosy)), pending, nil},
		{"any namespace", nameless(p(withSpec("affinity", map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{
			map[string]any{"topologyKey": "name", "labelSelector": map[string]any{}, "namespaceSelector": map[string]any{}}}}}))), pending, nil},
		{"claims of others", whole(podItem("y", "n", 1, "1", claiming("data"))), ask, []string{"the dump: holds no volume claims, though 1 pod has one"}},

		{"gated", whole(p(withSpec("schedulingGates", []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}))), pending,
			[]string{"pod default/p: spec.schedulingGates: kube-scheduler leaves the pod alone until its scheduling gates are gone (a, b)"}},
		{"another scheduler's", whole(p(withSpec("schedulerName", "mine"))), pending,
			[]string{"pod default/p: spec.schedulerName: scheduler mine places the pod, by rules of its own"}},
		{"nominated pods of other schedulers", whole(p(), podItem("a", "", 9, "1", nominatedTo("n"), withSpec("schedulerName", "mine")),
			podItem("b", "", 9, "1", nominatedTo("n"), withSpec("schedulerName", "yours")), podItem("c", "", 9, "1", withSpec("schedulerName", "theirs"))), pending,
			[]string{"the dump: does not say which schedulers are profiles of one kube-scheduler, which then leave room to each other's nominated pods; " +
				"2 nominated pods are of mine, yours here, and no room is left to them: name the profiles with --scheduler-config"}},
		{"a nominated pod", whole(p(), podItem("a", "", 9, "1", nominatedTo("n"))), pending, nil},
		{"being deleted", whole(p(leaving)), pending, []string{"pod default/p: metadata.deletionTimestamp: the pod is being deleted"}},
		{"a claim that is missing", whole(append(claim("late"), p(claiming("other")))...), pending,
			[]string{`persistentvolumeclaim default/other: not in the dump; if the cluster does not have it, kube-scheduler pushes nobody out for the pod (persistentvolumeclaim "other" not found)`}},
		{"a claim that waits", whole(append(claim("late"), p(claiming("data")))...), pending,
			[]string{"persistentvolumeclaim default/data: the claim has no volume yet, and gets one where the pod goes"}},
		{"a claim that was not made yet", whole(append(claim("late"), p(ephemeral))...), pending,
			[]string{"persistentvolumeclaim default/p-v: not in the dump; if it was not made yet, kube-scheduler pushes nobody out"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := caveatsOf(t, tt.dump, tt.args...)
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("whatif %q (-want +got):\n%s", tt.args, cmp.Diff(tt.want, got))
			}
		})
	}
}

// A claim that will never be bound by itself is no caveat: it is the answer.
func TestUnboundClaimIsTheAnswer(t *testing.T) {
	dump := whole(item("PersistentVolumeClaim", "data", map[string]any{"spec": map[string]any{"storageClassName": "soon"}}),
		item("StorageClass", "soon", map[string]any{"provisioner": "disk.example.com", "volumeBindingMode": "Immediate"}), podItem("p", "", 9, "4", claiming("data")))
	args := []string{"-cluster", "-", "-pending", "default/p"}
	if got := caveatsOf(t, dump, args...); len(got) > 0 {
		t.Errorf("caveats %q, want none", got)
	}
	got := answerOf(t, dump, args...)
	if want := []string{"pod has unbound immediate PersistentVolumeClaims"}; got.Outcome != preemption.NothingHelps || !slices.Equal(want, got.TurnedDown[0].Reasons) {
		t.Errorf("%s for %q, want nothing to help for %q", got.Outcome, got.TurnedDown[0].Reasons, want)
	}
}

// Caveats of a manifest.
func TestCaveatsOfManifests(t *testing.T) {
	dump := manifest(t, whole())
	args := []string{"-cluster", dump, "-pod", "-"}
	for want, pod := range map[string]string{
		"pod default/p: spec.nodeName: no scheduler looks at a pod that has a node: the kubelet of n takes it": podItem("p", "n", 9, "1", created),
		"pod default/p: status.phase: the pod has ended":                                                       podItem("p", "", 9, "1", created, func(_, _, s map[string]any) { s["phase"] = "Failed" }),
		"persistentvolumeclaim default/p-v: the claim is made along with the pod":                              podItem("p", "", 9, "1", created, ephemeral),
	} {
		pod = strings.Replace(pod, `"priority":9`, `"priority":0`, 1)
		if got := caveatsOf(t, pod, args...); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("caveats %q, want %q", got, want)
		}
	}
}

// A manifest gets the defaults of the API server, and unknown ones are named.
func TestManifestIsFilledIn(t *testing.T) {
	pod := item("Pod", "p", map[string]any{"spec": map[string]any{"hostNetwork": true, "containers": []any{map[string]any{
		"ports": []any{map[string]any{"containerPort": 80}}, "resources": map[string]any{"limits": map[string]any{"cpu": "3"}}}}}})
	taken := withSpec("containers", []any{map[string]any{"ports": []any{map[string]any{"hostPort": 80}}}})
	dump := manifest(t, whole(nodeItem("m", "4"), podItem("web", "m", 9, "1", taken)))
	status, stdout, stderr := whatif(pod, "-cluster", dump, "-pod", "-")
	if want := "spec.containers[0].resources.requests: no memory; what a limit range of the namespace would set is not filled in"; status != 0 || !strings.Contains(stderr, want) {
		t.Errorf("status %d, and no %q in\n%s", status, want, stderr)
	}
	for _, want := range []string{"asks for   cpu 3\n", "preemption makes no room", "m\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// createdAt says when an object was created, an empty text that nobody says it.
func createdAt(at string) func(meta, _, _ map[string]any) {
	return func(meta, _, _ map[string]any) {
		if meta["creationTimestamp"] = at; at == "" {
			meta["creationTimestamp"] = nil
		}
	}
}

// startedAt says when a kubelet started a pod, an empty text that none did yet.
func startedAt(at string) func(_, _, status map[string]any) {
	return func(_, _, status map[string]any) {
		if status["startTime"] = at; at == "" {
			delete(status, "startTime")
		}
	}
}

// The time of the dump is the latest creation of an object, of whatever kind, and no time that a
// node's clock has written.
func TestTheClockIsTheAPIServers(t *testing.T) {
	node := item("Node", "n", map[string]any{"status": map[string]any{
		"allocatable": map[string]any{"cpu": "4", "pods": "10"},
		"conditions":  []any{map[string]any{"type": "Ready", "lastHeartbeatTime": "3026-05-06T07:08:09Z"}}}})
	event := item("Event", "e", map[string]any{"metadata": map[string]any{"creationTimestamp": "2026-05-06T07:08:09Z"}, "lastTimestamp": "3026-05-06T07:08:09Z"})
	status, text, _ := whatif(listOf(node, podItem("x", "n", 1, "1"), event), "-cluster", "-", "-cpu", "4", "-priority", "9")
	if status != 0 {
		t.Fatalf("status %d", status)
	}
	for _, want := range []string{"as of      2026-05-06 07:08:10 UTC\n", "125d07h"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A node whose clock is ahead changes neither the time nor who leaves, and is told. By the true time
// the pod of node b, which has not started, counts as started now, and that of node a later still:
// of two victims that are alike but for it, the one with the latest start leaves.
func TestAClockAheadIsTold(t *testing.T) {
	const created = "2026-01-01T00:00:00Z"
	clocks := func(start string) string {
		return listOf(nodeItem("a", "1"), nodeItem("b", "1"), podItem("x", "a", 1, "1", startedAt(start)), podItem("y", "b", 1, "1", startedAt("")))
	}
	for _, start := range []string{"2026-01-01T00:00:30Z", "2026-01-01T00:05:00Z", "3026-01-01T00:00:00Z", "9999-12-31T23:59:59Z"} {
		d := documentOf(t, clocks(start), "-cluster", "-", "-cpu", "1", "-priority", "9")
		if got := d.Now.Format("2006-01-02T15:04:05Z"); got != "2026-01-01T00:00:01Z" {
			t.Errorf("%s: as of %s", start, got)
		}
		if len(d.Victims) != 1 || d.Victims[0].Key != "default/x" {
			t.Errorf("%s: victims %+v, want x alone", start, d.Victims)
		}
		told := slices.ContainsFunc(d.Caveats, func(w Warning) bool {
			return strings.Contains(w.Text, "has a pod that starts after 2026-01-01 00:00:01 UTC, the time of this answer: default/x;")
		})
		if !told {
			t.Errorf("%s: not told in %v", start, d.Caveats)
		}
	}
	for name, dump := range map[string]string{
		"before":                            clocks(created),
		"just after, and nobody to compare": listOf(nodeItem("a", "1"), podItem("x", "a", 1, "1", startedAt("2026-01-01T00:01:01Z"))),
	} {
		for _, w := range documentOf(t, dump, "-cluster", "-", "-cpu", "1", "-priority", "9").Caveats {
			if strings.Contains(w.Text, "the time of this answer") {
				t.Errorf("%s: %s", name, w.Text)
			}
		}
	}
}

// Where no object says when it was created the latest start has to do, and that is told, unless
// somebody gave the time.
func TestDumpsWithoutCreations(t *testing.T) {
	node := item("Node", "n", map[string]any{
		"metadata": map[string]any{"creationTimestamp": nil}, "status": map[string]any{"allocatable": map[string]any{"cpu": "4", "pods": "10"}}})
	for start, want := range map[string]struct{ now, caveat string }{
		"2026-01-01T00:00:00Z": {"2026-01-01T00:00:01Z", "does not say when any object was created; the time is that of the latest start"},
		"9999-12-31T23:59:59Z": {"9999-12-31T23:59:59Z", "does not say when any object was created; the time is that of the latest start"},
		"":                     {"0001-01-01T00:00:00Z", "does not say when any object was created or started"},
	} {
		dump := listOf(node, podItem("x", "n", 1, "4", createdAt(""), startedAt(start)))
		d := documentOf(t, dump, "-cluster", "-", "-cpu", "1", "-priority", "9")
		if got := d.Now.Format("2006-01-02T15:04:05Z"); got != want.now {
			t.Errorf("%q: as of %s, want %s", start, got, want.now)
		}
		if !slices.ContainsFunc(d.Caveats, func(w Warning) bool { return strings.Contains(w.Text, want.caveat) }) {
			t.Errorf("%q: not told in %v", start, d.Caveats)
		}
		for _, w := range documentOf(t, dump, "-cluster", "-", "-cpu", "1", "-priority", "9", "-now", "2026-02-01T00:00:00Z").Caveats {
			if strings.Contains(w.Text, "when any object was created") {
				t.Errorf("%q: told although the time is given: %s", start, w.Text)
			}
		}
	}
}

// Whatever time is read can be written, in each form of the answer.
func TestTimesOfAnyYear(t *testing.T) {
	for _, at := range []string{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59-10:00", "10000-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59", "-0400-02-29T00:00:00Z", "292277026595-12-31T10:00:00Z"} {
		for name, edits := range map[string][]func(_, _, _ map[string]any){
			"start": {startedAt(at)}, "creation": {createdAt(at)}, "start alone": {startedAt(at), createdAt("")},
			"deletion": {func(meta, _, _ map[string]any) { meta["deletionTimestamp"] = at }},
			"condition": {func(_, _, s map[string]any) {
				s["conditions"] = []any{map[string]any{"type": "Ready", "lastTransitionTime": at}}
			}},
		} {
			dump := listOf(nodeItem("n", "4"), podItem("x", "n", 1, "4", edits...), podItem("w", "", 9, "1"))
			for _, question := range [][]string{{"-pending", "default/w"}, {"-pending", "all"}, {"-report"}, {"-replicas", "2", "-cpu", "1", "-priority", "9"}} {
				for _, form := range []string{"text", "json", "yaml", "html"} {
					args := append([]string{"-cluster", "-", "-o", form}, question...)
					if status, _, stderr := whatif(dump, args...); status != 0 {
						t.Errorf("%s %s, %q: status %d, %s", name, at, args, status, stderr)
					}
				}
			}
		}
	}
	for _, now := range []string{"9999-12-31T23:59:59-10:00", "0000-01-01T00:00:00+23:59"} {
		if status, _, stderr := whatif(whole(), "-cluster", "-", "-cpu", "1", "-now", now); status != 2 || !strings.Contains(stderr, "now") {
			t.Errorf("-now %s: status %d, %s", now, status, stderr)
		}
	}
}
