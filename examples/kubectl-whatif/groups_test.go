package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

// grouped is a cluster in which two pods of a group wait; the group itself is there, or not.
func grouped(there bool) string {
	member := func(_, spec, _ map[string]any) { spec["schedulingGroup"] = map[string]any{"podGroupName": "train"} }
	items := []string{nodeItem("n1", "2"), podItem("low", "n1", 1, "2"), podItem("t-0", "", 100, "1", member), podItem("t-1", "", 100, "1", member)}
	if there {
		items = append(items, `{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"train"},"spec":{"priority":100,"schedulingPolicy":{"gang":{"minCount":2}}}}`)
	}
	return listOf(items...)
}

const groupsOn = "v1.37," + groupGate + "=true"

// groupItem is a group of pods; edits change its spec.
func groupItem(name string, edits ...func(spec map[string]any)) string {
	spec := map[string]any{"priority": 100}
	for _, edit := range edits {
		edit(spec)
	}
	return item("PodGroup", name, map[string]any{"apiVersion": "scheduling.k8s.io/v1beta1", "spec": spec})
}

func wants(pods int) func(map[string]any) {
	return func(spec map[string]any) {
		spec["schedulingPolicy"] = map[string]any{"gang": map[string]any{"minCount": pods}}
	}
}

func below(name string) func(map[string]any) {
	return func(spec map[string]any) { spec["parentCompositePodGroupName"] = name }
}

// in makes a pod one of a group.
func in(group string) func(_, spec, _ map[string]any) {
	return func(_, spec, _ map[string]any) { spec["schedulingGroup"] = map[string]any{"podGroupName": group} }
}

func gated(_, spec, _ map[string]any) {
	spec["schedulingGates"] = []any{map[string]any{"name": "quota"}}
}

// askedWhole returns the answer about a pod with its group, and the exit status.
func askedWhole(t *testing.T, dump, pod string, args ...string) (out string, status int) {
	t.Helper()
	args = append([]string{"--cluster", "-", "--pending", pod, "--exit-status"}, args...)
	if !slices.Contains(args, "--release") {
		args = append(args, "--release", groupsOn)
	}
	status, out, stderr := whatif(dump, args...)
	require.Empty(t, stderr, args)
	return out, status
}

// wholeAnswer is such an answer in the form for programs.
func wholeAnswer(t *testing.T, dump, pod string, args ...string) *question.WholeGroup {
	t.Helper()
	out, _ := askedWhole(t, dump, pod, append(args, "-o", "json")...)
	var doc struct {
		Question inquiry
		Pod      Asked
		Answer   question.WholeGroup
	}
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Equal(t, askGroup, doc.Question)
	require.Equal(t, pod, doc.Pod.Key)
	require.NotNil(t, doc.Answer.Report)
	return &doc.Answer
}

// The answer about a pod that is scheduled with its group alone is about all pods
// of it that wait, in every form.
func TestPodWithItsGroup(t *testing.T) {
	out, status := askedWhole(t, grouped(true), "default/t-0")
	assert.Equal(t, exitEvicts, status)
	first, rest, _ := strings.Cut(out, "\n")
	assert.Equal(t, "Who would default/t-0 push out of standard input, asked about with its group default/train, of which 2 pods wait?", first)
	for _, want := range []string{
		"\n  group      default/train: 2 pods wait, none has a node; wants 2 pods to have a place, those that have a node included\n",
		"\n  asks for   cpu 2, all that wait together\n  priority   100\n",
		"\n1 pod has to leave so that group default/train can run.\n", "  default/low (priority 1): with it back there was no place for default/t-0 (",
		"\n  default/t-0 on node n1\n  default/t-1 on node n1\n",
	} {
		assert.Contains(t, "\n"+rest, want)
	}
	other, _ := askedWhole(t, grouped(true), "default/t-1")
	assert.Equal(t, out, strings.Replace(other, "default/t-1", "default/t-0", 1), "each pod of the group asks the same")
	w := wholeAnswer(t, grouped(true), "default/t-0")
	assert.Equal(t, outrank.Key("default/train"), w.Group)
	assert.Equal(t, int32(2), w.MinCount)
	assert.Equal(t, []question.Member{{Key: "default/t-0", Node: "n1"}, {Key: "default/t-1", Node: "n1"}}, w.Members)
	assert.Equal(t, preemption.Preempts, w.Report.Outcome)
	require.Len(t, w.Report.Victims.Items, 1)
	assert.Equal(t, outrank.Key("default/low"), w.Report.Victims.Items[0].Pods.Items[0].Key)
	text, _ := askedWhole(t, grouped(true), "default/t-0", "-o", "json")
	again, _ := askedWhole(t, grouped(true), "default/t-0", "-o", "yaml")
	same, err := yaml.YAMLToJSON([]byte(again))
	require.NoError(t, err)
	assert.JSONEq(t, text, string(same))
	page, _ := askedWhole(t, grouped(true), "default/t-0", "-o", "html")
	assert.Equal(t, []string{"default/low"}, onPage(page, leavesOnPage))
	assert.ElementsMatch(t, []string{"default/t-0", "default/t-1"}, onPage(page, arrivesOnPage))
	assert.Contains(t, page, "1 pod has to leave so that group default/train can run.")
	assert.Contains(t, page, "with its group")
}

// The exit status is that of the group; a pod without a place beside enough
// others is not reported to fit.
func TestExitStatusOfGroups(t *testing.T) {
	for _, tt := range []struct {
		name, nodes, text string
		wants, status     int
	}{
		{"fits", "4", "Nobody has to leave: group default/train fits as things are.", 2, exitFits},
		{"preempts", "2", "1 pod has to leave so that group default/train can run.", 2, exitEvicts},
		{"too small", "1", "Nobody leaves: pushing others out makes no place for group default/train.", 2, exitStays},
		{"too few", "9", "\nThe group wants 5 pods, and 2 are there to be placed: it waits for 3 more, whoever leaves.\n", 5, exitStays},
		{"not all", "3", "\nEnough of its pods have a place, and not all: default/t-1 stays pending.\n", 1, exitStays},
	} {
		t.Run(tt.name, func(t *testing.T) {
			low := podItem("low", "n1", 1, "2")
			if tt.name == "too small" {
				low = podItem("low", "n1", 1, "1")
			}
			if tt.name == "not all" { // nobody may be pushed out
				low = podItem("low", "n1", 1000, "2")
			}
			dump := listOf(nodeItem("n1", tt.nodes), low, groupItem("train", wants(tt.wants)),
				podItem("t-0", "", 100, "1", in("train")), podItem("t-1", "", 100, "1", in("train")))
			out, status := askedWhole(t, dump, "default/t-1")
			assert.Contains(t, out, tt.text)
			assert.Equal(t, tt.status, status)
			all, _, _ := whatif(dump, "--cluster", "-", "--pending", "all", "--release", groupsOn, "--exit-status")
			assert.Equal(t, tt.status, all, "it is the same among all that wait")
		})
	}
}

// Pods of the group that run count, and those that nobody tries are named.
func TestGroupsThatRunInPart(t *testing.T) {
	dump := listOf(nodeItem("n1", "4"), groupItem("train", wants(3)),
		podItem("t-0", "n1", 100, "1", in("train")), podItem("t-1", "", 100, "1", in("train")), podItem("t-2", "", 100, "1", in("train")),
		podItem("t-3", "", 100, "1", in("train"), gated), podItem("t-4", "", 100, "1", in("train"), leaving))
	out, status := askedWhole(t, dump, "default/t-1")
	assert.Zero(t, status)
	assert.Contains(t, out, "default/train: 2 pods wait, 1 has a node; wants 3 pods")
	assert.Contains(t, out, "\nNot tried: default/t-3 has scheduling gates (quota).\nNot tried: default/t-4 is being deleted.\n")
	w := wholeAnswer(t, dump, "default/t-1")
	assert.Equal(t, 1, w.Running)
	assert.Equal(t, []question.KeptBack{{Key: "default/t-3", Gates: []string{"quota"}}, {Key: "default/t-4", Leaving: true}}, w.KeptBack)
	for pod, want := range map[string]string{
		"t-0": "pod default/t-0 is not pending, it already runs on node n1; pending pods like it: default/t-1",
		"t-3": "pod default/t-3: spec.schedulingGates: the pod has scheduling gates (quota), so that its group default/train is tried without it; ask about another of its pods",
		"t-4": "pod default/t-4: metadata.deletionTimestamp: the pod is being deleted, so that its group default/train is tried without it",
	} {
		status, stdout, stderr := whatif(dump, "--cluster", "-", "--pending", "default/"+pod, "--release", groupsOn)
		assert.Equal(t, 2, status)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, want)
	}
}

// A tree of groups is asked about as a whole, from each of its pods.
func TestPodWithItsTree(t *testing.T) {
	tree := item("CompositePodGroup", "job", map[string]any{"apiVersion": "scheduling.k8s.io/v1alpha3", "spec": map[string]any{
		"priority": 100, "schedulingPolicy": map[string]any{"gang": map[string]any{"minGroupCount": 2}}}})
	groups := []string{nodeItem("n1", "3"), podItem("low", "n1", 1, "2"), groupItem("train", wants(2), below("job")), groupItem("eval", wants(1), below("job")),
		podItem("t-0", "", 100, "1", in("train")), podItem("t-1", "", 100, "1", in("train")), podItem("e-0", "", 100, "1", in("eval"))}
	const treesOn = groupsOn + ",CompositePodGroup=true"
	for _, pod := range []string{"default/t-0", "default/e-0"} {
		out, status := askedWhole(t, listOf(append(groups, tree)...), pod, "--release", treesOn)
		assert.Equal(t, exitEvicts, status)
		first, _, _ := strings.Cut(out, "\n")
		assert.Equal(t, "Who would "+pod+" push out of standard input, asked about with its tree of groups default/job, of which 3 pods wait?", first)
		assert.Contains(t, out, "wants 2 groups to find their places")
		assert.Contains(t, out, "1 pod has to leave so that the tree of groups default/job can run.")
		w := wholeAnswer(t, listOf(append(groups, tree)...), pod, "--release", treesOn)
		assert.True(t, w.Tree)
		assert.Len(t, w.Report.Seats.Items, 3)
	}
	status, drawn, _ := whatif(listOf(append(groups, tree)...), "--cluster", "-", "--pending", "default/t-0", "--release", treesOn, "-o", "html")
	assert.Zero(t, status)
	assert.Contains(t, drawn, "What becomes of default/t-0 with its tree of groups default/job, of which 3 pods wait")
	// Without the gate its groups are by themselves, and with it one that does not exist is
	// waited for.
	out, _ := askedWhole(t, listOf(append(groups, tree)...), "default/t-0")
	assert.Contains(t, out, "its group default/train, of which 2 pods wait?")
	const waits = "group default/train: spec.parentCompositePodGroupName: its pods wait until there is the composite pod group default/job that it is part of"
	status, stdout, stderr := whatif(listOf(groups...), "--cluster", "-", "--pending", "default/t-0", "--release", treesOn)
	assert.Equal(t, 2, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, waits)
	status, stdout, _ = whatif(listOf(groups...), "--cluster", "-", "--pending", "all", "--release", treesOn, "--exit-status")
	assert.Equal(t, exitStays, status)
	assert.Contains(t, stdout, waits)
}

// A page has the notes that the text has.
func TestPageOfAGroupHasItsNotes(t *testing.T) {
	dump := listOf(nodeItem("n1", "3"), groupItem("train", wants(3)), podItem("t-0", "", 100, "1", in("train")), podItem("t-1", "", 100, "1", in("train")))
	args := []string{"--cluster", "-", "--pending", "default/t-0", "--release", groupsOn}
	const note = "The group wants 3 pods, and 2 are there to be placed: it waits for 1 more, whoever leaves."
	for _, format := range []string{"text", "html"} {
		_, out, _ := whatif(dump, append(args, "-o", format)...)
		assert.Contains(t, strings.Join(strings.Fields(out), " "), note, format)
	}
}

// A question that makes no sense for a group is an error that names another question.
func TestQuestionsThatGroupsDoNotHave(t *testing.T) {
	for args, want := range map[string]string{
		"--replicas 2":     "--replicas asks about copies of a pod by itself",
		"--why-not n1":     "--why-not asks about one node for a pod by itself",
		"--exact":          "--exact knows the best answer for a pod by itself only",
		"--replacements 2": "--replacements follows the victims of a pod by itself",
	} {
		status, stdout, stderr := whatif(grouped(true), append([]string{"--cluster", "-", "--pending", "default/t-0", "--release", groupsOn}, strings.Fields(args)...)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, "pod default/t-0 is scheduled as a whole with its group default/train, and "+want, args)
		assert.Contains(t, stderr, "; --pending default/t-0 without that asks about the group", args)
	}
	for _, more := range [][]string{nil, {"--exact"}, {"--why-not", "n1"}} {
		_, _, stderr := whatif(grouped(false), append([]string{"--cluster", "-", "--pending", "default/t-0", "--release", groupsOn}, more...)...)
		assert.Contains(t, stderr, "with its group default/train, which the dump does not hold; add podgroups,compositepodgroups to kubectl get")
	}
	misspelt := listOf(nodeItem("n1", "1"), groupItem("trian"), podItem("t-0", "", 100, "1", in("train")))
	_, _, stderr := whatif(misspelt, "--cluster", "-", "--pending", "default/t-0", "--release", groupsOn)
	assert.Contains(t, stderr, "which the dump does not hold, though it holds others; a scheduler leaves the pod alone until there is one; near it: default/trian")
	unlike := listOf(nodeItem("n1", "1"), groupItem("train"), podItem("t-0", "", 100, "1", in("train")), podItem("t-1", "", 50, "1", in("train")))
	_, _, stderr = whatif(unlike, "--cluster", "-", "--pending", "default/t-0", "--release", groupsOn)
	assert.Contains(t, stderr, "group default/train cannot be used: 1 problem\n  pod default/t-1: spec.priority: 50, and the group default/train has 100")
	file := filepath.Join(t.TempDir(), "pod.json")
	require.NoError(t, os.WriteFile(file, []byte(podItem("new", "", 100, "1", in("train"))), 0o644))
	_, _, stderr = whatif(grouped(true), "--cluster", "-", "-f", file, "--release", groupsOn)
	assert.Contains(t, stderr, "and not by itself; --pending NAMESPACE/NAME asks about the group of a pod that waits in the dump, and --pending all about all")
	// A kubelet takes each pod by itself.
	_, stdout, _ := whatif(grouped(true), "--cluster", "-", "--pending", "default/t-0", "--release", groupsOn, "--on-node", "n1")
	assert.Contains(t, stdout, "does not start on node n1")
	all := []string{"--cluster", "-", "--pending", "all"}
	_, stdout, _ = whatif(grouped(true), append(all, "--release", groupsOn)...)
	assert.Contains(t, stdout, "default/train (group of 2 pods)")
	assert.NotContains(t, stdout, "each is scheduled by itself")
}

// Long lists are cut in the text alone, and claims of every pod count among the caveats.
func TestLargeGroups(t *testing.T) {
	claims := func(_, spec, _ map[string]any) {
		spec["volumes"] = []any{map[string]any{"name": "v", "persistentVolumeClaim": map[string]any{"claimName": "data"}}}
	}
	items := append(many(300, func(i int) string { return podItem(numbered("t", i), "", 100, "1m", in("train")) }),
		nodeItem("n1", "4"), item("Node", "n2", map[string]any{"status": map[string]any{"allocatable": map[string]any{"cpu": "4", "pods": "400"}}}),
		groupItem("train", wants(300)))
	out, status := askedWhole(t, listOf(items...), "default/t-07")
	assert.Zero(t, status)
	assert.Contains(t, out, "and 250 pods more")
	assert.NotContains(t, out, "claim")
	wide, _ := askedWhole(t, listOf(items...), "default/t-07", "-o", "wide")
	assert.NotContains(t, wide, " more")
	assert.NotContains(t, wide, "asked about, default")
	assert.Contains(t, out, "\nThe pod that was asked about, default/t-07, goes to node n1.\n", "though it may be cut")
	assert.Len(t, wholeAnswer(t, listOf(items...), "default/t-07").Report.Seats.Items, 300)
	items = append(items[:300:300], groupItem("train"), nodeItem("n1", "4"), podItem("u", "", 100, "1", in("train"), claims))
	out, _ = askedWhole(t, listOf(items...), "default/t-07")
	assert.Contains(t, out, "persistentvolumeclaim default/data: not in the dump")
}

// Names that nobody should have break no answer.
func TestHostileGroups(t *testing.T) {
	for _, name := range hostile {
		if name == "" || strings.Contains(name, "/") {
			continue
		}
		dump := listOf(nodeItem(name, "2"), podItem("v"+name, name, 1, "2"), groupItem("g"+name, wants(2)),
			podItem("a"+name, "", 100, "1", in("g"+name)), podItem("b"+name, "", 100, "1", in("g"+name)))
		for _, format := range []string{"text", "wide", "html"} {
			out := shown(t, console.Screen{Width: 80}, dump, "--cluster", "-", "--pending", "default/a"+name, "--release", groupsOn, "-o", format)
			assert.NotContains(t, out, "\x1b", name)
			assert.NotContains(t, out, "<script>alert", name)
			if format != "html" {
				assert.NotContains(t, out, "\u202e", name)
			}
		}
	}
}

// A change of classes reports pods that wait where they have a group, too.
func TestClassesWhereGroupsWait(t *testing.T) {
	out := answered(t, grouped(true), "--cluster", "-", "--release", groupsOn, "--set-class", "a=5")
	assert.NotContains(t, out, "No pod is pending")
	assert.Contains(t, out, "2 pending pods are not asked about: they are gated, being deleted, of another scheduler, or\nscheduled with a group.\n")
	assert.Contains(t, answered(t, listOf(nodeItem("n", "1")), "--cluster", "-", "--set-class", "a=5"), "No pod is pending.")
}

// Rules without groups are reported as such.
func TestGroupsThatDoNotCount(t *testing.T) {
	_, stdout, _ := whatif(grouped(true), "--cluster", "-", "--pending", "default/t-0", "-o", "json")
	assert.Contains(t, stdout, "by the rules of v1.37 the pod is scheduled by itself, whatever its group default/train; where the cluster has the feature gate "+
		"GenericWorkload, groups are scheduled as a whole: --release v1.37,GenericWorkload=true\"")
	_, stdout, _ = whatif(grouped(true), "--cluster", "-", "--pending", "all", "-o", "json")
	assert.Contains(t, stdout, "has 2 pending pods of groups, and by the rules of v1.37 each is scheduled by itself")
	assert.NotContains(t, answered(t, ""), "group")
}

// kubectl is asked for groups where they count.
func TestLiveGroups(t *testing.T) {
	sample, err := filepath.Abs("sample/cluster.json")
	require.NoError(t, err)
	kubectl(t, `case "$*" in *,quota,podgroups,compositepodgroups*) cat '`+sample+`';; *) echo "unexpected $*" >&2; exit 1;; esac`)
	answered(t, "", "--live", "--pending", "all", "--release", groupsOn)
}
