package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/engine"
)

// The evaluator runs every filter, in the order of the list.
func TestEveryFilterIsKnown(t *testing.T) {
	assert.Equal(t, filter.Names(), engine.BuiltInFilters())
}

// Every filter has its rules here and in the queue, stands in the table of what is
// supported, and turns a node down in a scenario.
func TestDocumentsKnowEveryFilter(t *testing.T) {
	files, err := filepath.Glob("../testdata/scenarios/*.txt")
	require.NoError(t, err)
	var scenarios strings.Builder
	for _, file := range files {
		scenarios.WriteString(textOf(t, file))
	}
	for _, name := range filter.Names() {
		for _, document := range []string{"../RULES.md", "../../preemption/scheduler/queue/RULES.md", "../../.github/SCOPE.md"} {
			assert.True(t, strings.Contains(textOf(t, document), name), "%s says nothing about %s", document, name)
		}
		assert.True(t, strings.Contains(scenarios.String(), " "+name+": "), "no scenario in which %s turns a node down", name)
	}
}

func textOf(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
