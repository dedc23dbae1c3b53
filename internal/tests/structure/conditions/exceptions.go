package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// place names an operand and a value with which it does not decide in any test. It has no line, so that an
// entry stays right when code above it changes.
type place struct {
	// function begins with the folder of its package: "preemption.victims.fits".
	function, operand string
	value             bool
}

// exception is an entry of the listing.
type exception struct {
	place
	reason string
	line   int
	used   bool
}

// listing has the exceptions of a file.
type listing struct {
	file    string
	entries []*exception
}

// readExceptions reads a listing. An entry is a line with the function, the operand's text between backquotes
// and the value with which it decides nowhere. Below it, indented, stands the reason. An operand that occurs
// several times in its function has one entry for all of them.
//
//	resource.Parse `len(text) == 0` true
//	    the caller has refused an empty text
//
// Lines that begin with # are comments.
func readExceptions(root, file string) (*listing, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, err
	}
	l := &listing{file: file}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(line, "#"):

		case trimmed != strings.TrimRight(line, "\n"):
			if len(l.entries) == 0 {
				return nil, fmt.Errorf("%s:%d: a reason of no entry", file, number)
			}
			last := l.entries[len(l.entries)-1]
			last.reason = strings.TrimSpace(last.reason + " " + trimmed)

		default:
			p, err := parsePlace(trimmed)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, number, err)
			}
			l.entries = append(l.entries, &exception{place: p, line: number})
		}
	}
	return l, nil
}

// parsePlace reads the first line of an entry.
func parsePlace(line string) (place, error) {
	function, rest, _ := strings.Cut(line, " `")
	end := strings.LastIndex(rest, "` ")
	if end < 0 {
		return place{}, fmt.Errorf("want a function, an operand between backquotes and a value: %q", line)
	}
	value, err := strconv.ParseBool(rest[end+2:])
	return place{function, rest[:end], value}, err
}

// within drops the entries about other folders than those of the rooms.
func (l *listing) within(rooms []room) {
	l.entries = slices.DeleteFunc(l.entries, func(e *exception) bool {
		return !slices.ContainsFunc(rooms, func(r room) bool {
			function, ok := strings.CutPrefix(e.function, r.folder+".")
			return ok && !strings.Contains(function, "/")
		})
	})
}

// covers reports whether an entry excepts the place, and marks it as used.
func (l *listing) covers(p place) bool {
	for _, e := range l.entries {
		if e.place == p {
			e.used = true
			return true
		}
	}
	return false
}

// problems returns a sentence for each entry that is wrong, once all places have been looked for.
func (l *listing) problems() (said []string) {
	for _, e := range l.entries {
		at := fmt.Sprintf("%s:%d: ", l.file, e.line)
		if e.reason == "" {
			said = append(said, at+"there is no reason")
		}
		if !e.used {
			said = append(said, fmt.Sprintf("%s`%s` in %s decides when %t, or is gone: the entry has no use", at, e.operand, e.function, e.value))
		}
	}
	return said
}
