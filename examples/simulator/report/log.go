package report

import (
	"bufio"
	"io"
	"strconv"
	"time"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// Log writes a line for every event of a run:
//
// time  event  pod  node  details
//
// with tabs between them. The time is in seconds since the beginning of the run, with three
// decimals, and "-" stands for a missing field. Lines depend on nothing but the events. A
// nil *Log takes events and writes nothing. A Log is for one goroutine at a time.
type Log struct {
	w    *bufio.Writer
	line []byte
}

// NewLog starts a log with a line of headings. The log is only complete after [Log.Close].
func NewLog(w io.Writer) *Log {
	l := &Log{w: bufio.NewWriterSize(w, 1<<16)}
	_, _ = l.w.WriteString("time\tevent\tpod\tnode\tdetails\n") // the writer keeps its first error
	return l
}

// Event is one event of a run.
type Event struct {
	Time time.Duration
	// Kind names the event in one word.
	Kind      string
	Pod, Node string
	// Details are free text.
	Details string
}

// Add writes one event. Tabs, line ends and invisible characters are shown as escapes, so that every event is
// one line of five fields. The first error of the writer is kept for [Log.Close]. Apart from the growth of
// its buffer, Add allocates nothing.
func (l *Log) Add(e Event) {
	if l == nil {
		return
	}
	b := appendSeconds(l.line[:0], e.Time)
	for _, field := range [...]string{e.Kind, e.Pod, e.Node, e.Details} {
		b = append(b, '\t')
		if field == "" {
			field = "-"
		}
		b = append(b, screen.Safe(field)...)
	}
	l.line = append(b, '\n')
	_, _ = l.w.Write(l.line)
}

// Close writes the buffered lines, and returns the first error of the log. It does not close the writer.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.w.Flush()
}

// appendSeconds appends a time in seconds, truncated to milliseconds.
func appendSeconds(b []byte, t time.Duration) []byte {
	if t < 0 {
		b, t = append(b, '-'), -t
	}
	ms := t.Milliseconds()
	b = strconv.AppendInt(b, ms/1000, 10)
	ms %= 1000
	return append(b, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
}
