package console

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
)

// mostProblems is the most problems that are printed; the others are counted. A broken dump would fill the
// screen.
const mostProblems = 20

// Trouble is an error with a list of problems. More counts further problems that were not kept.
type Trouble struct {
	Head     string
	Problems []outrank.Problem
	More     int
}

// Error returns only the head. [Complain] prints the problems.
func (e *Trouble) Error() string { return e.Head }

// Unusable returns an error that names the input and says how many problems err lists. If err lists no
// problems, it is only wrapped.
func Unusable(input string, err error) error {
	in := problemsOf(err)
	number := len(in.Problems) + in.More
	if number == 0 {
		return fmt.Errorf("%s: %w", input, err)
	}
	return Refused(fmt.Sprintf("%s cannot be used: %s", input, Plural(number, "problem")), err)
}

// Refused returns an error with a sentence above the problems that err lists.
func Refused(head string, err error) *Trouble {
	in := problemsOf(err)
	return &Trouble{Head: head, Problems: in.Problems, More: in.More}
}

// ListsProblems reports whether an error lists problems.
func ListsProblems(err error) bool { return len(problemsOf(err).Problems) > 0 }

// problemsOf returns the problems that an error lists.
func problemsOf(err error) outrank.InputError {
	var in *outrank.InputError
	if errors.As(err, &in) {
		return *in
	}
	return outrank.InputError{}
}

// Complain prints the error that ended a program, for a person.
func Complain(w io.Writer, program string, err error) {
	fmt.Fprintln(w, program+":", screen.Safe(err.Error()))
	var in *Trouble
	if !errors.As(err, &in) {
		return
	}

	shown := in.Problems[:min(len(in.Problems), mostProblems)]
	for _, p := range shown {
		fmt.Fprintln(w, " ", screen.Safe(p.String()))
	}
	if more := len(in.Problems) - len(shown) + in.More; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// Plural returns a number with a noun: "1 pod", "2 pods", "3 copies", "4 classes".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	ending := "s"
	if stem, y := strings.CutSuffix(noun, "y"); y {
		noun, ending = stem, "ies"
	} else if strings.HasSuffix(noun, "s") {
		ending = "es"
	}
	return fmt.Sprintf("%d %s%s", n, noun, ending)
}
