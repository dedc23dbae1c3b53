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

// mostSeconds is the time that a judge may take. One that takes longer has failed, and so has seen the fault.
const mostSeconds = 60

// noFile keeps properties that fail, as they should here, from writing files.
const noFile = "-rapid.nofailfile"

// everyCase makes tests replay all their recorded cases instead of some, because a fault may show in few of
// them.
const everyCase = "-every=1"

// plantFaults plants the faults of some entries, runs their judges, and returns a sentence for each fault
// that a judge does not see.
func plantFaults(w io.Writer, s *sharing, entries []entry) (said []string, err error) {
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	overlay, err := plantAll(s.calls, entries, dir)
	if err != nil {
		return nil, err
	}

	byFolder := map[string][]trial{}
	for _, e := range entries {
		for _, f := range e.faults {
			for _, j := range f.judges {
				byFolder[folderOf(j.name)] = append(byFolder[folderOf(j.name)], trial{j.name, f})
			}
		}
	}

	// The tests of a folder are built once for all its faults.
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		start := time.Now()
		c := court{folder: filepath.Join(s.dir, folder), binary: filepath.Join(dir, strings.ReplaceAll(folder, "/", "_")+".test")}
		if err := c.build(overlay); err != nil {
			return nil, err
		}
		built := time.Since(start)

		unseen, err := c.judgeAll(byFolder[folder])
		if err != nil {
			return nil, err
		}
		said = append(said, unseen...)
		fmt.Fprintf(w, "%-20s %3d trials, %d faults unseen, built in %.0f s, judged in %.0f s\n",
			folder, len(byFolder[folder]), len(unseen), built.Seconds(), (time.Since(start) - built).Seconds())
	}
	return said, nil
}

// trial is one fault and one of its judges.
type trial struct {
	judge string
	fault fault
}

// court runs the tests of a folder, built with the faults.
type court struct {
	folder, binary string
	flags          []string
}

// build compiles the tests, and finds out which flags they know.
func (c *court) build(overlay string) error {
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", c.binary, ".")
	build.Dir = c.folder
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: the tests cannot be built with faults: %w\n%s", c.folder, err, out)
	}
	c.flags = []string{"-test.v", "-test.timeout", fmt.Sprintf("%ds", mostSeconds)}

	// A test binary without properties does not know the first flag, and one that never replays a part does
	// not know the other.
	for _, flag := range []string{noFile, everyCase} {
		if exec.Command(c.binary, "-test.list", "^$", flag).Run() == nil {
			c.flags = append(c.flags, flag)
		}
	}
	return nil
}

// judgeAll runs each judge without a fault, when it has to pass, and with each of its faults. It returns a
// sentence for each fault that the judge does not see.
func (c *court) judgeAll(trials []trial) (unseen []string, err error) {
	passed := map[string]bool{}
	for _, t := range trials {
		if !passed[t.judge] {
			failed, out, err := c.run(t.judge, "")
			if err != nil {
				return nil, err
			}
			if failed {
				return nil, fmt.Errorf("%s fails without a fault:\n%s", t.judge, out)
			}
			passed[t.judge] = true
		}

		failed, _, err := c.run(t.judge, t.fault.name)
		if err != nil {
			return nil, err
		}
		if !failed {
			unseen = append(unseen, fmt.Sprintf("line %d: %s does not see the fault in %s, where `%s` becomes `%s`",
				t.fault.line, t.judge, t.fault.name, t.fault.plain, t.fault.planted))
		}
	}
	return unseen, nil
}

// run runs a judge with the named fault, or with none, and reports whether it fails. If the program ends
// before the judge begins, something else has seen the fault, which is an error.
func (c *court) run(judge, fault string) (failed bool, out string, err error) {
	test := withoutFolder(judge)
	run := exec.Command(c.binary, append([]string{"-test.run", "^" + strings.ReplaceAll(test, "/", "$/^") + "$"}, c.flags...)...)
	run.Dir, run.Env = c.folder, append(os.Environ(), faultVariable+"="+fault)
	text, err := run.CombinedOutput()

	var exit *exec.ExitError
	switch failed = errors.As(err, &exit); {
	case err != nil && !failed:
		return false, "", err
	case !strings.Contains(string(text), "=== RUN   "+test+"\n"):
		return false, "", fmt.Errorf("%s does not begin with the fault %q:\n%s", judge, fault, text)
	}
	return failed, string(text), nil
}
