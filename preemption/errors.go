package preemption

import "errors"

// Errors that changes of a snapshot wrap.
var (
	// ErrNotFound: the snapshot knows no such pod or node.
	ErrNotFound = errors.New("not in the snapshot")
	// ErrExists: there is one of that name already.
	ErrExists = errors.New("already in the snapshot")
	// ErrState: the pod is not in the state that the change needs.
	ErrState = errors.New("not in the right state")
	// ErrMark: the mark was used up, or is of another snapshot.
	ErrMark = errors.New("mark no longer valid")
)
