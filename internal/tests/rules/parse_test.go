package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// number is that of a chapter (7), of a group (7.3) or of a rule (7.3.1, or 8.1
// in a chapter without groups).
type number []int

func (n number) String() string {
	parts := make([]string, len(n))
	for i, v := range n {
		parts[i] = strconv.Itoa(v)
	}
	return strings.Join(parts, ".")
}

// parseNumber reads a text that consists of digits and single dots.
func parseNumber(text string) number {
	var n number
	for part := range strings.SplitSeq(text, ".") {
		v, err := strconv.Atoi(part)
		if err != nil {
			return nil // more digits than any number has; it is known nowhere
		}
		n = append(n, v)
	}
	return n
}

// book is the rules of all files, and what is wrong with them.
type book struct {
	// places says where each number stands, as file:line.
	places   map[string]string
	numbers  []number
	problems []string
	// withdrawn are groups whose rules are gone: nothing stands there, and nothing may be
	// cited. So no number means two things.
	withdrawn map[string]bool
}

func newBook() *book { return &book{places: map[string]string{}, withdrawn: map[string]bool{}} }

func (b *book) addf(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

var (
	title   = regexp.MustCompile(`^# Rules: \S`)
	heading = regexp.MustCompile(`^(##|###) (\d+(?:\.\d+)*) \S`)
	rule    = regexp.MustCompile(`^\*\*(\d+(?:\.\d+)*)\*\* \S`)
	// gone is the heading of a group that is withdrawn.
	gone = regexp.MustCompile(`^### \d+\.\d+ Withdrawn: \S`)
	// part is what may follow a rule and belongs to it.
	part = regexp.MustCompile(`^(- |\||  )`)
)

// reading is one file while it is read. above are the chapter and the group that
// the line is in, last is the number before.
type reading struct {
	*book
	file  string
	above number
	last  number
}

// read takes in one file. Every paragraph from the first chapter on has to be a
// heading, a rule, or a list or table that belongs to the rule before it, so that
// nothing stands there that cannot be cited.
func (b *book) read(file, text string) {
	lines := strings.Split(text, "\n")
	if !title.MatchString(lines[0]) {
		b.addf("%s:1: no title that begins with %q", file, "# Rules: ")
	}
	r := &reading{book: b, file: file}
	for i, line := range lines {
		begins := i > 0 && line != "" && lines[i-1] == ""
		r.line(fmt.Sprintf("%s:%d", file, i+1), line, begins)
	}
	if r.last == nil {
		b.addf("%s: no rules", file)
	}
}

// line takes in one line; begins says that a paragraph begins with it.
func (r *reading) line(at, line string, begins bool) {
	if m := heading.FindStringSubmatch(line); m != nil {
		n := parseNumber(m[2])
		if len(n) != len(m[1])-1 {
			r.addf("%s: %s is not the number of such a heading", at, n)
		}
		r.under(at, n, r.above[:min(len(n)-1, len(r.above))])
		r.above = n
		r.withdrawn[n.String()] = gone.MatchString(line)
		return
	}
	if m := rule.FindStringSubmatch(line); m != nil {
		if !begins {
			r.addf("%s: rule %s does not begin a paragraph", at, m[1])
		}
		if r.withdrawn[r.above.String()] {
			r.addf("%s: rule %s of a group that is withdrawn", at, m[1])
		}
		r.under(at, parseNumber(m[1]), r.above)
		return
	}
	if begins && r.above != nil && !part.MatchString(line) {
		r.addf("%s: a paragraph without a number", at)
	}
}

// under notes a number that has to stand below its parent and after the number
// before it.
func (r *reading) under(at string, n, parent number) {
	if len(n) != len(parent)+1 || !slices.Equal(n[:len(parent)], parent) {
		r.addf("%s: %s stands below %q", at, n, parent)
	}
	if slices.Compare(n, r.last) <= 0 {
		r.addf("%s: %s comes after %s", at, n, r.last)
	}
	r.last = n
	if first, twice := r.places[n.String()]; twice {
		r.addf("%s: %s stands at %s, too", at, n, first)
		return
	}
	r.places[n.String()] = at
	r.numbers = append(r.numbers, n)
}

// gaps names the numbers that are missing below a larger one, and the headings
// without anything below them.
func (b *book) gaps() []string {
	var out []string
	parents := map[string]bool{}
	for _, n := range b.numbers {
		parents[n[:len(n)-1].String()] = true
		before := slices.Clone(n)
		before[len(n)-1]--
		if before[len(n)-1] > 0 && b.places[before.String()] == "" {
			out = append(out, fmt.Sprintf("%s: there is no %s before %s", b.places[n.String()], before, n))
		}
		if n[len(n)-1] == 0 {
			out = append(out, fmt.Sprintf("%s: %s counts from 0", b.places[n.String()], n))
		}
	}
	for _, n := range b.numbers {
		if len(n) == 1 && !parents[n.String()] {
			out = append(out, fmt.Sprintf("%s: chapter %s is empty", b.places[n.String()], n))
		}
	}
	return out
}
