package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
)

// mostProblems and mostWarnings keep a thoroughly broken dump from filling the
// screen; the rest are counted.
const (
	mostProblems = 20
	mostWarnings = 5
)

// inputTrouble is input that cannot be used, with every problem found in it.
type inputTrouble struct {
	head     string
	problems []outrank.Problem
}

func (e *inputTrouble) Error() string { return e.head }

// unusable names the input that an error of the library is about. Errors that
// list no problems are kept as they are.
func unusable(input string, err error) error {
	problems := problemsOf(err)
	if len(problems) == 0 {
		return fmt.Errorf("%s: %w", input, err)
	}
	return &inputTrouble{
		head:     fmt.Sprintf("%s cannot be used: %s", input, plural(len(problems), "problem")),
		problems: problems,
	}
}

// problemsOf are the problems that an error of the library lists.
func problemsOf(err error) []outrank.Problem {
	var in *outrank.InputError
	if errors.As(err, &in) {
		return in.Problems
	}
	return nil
}

// complain prints an error for a person.
func complain(w io.Writer, err error) {
	fmt.Fprintln(w, "whatif:", screen.Safe(err.Error()))
	var in *inputTrouble
	if !errors.As(err, &in) {
		return
	}
	for _, p := range in.problems[:min(len(in.problems), mostProblems)] {
		fmt.Fprintln(w, " ", screen.Safe(p.String()))
	}
	if more := len(in.problems) - mostProblems; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
