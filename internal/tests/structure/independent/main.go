package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

func main() {
	var o options
	flag.BoolVar(&o.plant, "plant", false, "plant the fault of each function, or of those that are named, and run its judge")
	flag.BoolVar(&o.quick, "quick", false, "plant a fault only where all its judges are built quickly")
	structure.Main("independent", func() (bool, error) {
		o.names = flag.Args()
		s, err := read(".")
		if err != nil {
			return false, err
		}
		return run(os.Stdout, s, o)
	})
}

// options say what the command does.
type options struct {
	plant, quick bool
	// names are the functions whose faults are planted; none means all.
	names []string
}

// run prints the shared functions, or plants their faults. It reports whether everything is as it should be.
func run(w io.Writer, s *sharing, o options) (bool, error) {
	if !o.plant {
		s.print(w)
		return true, nil
	}

	asked, err := s.asked(o)
	if err != nil {
		return false, err
	}
	said := s.problems()
	if len(said) == 0 {
		said, err = plantFaults(w, s, asked)
	}
	for _, line := range said {
		fmt.Fprintln(w, line)
	}
	return len(said) == 0, err
}

// asked returns the entries whose faults are planted.
func (s *sharing) asked(o options) ([]entry, error) {
	asked := slices.DeleteFunc(slices.Clone(s.entries), func(e entry) bool {
		return !e.decides || len(o.names) > 0 && !slices.Contains(o.names, e.name)
	})
	if len(asked) < len(o.names) {
		return nil, fmt.Errorf("%d of %d names are those of functions that decide by %s", len(asked), len(o.names), listingFile)
	}
	if o.quick {
		asked = slices.DeleteFunc(asked, func(e entry) bool {
			return slices.ContainsFunc(e.faults, func(f fault) bool { return slices.ContainsFunc(f.judges, judge.slow) })
		})
	}
	return asked, nil
}

// slow reports whether the judge takes long to build, as all do but the tests of packages with few imports.
func (j judge) slow() bool {
	return j.replays || folderOf(j.name) != "resource" && !strings.HasPrefix(j.name, "internal/")
}

// print prints what both sides reach, each with its judges and with the way from the book to it.
func (s *sharing) print(w io.Writer) {
	judges := map[string][]string{}
	for _, e := range s.entries {
		for _, f := range e.faults {
			for _, j := range f.judges {
				judges[e.name] = append(judges[e.name], j.name)
			}
		}
	}
	for _, u := range s.both() {
		fmt.Fprintf(w, "%-45s %-45s %s\n", u.Name, strings.Join(slices.Compact(judges[u.Name]), ", "), way(s.book, u.Name))
	}
}
