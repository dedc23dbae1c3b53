package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank/resource"
)

// inBytes reports whether the resource is counted in bytes.
func inBytes(name resource.Name) bool {
	return name == resource.Memory || name == resource.EphemeralStorage ||
		strings.HasPrefix(string(name), resource.HugePagesPrefix)
}

// amount writes a quantity so that it can be compared at a glance: cpu in
// cores, bytes with the largest unit and one decimal at most.
func amount(name resource.Name, q resource.Quantity) string {
	switch {
	case name == resource.CPU:
		return strconv.FormatFloat(float64(q.MilliValue())/1000, 'f', -1, 64)
	case inBytes(name):
		return bytesText(float64(q.Value()))
	}
	return q.String()
}

func bytesText(n float64) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	i := 0
	for ; i < len(units)-1 && n >= 1024; i++ {
		n /= 1024
	}
	text := strconv.FormatFloat(n, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0") + units[i]
}

// amounts lists what a pod asks for.
func amounts(l resource.List) string {
	var parts []string
	for _, name := range l.Names() {
		parts = append(parts, string(name)+" "+amount(name, l[name]))
	}
	if parts == nil {
		return "nothing but a place"
	}
	return strings.Join(parts, ", ")
}

// moment writes a time in UTC to the minute.
func moment(t time.Time) string {
	if t.IsZero() {
		return "not started"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// age is how long ago something was, in its two largest units.
func age(now, t time.Time) string {
	d := now.Sub(t)
	if t.IsZero() || now.IsZero() || d < 0 {
		return "-"
	}
	minutes := int(d.Minutes())
	switch {
	case minutes < 1:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case minutes < 60:
		return fmt.Sprintf("%dm", minutes)
	case minutes < 24*60:
		return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
	}
	return fmt.Sprintf("%dd%02dh", minutes/(24*60), minutes/60%24)
}
