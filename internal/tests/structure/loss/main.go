// Command loss measures benchmarks of a commit and of the working tree in turns. It fails if the bytes,
// allocations or time of one have grown by more than a tenth.
//
//	go run -C internal/tests/structure ./loss -against COMMIT [-rounds 6] [-v]
//
// Bytes and allocations are the same on every machine. Times can be compared if the two halves of the rounds
// agree about each build. If they do not, the machine is too restless for a verdict about that benchmark, and
// the command says so. A benchmark counts as lost if it is measured as lost twice.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// set is a set of benchmarks of one package: a pattern for their names, and how often each runs.
type set struct {
	pkg, pattern, times string
}

// moved maps the folder of a package to the one in which its benchmarks stood earlier.
var moved = map[string]string{"preemption/engine": "preemption"}

// sets are the benchmarks that must not become slower or larger: decisions of each kind, making a snapshot, a
// stream of decisions and changes, reading a dump, and decisions on real clusters. Those that the earlier commit does
// not have are named, and count once a commit that has them is measured against.
var sets = []set{
	{"preemption/engine", "^BenchmarkMatrix$/^preemptor=(plain|sizes|selector-all|selector-host|tainted|nobody-lower)$/nodes=1000/budgets=20", "1000x"},
	{"preemption/engine", "^BenchmarkMatrix$/^preemptor=(anti-affinity|affinity|spread|claim-in-use)$/nodes=1000/budgets=20", "200x"},
	{"preemption/engine", "^BenchmarkMatrix$/^preemptor=(port|volume)$/nodes=1000/budgets=20/asked=new", "10x"},
	{"preemption/engine", "^BenchmarkNewSnapshot$/nodes=1000/", "2x"},
	{"preemption/engine", "^BenchmarkStream$/nodes=1000/", "1000x"},
	{"preemption/kube", "^BenchmarkReadCluster$", "1x"},

	// All rows of real clusters, in each way of asking. A first question takes a snapshot of its own.
	{"preemption/engine", "^BenchmarkReal$/^([^o]|own)/^(priority|known|changed)$/^1000$", "100x"},
	{"preemption/engine", "^BenchmarkReal$/^([^o]|own)/^(rules|second)$/^1000$", "10x"},
	{"preemption/engine", "^BenchmarkReal$/^(mixed|own-labels|terms|deployment|extended-3|volumes-by-zone|budgets-200)$/^first$/^1000$", "2x"},
}

func main() {
	against := flag.String("against", "", "commit to measure against")
	rounds := flag.Int("rounds", 6, "runs of each build, an even number")
	verbose := flag.Bool("v", false, "print every figure, not only those that have grown")
	structure.Main("loss", func() (bool, error) { return run(os.Stdout, *against, *rounds, *verbose) })
}

// run measures all sets, and reports whether none has lost.
func run(w io.Writer, commit string, rounds int, verbose bool) (bool, error) {
	if commit == "" || rounds < 2 || rounds%2 != 0 {
		return false, fmt.Errorf("-against %q -rounds %d: want a commit, and an even number from 2 on", commit, rounds)
	}

	dir, err := os.MkdirTemp("", "loss")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)

	// A shallow clone may lack the commit.
	if _, err := output(".", "git", "cat-file", "-e", commit+"^{commit}"); err != nil {
		fmt.Fprintf(w, "NOT CHECKED: the history here does not reach back to %s\n", commit)
		return true, nil
	}
	past := filepath.Join(dir, "past")
	if err := checkOut(commit, past); err != nil {
		return false, err
	}

	m := &measured{rounds: rounds, builds: [2]build{{root: past, to: filepath.Join(dir, "a")}, {root: ".", to: filepath.Join(dir, "b")}}}
	ok := true
	for _, s := range sets {
		lost, err := m.lost(w, s, verbose)
		if err != nil {
			return false, err
		}

		// A loss by chance does not occur twice.
		if len(lost) > 0 {
			fmt.Fprintf(w, "once more: %s\n", strings.Join(lost, ", "))
			again, err := m.lost(w, s, verbose)
			if err != nil {
				return false, err
			}
			lost = slices.DeleteFunc(lost, func(name string) bool { return !slices.Contains(again, name) })
		}
		ok = ok && len(lost) == 0
	}
	return ok, nil
}

// checkOut writes the files of a commit to a new folder.
func checkOut(commit, dir string) error {
	archive := dir + ".tar"
	if _, err := output(".", "git", "archive", "-o", archive, commit); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	_, err := output(dir, "tar", "-xf", archive)
	return err
}

// build is a checkout at the folder root. Its test binaries have paths that begin with to.
type build struct {
	root, to string
}

// run runs a set of benchmarks and returns what they print. It builds their tests on the first call.
func (b *build) run(s set) (string, error) {
	pkg, err := b.folderOf(s)
	if err != nil {
		return "", err
	}
	program := b.to + strings.ReplaceAll(s.pkg, "/", "-") + ".test"
	if _, err := os.Stat(program); err != nil {
		if _, err := output(b.root, "go", "test", "-c", "-o", program, "./"+pkg); err != nil {
			return "", err
		}
	}
	return output(filepath.Join(b.root, pkg), program, "-test.run", "^$", "-test.bench", s.pattern, "-test.benchtime", s.times, "-test.cpu", "1", "-test.benchmem")
}

// errAbsent is the error about benchmarks that a checkout does not have.
var errAbsent = errors.New("no such benchmark")

// folderOf returns the folder in which the checkout has the benchmarks of a set: the folder of their package,
// or the one from which they were moved. The error wraps errAbsent if they are in neither.
func (b *build) folderOf(s set) (string, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(s.pattern, "^"), "$")
	for _, folder := range []string{s.pkg, moved[s.pkg]} {
		files, err := filepath.Glob(filepath.Join(b.root, folder, "*_test.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			if folder != "" && bytes.Contains(text, []byte("func "+name+"(")) {
				return folder, nil
			}
		}
	}
	return "", fmt.Errorf("%w: %s in any folder of %s", errAbsent, name, b.root)
}

// output runs a program in a folder and returns its standard output.
func output(dir, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, errs.String(), out.String())
	}
	return out.String(), nil
}
