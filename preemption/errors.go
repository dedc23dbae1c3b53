package preemption

import "errors"

// The errors that decisions wrap, beside [outrank.ErrInvalid].
var (
	// ErrNotFound: there is no such pod, node or candidate.
	ErrNotFound = errors.New("not found")
	// ErrState: a pod is not in the state that this needs: it runs already, say, or another
	// one has its name.
	ErrState = errors.New("not in the right state")
)
