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
}

// topics are what the flag -about knows.
var topics = []topic{
	{"eligibility", []string{
		"preemption/eligible.go", "preemption/engine/internal/dryrun/eligible.go", "kubeletadmit/critical.go",
	}},
	{"reprieve", []string{
		"preemption/victims.go", "preemption/dryrun.go", "preemption/engine/internal/dryrun/reprieve.go",
		"preemption/engine/internal/search/evaluate.go",
	}},
	{"budgets", []string{
		"preemption/budgets.go", "preemption/engine/internal/dryrun/budgets.go",
	}},
	{"ranks", []string{
		"preemption/ranks.go", "preemption/engine/internal/dryrun/score.go", "preemption/engine/internal/search/score.go",
	}},
	{"distance", []string{
		"kubeletadmit/scan.go", "kubeletadmit/index.go", "kubeletadmit/pool.go",
	}},
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
	for i, t := range named {
		for _, file := range t.files {
			if !slices.ContainsFunc(s.all, func(m *mutant) bool { return m.file == file }) {
				return nil, fmt.Errorf("%s, about %s, has no mutants", file, t.name)
			}
		}
		share := (n + len(named) - 1 - i) / len(named)
		drawn = append(drawn, s.draw(s.about(t.files), share, seed)...)
	}
	return drawn, nil
}
