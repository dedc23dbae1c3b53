package devicetrial

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Write writes a table of the trials.
func Write(out io.Writer, reports []*Report) error {
	var b strings.Builder
	b.WriteString("| trial | v1.37 | with DRAPreemption | victims | devices | as foretold | controllers stood still | slices published meanwhile | seconds until bound | wrong |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range reports {
		fmt.Fprintf(&b, "| %d | %s | %s | %d | %s | %s | %v | %d | %.1f | %s |\n", r.Number, r.Today, r.Outcome, len(r.Victims), strings.Join(r.Devices, ", "),
			foretold(r), r.Late.Round(100*time.Millisecond), r.Tries, r.Took.Seconds(), strings.Join(r.Wrong, "; "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// foretold says in a word whether the pod got the predicted devices.
func foretold(r *Report) string {
	switch {
	case len(r.Victims) == 0:
		return ""
	case r.Foretold:
		return "yes"
	}
	return "others"
}

// Wrong lists everything that differed from the predictions.
func Wrong(reports []*Report) (list []string) {
	for _, r := range reports {
		for _, text := range r.Wrong {
			list = append(list, fmt.Sprintf("trial %d: %s", r.Number, text))
		}
	}
	return list
}
