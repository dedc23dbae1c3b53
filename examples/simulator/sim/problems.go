package sim

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// problems collects the problems of an input.
type problems []outrank.Problem

// add adds a problem.
func (ps *problems) add(object, field, format string, args ...any) {
	*ps = append(*ps, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// join adds an error as a problem. It ignores nil.
func (ps *problems) join(object, field string, err error) {
	if err != nil {
		ps.add(object, field, "%v", err)
	}
}

// err returns all problems as one error, or nil if there are none.
func (ps problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}

// missingPod returns the error about a pod that does not exist.
func missingPod(key outrank.Key) error { return fmt.Errorf("pod %s: %w", key, preemption.ErrNotFound) }

// missingNode returns the error about a node that does not exist.
func missingNode(name string) error { return fmt.Errorf("node %s: %w", name, preemption.ErrNotFound) }

// knownNode returns the error about a node that exists already.
func knownNode(name string) error {
	return fmt.Errorf("node %s: %w: it is there already", name, preemption.ErrState)
}

// must panics if err is not nil. It is for calls that can fail only because of a mistake in this package.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("simulator: %v", err))
	}
}
