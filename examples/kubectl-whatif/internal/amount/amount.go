// Package amount answers how quantities and times are written for people.
package amount

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank/resource"
)

// Text writes a quantity so that it can be compared at a glance: cpu in cores, bytes in the largest suitable
// unit and with at most one decimal.
func Text(name resource.Name, q resource.Quantity) string {
	switch {
	case name == resource.CPU:
		return strconv.FormatFloat(float64(q.MilliValue())/1000, 'f', -1, 64)
	case InBytes(name):
		return bytesText(float64(q.Value()))
	}
	return q.String()
}

// InBytes reports whether a resource is counted in bytes.
func InBytes(name resource.Name) bool {
	return name == resource.Memory || name == resource.EphemeralStorage ||
		strings.HasPrefix(string(name), resource.HugePagesPrefix)
}

// bytesText writes a number of bytes in the largest unit of which there is at least one.
func bytesText(n float64) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	i := 0
	for ; i < len(units)-1 && (n >= 1024 || n <= -1024); i++ {
		n /= 1024
	}
	text := strconv.FormatFloat(n, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0") + units[i]
}

// Texts lists amounts of resources, sorted by the names of the resources.
func Texts(l resource.List) string {
	var parts []string
	for _, name := range l.Names() {
		parts = append(parts, string(name)+" "+Text(name, l[name]))
	}
	if parts == nil {
		return "nothing but a place"
	}
	return strings.Join(parts, ", ")
}

// Quantity is the inverse of resource.Amount: it makes a quantity of an amount in
// the scheduler's units.
func Quantity(name resource.Name, counted int64) resource.Quantity {
	switch {
	case name == resource.CPU:
		return resource.NewMilli(counted)
	case InBytes(name):
		return resource.NewBinary(counted)
	}
	return resource.New(counted)
}

// Moment writes when a pod started, in UTC to the minute.
func Moment(t time.Time) string {
	if t.IsZero() {
		return "not started"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// Age writes the time from t to now in its largest unit, and from an hour on also in the next smaller one. It
// is "-" if either time is not known, or if t is after now.
func Age(now, t time.Time) string {
	if t.IsZero() || now.IsZero() || t.After(now) {
		return "-"
	}

	// A time.Duration covers only 292 years, and a kubelet may write any year. If this difference overflows it
	// is negative, which it cannot be otherwise.
	seconds := now.Unix() - t.Unix()
	if now.Nanosecond() < t.Nanosecond() {
		seconds--
	}
	if seconds < 0 {
		seconds = math.MaxInt64
	}

	minutes := seconds / 60
	switch {
	case minutes < 1:
		return fmt.Sprintf("%ds", seconds)
	case minutes < 60:
		return fmt.Sprintf("%dm", minutes)
	case minutes < 24*60:
		return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
	}
	return fmt.Sprintf("%dd%02dh", minutes/(24*60), minutes/60%24)
}
