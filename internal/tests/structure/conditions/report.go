package main

import (
	"fmt"
	"io"
	"strings"
)

// tally counts operands with their values, two for each operand.
type tally struct {
	decisions, values, shown, excepted int
}

// report prints what is not shown, what is wrong with the listing, and a line for each folder. It reports
// whether every operand is shown both ways or listed.
func report(w io.Writer, decisions []*decision, exceptions *listing, verbose bool) bool {
	var folders []string
	tallies := map[string]*tally{}
	for _, d := range decisions {
		t := tallies[d.folder]
		if t == nil {
			t = &tally{}
			tallies[d.folder] = t
			folders = append(folders, d.folder)
		}
		t.count(w, d, exceptions, verbose)
	}

	said := exceptions.problems()
	for _, line := range said {
		fmt.Fprintln(w, line)
	}

	ok := len(said) == 0
	for _, folder := range folders {
		t := tallies[folder]
		fmt.Fprintf(w, "%-36s %4d decisions, %4d of %4d values of operands decide, %3d exceptions\n", folder, t.decisions, t.shown, t.values, t.excepted)
		ok = ok && t.shown+t.excepted == t.values
	}
	return ok
}

// count adds a decision, and prints a sentence for each operand with a value with which it decides nowhere.
func (t *tally) count(w io.Writer, d *decision, exceptions *listing, verbose bool) {
	t.decisions++
	missing := false
	for i, operand := range d.operands {
		for _, value := range []bool{true, false} {
			t.values++
			switch {
			case d.shown(i, value):
				t.shown++
			case exceptions.covers(place{d.folder + "." + d.function, operand, value}):
				t.excepted++
			default:
				fmt.Fprintln(w, d.sentence(operand, value))
				missing = true
			}
		}
	}
	if missing && verbose {
		fmt.Fprintf(w, "    seen: %s\n", d.evaluations())
	}
}

// sentence says that an operand does not decide with a value.
func (d *decision) sentence(operand string, value bool) string {
	said := fmt.Sprintf("%s:%d: %s.%s: no test has `%s` decide when it is %t", d.file, d.line, d.folder, d.function, operand, value)
	if operand != d.text {
		said += fmt.Sprintf(", in `%s`", d.text)
	}
	return said
}

// evaluations returns those that were seen, a letter for each operand, and a dash for one that was left out.
func (d *decision) evaluations() string {
	var all []string
	for _, e := range d.seen {
		letters := make([]byte, len(d.operands))
		for i := range letters {
			letters[i] = '-'
			if value, evaluated := e.of(i); evaluated {
				letters[i] = "FT"[map[bool]int{false: 0, true: 1}[value]]
			}
		}
		all = append(all, string(letters))
	}
	return strings.Join(all, " ")
}
