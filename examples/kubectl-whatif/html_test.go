package main

import (
	"encoding/json"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page of the sample cluster, byte by byte.
func TestHTMLGolden(t *testing.T) {
	got := answered(t, "", "-o", "html")
	file := filepath.Join("testdata", "sample.html.golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(string(want), got), "after a change that is meant run go test -update (-want +got)")
}

var dataVictim = regexp.MustCompile(`<tr role="row" data-victim="([^"]*)"`)

// The page has the answer of the text, for each question.
func TestHTMLAnswersTheSame(t *testing.T) {
	for _, args := range [][]string{nil, {"--pending", "ml/train-2"}, {"--cpu", "100m"}, {"--cpu", "6", "--priority", "200000"}, {"--cpu", "900", "--priority", "5"}} {
		page := answered(t, "", append(args, "-o", "html")...)
		a := answerOf(t, "", args...)
		want, got := []string{}, []string{}
		for _, v := range a.Victims {
			want = append(want, v.Key)
		}
		for _, m := range dataVictim.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		assert.Equal(t, want, got, args)
		assert.Contains(t, page, `the sample cluster`)
		for _, h := range a.Hints {
			assert.Contains(t, page, html.EscapeString(h))
		}
	}
}

// Caveats of the answer stand on the page.
func TestHTMLSaysItsCaveats(t *testing.T) {
	page := answered(t, resizeDump("3"), "--cluster", "-", "--pending", "default/me", "--release", resizesOn, "-o", "html")
	assert.Contains(t, page, "Before you rely on this")
	assert.Contains(t, page, "the dump holds no priority classes, and every cluster has some; add priorityclasses to kubectl get")
	assert.Contains(t, page, "can grow</h1>")
}

var (
	leavesOnPage  = regexp.MustCompile(`data-victim="([^"]*)"`)
	couldOnPage   = regexp.MustCompile(`data-would="([^"]*)"`)
	arrivesOnPage = regexp.MustCompile(`data-preemptor="([^"]*)"`)
)

// onPage are the pods that are marked on a page, each once.
func onPage(page string, how *regexp.Regexp) []string {
	out := []string{}
	for _, m := range how.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return out
}

// has looks for a text on a page, which would be too long to print.
func has(t *testing.T, page, want string) {
	t.Helper()
	assert.True(t, strings.Contains(page, want), "the page does not say %q", want)
}

// The page of a question about the whole cluster marks the pods of its answer.
func TestHTMLOfOtherQuestions(t *testing.T) {
	type turn struct {
		Pod     struct{ Key, Node string }
		Outcome string
		Node    string
		Victims []struct{ Key string }
	}
	for _, tt := range []struct{ args, headline string }{
		{"--pending all", "Of 4 pending pods 1 pushes others out, 3 stay pending"},
		{"--replicas 4 -f sample/deployment.yaml", "4 of 4 replicas of shop/recommender find room"},
		{"--replicas 100", "replicas of shop/checkout-2 find room"},
		{"--without apps-a1,apps-b2", "Without 2 nodes: 4 pods fit elsewhere, 4 push others out, 10 stay pending"},
		{"--without gpu-b1", "Without gpu-b1: "},
	} {
		args := strings.Fields(tt.args)
		page := answered(t, "", append(args, "-o", "html")...)
		var doc struct {
			Answer struct {
				Turns, Moves        []turn
				Tied, Lost, Leaving []struct{ Key string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(answered(t, "", append(args, "-o", "json")...)), &doc))
		leave, come := map[string]bool{}, map[string]bool{}
		for _, turns := range [][]turn{doc.Answer.Turns, doc.Answer.Moves} {
			for _, one := range turns {
				if one.Outcome != "waits" {
					come[one.Pod.Key] = true
				}
				if one.Pod.Node != "" {
					leave[one.Pod.Key] = true
				}
				for _, v := range one.Victims {
					leave[v.Key] = true
				}
			}
		}
		for _, list := range [][]struct{ Key string }{doc.Answer.Tied, doc.Answer.Lost, doc.Answer.Leaving} {
			for _, p := range list {
				leave[p.Key] = true
			}
		}
		assert.Equal(t, slices.Sorted(maps.Keys(leave)), append([]string(nil), onPage(page, leavesOnPage)...), tt.args)
		assert.Equal(t, slices.Sorted(maps.Keys(come)), append([]string(nil), onPage(page, arrivesOnPage)...), tt.args)
		has(t, page, tt.headline)
		has(t, page, "the sample cluster")
	}
}

// A change of classes pushes out nobody: its page marks the pods that could be pushed out.
func TestHTMLOfClasses(t *testing.T) {
	page := answered(t, "", "--set-class", "batch=200000", "-o", "html")
	has(t, page, "1 class changes, and 33 running pods could be pushed out that could not before")
	assert.Len(t, onPage(page, couldOnPage), 33)
	assert.Empty(t, onPage(page, leavesOnPage))
	has(t, answered(t, "", "--set-class", "batch=99", "-o", "html"), "and no running pod could be pushed out that could not before")
	has(t, answered(t, "", "--set-class", "batch=100", "-o", "html"), "No class changes")
}

// The page of a kubelet's answer has the pod on its node, and the pods evicted for it.
func TestHTMLOfAKubelet(t *testing.T) {
	args := []string{"--cpu", "1", "--memory", "1Gi", "--on-node", "apps-a1", "-o", "html"}
	page := answered(t, "", append(args, "--static")...)
	has(t, page, "default/what-if (priority 1000) starts on node apps-a1 once 1 pod has been evicted</h1>")
	assert.Equal(t, []string{"media/transcoder-58c4d-vb9zk"}, onPage(page, leavesOnPage))
	assert.Equal(t, []string{"default/what-if"}, onPage(page, arrivesOnPage))
	has(t, page, "cpu is short by 700m: 1 needed, 7500m of 7800m used")
	has(t, page, "a replacement waits for room.")
	page = answered(t, "", args...)
	assert.Empty(t, onPage(page, leavesOnPage))
	assert.Empty(t, onPage(page, arrivesOnPage))
	has(t, page, "does not start on node apps-a1: OutOfcpu")
}

// Why something does not happen is no picture.
func TestHTMLOfWhyNot(t *testing.T) {
	status, stdout, stderr := whatif("", "--why-not", "gpu-b1", "-o", "html")
	assert.Equal(t, 2, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "-o html draws what becomes of the cluster, which is no answer to --why-not; take text, wide, json or yaml")
}

// The page of every question ends with what to do, from what the answer tried.
func TestHTMLEndsWithWhatToDo(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", "Nothing to do if those pods may leave: kube-scheduler evicts them by itself."},
		{"--cpu 100m", "Nothing to do: it starts on one of the "},
		{"--pending reports/year-end-29517-j6tqs", "1 node: with "},
		{"--pending ml/train-2", "Nothing that was tried makes room for it: it stays pending."},
		{"--pending all", "ask again with --pending ml/train-2."},
		{"--replicas 4 -f sample/deployment.yaml", "The first "},
		{"--replicas 100", "make room for the next one."},
		{"--cpu 10m --replicas 2", "Nothing to do: all of them fit, and nobody has to leave."},
		{"--without apps-a1,apps-b2", "With --set-budget media/transcoder=2 before it the drain ends."},
		{"--set-budget media/transcoder=2 --without apps-a1,apps-b2", "It costs room: "},
		{"--add-node apps-a1", "Nothing to do: all that the changes are about have a place, and nobody has to leave for them."},
		{"-f sample/deployment.yaml --add-node gpu-b1", "--more-nodes NODE"},
		{"--set-class batch=200000", "new pods could push them out, and could not before."},
		{"--set-class batch=99", "Nothing to do: no running pod could be pushed out that could not before."},
		{"--cpu 1 --memory 1Gi --on-node apps-a1 --static", "Nothing to do if they may leave: the kubelet evicts them by itself"},
		{"--cpu 1 --memory 1Gi --on-node apps-a1", "is asked without --on-node."},
		{"--cpu 10m --on-node apps-a3", "Nothing to do: the kubelet starts it."},
		{"--across --pending shop/checkout-2", "kube-scheduler makes room by itself on "},
	} {
		page := html.UnescapeString(answered(t, "", append(strings.Fields(tt.args), "-o", "html")...))
		at := strings.LastIndex(page, "<section")
		end, _, _ := strings.Cut(page[at:], "<footer>")
		assert.Contains(t, end, `<h2 id="todo">What to do</h2>`, tt.args)
		assert.Contains(t, end, tt.want, tt.args)
	}
}

// What the page of a drain says to do was tried: with it the drain ends.
func TestWhatToDoAboutADrainHelps(t *testing.T) {
	stuck := answered(t, "", "--without", "apps-a1,apps-b2")
	assert.Contains(t, stuck, "it never ends.")
	assert.Contains(t, stuck, "With --set-budget media/transcoder=2 before it the drain ends.")
	assert.NotContains(t, answered(t, "", "--set-budget", "media/transcoder=2", "--without", "apps-a1,apps-b2"), "never ends")
}

// A page does not show a pod that starts where its victims leave to no effect.
func TestPageOfNoEffect(t *testing.T) {
	page := answered(t, "", "--cluster", "testdata/cases/again.yaml", "--pending", "a/wants", "-o", "html")
	assert.Contains(t, page, ", to no effect")
	assert.Contains(t, page, "and the pod does not start all the same: ")
	assert.NotContains(t, page, "can run")
	assert.Contains(t, answered(t, "", "--cluster", "testdata/cases/again.yaml", "--pending", "a/wants", "-o", "json"), `"noEffect": {`)
}
