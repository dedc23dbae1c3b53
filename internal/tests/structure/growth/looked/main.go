// Command looked makes calls that take a context, in clusters with more pods or nodes than a call may go
// through without a look at its context. It measures the stretch between two looks in which one piece of code
// ran most often. Command growth builds it with coverage counters.
//
//	looked DIR
//
// It prints a line for each call: its name, how often that piece of code ran, the number of looks, the number
// of looks after the end of a context, and the folder below DIR with the counters of the stretch.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "looked: the folder for the counters is missing")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "looked: %v\n", err)
		os.Exit(1)
	}
}

// run makes the calls, or those whose names contain only[0].
func run(dir string, only []string) error {
	all, err := calls()
	if err != nil {
		return err
	}
	for i, c := range all {
		if len(only) > 0 && !strings.Contains(c.name, only[0]) {
			continue
		}
		at := filepath.Join(dir, fmt.Sprint(i))
		s, err := looked(c.of, at)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Printf("%s\t%d\t%d\t%d\t%s\n", c.name, s.most, s.looks, s.after, at)
	}
	return nil
}

// call is a named call that takes a context.
type call struct {
	name string
	of   func(context.Context) error
}
