package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Line is one line of a scenario, read word by word from the left. It keeps the first mistake. Words read
// after a mistake mean nothing, so it is enough to call Err once at the end.
type Line struct {
	// File and Number say where the line stands, and Text is the whole line without its indentation.
	File   string
	Number int
	Text   string

	// words are the words that have not been read yet.
	words []string
	// err is the first mistake; nil if there was none.
	err error
}

// NewLine splits a line into words. A line that cannot be split has its mistake already.
func NewLine(file string, number int, text string) *Line {
	l := &Line{File: file, Number: number, Text: strings.TrimSpace(text)}
	words, err := split(l.Text)
	if err != nil {
		l.Fail("%v", err)
	}
	l.words = words
	return l
}

// within returns a part of the line as a line of its own, with the same place for messages.
func (l *Line) within(text string) *Line { return NewLine(l.File, l.Number, text) }

// Place returns the place of the line for error messages.
func (l *Line) Place() string { return fmt.Sprintf("%s:%d", l.File, l.Number) }

// Fail records a mistake, unless there was one before.
func (l *Line) Fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("%s: %s", l.Place(), fmt.Sprintf(format, args...))
	}
}

// Err returns the first mistake, if any. If there was none, a word that has not been read is one.
func (l *Line) Err() error {
	if len(l.words) > 0 {
		l.Fail("unknown word %q", l.words[0])
	}
	return l.err
}

// More reports whether there are words left.
func (l *Line) More() bool { return len(l.words) > 0 }

// Next returns the next word. If there is none, it records that what is missing.
func (l *Line) Next(what string) string {
	if len(l.words) == 0 {
		l.Fail("%s is missing", what)
		return ""
	}
	word := l.words[0]
	l.words = l.words[1:]
	return word
}

// Accept reads the next word if it is the given one, and reports whether it did.
func (l *Line) Accept(word string) bool {
	if len(l.words) == 0 || l.words[0] != word {
		return false
	}
	l.words = l.words[1:]
	return true
}

// Setter stores the value of an option. The value of an option without "=" is empty.
type Setter = func(value string) error

// Options maps the options of a line to their setters. A key that ends in "=" takes a value; any other key is
// a word that stands alone.
type Options map[string]Setter

// Options reads all remaining words. Each must be a known option, and none may be given twice.
func (l *Line) Options(known Options) {
	seen := map[string]bool{}
	for len(l.words) > 0 && l.err == nil {
		word := l.Next("option")
		key, value, has := strings.Cut(word, "=")
		if has {
			key += "="
		}

		set := known[key]
		switch {
		case set == nil:
			l.Fail("unknown word %q", word)
			return
		case seen[key]:
			l.Fail("%s is given twice", strings.TrimSuffix(key, "="))
			return
		case has && value == "":
			l.Fail("%s is empty", strings.TrimSuffix(key, "="))
			return
		}

		seen[key] = true
		if err := set(inner(value)); err != nil {
			l.Fail("%s: %v", strings.TrimSuffix(key, "="), err)
		}
	}
}

// split splits a line at white space outside parentheses and quotes. Quotes are removed, parentheses are
// kept.
func split(text string) ([]string, error) {
	var words []string
	var word strings.Builder

	// inWord is set once a word has begun, which may still be empty: "" is a word.
	depth, inWord := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted, err := strconv.QuotedPrefix(text[i:])
			if err != nil {
				return nil, fmt.Errorf("a quote is not closed")
			}
			plain, _ := strconv.Unquote(quoted) // QuotedPrefix returns only valid quotes
			word.WriteString(plain)
			inWord = true
			i += len(quoted) - 1
			continue

		case c == '(':
			depth++
		case c == ')':
			depth--

		// White space ends a word, if one has begun.
		case depth == 0 && (c == ' ' || c == '\t'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
			continue
		}

		if depth < 0 {
			return nil, fmt.Errorf("a parenthesis closes nothing")
		}
		word.WriteByte(c)
		inWord = true
	}

	if depth > 0 {
		return nil, fmt.Errorf("a parenthesis is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// parts splits a text at a separator outside parentheses, and trims the parts.
func parts(text string, separator byte) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case separator:
			if depth == 0 {
				out = append(out, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(text[start:]))
}

// inner removes the parentheses around a value, if one pair encloses all of it.
func inner(value string) string {
	if !strings.HasPrefix(value, "(") || !strings.HasSuffix(value, ")") {
		return value
	}

	depth := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '(':
			depth++
		case ')':
			depth--
		}

		// The first parenthesis closes before the end, as in (a) and (b): it does not enclose the whole.
		if depth == 0 && i < len(value)-1 {
			return value
		}
	}
	return strings.TrimSpace(value[1 : len(value)-1])
}

// Number returns a setter that sets n to a decimal number.
func Number[N int | int32 | int64](n *N) Setter {
	return func(value string) error {
		x, err := strconv.ParseInt(value, 10, 64)
		if err != nil || int64(N(x)) != x {
			return fmt.Errorf("%q is no such number", value)
		}
		*n = N(x)
		return nil
	}
}

// Flag returns a setter that sets b to true.
func Flag(b *bool) Setter {
	return func(string) error { *b = true; return nil }
}

// Text returns a setter that sets s to the value, unchanged.
func Text[S ~string](s *S) Setter {
	return func(value string) error { *s = S(value); return nil }
}

// Names returns a setter that sets list to the names in a value like a,b.
func Names(list *[]string) Setter {
	return func(value string) error { *list = parts(value, ','); return nil }
}

// Time returns a setter that sets t to a time given relative to Now, like -1h or 30s.
func Time(t *time.Time) Setter {
	return func(value string) error {
		d, err := time.ParseDuration(value)
		*t = Now.Add(d)
		return err
	}
}
