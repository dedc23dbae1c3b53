package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The commands of the README work as they stand there, and its dump is made by the command that
// messages name.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	found := regexp.MustCompile("\\| `kubectl whatif-devices ([^`]+)` \\|").FindAllStringSubmatch(string(text), -1)
	require.Len(t, found, 6)
	for _, m := range found {
		args := strings.Fields(strings.TrimSuffix(strings.TrimSpace(strings.Split(m[1], ">")[0]), " "))
		status, out, stderr := ask("", args...)
		assert.Zero(t, status, "%s: %s", m[1], stderr)
		assert.NotEmpty(t, out, m[1])
	}
	assert.Contains(t, string(text), "\n"+dumpCommand+" > dump.json\n")
	_, help, _ := ask("", "-h")
	assert.Contains(t, help, dumpCommand)
}
