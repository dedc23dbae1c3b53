package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// court has the test binaries with all mutants, and what the tests do without any.
type court struct {
	root, dir, overlay string

	mu       sync.Mutex
	binaries map[string]*binary
	sessions map[stage]*session
}

// binary is the tests of one package, built with all mutants.
type binary struct {
	path     string
	hasRapid bool
}

// session is a stage as it runs without a mutant.
type session struct {
	// met has the numbers of the mutants whose functions run. It is nil if the stage has no tests.
	met map[int]bool
	// took is how long it runs.
	took time.Duration
	// left matches the tests that fail even so: they are left out.
	left string
}

// newCourt plants mutants, with files in a folder of its own, which close removes.
func newCourt(root string, mutants []*mutant, texts sources) (*court, error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	c := &court{root: root, dir: dir, binaries: map[string]*binary{}, sessions: map[stage]*session{}}
	if c.overlay, err = plant(mutants, texts, dir); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *court) close() { _ = os.RemoveAll(c.dir) }

// session returns a stage as it runs without a mutant. It builds and runs the tests when they are first needed:
// few mutants come as far as the slowest.
func (c *court) session(s stage) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s] == nil {
		if err := c.prepare(s); err != nil {
			return nil, err
		}
	}
	return c.sessions[s], nil
}

// prepare builds the tests of a stage, and runs them without a mutant. Tests that fail even so are left out.
func (c *court) prepare(s stage) error {
	if err := c.build(s.folder); err != nil {
		return err
	}
	has, err := c.hasTests(s)
	if err != nil || !has {
		c.sessions[s] = &session{}
		return err
	}

	const most = 5 // tests that only fail because of what mutants add are few
	x := &session{}
	for range most {
		met := filepath.Join(c.dir, fmt.Sprintf("met%d", len(c.sessions)))
		start := time.Now()
		out, failed, err := c.run(s, x.left, 10*time.Minute, mutantVariable+"=-1", metVariable+"="+met)
		if err != nil {
			return err
		}
		if !failed {
			x.took, x.met = time.Since(start), readNumbers(met)
			c.sessions[s] = x
			return nil
		}
		name := firstFailed(out)
		if x.left != "" {
			x.left += "|"
		}
		x.left += "^" + name + "$"
	}
	return fmt.Errorf("%s: %d tests fail without a mutant", s.folder, most)
}

// build builds the tests of a folder.
func (c *court) build(folder string) error {
	if c.binaries[folder] != nil {
		return nil
	}
	b := &binary{path: filepath.Join(c.dir, strings.ReplaceAll(folder, "/", "_")+".test")}
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-overlay", c.overlay, "-o", b.path, ".")
	build.Dir = filepath.Join(c.root, folder)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: the tests cannot be built with mutants: %w\n%s", folder, err, out)
	}
	b.hasRapid = exec.Command(b.path, "-test.list", "^$", "-rapid.nofailfile").Run() == nil
	c.binaries[folder] = b
	return nil
}

// hasTests reports whether a stage has any tests.
func (c *court) hasTests(s stage) (bool, error) {
	list := exec.Command(c.binaries[s.folder].path, "-test.list", "^Test")
	list.Dir = filepath.Join(c.root, s.folder)
	out, err := list.Output()
	if err != nil {
		return false, fmt.Errorf("%s: %w", s.folder, err)
	}
	run, err := regexp.Compile(s.run)
	if err != nil {
		return false, err
	}
	skip, err := regexp.Compile(s.skip)
	if err != nil {
		return false, err
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if run.MatchString(name) && (s.skip == "" || !skip.MatchString(name)) {
			return true, nil
		}
	}
	return false, nil
}

// mostMemory bounds the address space of a test binary, in KB: a mutant may keep what it should forget.
const mostMemory = 6 << 20

// run runs the tests of a stage with more environment variables, and reports whether they fail.
func (c *court) run(s stage, left string, limit time.Duration, environment ...string) (out string, failed bool, err error) {
	// The test binary ends itself and says what was running. Only if that fails, too, is it killed.
	ctx, cancel := context.WithTimeout(context.Background(), limit+10*time.Second)
	defer cancel()

	b := c.binaries[s.folder]
	flags := append([]string{"-c", fmt.Sprintf("ulimit -v %d; exec \"$0\" \"$@\"", mostMemory), b.path}, s.flags(b.hasRapid, left)...)
	run := exec.CommandContext(ctx, "sh", append(flags, "-test.timeout", limit.String())...)
	run.Dir, run.Env = filepath.Join(c.root, s.folder), append(os.Environ(), environment...)
	var text limited
	run.Stdout, run.Stderr = &text, &text
	err = run.Run()

	var exit *exec.ExitError
	if failed = errors.As(err, &exit); err != nil && !failed {
		return "", false, err
	}
	return text.String(), failed, nil
}

// limited keeps the first bytes that are written to it.
type limited struct{ bytes.Buffer }

// mostOutput is how many bytes limited keeps.
const mostOutput = 8 << 20

func (l *limited) Write(p []byte) (int, error) {
	_, err := l.Buffer.Write(p[:min(len(p), mostOutput-l.Len())])
	return len(p), err
}

// readNumbers reads the numbers in a file, one in each line. A file that is not there has none.
func readNumbers(file string) map[int]bool {
	numbers := map[int]bool{}
	text, err := os.ReadFile(file)
	if err != nil {
		return numbers // no function with a mutant has run
	}
	for line := range strings.Lines(string(text)) {
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			numbers[n] = true
		}
	}
	return numbers
}
