package preemption_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// An event is written with all it has, and without what it has not.
func TestEventsInText(t *testing.T) {
	pod, other := &outrank.Pod{Name: "p"}, &outrank.Pod{Name: "q", Namespace: "ops"}
	for _, c := range []struct {
		name         string
		event        preemption.Event
		text, logged string
	}{
		{
			"all", preemption.Event{Type: "T", Reason: "R", Action: "A", Pod: pod, Related: other, Message: "m"},
			"T R default/p: m",
			"level=INFO msg=x event.type=T event.reason=R event.action=A event.pod=default/p event.related=ops/q event.message=m\n",
		},
		{
			"of one pod", preemption.Event{Type: "T", Reason: "R", Action: "A", Pod: pod, Message: "m"},
			"T R default/p: m",
			"level=INFO msg=x event.type=T event.reason=R event.action=A event.pod=default/p event.message=m\n",
		},
		{
			"of no pod", preemption.Event{Type: "T", Reason: "R", Action: "A", Message: "m"},
			"T R (nil): m",
			"level=INFO msg=x event.type=T event.reason=R event.action=A event.pod=(nil) event.message=m\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.text, c.event.String())
			var logged strings.Builder
			noTime := func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}
			slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{ReplaceAttr: noTime})).Info("x", "event", c.event)
			assert.Equal(t, c.logged, logged.String())
		})
	}
}
