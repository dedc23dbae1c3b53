package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	plant := flag.Bool("plant", false, "plant the fault of each function, or of those that are named, and run its judge")
	flag.Parse()
	ok, err := run(os.Stdout, *plant, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "independent:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(w io.Writer, plant bool, names []string) (bool, error) {
	s, err := read(".")
	if err != nil {
		return false, err
	}
	if !plant {
		s.print(w)
		return true, nil
	}
	asked := slices.DeleteFunc(slices.Clone(s.entries), func(e entry) bool {
		return !e.decides || len(names) > 0 && !slices.Contains(names, e.name)
	})
	if len(asked) < len(names) {
		return false, fmt.Errorf("%d of %d names are those of functions that decide by %s", len(asked), len(names), listingFile)
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

// print prints what both sides reach, each with a way of the book to it.
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
