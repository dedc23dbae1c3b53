// Command loss measures benchmarks of a commit and of what is checked out in turns, and fails
// where bytes, allocations or time of one have grown by more than a tenth.
//
//	go run ./internal/tests/structure/loss -against COMMIT [-rounds 6] [-v]
//
// Bytes and allocations say the same on every machine. Times do where two halves of the rounds
// agree about one and the same build; where they do not, the machine allows no verdict about
// that benchmark, and the command says so. A benchmark counts as lost if it is so twice.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// set is a number of benchmarks of one package.
type set struct {
	pkg, pattern, times string
}

// moved has the folder in which the benchmarks of a package stood before they moved.
var moved = map[string]string{"preemption/engine": "preemption"}

// sets are the benchmarks that must not lose: a decision of each kind, the memory of a
// snapshot, and a simulator's step.
var sets = []set{
	{"preemption/engine", "^BenchmarkMatrix$/^preemptor=(plain|sizes|selector-all|selector-host|tainted|nobody-lower)$/nodes=1000/budgets=20", "1000x"},
	{"preemption/engine", "^BenchmarkMatrix$/^preemptor=(anti-affinity|affinity|spread|claim-in-use)$/nodes=1000/budgets=20", "200x"},
	{"preemption/engine", "^BenchmarkMatrix$/^preemptor=(port|volume)$/nodes=1000/budgets=20/asked=new", "10x"},
	{"preemption/engine", "^BenchmarkNewSnapshot$/nodes=1000/", "2x"},
	{"preemption/engine", "^BenchmarkStream$/nodes=1000/", "1000x"},
	{"preemption/kube", "^BenchmarkReadCluster$", "1x"},
}

func main() {
	against := flag.String("against", "", "commit to measure against")
	rounds := flag.Int("rounds", 6, "runs of each build, an even number")
	verbose := flag.Bool("v", false, "print every figure, not only those that have grown")
	flag.Parse()
	ok, err := run(os.Stdout, *against, *rounds, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "loss:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(w io.Writer, commit string, rounds int, verbose bool) (bool, error) {
	if commit == "" || rounds < 2 || rounds%2 != 0 {
		return false, fmt.Errorf("-against %q -rounds %d: want a commit, and an even number from 2 on", commit, rounds)
	}

	dir, err := os.MkdirTemp("", "loss")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)

	// A shallow clone has no commits before its first.
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

		// What is lost by chance is lost once.
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

// checkOut writes the files of a commit to a folder.
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

// build is a checkout whose tests are built.
type build struct {
	root, to string
}

// run runs benchmarks and returns what they print.
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

// folderOf returns where the benchmarks of a set stand in the checkout: in the folder of their
// package, or in the one that they were moved from.
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
	return "", fmt.Errorf("%s is in no folder of %s", name, b.root)
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
