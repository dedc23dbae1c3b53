package chart

import (
	"fmt"
	"strings"
	"time"
)

// timeSteps are the round distances between ticks below a day.
var timeSteps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

const (
	day           = 24 * time.Hour
	mostTimeTicks = 10
)

// timeTicks returns the ticks of an axis from 0 to end.
func timeTicks(end time.Duration) []tick {
	step := timeStep(end)
	var ticks []tick
	for at := time.Duration(0); at <= end; at += step {
		ticks = append(ticks, tick{float64(at), timeLabel(at)})
	}
	return ticks
}

// timeStep returns the shortest round distance with at most mostTimeTicks ticks.
func timeStep(end time.Duration) time.Duration {
	for _, step := range timeSteps {
		if end/step < mostTimeTicks {
			return step
		}
	}
	// From a day on, the distances are 1, 2 or 5 times a power of ten days.
	for step := day; ; step *= 10 {
		for _, factor := range []time.Duration{1, 2, 5} {
			if end/(step*factor) < mostTimeTicks {
				return step * factor
			}
		}
	}
}

// timeLabel formats a time with all units that are not 0. A tick has at most two of them, because distances
// are round.
func timeLabel(t time.Duration) string {
	if t == 0 {
		return "0"
	}
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := t / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, unit.name))
			t -= n * unit.size
		}
	}
	return strings.Join(parts, " ")
}

// timeUnits returns the names of the units that the ticks up to end use.
func timeUnits(end time.Duration) string {
	used := map[string]bool{}
	for _, t := range timeTicks(end) {
		for part := range strings.FieldsSeq(t.label) {
			used[strings.TrimLeft(part, "0123456789")] = true
		}
	}

	var names []string
	for _, unit := range []struct{ short, name string }{
		{"d", "days (d)"}, {"h", "hours (h)"}, {"m", "minutes (m)"}, {"s", "seconds (s)"}, {"ms", "milliseconds (ms)"},
	} {
		if used[unit.short] {
			names = append(names, unit.name)
		}
	}
	return strings.Join(names, " and ")
}
