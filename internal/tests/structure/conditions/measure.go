package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// measure runs the tests that judge the rooms, and returns the decisions of the rooms with what was seen.
func measure(root string, rooms []room) ([]*decision, error) {
	dir, err := os.MkdirTemp("", "conditions")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	var files []string
	for _, r := range rooms {
		of, err := r.sources(root)
		if err != nil {
			return nil, err
		}
		files = append(files, of...)
	}
	decisions, overlay, err := instrument(root, files, dir)
	if err != nil {
		return nil, err
	}

	record := filepath.Join(dir, "seen.txt")
	if err := os.WriteFile(record, nil, 0o600); err != nil {
		return nil, err
	}
	if err := runTests(root, judgesOf(rooms), overlay, record); err != nil {
		return nil, err
	}
	return decisions, readSeen(record, decisions)
}

// runTests runs the tests of some folders on the copies. They have to pass: a test that fails may end before
// it shows what it is there for. Calls that record are not free, so that tests of speed and of allocations
// are left out.
func runTests(root string, folders []string, overlay, record string) error {
	args := []string{"test", "-overlay", overlay, "-vet=off", "-count=1", "-timeout", "20m", "-skip", "Alloc"}
	for _, folder := range folders {
		args = append(args, "./"+folder)
	}
	test := exec.Command("go", args...)
	test.Dir, test.Env = root, append(os.Environ(), recordVariable+"="+record)
	if out, err := test.CombinedOutput(); err != nil {
		return fmt.Errorf("the tests fail with conditions recorded: %w\n%s", err, out)
	}
	return nil
}

// readSeen adds the evaluations that tests appended to a file to their decisions. Tests of several packages
// write to it, so that a line may stand there more than once.
func readSeen(record string, decisions []*decision) error {
	f, err := os.Open(record)
	if err != nil {
		return err
	}
	defer f.Close()

	known := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if known[line] {
			continue
		}
		known[line] = true

		var number int
		var e evaluation
		if _, err := fmt.Sscan(line, &number, &e); err != nil || number < 0 || number >= len(decisions) {
			return fmt.Errorf("%q is no evaluation of a decision", line)
		}
		decisions[number].seen = append(decisions[number].seen, e)
	}
	return lines.Err()
}
