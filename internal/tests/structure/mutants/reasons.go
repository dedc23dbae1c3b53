package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// reasonsFile is the path in the module of the list of equivalent mutants.
const reasonsFile = "internal/tests/structure/mutants/testdata/equivalent.txt"

// entry is a mutant that is known to be equivalent.
type entry struct {
	key
	reason string
	line   int
}

// readReasons reads the list of equivalent mutants. The first line of an entry has the folder and the
// function, and a number where the function has several mutants with the same lines. The next two have the
// lines without and with the change, and all further ones the reason:
//
//	preemption attempt.best
//	    plain  if best == nil {
//	    mutant if best != nil {
//	    Why no answer changes.
//
// Lines that begin with # are comments.
func readReasons(file string) (entries []*entry, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			continue
		case strings.HasPrefix(line, " "):
			if len(entries) == 0 {
				return nil, fmt.Errorf("%s:%d: a line of no entry", file, number)
			}
			entries[len(entries)-1].add(trimmed)
		default:
			e, err := beginEntry(trimmed, number)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, number, err)
			}
			entries = append(entries, e)
		}
	}
	for _, e := range entries {
		if e.plain == "" || e.reason == "" {
			return nil, fmt.Errorf("%s:%d: want the line without the change, the one with it, and a reason", file, e.line)
		}
	}
	return entries, nil
}

// beginEntry reads the first line of an entry.
func beginEntry(line string, number int) (*entry, error) {
	words := strings.Fields(line)
	if len(words) != 2 && len(words) != 3 {
		return nil, fmt.Errorf("want a folder, a function and perhaps a number: %q", line)
	}
	e := &entry{key: key{folder: words[0], function: words[1], nth: 1}, line: number}
	if len(words) == 3 {
		nth, err := strconv.Atoi(words[2])
		if err != nil {
			return nil, err
		}
		e.nth = nth
	}
	return e, nil
}

// add reads another line of an entry.
func (e *entry) add(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "plain" && e.plain == "":
		e.plain = strings.TrimSpace(rest)
	case word == "mutant" && e.changed == "":
		e.changed = strings.TrimSpace(rest)
	default:
		e.reason = strings.TrimSpace(e.reason + " " + line)
	}
}

// reasonsFor maps the mutants of a stock to why they are equivalent. stale has a sentence for each entry about
// one of its packages that is about none of its mutants, or that another entry is about as well.
func (s *stock) reasonsFor(entries []*entry) (reasons map[key]string, stale []string) {
	known, folders := map[key]bool{}, map[string]bool{}
	for _, m := range s.all {
		known[m.key], folders[m.folder] = true, true
	}
	reasons = map[key]string{}
	for _, e := range entries {
		switch {
		case folders[e.folder] && !known[e.key]:
			stale = append(stale, fmt.Sprintf("%s:%d: there is no such mutant of %s any more: take the entry out", reasonsFile, e.line, e.key))
		case reasons[e.key] != "":
			stale = append(stale, fmt.Sprintf("%s:%d: %s has a reason already", reasonsFile, e.line, e.key))
		}
		reasons[e.key] = e.reason
	}
	return reasons, stale
}
