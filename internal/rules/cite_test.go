package rules

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

var (
	// cites finds citations of one number, of a range and of a list: "rule 7.3.1",
	// "rules 7.1 to 7.4", "rules 2.1, 2.3 and 4.2", "chapter 9".
	cites  = regexp.MustCompile(`(?i)\b(rule|group|chapter)s? (` + digits + `(?:(?:,| and| or| to|, and|, or) ` + digits + `)*)`)
	digit  = regexp.MustCompile(digits)
	spaces = regexp.MustCompile(`\s+`)
)

const digits = `\d+(?:\.\d+)*`

// cited lists the numbers that a text cites. A number after "group" cites only if
// it has a dot: two groups of pods are no chapter.
func cited(text string) []string {
	var out []string
	for _, m := range cites.FindAllStringSubmatch(onOneLine(text), -1) {
		for _, n := range digit.FindAllString(m[2], -1) {
			if !strings.EqualFold(m[1], "group") || strings.Contains(n, ".") {
				out = append(out, n)
			}
		}
	}
	return out
}

// onOneLine joins the lines of a paragraph, so that a citation may be broken.
func onOneLine(text string) string { return spaces.ReplaceAllString(text, " ") }

// comment is one comment of a Go file, without its slashes.
type comment struct {
	at, text string // at is file:line
}

// commentsOf lists the comments of a Go file.
func commentsOf(file string, source []byte) ([]comment, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []comment
	for _, group := range tree.Comments {
		at := set.Position(group.Pos())
		at.Column = 0
		out = append(out, comment{at.String(), group.Text()})
	}
	return out, nil
}
