package rules

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreign finds citations of texts that are not in the repository: numbered
// sections, and documents by number.
var foreign = regexp.MustCompile(`(?i)\b(?:sections? \d+|seeds? 00\d*)`)

// A reader can follow a citation only to what is in the repository.
func TestNothingElseIsCited(t *testing.T) {
	check := func(at, text string) {
		for _, found := range foreign.FindAllString(onOneLine(text), -1) {
			t.Errorf("%s cites %q, which is not in the repository", at, found)
		}
	}
	each(t, ".go", func(file string, source []byte) {
		comments, err := commentsOf(file, source)
		require.NoError(t, err)
		for _, c := range comments {
			check(c.at, c.text)
		}
	})
	for _, ending := range prose {
		each(t, ending, func(file string, text []byte) { check(file, string(text)) })
	}
}

func TestForeignCitationsAreFound(t *testing.T) {
	const text = "as told (sections 4 and 5, section\n9; seed\n001), in the section on nodes, with seed 7"
	assert.Equal(t, []string{"sections 4", "section 9", "seed 001"}, foreign.FindAllString(onOneLine(text), -1))
}
