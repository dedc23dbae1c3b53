package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// Every question is answered about the sample, as text and for programs, and its
// outcome is the exit status where that is wanted.
func TestOtherQuestions(t *testing.T) {
	for _, tt := range []struct {
		args, question, text, json string
		status                     int
	}{
		{"", "", "3 pods have to leave node apps-b2", `"outcome": "preempt"`, 3},
		{"--cpu 100m --class batch", "", "Nobody has to leave", `"outcome": "fits"`, 0},
		{"--pending ml/train-2", "", "Nobody leaves, and the pod stays pending", `"ineligible"`, 4},
		{"--replacements 2", "", "What becomes of 3 victims, once shop/checkout-2 runs on apps-b2", `"replacements": {`, 3},
		{"--exact", "", "How sure that is: optimal", `"exact": {`, 3},
		{"--pending all", "pending", "What becomes of all pods that wait in the sample cluster?", `"waits": 3`, 4},
		{"--replicas 3", "replicas", "How many of 3 copies of shop/checkout-2 find room", `"victims": 6`, 3},
		{"--replicas 2 --cpu 100m --class batch", "replicas", "How many of 2 copies of default/what-if", `"free": 2`, 0},
		{"--replicas 100", "replicas", "How many of 100 copies", `"stopped": true`, 4},
		{"--why-not apps-a1", "whyNot", "Node apps-a1 would do for shop/checkout-2", `"place": 2`, 3},
		{"--why-not gpu-b1", "whyNot", "dedicated=gpu:NoSchedule", `"stage": "no-help"`, 4},
		{"--on-node apps-a1", "onNode", "What does the kubelet of apps-a1 say to shop/checkout-2", `"outcome": "Rejected"`, 4},
		{"--on-node apps-a1 --static", "onNode", "once 2 pods have been evicted", `"outcome": "AdmittedAfterEvicting"`, 3},
		{"--more-nodes apps-a1", "moreNodes", "4096 nodes like apps-a1 are not enough until everybody finds a place; no more were tried.", `"most": 4096`, 4},
		{"--least-priority", "leastPriority", "Priority 101 is the least with which shop/checkout-2 finds a place, on apps-a1, and 2 pods have to", `"priority": 101`, 3},
		{"--least-priority --cpu 100m", "leastPriority", "Any priority is enough: default/what-if finds a place as the least important pod", `"priority": -2147483648`, 0},
		{"--least-priority --pending ml/train-2", "leastPriority", "No priority up to 1000000000 is enough until ml/train-2 finds a place.", `"most": 1000000000`, 4},
		{"--least-priority -f sample/deployment.yaml", "leastPriority", "Priority 1001 is the least with which all 4 pods of Deployment/recommender find a place", `"pods": 4`, 3},
		{"--least-priority -f sample/deployment.yaml --one", "leastPriority", "Which priority is enough for shop/recommender", `"pods": 1`, 3},
		{"--largest", "largest", "The largest that fits with nobody leaving asks for cpu 900m, memory 2458Mi, 0.3 times the shape", `"steps": 900`, 0},
		{"--largest --request nvidia.com/gpu=1", "largest", "in steps of 1 of nvidia.com/gpu", `"resource": "nvidia.com/gpu"`, 4},
		{"--emptiable all", "emptiable", "None of 8 nodes can be emptied.", `"of": 8`, 4},
		{"--emptiable pool=apps --add-node apps-a1=3", "emptiable", "3 of 9 nodes can be emptied together: 3 pods are evicted and find a place elsewhere", `"apps-a1-new2"`, 0},
		{"--across", "across", "Who would have to leave for shop/checkout-2, on whatever nodes of the sample cluster?", `"optimal": true`, 3},
		{"--set-class batch=200000", "classes", "Class batch: value 200000", `"gained": 33`, 3},
		{"--set-class batch=100", "classes", "No class changes.", `"changes": []`, 0},
		{"--without apps-b2,apps-a1", "without", "What becomes of the pods of apps-b2, apps-a1, drained or lost", `"own": 11`, 4},
	} {
		t.Run(tt.args, func(t *testing.T) {
			args := strings.Fields(tt.args)
			assert.Contains(t, answered(t, "", args...), tt.text)
			status, out, stderr := whatif("", append(args, "--exit-status", "-o", "json")...)
			assert.Empty(t, stderr)
			assert.Equal(t, tt.status, status)
			assert.Contains(t, out, tt.json)
			var doc Questioned
			require.NoError(t, json.Unmarshal([]byte(out), &doc))
			assert.Equal(t, "whatif/v1", doc.APIVersion)
			assert.Equal(t, inquiry(tt.question), doc.Question)
			assert.Equal(t, 8, doc.Cluster.Nodes)
			same, err := yaml.YAMLToJSON([]byte(answered(t, "", append(args, "-o", "yaml")...)))
			require.NoError(t, err)
			assert.JSONEq(t, out, string(same), "YAML is the same document")
		})
	}
}

// An unknown class may be a new one, or one misspelt.
func TestNewClass(t *testing.T) {
	assert.Contains(t, answered(t, "", "--set-class", "btch=5"),
		"--set-class btch: the dump has no such class, so that this is about a new one; near it: batch")
	assert.NotContains(t, answered(t, "", "--set-class", "batch=5"), "no such class")
}

// Classes come from files, too; those that --set-class does not name stay as they are.
func TestClassesFromFiles(t *testing.T) {
	class := "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: batch}\nvalue: 200000\n"
	out := answered(t, class, "--priorityclass", "-", "--set-class", "standard=1001", "-o", "json")
	var doc struct {
		Answer struct {
			Changes []struct {
				Name  string
				After struct {
					Value         int
					GlobalDefault bool
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Len(t, doc.Answer.Changes, 2)
	assert.Equal(t, []any{"batch", 200000, false}, []any{doc.Answer.Changes[0].Name, doc.Answer.Changes[0].After.Value, doc.Answer.Changes[0].After.GlobalDefault})
	assert.Equal(t, []any{"standard", 1001, true}, []any{doc.Answer.Changes[1].Name, doc.Answer.Changes[1].After.Value, doc.Answer.Changes[1].After.GlobalDefault})
}

func TestQuestionsThatMakeNoSense(t *testing.T) {
	for args, want := range map[string]string{
		"--pending all --replicas 2":             "--pending all and --replicas are different questions, each with an answer of its own",
		"--why-not n --on-node n":                "--why-not and --on-node are different questions",
		"--without x --cpu 1":                    "--without x: there is no such node in the dump",
		"--pending all --cpu 1":                  "--pending all and --cpu name different pods",
		"--set-class a=1 --pending shop/x":       "there is no pod shop/x in the dump",
		"--static":                               "--static says how --on-node takes the pod",
		"--why-not apps-a1 -o html":              "-o html draws what becomes of the cluster, which is no answer to --why-not",
		"--least-priority --largest":             "--least-priority and --largest are different questions",
		"--least-priority -o html":               "which is no answer to --least-priority",
		"--largest --priority 5":                 "pod default/what-if: spec.containers.resources.requests: it asks for nothing that could be more or less",
		"--emptiable x":                          `--emptiable "x": write LABEL=VALUE, or "all" for all nodes`,
		"--emptiable a=b":                        "--emptiable a=b: no node has this label",
		"--emptiable all --cpu 1":                "--emptiable asks about the whole cluster, and --cpu names a pod",
		"--emptiable all -o html":                "which is no answer to --emptiable",
		"--replicas 0":                           "--replicas 0: a number between 1 and 100000",
		"--replacements 17":                      "--replacements 17: a depth between 0 and 16",
		"--replacements 1 --pending all":         "--replacements follows the victims of one pod",
		"--why-not apps-a9":                      "--why-not apps-a9: there is no such node in the dump; near it: apps-a1",
		"--on-node zzzzzzzz":                     "--on-node zzzzzzzz: there is no such node in the dump\n",
		"--without apps-a1,apps-a1":              "--without apps-a1,apps-a1 names node apps-a1 twice",
		"--without=":                             "--without is empty",
		"--why-not=":                             "--why-not is empty",
		"--on-node=":                             "--on-node is empty",
		"--set-class a=b":                        `"b" is no value of a class`,
		"--set-class a":                          "write NAME=VALUE, like production=2000",
		"--set-class a=1 --set-class a=2":        "--set-class a=1,a=2 names priorityclass a twice",
		"--set-class big=2000000000":             "priorityclass big: value",
		"--priorityclass none.yaml":              "--priorityclass: open none.yaml",
		"--priorityclass sample/cluster.json -h": "",
		"--priorityclass testdata":               "holds no file ending in .json",
	} {
		status, stdout, stderr := whatif("", strings.Fields(args)...)
		if want == "" {
			assert.Zero(t, status, args)
			continue
		}
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, want, args)
	}
	_, _, stderr := whatif(nodeItem("n", "1"), "--priorityclass", "-")
	assert.Contains(t, stderr, "--priorityclass - holds no PriorityClass")
}

// The status of an answer is 0 unless --exit-status asks for more; 2 stays for input.
func TestExitStatusOnRequest(t *testing.T) {
	status, _, _ := whatif("")
	assert.Zero(t, status)
	status, _, _ = whatif("", "--exit-status", "--pending", "no/such")
	assert.Equal(t, 2, status)
}

// A namespace leaves its own turns of all that wait, and the others are counted.
func TestPendingOfANamespace(t *testing.T) {
	text := answered(t, "", "--pending", "all", "-n", "media")
	assert.Contains(t, text, "Of 1 pending pod 1 stays pending.")
	assert.Contains(t, text, "3 turns of other namespaces that come in between, too")
	assert.Contains(t, text, "media/thumbnails-6b8f4-5vxjw")
	assert.NotContains(t, text, "shop/checkout-2")
}

// The form for programs says what came before.
func TestChangesInJSON(t *testing.T) {
	for _, args := range []string{"--without apps-a1 --pending shop/checkout-2", "--without apps-a1 --pending shop/checkout-2 --replicas 2"} {
		var doc struct {
			Changes []string
			Before  struct {
				Moves []struct{ Origin string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(answered(t, "", append(strings.Fields(args), "-o", "json")...)), &doc))
		assert.Equal(t, []string{"--without apps-a1"}, doc.Changes)
		assert.NotEmpty(t, doc.Before.Moves)
	}
}

// A switch that is off asks nothing.
func TestQuestionsThatAreOff(t *testing.T) {
	for _, flag := range []string{"--across=false", "--largest=false", "--least-priority=false"} {
		assert.Equal(t, answered(t, ""), answered(t, "", flag))
	}
}

// The least priority for a DaemonSet is that for its pods on all nodes, and what makes no pod needs
// none.
func TestLeastPriorityOfWorkloads(t *testing.T) {
	set := `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"500m","memory":"1Gi"}}}]}}}}`
	out := answered(t, set, "-f", "-", "--least-priority")
	assert.Contains(t, out, "Priority 101 is the least with which all 7 pods of DaemonSet/a find a place, and 3 pods have to\nleave")
	assert.NotContains(t, out, "this is about one of them")
	assert.NotContains(t, out, "here a pod goes where that is best")
	assert.Contains(t, answered(t, set, "-f", "-", "--least-priority", "--one"), "this is about one of them")
	none := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":0,"template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}}}}`
	assert.Contains(t, answered(t, none, "-f", "-", "--least-priority"), "Deployment/a makes no pod here, and nothing needs a priority.")
}
