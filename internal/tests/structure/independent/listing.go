package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// listingFile is the path of the listing within the module.
const listingFile = "internal/tests/structure/independent/testdata/shared.txt"

// entry is a function or a variable of the listing, which both sides reach.
type entry struct {
	// name is that of structure.Unit, and says is the text about what it is for.
	name, says string
	// decides is set if it takes part in decisions. Everything else is text or data, and has no judge.
	decides bool
	faults  []fault
	line    int
	// judges are the judges of the next fault. begun is set once a fault has them, after which a further
	// judge starts a new list.
	judges []judge
	begun  bool
}

// fault is an error that can be planted in a function.
type fault struct {
	// name is the name of the function. From the second fault of a function on, a number follows it.
	name string
	// judges are the tests of which each has to see the fault.
	judges []judge
	// plain is the text that becomes planted. It occurs exactly once in the source of the function.
	plain, planted string
	line           int
}

// judge is a test that has to see the fault in what both sides call.
type judge struct {
	// name is such as "resource.TestName", or "resource.TestName/part" for a part of a test.
	name string
	// replays is set if the test compares recorded decisions of Kubernetes with those of one side. Every
	// other judge must ask neither side.
	replays bool
}

// readListing reads a listing. The first line of an entry has its kind and its name. The lines below it are
// indented; they say what it is for, which tests judge it, and which faults each judge has to see. A judge
// that follows a fault starts a new list of judges, for the faults behind it. The word replay instead of
// judge marks a test that replays recorded decisions of Kubernetes by the book or by the engine.
//
//	decides outrank.Pod.Finished
//	    a pod that failed or succeeded takes no room
//	    judge outrank.TestPodAnswers
//	    fault `p.Phase == PhaseFailed` `false`
//
// The other kinds are text and data, which have no judge. Lines that begin with # are comments.
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
