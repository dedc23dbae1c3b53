package main

import (
	"cmp"
	"fmt"
	"slices"
)

// invariant matches the tests that say what always holds, and compared those that hold the engine to the book.
const (
	invariant = "^TestInvariant"
	compared  = "Book|Property"
)

// The packages whose tests judge all mutants.
const (
	book   = "preemption"
	engine = "preemption/engine"
	node   = "kubeletadmit"
)

// rooms are the packages that the engine is made of. One is held by the tests of those that stand on it, too.
var rooms = []string{
	"preemption/engine/internal/across", "preemption/engine/internal/dryrun", "preemption/engine/internal/filters",
	"preemption/engine/internal/groups", "preemption/engine/internal/search", "preemption/engine/internal/state",
	"preemption/engine/internal/verify",
}

// stage is a run of some tests of a package.
type stage struct {
	// kind says in a few words which tests these are.
	kind   string
	folder string
	// run and skip match the tests as the flags of go test do; empty means all and none. checks is how many
	// cases a property draws; 0 leaves that to the package.
	run, skip string
	checks    int
	// all is set if the tests behind one that fails run as well.
	all bool
}

// The kinds of stages, in the order in which they judge.
const (
	byInvariants = "an invariant"
	byOwn        = "a test of its package"
	byCompared   = "book against engine"
	byOthers     = "a test of another package"
	byMoreDraws  = "a property with more draws"
)

var kinds = []string{byInvariants, byOwn, byCompared, byOthers, byMoreDraws}

// stagesOf returns the tests that judge a mutant in the package of a folder, in their order: the first that
// fails catches it. The last ones draw more cases than a plain run. With everyInvariant, all invariants judge it
// before it counts as caught.
func stagesOf(folder string, everyInvariant bool) []stage {
	var stages []stage
	for _, f := range []string{book, engine, node} {
		stages = append(stages, stage{kind: byInvariants, folder: f, run: invariant, checks: 1000, all: everyInvariant})
	}
	stages = append(stages, stage{kind: byOwn, folder: folder, skip: invariant})
	if folder != engine {
		stages = append(stages,
			stage{kind: byCompared, folder: engine, run: compared, skip: invariant},
			stage{kind: byOthers, folder: engine, skip: compared + "|" + invariant},
		)
	}
	for _, other := range []string{book, node} {
		if other != folder {
			stages = append(stages, stage{kind: byOthers, folder: other, skip: invariant})
		}
	}
	for _, room := range rooms {
		if slices.Contains(rooms, folder) && room != folder {
			stages = append(stages, stage{kind: byOthers, folder: room})
		}
	}
	stages = append(stages, stage{kind: byMoreDraws, folder: engine, run: compared, skip: invariant, checks: 200})
	if folder != engine {
		stages = append(stages, stage{kind: byMoreDraws, folder: folder, run: "Property", checks: 2000})
	}
	return stages
}

// flags returns the flags of the test binary, apart from the one that limits its time. hasRapid is set if it
// knows those of properties. left are tests that are left out, too.
func (s stage) flags(hasRapid bool, left string) (flags []string) {
	flags = []string{"-test.run", cmp.Or(s.run, ".")}
	if !s.all {
		flags = append(flags, "-test.failfast")
	}
	skip := s.skip
	switch {
	case skip == "":
		skip = left
	case left != "":
		skip += "|" + left
	}
	if skip != "" {
		flags = append(flags, "-test.skip", skip)
	}
	if hasRapid {
		// What fails is shrunk a little, so that its sentence is about few objects, and writes no files.
		flags = append(flags, "-rapid.nofailfile", "-rapid.shrinktime", "500ms")
		if s.checks > 0 {
			flags = append(flags, "-rapid.checks", fmt.Sprint(s.checks))
		}
	}
	return flags
}
