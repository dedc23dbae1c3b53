package kubeletadmit

import (
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
)

// inputError returns nil if there are no problems.
func inputError(ps []outrank.Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}

// missing returns the problem of an argument that is nil.
func missing(object string) outrank.Problem {
	return outrank.Problem{Object: object, Text: "is nil"}
}

// podProblems validates the pod to be admitted.
func podProblems(pod *outrank.Pod) []outrank.Problem {
	if pod == nil {
		return []outrank.Problem{missing("pod")}
	}
	return problemsIn(pod.Validate())
}

// nodeProblems validates the node.
func nodeProblems(node *outrank.Node) []outrank.Problem {
	if node == nil {
		return []outrank.Problem{missing("node")}
	}
	return problemsIn(node.Validate())
}

// problemsIn returns the problems in the error of a Validate method.
func problemsIn(err error) []outrank.Problem {
	if err == nil {
		return nil // for valid input, returning here avoids the allocation of input
	}
	var input *outrank.InputError
	if errors.As(err, &input) {
		return input.Problems
	}
	return nil
}

// nilPods returns a problem for each nil among the pods, with its index.
func nilPods(list string, pods []*outrank.Pod) []outrank.Problem {
	var ps []outrank.Problem
	for i, p := range pods {
		if p == nil {
			ps = append(ps, missing(fmt.Sprintf("%s[%d]", list, i)))
		}
	}
	return ps
}

// failureProblems returns a problem for each failure that is both a shortage
// and a predicate, or neither.
func failureProblems(failures []CheckFailure) []outrank.Problem {
	var ps []outrank.Problem
	for i, f := range failures {
		if (f.Resource == "") == (f.Predicate == "") {
			ps = append(ps, outrank.Problem{
				Object: fmt.Sprintf("failures[%d]", i),
				Field:  "Resource",
				Text:   "exactly one of Resource and Predicate must be set",
			})
		}
	}
	return ps
}
