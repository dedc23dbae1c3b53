package document

import (
	"regexp"
	"strings"
)

var row = regexp.MustCompile("^\\| `([A-Za-z]+)` \\| .+ \\|$")

// Described returns the members that a text in Markdown describes: those in the table below each heading of the
// second order, by that heading. What describes documents is held to [Object.Names] by it.
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
