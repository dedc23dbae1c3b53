package schedules

import (
	"slices"
	"strings"
	"time"
)

// mostLines is how long an explanation is at most.
const mostLines = 40

// Explain shrinks a schedule that fails, and returns what broke in one sentence, the schedule as a scenario, and
// as much of the end of the log as there is room for. run runs a schedule.
func Explain(s *Schedule, run func(*Schedule) Outcome) string {
	small := Shrink(s, func(s *Schedule) bool { return run(s).Broke != "" })
	o := run(small)
	lines := append([]string{o.Broke, "---"}, strings.Split(strings.TrimSuffix(small.String(), "\n"), "\n")...)
	lines = append(lines, "-- log --")
	room := max(0, mostLines-len(lines))
	lines = append(lines, o.Log[max(0, len(o.Log)-room):]...)
	return strings.Join(lines[:min(len(lines), mostLines)], "\n")
}

// Shrink leaves out events and pods, one after the other, and takes simpler figures, as long as the schedule
// fails still.
func Shrink(s *Schedule, fails func(*Schedule) bool) *Schedule {
	for smaller := true; smaller; {
		smaller = false
		for _, made := range simpler(s) {
			if fails(made) {
				s, smaller = made, true
				break
			}
		}
	}
	return s
}

// simpler lists schedules that are a little simpler than s, the simplest first.
func simpler(s *Schedule) (all []*Schedule) {
	try := func(change func(*Schedule)) {
		made := *s
		made.Events, made.Pods = slices.Clone(s.Events), slices.Clone(s.Pods)
		change(&made)
		all = append(all, &made)
	}
	for n := len(s.Events) / 2; n > 0; n /= 2 {
		for at := 0; at+n <= len(s.Events); at += n {
			try(func(m *Schedule) { m.Events = slices.Delete(m.Events, at, at+n) })
		}
	}
	for i := range s.Pods {
		try(func(m *Schedule) { m.Pods = slices.Delete(m.Pods, i, i+1) })
	}
	if len(s.Nodes) > 1 {
		try(func(m *Schedule) { m.Nodes = m.Nodes[:len(m.Nodes)-1] })
	}
	if s.Background {
		try(func(m *Schedule) { m.Background = false })
	}
	if s.Standby {
		try(func(m *Schedule) { m.Standby = false })
	}
	if s.Parallel > 1 {
		try(func(m *Schedule) { m.Parallel = 1 })
	}
	for i := range s.Events {
		if s.Events[i].After > time.Second {
			try(func(m *Schedule) { m.Events[i].After = time.Second })
		}
	}
	return all
}
