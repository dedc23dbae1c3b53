package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// planter has tests that were built with faults in them.
type planter struct {
	dir, overlay string
	// binaries are the tests by their folders.
	binaries map[string]string
}

// mostSeconds is how long a judge may take. One that takes longer has failed.
const mostSeconds = 60

// plantFaults plants a fault in each function that decides, runs its judge, and says of which faults
// the judge sees nothing.
func plantFaults(w io.Writer, s *sharing, entries []entry) (said []string, err error) {
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p := &planter{dir: s.dir, binaries: map[string]string{}}
	if p.overlay, err = plantAll(s.calls, entries, dir); err != nil {
		return nil, err
	}

	// A folder with everything that its tests judge is built and then used up.
	byFolder := map[string][]entry{}
	for _, e := range entries {
		byFolder[folderOf(e.judge)] = append(byFolder[folderOf(e.judge)], e)
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		start := time.Now()
		if err := p.build(dir, folder); err != nil {
			return nil, err
		}
		built := time.Since(start)
		problems, err := p.judgeAll(folder, byFolder[folder])
		if err != nil {
			return nil, err
		}
		said = append(said, problems...)
		fmt.Fprintf(w, "%-20s %3d faults, %d unseen, built in %.0f s, judged in %.0f s\n", folder, len(byFolder[folder]), len(problems), built.Seconds(), (time.Since(start) - built).Seconds())
	}
	return said, nil
}

// build compiles the tests of a folder with all faults in them.
func (p *planter) build(dir, folder string) error {
	at := filepath.Join(dir, strings.ReplaceAll(folder, "/", "_")+".test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", p.overlay, "-o", at, "./"+folder)
	build.Dir = p.dir
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the tests of %s with faults: %w\n%s", folder, err, out)
	}
	p.binaries[folder] = at
	return nil
}

// judgeAll runs each judge once without a fault, when it has to pass, and once with each of its faults.
func (p *planter) judgeAll(folder string, entries []entry) (said []string, err error) {
	passed := map[string]bool{}
	for _, e := range entries {
		test := withoutFolder(e.judge)
		if !passed[test] {
			failed, out, err := p.judge(folder, test, "")
			if err != nil {
				return nil, err
			}
			if failed || !strings.Contains(out, "=== RUN   "+test+"\n") {
				return nil, fmt.Errorf("%s fails without a fault, or does not run:\n%s", e.judge, out)
			}
			passed[test] = true
		}
		failed, _, err := p.judge(folder, test, e.name)
		if err != nil {
			return nil, err
		}
		if !failed {
			said = append(said, fmt.Sprintf("line %d: %s does not see the fault in %s, where `%s` becomes `%s`", e.line, e.judge, e.name, e.plain, e.planted))
		}
	}
	return said, nil
}

// judge runs a test with one of the faults, or with none, and reports whether it fails.
func (p *planter) judge(folder, test, fault string) (failed bool, out string, err error) {
	args := []string{"-test.v", "-test.run", "^" + test + "$", "-test.timeout", fmt.Sprintf("%ds", mostSeconds)}
	run := exec.Command(p.binaries[folder], args...)
	run.Dir, run.Env = filepath.Join(p.dir, folder), append(os.Environ(), faultVariable+"="+fault)
	text, err := run.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return true, string(text), nil
	}
	return false, string(text), err
}
