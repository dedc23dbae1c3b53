package outrank_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of pods
	"github.com/outrank-go/outrank/resource"
)

// recordedPart is a question about single objects, and recordedAnswer what the code of Kubernetes said to it.
type recordedPart struct {
	ID        string         `json:"id"`
	Pods      []*outrank.Pod `json:"pods"`
	Preemptor *outrank.Pod   `json:"preemptor"`
	Options   struct {
		Selector  *outrank.LabelSelector `json:"selector"`
		LabelSets []map[string]string    `json:"labelSets"`
	} `json:"options"`
}

type recordedAnswer struct {
	ID      string         `json:"id"`
	Facts   []recordedFact `json:"facts"`
	Kubelet struct {
		Pods []recordedFact `json:"pods"`
	} `json:"kubelet"`
	Selector *struct {
		Error   string `json:"error"`
		Empty   bool   `json:"empty"`
		Matches []bool `json:"matches"`
	} `json:"selector"`
}

// recordedFact is what a pod takes on a node, and what it asks for while it has none.
type recordedFact struct {
	Pod      outrank.Key             `json:"pod"`
	Requests map[resource.Name]int64 `json:"requests"`
	Incoming map[resource.Name]int64 `json:"incomingRequests"`
}

// recordedLines calls f with each line of a file of recordings.
func recordedLines(t *testing.T, name string, f func(line []byte)) {
	t.Helper()
	file, err := os.Open("examples/replay/testdata/" + name + ".jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	text, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Bytes())
	}
	require.NoError(t, lines.Err())
}

// eachRecorded calls f with each question of a file that has a mode, and with what the code of a release said.
func eachRecorded(t *testing.T, file, mode string, release outrank.Release, f func(c *recordedPart, want *recordedAnswer)) {
	t.Helper()
	decisions := file + ".decisions"
	if release != outrank.V1_36 {
		decisions = file + "." + release.String() + ".decisions"
	}
	answers := map[string]*recordedAnswer{}
	recordedLines(t, decisions, func(line []byte) {
		var a recordedAnswer
		require.NoError(t, json.Unmarshal(line, &a))
		answers[a.ID] = &a
	})
	n := 0
	recordedLines(t, file+".cases", func(line []byte) {
		var is struct{ Mode string }
		require.NoError(t, json.Unmarshal(line, &is))
		if is.Mode != mode {
			return
		}
		var c recordedPart
		if err := json.Unmarshal(line, &c); err != nil {
			require.ErrorIs(t, err, outrank.ErrInvalid, "some objects are wrong on purpose")
			return
		}
		require.Contains(t, answers, c.ID)
		f(&c, answers[c.ID])
		n++
	})
	require.Greater(t, n, 100, "no questions of the mode %s", mode)
}

// What pods ask for and take is what the code of both releases has counted: 300 pods with all that a spec can
// say, and those of 140 nodes, of which many are being resized.
func TestRecordedRequests(t *testing.T) {
	for _, r := range outrank.Releases() {
		resized := 0
		for file, mode := range map[string]string{"util": "requests", "kubewide": "kubelet"} {
			eachRecorded(t, file, mode, r, func(c *recordedPart, want *recordedAnswer) {
				facts := map[outrank.Key]recordedFact{}
				for _, fact := range append(want.Facts, want.Kubelet.Pods...) {
					facts[fact.Pod] = fact
				}
				if c.Preemptor != nil {
					c.Pods = append(c.Pods, c.Preemptor)
				}
				for _, p := range c.Pods {
					require.Contains(t, facts, p.Key(), c.ID)
					equalAmounts(t, c.ID+" on its node", facts[p.Key()].Requests, p.RunningRequests(r))
					equalAmounts(t, c.ID+" to be placed", facts[p.Key()].Incoming, p.Requests())
					if !p.RunningRequests(r).Equal(p.Requests()) {
						resized++
					}
				}
			})
		}
		require.Greater(t, resized, 50)
	}
}

// equalAmounts compares amounts as they are counted; a missing one and 0 are the same. The recordings have
// what is counted on a node and no other names.
func equalAmounts(t *testing.T, what string, want map[resource.Name]int64, got resource.List) {
	t.Helper()
	for name := range got {
		if name.Counted() {
			assert.Equal(t, want[name], got.Amount(name), "%s: %s", what, name)
		}
	}
	for name, amount := range want {
		assert.Equal(t, amount, got.Amount(name), "%s: %s", what, name)
	}
}

// What selectors pick, and which of them cannot be read, is what the code of both releases has said.
func TestRecordedSelectors(t *testing.T) {
	for _, r := range outrank.Releases() {
		eachRecorded(t, "util", "selector", r, func(c *recordedPart, want *recordedAnswer) {
			s := c.Options.Selector
			if want.Selector.Error != "" {
				assert.Error(t, s.Validate(), c.ID)
			} else {
				assert.NoError(t, s.Validate(), c.ID)
				assert.Equal(t, want.Selector.Empty, s.Empty(), c.ID)
			}
			for i, labels := range c.Options.LabelSets {
				matches := want.Selector.Error == "" && want.Selector.Matches[i]
				assert.Equal(t, matches, s.Matches(labels), "%s: %v", c.ID, labels)
			}
		})
	}
}
