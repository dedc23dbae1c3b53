package outrank

import (
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid is wrapped by every error about invalid input.
var ErrInvalid = errors.New("invalid input")

// Problem is one thing that is wrong with one object.
type Problem struct {
	// Object is the kind and name of the object, "pod default/web-1".
	Object string
	// Field is the path of the field in the Kubernetes object,
	// "spec.containers[0].resources.requests.cpu"; it may be empty.
	Field string
	// Text says what is wrong.
	Text string
}

// String returns "object: field: text".
func (p Problem) String() string {
	if p.Field == "" {
		return p.Object + ": " + p.Text
	}
	return p.Object + ": " + p.Field + ": " + p.Text
}

// InputError lists everything that is wrong with an input, in the order of the
// input. It wraps [ErrInvalid].
type InputError struct {
	Problems []Problem
	// More counts the problems that were found but not kept: a bound on the list keeps a
	// hostile input from taking any amount of memory.
	More int
}

// Error returns one line per problem.
func (e *InputError) Error() string {
	lines := make([]string, len(e.Problems), len(e.Problems)+1)
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more problems", e.More))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns [ErrInvalid].
func (e *InputError) Unwrap() error { return ErrInvalid }

// newInputError returns the error about the problems, nil if there are none.
func newInputError(ps []Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return &InputError{Problems: ps}
}

// fieldProblem is a Problem before its object is known.
type fieldProblem struct{ field, text string }

// isNil returns the error about a nil argument.
func isNil(object string) error { return newInputError([]Problem{{Object: object, Text: "is nil"}}) }
