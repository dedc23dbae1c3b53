package rules

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// foreign finds citations of texts that are not in the repository: numbered
// sections, and documents by number.
var foreign = regexp.MustCompile(`(?i)\b(?:sections? \d+|seeds? 00\d*)`)

// strangers lists such citations of a text.
func strangers(text string) []string {
	if !mentions(text, "section", "seed") {
		return nil
	}
	return foreign.FindAllString(onOneLine(text), -1)
}

// A reader can follow a citation only to what is in the repository.
func TestNothingElseIsCited(t *testing.T) {
	for _, c := range passages(t) {
		for _, found := range strangers(c.text) {
			t.Errorf("%s cites %q, which is not in the repository", c.at, found)
		}
	}
}

func TestForeignCitationsAreFound(t *testing.T) {
	const text = "as told (sections 4 and 5, section\n9; seed\n001), in the section on nodes, with seed 7"
	assert.Equal(t, []string{"sections 4", "section 9", "seed 001"}, strangers(text))
}
