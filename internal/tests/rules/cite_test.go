package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

var (
	// cites finds citations of one number, of a range and of a list: "rule 7.3.1",
	// "rules 7.1 to 7.4", "rules 2.1, 2.3 and 4.2", "chapter 9".
	cites = regexp.MustCompile(`(?i)\b(rule|group|chapter)s? (` + digits + `(?:(?:,| and| or| to|, and|, or) ` + digits + `)*)`)
	digit = regexp.MustCompile(digits)
)

const digits = `\d+(?:\.\d+)*`

// cited lists the numbers that a text cites. A number after "group" cites only if
// it has a dot: two groups of pods are no chapter.
func cited(text string) []string {
	if !mentions(text, "rule", "group", "chapter") {
		return nil
	}
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

// mentions reports whether a text with a digit contains one of some words, in any case. It tells
// most texts that cite nothing in a fraction of the time that a regular expression takes.
func mentions(text string, words ...string) bool {
	if !strings.ContainsAny(text, "0123456789") {
		return false
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// onOneLine joins the lines of a paragraph, so that a citation may be broken.
func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// comment is one comment of a Go file, without its slashes.
type comment struct {
	at, text string // at is file:line
}

// parse reads a Go file and lists its comments.
func parse(file string, source []byte) (*ast.File, []comment, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	var out []comment
	for _, group := range tree.Comments {
		at := set.Position(group.Pos())
		at.Column = 0
		out = append(out, comment{at.String(), group.Text()})
	}
	return tree, out, nil
}
