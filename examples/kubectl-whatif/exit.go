package main

import "github.com/outrank-go/outrank/preemption"

// Exit statuses, of which those above 2 are for --exit-status alone.
const (
	exitFits     = 0 // nobody has to leave
	exitUnusable = 2
	exitEvicts   = 3 // there is room once others have left, those that are terminating already included
	exitStays    = 4 // no room is made, for this pod or one of them
	exitUnknown  = 5 // it depends on devices, which are not looked at
)

func worst(stay, leave int) int {
	switch {
	case stay > 0:
		return exitStays
	case leave > 0:
		return exitEvicts
	}
	return exitFits
}

// enough is the answer of a search: whether anything is enough, and that with nobody leaving.
func enough(any, free bool) int {
	switch {
	case !any:
		return exitStays
	case !free:
		return exitEvicts
	}
	return exitFits
}

// preempted is the answer about one pod, as an exit status.
func preempted(o preemption.Outcome) int {
	switch o {
	case preemption.Fits:
		return exitFits
	case preemption.Preempts:
		return exitEvicts
	}
	return exitStays
}
