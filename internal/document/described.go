package document

import (
	"regexp"
	"strings"
)

// row matches a row of a table whose first cell is the name of a member in backticks.
var row = regexp.MustCompile("^\\| `([A-Za-z]+)` \\| .+ \\|$")

// Described returns the members that a Markdown text describes in its tables, by the heading of the second
// order above the table. Tests compare them with [Object.Names], so that descriptions of documents stay
// complete.
func Described(markdown string) map[string][]string {
	out, heading := map[string][]string{}, ""
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			heading = name
		} else if m := row.FindStringSubmatch(line); m != nil {
			out[heading] = append(out[heading], m[1])
		}
	}
	return out
}
