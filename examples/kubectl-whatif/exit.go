package main

import "github.com/outrank-go/outrank/preemption"

// Exit statuses. Those above 2 need --exit-status.
const (
	exitFits     = 0 // nobody has to leave
	exitUnusable = 2
	exitEvicts   = 3 // there is room once others have left, those that are terminating already included
	exitStays    = 4 // no room is made, for this pod or one of them
	exitUnknown  = 5 // it depends on devices, which are not looked at
)

// worst is the exit status of an answer about many pods: stay of them find no room, and leave of them
// have to leave.
func worst(stay, leave int) int {
	switch {
	case stay > 0:
		return exitStays
	case leave > 0:
		return exitEvicts
	}
	return exitFits
}

// enough is the exit status of a search: whether it found anything, and whether nobody has to leave for it.
func enough(found, free bool) int {
	switch {
	case !found:
		return exitStays
	case !free:
		return exitEvicts
	}
	return exitFits
}

// preempted is the exit status of a decision about one pod.
func preempted(o preemption.Outcome) int {
	switch o {
	case preemption.Fits:
		return exitFits
	case preemption.Preempts:
		return exitEvicts
	}
	return exitStays
}
