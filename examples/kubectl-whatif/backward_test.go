package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const exporter = "reports/exporter-5c7d8-mm2zx"

// preemptedEvent is the event of a scheduler about a pod of the sample.
func preemptedEvent(more string) string {
	return `{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"reports"},"reason":"Preempted",` +
		`"involvedObject":{"kind":"Pod","namespace":"reports","name":"exporter-5c7d8-mm2zx"},` + more + `}`
}

// Why a pod was pushed out is found from the dump alone, from a file of events, and from
// events in the dump, also on standard input.
func TestWhyPreempted(t *testing.T) {
	by := preemptedEvent(`"message":"Preempted by shop/checkout-2 on node apps-b2","lastTimestamp":"2026-03-02T08:12:00Z"`)
	events := manifest(t, listOf(by))
	dump := manifest(t, listOf(by, strings.TrimSuffix(strings.TrimSpace(string(sample)), "\n")))
	for name, args := range map[string][]string{
		"dump alone": {}, "events": {"--events", events}, "events in the dump": {"--cluster", dump},
	} {
		args = append(args, "--why-preempted", exporter)
		text := strings.Join(strings.Fields(answered(t, "", args...)), " ")
		assert.Contains(t, text, "Why was "+exporter+" pushed out of", name)
		assert.Contains(t, text, exporter+" (priority 1000) left node apps-b2 for pod shop/checkout-2 (priority 100000).", name)
		assert.Equal(t, name == "dump alone", strings.Contains(text, "No event at hand"), name)
		assert.Equal(t, name != "dump alone", strings.Contains(text, "The events name pod shop/checkout-2 on node apps-b2, at 2026-03-02 08:12:00 UTC"), name)
		assert.Contains(t, text, "- spared: class production (priority 100000), the least of the dump that does", name)
		var doc struct {
			Question inquiry
			Answer   struct {
				Verdict string
				By      struct{ Key string }
				Trials  []struct{ Way string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(answered(t, "", append(args, "-o", "json")...)), &doc))
		assert.Equal(t, askBackward, doc.Question)
		assert.Equal(t, "by-the-rules", doc.Answer.Verdict)
		assert.Equal(t, "shop/checkout-2", doc.Answer.By.Key)
		assert.Len(t, doc.Answer.Trials, 5)
		answered(t, "", append(args, "-o", "yaml")...)
		page := answered(t, "", append(args, "-o", "html")...)
		assert.Contains(t, page, "What would have spared it")
		status, _, _ := whatif("", append(args, "--exit-status")...)
		assert.Equal(t, exitEvicts, status)
	}
	stdin, err := os.ReadFile(dump)
	require.NoError(t, err)
	assert.Contains(t, answered(t, string(stdin), "--cluster", "-", "--why-preempted", exporter), "The events name")
	assert.Contains(t, answered(t, "", "-n", "reports", "--why-preempted", "exporter-5c7d8-mm2zx"), "for pod shop/checkout-2")
}

// Changes come first: on a cluster with one more node nobody pushes it out.
func TestWhyPreemptedAfterChanges(t *testing.T) {
	text := answered(t, "", "--add-node", "apps-b2", "--why-preempted", exporter, "--exit-status")
	assert.Contains(t, text, "after      --add-node apps-b2")
	assert.Contains(t, text, "Nobody is known to have pushed "+exporter)
	assert.Contains(t, answered(t, "", "--set-budget", "media/transcoder=2", "--why-preempted", "media/transcoder-58c4d-q4x7n"), "shop/checkout-2")
}

func TestWhyPreemptedMakesNoSense(t *testing.T) {
	folder := t.TempDir()
	no := filepath.Join(folder, "no.json")
	require.NoError(t, os.WriteFile(no, []byte(nodeItem("n1", "1")), 0o644))
	gone := manifest(t, preemptedEvent(`"message":"Preempted by pod some-uid on node apps-b2"`))
	broken := manifest(t, preemptedEvent(`"message":5`))
	for args, want := range map[string]string{
		"--why-preempted=":                                         "--why-preempted is empty; name a pod",
		"--events " + no:                                           "--events say who pushed a pod out; name the pod with --why-preempted",
		"--why-preempted reports/exporter":                         "there is no pod reports/exporter in the dump, which has to be from before it was pushed out; near it: " + exporter,
		"--why-preempted shop/checkout-2":                          "pod shop/checkout-2 has no node in the dump",
		"--why-preempted media/thumbnails-6b8f4-hs9cd":             "is being deleted already in the dump",
		"--why-preempted " + exporter + " --cpu 1":                 "--why-preempted names the pod in question, and --cpu another",
		"--why-preempted " + exporter + " --replicas 2":            "are different questions",
		"--why-preempted " + exporter + " --exact":                 "--exact compares",
		"--why-preempted " + exporter + " --events " + no:          "holds no events; kubectl get events -A -o json prints them",
		"--why-preempted " + exporter + " --events none.json":      "--events: open none.json",
		"--why-preempted " + exporter + " --events " + gone:        "the pod with uid some-uid on node apps-b2 pushed " + exporter + " out, and the dump has no such pod",
		"--why-preempted " + exporter + " --events " + broken:      "event reports/e: message: cannot be a JSON number",
		"--why-preempted x --cluster - --events -":                 "both read standard input",
		"--why-preempted " + exporter + " --events= ":              "--events is empty",
		"--why-preempted " + exporter + " --without apps-b2":       exporter + " has no node in the dump",
		"--why-preempted " + exporter + " --delete " + exporter:    exporter + " has no node in the dump",
		"--why-preempted shop/none --cluster " + no + " --now now": "now",
	} {
		status, stdout, stderr := whatif("", strings.Fields(args)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, want, args)
	}
	status, _, stderr := whatif("", "--why-preempted", exporter, "--events", manifest(t, `{"kind":"List","apiVersion":"v1","items":[]}`))
	assert.Zero(t, status)
	assert.Empty(t, stderr)
}
