package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// longLists is a dump in which every list is long: nodes with pods of several classes, budgets,
// pods without controllers and of DaemonSets, pods that are being deleted, and pods that wait.
func longLists() string {
	var items []string
	for c := range 9 {
		items = append(items, fmt.Sprintf(`{"kind":"PriorityClass","metadata":{"name":"class-%d"},"value":%d}`, c, 100*c))
	}
	items = append(items, `{"kind":"PriorityClass","metadata":{"name":"production"},"value":1000}`)
	for n := range 12 {
		name := fmt.Sprintf("node-%02d", n)
		extra := ""
		if n%4 == 1 {
			extra = fmt.Sprintf(`"taints":[{"key":"only-%d","effect":"NoSchedule"}]`, n)
		}
		items = append(items, fmt.Sprintf(`{"kind":"Node","metadata":{"name":%q,"labels":{"half":"h%d"}},"spec":{%s},"status":{"allocatable":{"cpu":"9","pods":"20"}}}`, name, n%2, extra))
		for p := range 9 {
			owner := fmt.Sprintf(`"ownerReferences":[{"kind":%q,"name":"set-%d","controller":true}]`, []string{"ReplicaSet", "DaemonSet", "StatefulSet"}[p%3], p)
			if p > 6 {
				owner = `"annotations":{}`
			}
			deleted := ""
			if p == 6 {
				deleted = `,"deletionTimestamp":"2026-01-01T00:00:00Z"`
			}
			items = append(items, fmt.Sprintf(`{"kind":"Pod","metadata":{"namespace":"team-%d","name":"pod-%02d-%d","labels":{"set":"s%d"},%s%s},"spec":{"nodeName":%q,"priority":%d,"priorityClassName":"class-%d","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`,
				p%3, n, p, p, owner, deleted, name, 100*p, p))
		}
	}
	for b := range 9 {
		items = append(items, fmt.Sprintf(`{"kind":"PodDisruptionBudget","metadata":{"namespace":"team-%d","name":"budget-%d"},"spec":{"selector":{"matchLabels":{"set":"s%d"}}},"status":{"disruptionsAllowed":0}}`, b%3, b, b))
	}
	for p := range 15 {
		items = append(items, fmt.Sprintf(`{"kind":"Pod","metadata":{"namespace":"wait","name":"wait-%02d"},"spec":{"priority":%d,"containers":[{"name":"c","resources":{"requests":{"cpu":"%d"}}}]},"status":{"phase":"Pending"}}`, p, 90*p, p%10+1))
	}
	return `{"kind":"List","items":[` + strings.Join(items, ",") + "]}"
}

// Where a list is cut, a line of it says how many more there are: in each section of an answer,
// on a narrow screen and in a pipe.
func TestNoRowsAreHiddenWithoutAWord(t *testing.T) {
	more := regexp.MustCompile(`\b\d+ ((\w+ )?more|before)\b`)
	dump := longLists()
	cut := 0
	for _, args := range []string{
		"--pending wait/wait-14", "--pending wait/wait-00", "--pending wait/wait-09", "--pending wait/wait-14 --replacements 2", "--pending wait/wait-14 --exact",
		"--pending all", "--pending wait/wait-14 --replicas 20", "--pending wait/wait-14 --why-not node-03", "--pending wait/wait-14 --across",
		"--pending wait/wait-14 --on-node node-03 --static", "--without half=h0", "--without node-00 --without node-02", "--set-class class-2=900",
		"--set-class class-2=900 --set-class class-3=1", "--set-class class-3=900 --recreate", "--more-nodes node-00 --without half=h1", "-f sample/deployment.yaml --without node-04",
		"--delete team-0/pod-00-0,team-1/pod-00-4", "--add-node node-00=2 --without node-05 --pending all",
	} {
		for _, width := range []int{0, 80} {
			few, all := sections(t, dump, args, 1, width), sections(t, dump, args, everything, width)
			for title, lines := range few {
				if len(lines) < len(all[title]) {
					cut++
					assert.Regexp(t, more, strings.Join(lines, "\n"), "%s, width %d: %d of %d lines of %q", args, width, len(lines), len(all[title]), title)
				}
			}
			for title := range all {
				assert.Contains(t, few, title, "%s, width %d", args, width)
			}
		}
	}
	assert.Greater(t, cut, 30)
}

// Victims that leave for one reason have it once.
func TestReasonOfVictimsIsSaidOnce(t *testing.T) {
	items := []string{nodeItem("n", "4")}
	for i := range 4 {
		items = append(items, podItem(fmt.Sprint("p", i), "n", 1, "1"))
	}
	dump := listOf(items...)
	text := answered(t, dump, "--cluster", "-", "--cpu", "4", "--priority", "9")
	assert.Equal(t, 1, strings.Count(text, "if it stayed: cpu is short by 1: 4 needed, 3 free of 4"))
	assert.Equal(t, 3, strings.Count(text, "no owner; the same as for 1"))
	page := answered(t, dump, "--cluster", "-", "--cpu", "4", "--priority", "9", "-o", "html")
	assert.Equal(t, 1, strings.Count(page, "If it stayed, cpu is short by 1: 4 needed, 3 free of 4."))
	assert.Equal(t, 3, strings.Count(page, "The same as for 1."))
}

// sections are the lines of an answer, by the first line of each section. Names and numbers
// in it do not count.
func sections(t *testing.T, dump, args string, list, width int) map[string][]string {
	t.Helper()
	opts, err := parse(append([]string{"--cluster", "-"}, strings.Fields(args)...))
	require.NoError(t, err, args)
	s, err := look(opts, strings.NewReader(dump), &strings.Builder{}, new(stopwatch))
	require.NoError(t, err, args)
	var r result
	if s.ask == askPod {
		r, err = s.decide(new(stopwatch))
	} else {
		r, err = s.answered(nil)
	}
	require.NoError(t, err, args)
	var out strings.Builder
	require.NoError(t, r.text(console.Page{W: &out, Screen: console.Screen{Width: width}}, list))
	found := map[string][]string{}
	for i, section := range strings.Split(strings.TrimSpace(out.String()), "\n\n") {
		lines := strings.Split(section, "\n")
		found[fmt.Sprint(i, " ", strings.Fields(lines[0])[0])] = lines
	}
	return found
}
