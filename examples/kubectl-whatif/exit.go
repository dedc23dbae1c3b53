package main

import "github.com/outrank-go/outrank/preemption"

// Exit statuses. Statuses above 2 need --exit-status.
const (
	exitFits     = 0 // nobody has to leave
	exitUnusable = 2
	exitEvicts   = 3 // there is room once other pods have left, including those that are terminating already
	exitStays    = 4 // no room can be made for the pod, or for one of the pods
	exitUnknown  = 5 // the answer depends on devices, which are not looked at
)

// worst returns the exit status of an answer about many pods: stay pods find no room, and leave pods have to
// leave.
func worst(stay, leave int) int {
	switch {
	case stay > 0:
		return exitStays
	case leave > 0:
		return exitEvicts
	}
	return exitFits
}

// enough returns the exit status of a search: whether it found anything, and whether nobody has to leave for
// that.
func enough(found, free bool) int {
	switch {
	case !found:
		return exitStays
	case !free:
		return exitEvicts
	}
	return exitFits
}

// preempted returns the exit status of a decision about one pod.
func preempted(o preemption.Outcome) int {
	switch o {
	case preemption.Fits:
		return exitFits
	case preemption.Preempts:
		return exitEvicts
	}
	return exitStays
}
