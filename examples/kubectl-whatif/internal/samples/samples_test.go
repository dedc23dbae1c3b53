package samples

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption/kube"
)

// update asks for the dumps to be written anew; package scenario has the flag.
func update() bool { return flag.Lookup("update").Value.String() == "true" }

const library = "../../../../"

// caseOf finds the question of a sample in its scenario file, and the cluster before it.
func caseOf(t *testing.T, s *Sample) (cluster, asks *scenario.Command) {
	t.Helper()
	text, err := os.ReadFile(library + s.Scenario)
	require.NoError(t, err)
	f, err := scenario.Parse(s.Scenario, string(text))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), "# "+s.Case), "the prose of %s stands in %s once", s.Name, s.Scenario)
	line := 1 + strings.Count(string(text)[:strings.Index(string(text), "# "+s.Case)], "\n")
	for _, c := range f.Commands {
		switch c.Name {
		case "cluster", "host":
			cluster = c
		default:
			if c.Line.Number > line {
				require.NotEmpty(t, c.Expected, "%s asks nothing", s.Name)
				return cluster, c
			}
		}
	}
	t.Fatalf("no question behind %q in %s", s.Case, s.Scenario)
	return nil, nil
}

// clusterOf is the cluster of a sample with the pods in question.
func clusterOf(t *testing.T, s *Sample) *outrank.Cluster {
	t.Helper()
	at, asks := caseOf(t, s)
	c := scenario.Cluster(at.Body)
	if at.Name == "host" {
		for _, p := range c.Pods {
			p.NodeName = c.Nodes[0].Name
		}
	}
	if asks.Name != "group" {
		p := asks.Line.Pod()
		require.NoError(t, asks.Line.Err())
		if !slices.ContainsFunc(c.Pods, func(q *outrank.Pod) bool { return q.Key() == p.Key() }) {
			c.Pods = append(c.Pods, p)
		}
		return c
	}
	gang := &outrank.PodGroup{Name: "gang", Policy: outrank.GangPolicy, MinCount: int32(len(asks.Body))}
	for _, l := range asks.Body {
		require.True(t, l.Accept("pod"))
		p := l.Pod()
		require.NoError(t, l.Err())
		p.Group, gang.Priority = gang.Name, p.Priority
		c.Pods = append(c.Pods, p)
	}
	c.Groups = append(c.Groups, gang)
	return c
}

// The dump of a sample is the cluster of its scenario. -update writes all of them.
func TestDumpsAreThoseOfTheScenarios(t *testing.T) {
	var files []string
	for _, s := range All() {
		if s.Scenario == "" {
			assert.Equal(t, Default, s.Name)
			assert.Nil(t, s.Dump())
			continue
		}
		var want bytes.Buffer
		require.NoError(t, kube.WriteCluster(&want, clusterOf(t, &s)), s.Name)
		file := filepath.Join("dumps", s.Name+".json")
		files = append(files, file)
		if update() {
			require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644))
			continue
		}
		got, err := io.ReadAll(s.Dump())
		require.NoError(t, err)
		assert.Equal(t, want.String(), string(got), "%s: go test -update writes it from %s", s.Name, s.Scenario)
	}
	there, err := filepath.Glob("dumps/*")
	require.NoError(t, err)
	assert.ElementsMatch(t, files, there)
}

// Sentences speak of pods and nodes that are there, in order, and of no rule by its number.
func TestSamplesAreDescribed(t *testing.T) {
	words := regexp.MustCompile(`\b(n[0-9]|--[a-z-]+)\b`)
	for i, s := range All() {
		assert.Regexp(t, `^[a-z-]+$`, s.Name)
		assert.Equal(t, i, slices.Index(Names(), s.Name), "each name once")
		assert.LessOrEqual(t, len(s.Line), 80, s.Name)
		assert.Regexp(t, `\.$`, s.About, s.Name)
		assert.GreaterOrEqual(t, strings.Count(s.About, ". ")+1, 2, s.Name)
		named, ok := Named(s.Name)
		assert.True(t, ok)
		assert.Equal(t, s, named)
		if s.Scenario == "" {
			continue
		}
		c := clusterOf(t, &s)
		for _, word := range words.FindAllString(s.About, -1) {
			if word[0] == 'n' {
				assert.True(t, slices.ContainsFunc(c.Nodes, func(n *outrank.Node) bool { return n.Name == word }), "%s has no node %s", s.Name, word)
			}
		}
		assert.True(t, slices.ContainsFunc(c.Pods, func(p *outrank.Pod) bool { return string(p.Key()) == s.Pod }), "%s has no pod %s", s.Name, s.Pod)
	}
	_, ok := Named("none")
	assert.False(t, ok)
}

// Victims returns the pods that leave by the answer that the scenario of a sample expects. The
// test of the program compares.
func TestExpectedVictims(t *testing.T) {
	for _, s := range All() {
		if s.Scenario == "" {
			continue
		}
		_, asks := caseOf(t, &s)
		var want []string
		for _, m := range regexp.MustCompile(`(?m)^  (?:victim|evict) ([^ ,;]+)`).FindAllStringSubmatch(asks.Expected, -1) {
			want = append(want, m[1])
		}
		assert.Equal(t, want, s.Leave, s.Name)
	}
}
