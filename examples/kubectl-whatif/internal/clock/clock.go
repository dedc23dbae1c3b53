// Package clock answers: at what time is a question about a dump asked, and which start times look odd at that
// time? A dump does not say when it was made.
package clock

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// end is the last second that RFC 3339 can write. No answer has a later time, so that any can be passed to
// --now.
var end = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Parse reads the time of a flag.
func Parse(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		return t, errors.New("a time is written like 2026-01-10T12:00:00Z")
	case t.IsZero():
		return t, errors.New("the year 1 is no time to ask about")
	case !writable(t):
		return time.Time{}, errors.New("in UTC this is before the year 0 or after the year 9999")
	}
	return t, nil
}

// writable reports whether RFC 3339 can write a time in UTC.
func writable(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 0 && year <= 9999
}

// After returns the second after a time, but never one after end. The zero time, which stands for none, stays
// as it is.
func After(t time.Time) time.Time {
	switch {
	case t.IsZero():
		return t
	case !t.Before(end):
		return end
	}
	return t.Add(time.Second)
}

// Of returns the second after the latest creation of an object in the dump. Creation times come from the clock
// of the API server, while start times come from the clocks of nodes, any of which may be ahead. Without a
// creation time it is the second after the latest start, and without a start the zero time.
func Of(c *outrank.Cluster) time.Time {
	if !c.AsOf.IsZero() {
		return After(c.AsOf)
	}
	// This time is only as accurate as the clock of that node.
	return After(latestStart(c))
}

// latestStart returns the latest start of any pod, or the zero time if there is none.
func latestStart(c *outrank.Cluster) (latest time.Time) {
	for _, p := range c.Pods {
		if p.StartTime.After(latest) {
			latest = p.StartTime.UTC()
		}
	}
	return latest
}

// soon is how long a kubelet may take to start the pod that was created last. A start within that time does not
// mean that a clock is ahead.
const soon = time.Minute

// Doubts says what is odd about the time of an answer, in sentences that begin with "the dump". given says that
// the time was asked for; then a dump without creation times is no doubt.
func Doubts(c *outrank.Cluster, now time.Time, given bool) (out []string) {
	if c.AsOf.IsZero() && !given {
		switch {
		case now.IsZero():
			out = append(out, "does not say when any object was created or started, so that no pod has an age, and a missing start counts as the earliest; give the time with --now")
		default:
			out = append(out, "does not say when any object was created; the time is that of the latest start, by the clock of a node, which may be wrong: give it with --now")
		}
	}

	if late := ahead(c, now); len(late) > 0 {
		pods := "a pod that starts"
		if len(late) > 1 {
			pods = fmt.Sprintf("%d pods that start", len(late))
		}
		out = append(out, fmt.Sprintf("has %s after %s UTC, the time of this answer: %s; the clock of the node is ahead, or nothing was created since: give the time with --now",
			pods, now.UTC().Format(time.DateTime), named(late)))
	}
	return out
}

// ahead lists the pods that start after now, sorted. A start shortly after the last creation is odd only if it
// can affect an order: a pod with a node and no start time counts as started now, and would then seem to have
// started before.
func ahead(c *outrank.Cluster, now time.Time) (late []outrank.Key) {
	if now.IsZero() {
		return nil
	}

	from := now
	if !slices.ContainsFunc(c.Pods, func(p *outrank.Pod) bool { return p.NodeName != "" && p.StartTime.IsZero() && !p.Finished() }) {
		from = now.Add(soon)
	}

	for _, p := range c.Pods {
		if p.StartTime.After(from) && !p.Finished() {
			late = append(late, p.Key())
		}
	}
	slices.Sort(late)
	return late
}

// named lists the first few pods, and says how many more there are.
func named(keys []outrank.Key) (text string) {
	const most = 3
	for i, k := range keys[:min(most, len(keys))] {
		if i > 0 {
			text += ", "
		}
		text += string(k)
	}
	if len(keys) > most {
		text += fmt.Sprintf(" and %d more", len(keys)-most)
	}
	return text
}

// Time is a time of an object in an answer. It may have any year, because API servers write any.
type Time struct{ time.Time }

// MarshalJSON writes years beyond the four digits of RFC 3339 as well, which package time refuses.
func (t Time) MarshalJSON() ([]byte, error) {
	if writable(t.Time) {
		return t.Time.MarshalJSON()
	}
	return json.Marshal(t.UTC().Format(time.RFC3339Nano))
}
