package main

import (
	"fmt"
	"slices"
	"strings"
)

// topic is a part of the rules, with the files of the book, of the engine and of kubeletadmit that decide it.
type topic struct {
	name  string
	files []string
	// promised are the invariants, without TestInvariant, of which each says in its name that it holds something
	// of the topic.
	promised []string
}

// promises reports whether the name of a test, with its folder, promises that it sees errors about the topic.
func (t *topic) promises(test string) bool {
	_, name, ok := strings.Cut(test, ".TestInvariant")
	return ok && slices.Contains(t.promised, name)
}

// topics are what the flag -about knows.
var topics = []topic{
	{
		name:  "eligibility",
		files: []string{"preemption/eligible.go", "preemption/engine/internal/dryrun/eligible.go", "kubeletadmit/critical.go"},
		promised: []string{
			"NobodyOfEqualOrHigherPriorityLeaves", "OnlyAPodThatMayPreemptPushesOut", "OnlyThoseThatMayBeEvictedLeave",
			// What the nominated node says stands in the engine's file about eligibility.
			"EachNodeSaysWhyItTurnsThePodDown",
		},
	},
	{
		name: "reprieve",
		files: []string{
			"preemption/victims.go", "preemption/dryrun.go", "preemption/engine/internal/dryrun/reprieve.go",
			"preemption/engine/internal/search/evaluate.go",
		},
		promised: []string{
			"ThePodFitsOnceTheVictimsAreGone", "NoVictimCouldHaveStayed", "BudgetsComeBackFirstThenImportance",
			// The engine ends a reprieve early on a node that loses by the ranks, and notes what each victim blocks.
			"NoCandidateIsBetterByTheRanks", "ANodeIsRefusedOnlyIfNobodyCanHelp", "EachNodeSaysWhyItTurnsThePodDown",
		},
	},
	{
		name:     "budgets",
		files:    []string{"preemption/budgets.go", "preemption/engine/internal/dryrun/budgets.go"},
		promised: []string{"BudgetsComeBackFirstThenImportance", "ABudgetIsBrokenOnlyBeyondWhatItAllows"},
	},
	{
		name:  "ranks",
		files: []string{"preemption/ranks.go", "preemption/engine/internal/dryrun/score.go", "preemption/engine/internal/search/score.go"},
		// Who loses a nomination to the chosen node stands in the book's file about ranks.
		promised: []string{"NoCandidateIsBetterByTheRanks", "NominatedPodsKeepTheirRoom"},
	},
	{
		name:  "distance",
		files: []string{"kubeletadmit/scan.go", "kubeletadmit/index.go", "kubeletadmit/pool.go"},
		promised: []string{
			"ThePodFitsOnceTheEvictedAreGone", "NobodyIsEvictedInVain", "ATierLeavesOnlyIfTheLowerOnesWouldNotDo",
			"EachTimeTheNearestLeaves", "EvictionEndsOnceTheShortageIsCovered",
		},
	},
}

// topicsNamed returns the topics with these names, of which commas stand between.
func topicsNamed(names string) (named []topic, err error) {
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(topics, func(t topic) bool { return t.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is no topic", name)
		}
		named = append(named, topics[i])
	}
	return named, nil
}

// drawAbout draws n mutants, from each topic as many, up to one.
func (s *stock) drawAbout(named []topic, n int, seed uint64) (drawn []*mutant, err error) {
	for i := range named {
		t := &named[i]
		for _, file := range t.files {
			if !slices.ContainsFunc(s.all, func(m *mutant) bool { return m.file == file }) {
				return nil, fmt.Errorf("%s, about %s, has no mutants", file, t.name)
			}
		}
		share := (n + len(named) - 1 - i) / len(named)
		for _, m := range s.drawFrom(s.about(t.files), share, seed) {
			m.topic = t
			drawn = append(drawn, m)
		}
	}
	return drawn, nil
}
