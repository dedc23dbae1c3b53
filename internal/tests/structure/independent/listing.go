package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// listingFile is the listing, from the module's folder.
const listingFile = "internal/tests/structure/independent/testdata/shared.txt"

// entry is a function or a variable that both sides reach, as the listing has it.
type entry struct {
	// name is as in structure.Unit, and says what it is for.
	name, says string
	// decides is set for what decides. Everything else is text or data, and has no judge.
	decides bool
	faults  []fault
	line    int
	// judges are those of the next fault; begun is set once they have one.
	judges []judge
	begun  bool
}

// fault is an error that can be planted in a function.
type fault struct {
	// name is that of the function. Those of a second fault and of the following ones have a number behind it.
	name string
	// judges are the tests of which each has to see it.
	judges []judge
	// plain becomes planted. It stands once in the source of the function.
	plain, planted string
	line           int
}

// judge is a test that judges what both sides call.
type judge struct {
	// name is such as "resource.TestName", perhaps with a part of the test: "resource.TestName/part".
	name string
	// replays is set for a test that compares recorded decisions of Kubernetes with those of one side. Every
	// other judge asks neither side.
	replays bool
}

// readListing reads a listing. The first line of an entry says what it is and names it; those below are
// indented, and say what it is for, who judges it and which faults each judge has to see. A judge behind a fault
// begins anew: it has the faults that follow. The word replay stands in place of judge for a test that replays
// recorded decisions of Kubernetes by the book or by the engine.
//
//	decides outrank.Pod.Finished
//	    a pod that failed or succeeded takes no room
//	    judge outrank.TestPodAnswers
//	    fault `p.Phase == PhaseFailed` `false`
//
// The other kinds, which have no judge, are text and data. Lines that begin with # are comments.
func readListing(file string) ([]entry, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []entry
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			continue
		case strings.HasPrefix(line, " "):
			if len(all) == 0 {
				return nil, fmt.Errorf("%s:%d: a line of no entry", file, number)
			}
			err = all[len(all)-1].add(trimmed, number)
		default:
			var e entry
			if e, err = begin(trimmed); err == nil {
				e.line = number
				all = append(all, e)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	return all, nil
}

// begin reads the first line of an entry.
func begin(line string) (entry, error) {
	kind, name, _ := strings.Cut(line, " ")
	if name == "" || strings.Contains(name, " ") {
		return entry{}, fmt.Errorf("want a kind and a name: %q", line)
	}
	switch kind {
	case "decides":
		return entry{name: name, decides: true}, nil
	case "text", "data":
		return entry{name: name}, nil
	}
	return entry{}, fmt.Errorf("%q is neither decides, text nor data", kind)
}

// add reads another line of an entry.
func (e *entry) add(line string, number int) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "judge", "replay":
		if e.begun {
			e.judges, e.begun = nil, false
		}
		e.judges = append(slices.Clip(e.judges), judge{rest, word == "replay"})
	case "fault":
		parts := strings.Split(rest, "`")
		if len(parts) != 5 || parts[0]+parts[4] != "" || strings.TrimSpace(parts[2]) != "" {
			return fmt.Errorf("want two texts, each between grave accents: %s", rest)
		}
		f := fault{name: e.name, judges: e.judges, plain: parts[1], planted: parts[3], line: number}
		if n := len(e.faults); n > 0 {
			f.name = fmt.Sprintf("%s %d", e.name, n+1)
		}
		e.faults, e.begun = append(e.faults, f), true
	default:
		e.says = strings.TrimSpace(e.says + " " + line)
	}
	return nil
}
