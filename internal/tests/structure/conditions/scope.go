package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// room is a package whose conditions are measured.
type room struct {
	folder string
	// files are the names of its files that count; none means all files outside tests.
	files []string
	// judges are the folders whose tests have to show the operands, beside those of the folder itself.
	judges []string
}

// engineTests are the tests of what the engine promises as a whole. They hold every room below it, and the
// book, to each other.
const engineTests = "preemption/engine"

// scope has the code that decides: the ranks, the reprieve, who is eligible, budgets, distance, quantities.
// Files that write answers down, and those that only speed the search up, are not part of it.
var scope = []room{
	{folder: "resource"},
	{folder: "pdb", judges: []string{engineTests}},
	{folder: "kubeletadmit"},
	{folder: "preemption/internal/rank", judges: []string{"preemption", engineTests}},
	{folder: "preemption", judges: []string{engineTests}, files: []string{
		"ranks.go", "victims.go", "dryrun.go", "eligible.go", "units.go", "budgets.go", "candidates.go",
		"group_members.go", "group_place.go", "group_preempt.go", "group_quota.go", "group_reprieve.go",
	}},
	{folder: "preemption/engine/internal/dryrun", judges: []string{engineTests}, files: []string{
		"budgets.go", "candidate.go", "choose.go", "dryrun.go", "eligible.go", "node.go", "order.go", "reprieve.go",
		"result.go", "score.go", "strict.go", "unit.go", "units.go", "variant.go",
	}},
	{folder: "preemption/engine/internal/search", judges: []string{engineTests}, files: []string{
		"candidate.go", "chosen.go", "costs.go", "leading.go", "rules.go", "score.go",
	}},
	{folder: "preemption/engine/internal/groups", judges: []string{engineTests}, files: []string{
		"budgets.go", "owner.go", "place.go", "preempt.go", "quorum.go", "reprieve.go", "sort.go", "unit.go",
	}},
	{folder: "preemption/engine/internal/state", judges: []string{engineTests}, files: []string{
		"budgets.go", "budgetset.go",
	}},
}

// sources returns the paths of the files that count, within the module at root.
func (r *room) sources(root string) ([]string, error) {
	names := r.files
	if len(names) == 0 {
		all, err := filepath.Glob(filepath.Join(root, r.folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range all {
			if !strings.HasSuffix(path, "_test.go") {
				names = append(names, filepath.Base(path))
			}
		}
	}

	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.ToSlash(filepath.Join(r.folder, name))
	}
	return paths, nil
}

// judgesOf returns the folders whose tests judge the rooms, each once.
func judgesOf(rooms []room) (folders []string) {
	for _, r := range rooms {
		folders = append(append(folders, r.folder), r.judges...)
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}
