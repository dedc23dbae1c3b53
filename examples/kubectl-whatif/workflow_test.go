package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// lineEnds are what ends a line of a log for the runner of GitHub.
var lineEnds = regexp.MustCompile("\r\n|\r|\n")

// runnerCommand finds what the runner takes for a command: a name between colons after nothing but blanks,
// or one behind ##[ anywhere in a line.
var runnerCommand = regexp.MustCompile(`^\s*::(\S+?)(?: .*?)?::(.*)$|##\[(\S+?)(?: .*?)?\](.*)$`)

// commandsIn returns the names of the commands that the runner follows in the log of a step. After
// stop-commands it follows none but the token with which it begins again; stopped is what it waits
// for at the end.
func commandsIn(log string) (names []string, stopped string) {
	for _, line := range lineEnds.Split(log, -1) {
		m := runnerCommand.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name, text := m[1]+m[3], m[2]+m[4]

		switch {
		case stopped != "" && strings.EqualFold(name, stopped):
			stopped = ""
		case stopped != "":
		case name == "stop-commands":
			stopped = text
		default:
			names = append(names, name)
		}
	}
	return names, stopped
}

func TestCommandsIn(t *testing.T) {
	for _, c := range []struct {
		log, stopped string
		names        []string
	}{
		{"text\na::error::b\n", "", nil},
		{"::error::a\n \t::warning file=a,line=1::b\nx ##[group]c\ny\r::notice::d\r\n::debug::e", "", []string{"error", "warning", "group", "notice", "debug"}},
		{"::stop-commands::a\n::error::b\n##[error]c\n::A::\n::debug::d\n", "", []string{"debug"}},
		{"::stop-commands::a\n::b::\n::stop-commands::b\n::b::\n", "a", nil},
	} {
		names, stopped := commandsIn(c.log)
		assert.Equal(t, c.names, names, "%q", c.log)
		assert.Equal(t, c.stopped, stopped, "%q", c.log)
	}
}

// What tests print, names of strangers among it, is no command to the runner, and a step has the
// status of what it runs.
func TestWorkflowsRunNoCommandsOfTests(t *testing.T) {
	type step struct{ Run string }
	type job struct{ Steps []step }
	var runs []string
	workflows, err := filepath.Glob("../../.github/workflows/*")
	require.NoError(t, err)
	for _, name := range workflows {
		var w struct{ Jobs map[string]job }
		require.NoError(t, yaml.Unmarshal([]byte(read(t, name)), &w))
		for _, j := range w.Jobs {
			for _, s := range j.Steps {
				if s.Run != "" {
					runs = append(runs, s.Run)
				}
			}
		}
	}
	require.NotEmpty(t, runs)

	// What it says last has no end of a line, so that what follows has to begin one.
	hostile := `printf '::error::g\n##[group]h\n' >&2
printf 'a\r::error::b\n  ::add-mask::c\nx ##[warning]d\n::stop-commands::e\n::e::\n::notice::f\nno end of a line'
exit `
	for _, run := range runs {
		for _, status := range []string{"0", "3"} {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, ".ci"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, ".ci", "run"), []byte("#!/bin/sh\n"+hostile+status+"\n"), 0o755))

			// The runner's own shell ends at the first command that fails.
			var stdout, stderr bytes.Buffer
			cmd := exec.Command("bash", "-e", "-c", run)
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
			if err := cmd.Run(); err != nil {
				require.IsType(t, &exec.ExitError{}, err, run)
			}
			assert.Equal(t, status, strconv.Itoa(cmd.ProcessState.ExitCode()), run)

			// The runner reads both streams at once, so that neither waits for what stands in the other.
			for _, log := range []string{stdout.String(), stderr.String()} {
				names, stopped := commandsIn(log)
				assert.Empty(t, names, log)
				assert.Empty(t, stopped, "commands of later steps are followed again")
			}
			for _, text := range []string{"::error::b", "x ##[warning]d", "no end of a line", "::error::g", "##[group]h"} {
				assert.Contains(t, stdout.String(), text, "it is told all the same")
			}
		}
	}
}
