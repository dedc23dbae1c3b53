package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// The evaluator runs every filter, in the order of the list.
func TestEveryFilterIsKnown(t *testing.T) {
	assert.Equal(t, filter.Names(), builtInFilters())
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

// builtInFilters returns the names of the descriptors in their order.
func builtInFilters() []string {
	var names []string
	for _, f := range filters.BuiltIn {
		names = append(names, f.Entry.Name)
	}
	return names
}
