package main

import (
	"fmt"
	"os"
	"strings"
)

// listingFile is the listing, from the module's folder.
const listingFile = "internal/structure/independent/testdata/shared.txt"

// entry is a function or a variable that both sides reach, as the listing has it.
type entry struct {
	// name is as in structure.Unit, and says what it is for.
	name, says string
	// decides is set for what decides. Everything else is text or data, and has no judge.
	decides bool
	faults  []fault
	line    int
}

// fault is an error that can be planted in a function.
type fault struct {
	// name is that of the function. Those of a second fault and of the following ones have a number behind it.
	name string
	// judge is the test that has to see it, such as "resource.TestName".
	judge string
	// plain becomes planted. It stands once in the source of the function.
	plain, planted string
	line           int
}

// readListing reads a listing. The first line of an entry says what it is and names it; those below are
// indented, and say what it is for, who judges it and which faults the judge has to see. A second judge has
// the faults behind it.
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
	judge, number := "", 0
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
			if name, ok := strings.CutPrefix(trimmed, "judge "); ok {
				judge = name
				continue
			}
			err = all[len(all)-1].add(trimmed, judge, number)
		default:
			var e entry
			if e, err = begin(trimmed); err == nil {
				e.line, judge = number, ""
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

// add reads another line of an entry, below a judge.
func (e *entry) add(line, judge string, number int) error {
	texts, ok := strings.CutPrefix(line, "fault ")
	if !ok {
		e.says = strings.TrimSpace(e.says + " " + line)
		return nil
	}
	parts := strings.Split(texts, "`")
	if len(parts) != 5 || parts[0]+parts[4] != "" || strings.TrimSpace(parts[2]) != "" {
		return fmt.Errorf("want two texts, each between grave accents: %s", texts)
	}
	f := fault{name: e.name, judge: judge, plain: parts[1], planted: parts[3], line: number}
	if n := len(e.faults); n > 0 {
		f.name = fmt.Sprintf("%s %d", e.name, n+1)
	}
	e.faults = append(e.faults, f)
	return nil
}
