package state_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The labels, their values and the namespaces that the pods below draw from.
var (
	indexedLabels     = []string{"app", "tier", "track"}
	indexedValues     = []string{"a", "b", "c", ""}
	indexedNamespaces = []string{"default", "blue", "green"}
)

// drawSelector draws a selector about these labels.
func drawSelector(t *rapid.T, label string) *outrank.LabelSelector {
	s := &outrank.LabelSelector{}
	if rapid.Bool().Draw(t, label+" by label") {
		s.MatchLabels = map[string]string{rapid.SampledFrom(indexedLabels).Draw(t, label): rapid.SampledFrom(indexedValues).Draw(t, label)}
	}
	for range rapid.IntRange(0, 2).Draw(t, label+" expressions") {
		e := outrank.Requirement{Key: rapid.SampledFrom(indexedLabels).Draw(t, label)}
		e.Operator = rapid.SampledFrom([]outrank.Operator{outrank.In, outrank.NotIn, outrank.Exists, outrank.DoesNotExist}).Draw(t, label)
		if e.Operator == outrank.In || e.Operator == outrank.NotIn {
			e.Values = rapid.SliceOfN(rapid.SampledFrom(indexedValues), 1, 3).Draw(t, label)
		}
		s.MatchExpressions = append(s.MatchExpressions, e)
	}
	return s
}

// drawTerm draws a term that looks in namespaces of every kind.
func drawTerm(t *rapid.T, label string) outrank.PodAffinityTerm {
	term := outrank.PodAffinityTerm{
		TopologyKey:   rapid.SampledFrom([]string{"zone", "rack"}).Draw(t, label+" key"),
		LabelSelector: drawSelector(t, label),
		Namespaces:    rapid.SliceOfN(rapid.SampledFrom(indexedNamespaces), 0, 2).Draw(t, label+" namespaces"),
	}
	switch rapid.IntRange(0, 3).Draw(t, label+" spaces") {
	case 0:
		term.NamespaceSelector = &outrank.LabelSelector{}
	case 1:
		term.NamespaceSelector = &outrank.LabelSelector{MatchLabels: map[string]string{"team": "x"}}
	}
	return term
}

// drawIndexed draws a pod with a few labels and anti-affinity terms. It mostly runs.
func drawIndexed(t *rapid.T, made int) *outrank.Pod {
	p := &outrank.Pod{
		Namespace: rapid.SampledFrom(indexedNamespaces).Draw(t, "namespace"), Name: fmt.Sprint("p", made),
		Priority: outrank.Priority(rapid.Int32Range(0, 3).Draw(t, "priority")), Labels: map[string]string{},
	}
	for _, label := range indexedLabels {
		if rapid.Bool().Draw(t, label) {
			p.Labels[label] = rapid.SampledFrom(indexedValues).Draw(t, label)
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "terms") {
		p.Affinity.PodAntiAffinity = append(p.Affinity.PodAntiAffinity, drawTerm(t, "own"))
	}
	if len(p.Affinity.PodAntiAffinity) > 0 && rapid.Bool().Draw(t, "twice") {
		p.Affinity.PodAntiAffinity = append(p.Affinity.PodAntiAffinity, p.Affinity.PodAntiAffinity[0])
	}
	if rapid.IntRange(0, 3).Draw(t, "runs") > 0 {
		p.NodeName = rapid.SampledFrom([]string{"n0", "n1", "n2"}).Draw(t, "node")
	}
	return p
}

// picksPlainly is what a term of a pod to be placed says of another, by the texts of Kubernetes and without the engine.
func picksPlainly(owner *outrank.Pod, term *outrank.PodAffinityTerm, p *outrank.Pod) bool {
	spaces := term.Namespaces
	if len(spaces) == 0 && term.NamespaceSelector == nil {
		spaces = []string{owner.Namespace}
	}
	in := slices.Contains(spaces, p.Namespace) || term.NamespaceSelector.Empty() ||
		p.Namespace == "blue" && term.NamespaceSelector.Matches(map[string]string{"team": "x"})
	return in && term.LabelSelector.Matches(p.Labels)
}

// Selectors and the anti-affinity of others find the pods that a look at every pod finds, whatever has come and
// gone, in clones and after changes were taken back.
func TestPropertyClassesAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{Release: rapid.SampledFrom([]outrank.Release{outrank.V1_36, outrank.V1_37}).Draw(t, "release")}
		for _, n := range []string{"n0", "n1", "n2"} {
			c.Nodes = append(c.Nodes, &outrank.Node{Name: n})
		}
		c.Namespaces = []*outrank.Namespace{{Name: "blue", Labels: map[string]string{"team": "x"}}, {Name: "default"}}

		snapshots := []*state.Snapshot{snapshotOf(t, c)}
		for made := range rapid.IntRange(1, 40).Draw(t, "steps") {
			s := snapshots[rapid.IntRange(0, len(snapshots)-1).Draw(t, "snapshot")]
			pods := slices.Collect(s.Pods())
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				snapshots = append(snapshots, s.Clone())
			case 1, 2, 3:
				if len(pods) > 0 {
					err := s.RemovePod(rapid.SampledFrom(pods).Draw(t, "gone").Key())
					require.NoError(t, err)
				}
			case 4:
				mark := s.Mark()
				_, err := s.PutPod(drawIndexed(t, made))
				require.NoError(t, err)
				require.NoError(t, s.Undo(mark))
			default:
				_, err := s.PutPod(drawIndexed(t, made))
				require.NoError(t, err)
			}
		}
		for _, s := range snapshots {
			requireFound(t, s)
		}
	})
}

// requireFound compares what the indexes of a snapshot find with a look at every pod.
func requireFound(t *rapid.T, s *state.Snapshot) {
	asker := drawIndexed(t, 1000)
	asker.Affinity.PodAffinity = []outrank.PodAffinityTerm{drawTerm(t, "asks")}

	found, want := map[string]int{}, map[string]int{}
	for m := range s.Classes.All() {
		total := 0
		for _, on := range m.Nodes() {
			total += int(on.Pods)
		}
		require.LessOrEqual(t, total, m.Pods)
	}
	s.SelectedIn(asker.Namespace, asker.Affinity.PodAffinity[0].LabelSelector, func(m *state.ClassMembers) { found["selector"] += running(m) })
	term := s.IncomingTerms(asker, asker.Affinity.PodAffinity)[0]
	s.Selected(&term, func(m *state.ClassMembers) { found["term"] += running(m) })
	s.KeptApart(asker, func(key string, classes iter.Seq[*state.ClassMembers]) {
		for m := range classes {
			found["apart by "+key] += running(m)
		}
	})

	for p := range s.Pods() {
		if p.NodeName == "" {
			continue
		}
		if p.Namespace == asker.Namespace && asker.Affinity.PodAffinity[0].LabelSelector.Matches(p.Labels) {
			want["selector"]++
		}
		if picksPlainly(asker, &asker.Affinity.PodAffinity[0], p) {
			want["term"]++
		}
		for i := range p.Affinity.PodAntiAffinity {
			if own := &p.Affinity.PodAntiAffinity[i]; picksPlainly(p, own, asker) {
				want["apart by "+own.TopologyKey]++
			}
		}
	}
	for _, counts := range []map[string]int{found, want} {
		for what, n := range counts {
			if n == 0 {
				delete(counts, what)
			}
		}
	}
	require.Equal(t, want, found)
}

// running returns how many pods of a class run.
func running(m *state.ClassMembers) (n int) {
	for _, on := range m.Nodes() {
		n += int(on.Pods)
	}
	return n
}

// Labels that many classes have are found as those that few have, and a term that a pod has twice counts twice.
func TestManyClassesAreFound(t *testing.T) {
	all := &outrank.LabelSelector{MatchLabels: map[string]string{"all": "yes"}}
	term := outrank.PodAffinityTerm{TopologyKey: "zone", LabelSelector: all}
	pod := func(i int) *outrank.Pod {
		p := &outrank.Pod{Name: fmt.Sprint("p", i), NodeName: "n", Labels: map[string]string{"all": "yes", "own": fmt.Sprint("o", i)}}
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{term, term}
		return p
	}
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}}
	for i := range 5000 {
		c.Pods = append(c.Pods, pod(i))
	}

	s := snapshotOf(t, c)
	before := s.Clone()
	for i := range 5000 {
		if i%3 > 0 {
			require.NoError(t, s.RemovePod(c.Pods[i].Key()))
			_, err := s.PutPod(&outrank.Pod{Name: fmt.Sprint("q", i), NodeName: "n", Labels: map[string]string{"own": fmt.Sprint("q", i)}})
			require.NoError(t, err)
		}
	}
	count := func(s *state.Snapshot, selector *outrank.LabelSelector) (picked, apart int) {
		s.SelectedIn("default", selector, func(m *state.ClassMembers) { picked += running(m) })
		s.KeptApart(pod(0), func(_ string, classes iter.Seq[*state.ClassMembers]) {
			for m := range classes {
				apart += running(m)
			}
		})
		return picked, apart
	}

	picked, apart := count(before, all)
	require.Equal(t, []int{5000, 10000}, []int{picked, apart})
	picked, apart = count(s, all)
	require.Equal(t, []int{1667, 3334}, []int{picked, apart})
	picked, _ = count(s, &outrank.LabelSelector{MatchLabels: map[string]string{"all": "yes"}, MatchExpressions: []outrank.Requirement{{Key: "own", Operator: outrank.NotIn, Values: []string{"o0", "o1"}}}})
	require.Equal(t, 1666, picked)
}
