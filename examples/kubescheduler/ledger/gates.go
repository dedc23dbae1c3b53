package ledger

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// gatePaths lists "RELEASE.GATE" for every gate of the releases that are known here, and for every gate that the code
// of the reference looks at in the newest of them, where it schedules or admits pods.
func gatePaths() ([]string, error) {
	var paths []string
	releases := outrank.Releases()
	for _, r := range releases {
		gates := r.Gates()
		if r == releases[len(releases)-1] {
			read, err := referenceGates()
			if err != nil {
				return nil, err
			}
			for _, gate := range read {
				gates[gate] = false
			}
		}
		for _, gate := range slices.Sorted(maps.Keys(gates)) {
			paths = append(paths, Release(r)+"."+gate)
		}
	}
	return paths, nil
}

// Release returns the name of a release in the table: "v1-37", because a dot parts the gate from it.
func Release(r outrank.Release) string { return strings.ReplaceAll(r.String(), ".", "-") }

// rooms are the folders of k8s.io/kubernetes whose code decides what is decided here.
var rooms = []string{"pkg/scheduler", "pkg/kubelet/lifecycle", "pkg/kubelet/preemption", "pkg/kubelet/eviction", "plugin/pkg/admission/priority"}

var gateRead = regexp.MustCompile(`\bfeatures\.([A-Z]\w+)`)

// referenceGates lists the gates that the code in rooms reads, tests left out, sorted.
func referenceGates() ([]string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return nil, fmt.Errorf("the source of k8s.io/kubernetes: %w", err)
	}

	found := map[string]bool{}
	for _, room := range rooms {
		err := filepath.WalkDir(filepath.Join(strings.TrimSpace(string(dir)), room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testing/") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range gateRead.FindAllSubmatch(text, -1) {
				found[string(m[1])] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
