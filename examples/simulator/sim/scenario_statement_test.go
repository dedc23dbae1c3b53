package sim_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// statement is one line of a scenario, read word by word. It keeps the first
// mistake; words read after it mean nothing, so that only end has to be asked.
type statement struct {
	file string
	line int
	// text is the whole line, words the rest to be read.
	text  string
	words []string
	err   error
}

// newStatement takes a line apart at white space. A word in double quotes may
// have some inside.
func newStatement(file string, line int, text string) *statement {
	s := &statement{file: file, line: line, text: strings.TrimSpace(text)}
	for rest := s.text; rest != ""; rest = strings.TrimSpace(rest) {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil && quoted[0] == '"' {
			word, _ := strconv.Unquote(quoted) // a prefix that was found is valid
			s.words, rest = append(s.words, word), rest[len(quoted):]
			continue
		}
		n := strings.IndexAny(rest, " \t")
		if n < 0 {
			n = len(rest)
		}
		s.words, rest = append(s.words, rest[:n]), rest[n:]
	}
	return s
}

// place is where the statement stands, for error messages.
func (s *statement) place() string { return fmt.Sprintf("%s:%d", s.file, s.line) }

func (s *statement) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %s", s.place(), fmt.Sprintf(format, args...))
	}
}

// next takes the next word, which is called what in the message if there is
// none.
func (s *statement) next(what string) string {
	if len(s.words) == 0 {
		s.fail("%s is missing", what)
		return ""
	}
	word := s.words[0]
	s.words = s.words[1:]
	return word
}

// accept takes the next word if it is this one.
func (s *statement) accept(word string) bool {
	if len(s.words) == 0 || s.words[0] != word {
		return false
	}
	s.words = s.words[1:]
	return true
}

// rest takes all words that are left, at least one.
func (s *statement) rest(what string) []string {
	words := append([]string{s.next(what)}, s.words...)
	s.words = nil
	return words
}

func (s *statement) number(what string) int {
	word := s.next(what)
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		s.fail("%s: %q is no number", what, word)
	}
	return int(n)
}

func (s *statement) duration(what string) time.Duration {
	var d time.Duration
	if err := asDuration(&d)(s.next(what)); err != nil {
		s.fail("%s: %v", what, err)
	}
	return d
}

// options takes all words that are left, each of the form key=value and none
// twice, and hands the values over. A value may hold further equal signs.
func (s *statement) options(known map[string]func(value string) error) {
	seen := map[string]bool{}
	for len(s.words) > 0 {
		word := s.next("option")
		key, value, ok := strings.Cut(word, "=")
		set := known[key]
		switch {
		case !ok || set == nil:
			s.fail("unknown word %q", word)
			return
		case seen[key]:
			s.fail("%s is given twice", key)
		case value == "":
			s.fail("%s is empty", key)
		}
		seen[key] = true
		if err := set(value); err != nil {
			s.fail("%s: %v", key, err)
		}
	}
}

// end returns the mistake, if there was one; a word that nobody has read is one.
func (s *statement) end() error {
	if len(s.words) > 0 {
		s.fail("unknown word %q", s.words[0])
	}
	return s.err
}
