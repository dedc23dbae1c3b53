package execution

import "github.com/outrank-go/outrank/internal/answerjson"

// The words of the enums for programs, indexed by value. A word never changes,
// and a new value gets a new one.
var (
	resultWords = []string{
		Interrupted: "interrupted", Completed: "completed", PreemptorGone: "preemptor-gone", PreemptorBound: "preemptor-bound",
	}
	evictionResultWords = []string{
		Skipped: "skipped", Evicted: "evicted", RejectedWhileWaiting: "rejected-while-waiting",
		AlreadyTerminating: "already-terminating", AlreadyEvicted: "already-evicted", AlreadyGone: "already-gone", Failed: "failed",
	}
	orderWords       = []string{OrderOfRelease: "of-release", Synchronous: "synchronous", Asynchronous: "asynchronous"}
	failureKindWords = []string{
		NoNodes: "no-nodes", NoFit: "no-fit", NodeRefused: "node-refused", SchedulerFailed: "scheduler-failed",
	}
	nominationChangeWords = []string{KeepNomination: "keep", SetNomination: "set", DropNomination: "drop"}
	requeueWords          = []string{Requeued: "requeued", NotRequeuedGone: "gone", NotRequeuedBound: "bound", NotRequeuedReplaced: "replaced"}
)

// MarshalText returns the result as a word for programs: "interrupted",
// "completed", "preemptor-gone" or "preemptor-bound". Any other value is an error
// that names the type.
func (r Result) MarshalText() ([]byte, error) { return answerjson.Word(resultWords, r) }

// MarshalText returns the result as a word for programs: "skipped", "evicted",
// "rejected-while-waiting", "already-terminating", "already-evicted",
// "already-gone" or "failed". Any other value is an error that names the type.
func (r EvictionResult) MarshalText() ([]byte, error) { return answerjson.Word(evictionResultWords, r) }

// String returns the name of the order.
func (o Order) String() string { return answerjson.Text(orderWords, o) }

// MarshalText returns the order as a word for programs: "of-release", "synchronous"
// or "asynchronous". Any other value is an error that names the type.
func (o Order) MarshalText() ([]byte, error) { return answerjson.Word(orderWords, o) }

// MarshalText returns the kind as a word for programs: "no-nodes", "no-fit",
// "node-refused" or "scheduler-failed". Any other value is an error that names
// the type.
func (k FailureKind) MarshalText() ([]byte, error) { return answerjson.Word(failureKindWords, k) }

// MarshalText returns the change as a word for programs: "keep", "set" or
// "drop". Any other value is an error that names the type.
func (c NominationChange) MarshalText() ([]byte, error) {
	return answerjson.Word(nominationChangeWords, c)
}

// MarshalText returns the answer as a word for programs: "requeued", "gone",
// "bound" or "replaced". Any other value is an error that names the type.
func (r Requeue) MarshalText() ([]byte, error) { return answerjson.Word(requeueWords, r) }
