package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A long flag with a single dash means the same as with two, and no other
// argument changes its meaning.
func TestSingleDash(t *testing.T) {
	flags := newCommand(nil).Flags()
	for _, tt := range []struct{ args, want string }{
		{"-cluster dump.json -pending=a/b", "--cluster dump.json --pending=a/b"},
		{"--cluster -pending -timings", "--cluster -pending --timings"},
		{"-pod p.json -as-of x", "--pod p.json --as-of x"},
		{"-o json -n now", "-o json -n now"},
		{"-ojson -nshop -fpod.json", "-ojson -nshop -fpod.json"},
		{"-now 5 -list -1", "--now 5 --list -1"},
		{"-priority -5 - -- -cpu", "--priority -5 - -- -cpu"},
		{"-timings -cpu 1 -h -bogus", "--timings --cpu 1 -h -bogus"},
		{"-f -cluster", "-f -cluster"},
		{"-cluster", "--cluster"},
	} {
		assert.Equal(t, strings.Fields(tt.want), spelledOut(flags, strings.Fields(tt.args)), tt.args)
	}
}

// Both spellings and the short flags give one answer.
func TestSpellings(t *testing.T) {
	want := answered(t, "", "--class", "batch", "--namespace", "shop", "--labels", "a=b", "--output", "json", "--now", "2026-04-01T00:00:00Z")
	for _, args := range []string{
		"-class batch -namespace shop -labels a=b -o json -now 2026-04-01T00:00:00Z",
		"--class=batch -n shop -l a=b -ojson --as-of=2026-04-01T00:00:00Z",
		"-class=batch -nshop -la=b -o=json -as-of 2026-04-01T00:00:00Z",
	} {
		assert.Equal(t, want, answered(t, "", strings.Fields(args)...), args)
	}
}

// An argument spelled nearly like a flag is asked about.
func TestUnknownFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--pendng a/b": "unknown flag --pendng; did you mean --pending?; run kubectl whatif -h",
		"-clustr f":    "unknown flag -clustr; did you mean --cluster?;",
		"--name-space": "unknown flag --name-space; did you mean --namespace",
		"--prio=3":     "unknown flag --prio; did you mean --priority",
		"--zzz":        "unknown flag --zzz; run",
		"-x":           "unknown flag -x; run",
		"--cpu":        "--cpu needs a value;",
	} {
		status, stdout, stderr := whatif("", strings.Fields(args)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, want, args)
	}
}

func TestVersion(t *testing.T) {
	assert.Contains(t, answered(t, "", "version"), "kubectl-whatif (devel), rules of Kubernetes v1.37 (the default) and v1.36, go")
	assert.Contains(t, answered(t, "", "version", "-o", "json"), `"releases": [`)
	assert.Contains(t, answered(t, "", "version", "-o", "yaml"), "releases:\n- v1.37\n- v1.36\n")
	status, _, stderr := whatif("", "version", "-o", "html")
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "--output html: the version comes as json and yaml")
}

// The version comes as a flag, too.
func TestVersionFlag(t *testing.T) {
	assert.Equal(t, answered(t, "", "version"), answered(t, "", "--version"))
}
