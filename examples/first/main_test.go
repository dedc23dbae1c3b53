package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func Example() {
	main()
	// Output:
	// preempt n1 [default/batch]
}

// The README has this program, whole, and what it prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "```go\n"+string(source)+"```\n")
	assert.Regexp(t, regexp.MustCompile("go run ./examples/first` is this program, which prints `preempt n1 \\[default/batch\\]`"), string(readme))
}
