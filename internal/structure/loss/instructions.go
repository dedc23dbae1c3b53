package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

var errNoValgrind = errors.New("no valgrind")

// instructions counts the instructions of what a benchmark repeats. Collecting garbage and being
// preempted would make them differ from run to run.
func (b *build) instructions(s set, name string) (float64, error) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return 0, errNoValgrind
	}
	program, err := b.program(s)
	if err != nil {
		return 0, err
	}
	counts := b.to + ".counts"
	defer os.Remove(counts)
	args := append([]string{"GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1", valgrind, "--tool=callgrind",
		"--collect-atstart=no", "--toggle-collect=" + s.repeated, "--callgrind-out-file=" + counts, program}, benchmarks(exactly(name), s.times)...)
	if _, err := output(filepath.Join(b.root, s.pkg), "env", args...); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(counts)
	if err != nil {
		return 0, err
	}
	n, err := total(string(text))
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: no instructions of %s were counted", name, s.repeated)
	}
	return n, err
}

// exactly is the pattern of one benchmark.
func exactly(name string) string {
	return "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
}

// total reads how many instructions were counted.
func total(counts string) (float64, error) {
	for line := range strings.Lines(counts) {
		if n, ok := strings.CutPrefix(line, "totals: "); ok {
			return strconv.ParseFloat(strings.TrimSpace(n), 64)
		}
	}
	return 0, errors.New("no totals among the counts")
}
