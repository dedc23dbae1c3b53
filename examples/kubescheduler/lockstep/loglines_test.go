package lockstep

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"pgregory.net/rapid"
)

// linesOf keeps the reference's log.
type linesOf struct {
	mu  sync.Mutex
	all []string
}

func (s *linesOf) Init(logr.RuntimeInfo)             {}
func (s *linesOf) Enabled(int) bool                  { return true }
func (s *linesOf) WithValues(...any) logr.LogSink    { return s }
func (s *linesOf) WithName(string) logr.LogSink      { return s }
func (s *linesOf) Error(_ error, m string, v ...any) { s.keep("error", m, v) }
func (s *linesOf) Info(level int, m string, v ...any) {
	s.keep(fmt.Sprint(level), m, v)
}

func (s *linesOf) keep(level, message string, values []any) {
	// Lines that the library does not tell apart (rules 14.7.2 and 14.7.3).
	switch {
	case strings.HasPrefix(message, "Failed to reject a pod in preBind"):
		return
	case strings.HasPrefix(message, "Could not add DisruptionTarget condition"):
		message, values = "Tried to preempted pod", []any{"pod", values[3], "preemptor", values[1]}
	case strings.HasPrefix(message, "Preemptor rejected a pod in preBind"):
		message, values[4] = "Preemptor preempted a waiting pod", "waitingPod"
	}
	var b strings.Builder
	fmt.Fprint(&b, level, " ", message)
	for i := 0; i+1 < len(values); i += 2 {
		fmt.Fprintf(&b, " %v=%v", values[i], values[i+1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, b.String())
}

// take returns the lines since the last call.
func (s *linesOf) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.all
	s.all = nil
	return taken
}

func textsOf(records []slog.Record) (texts []string) {
	for _, record := range records {
		failed := record.Level == slog.LevelError
		text := fmt.Sprint(int(-record.Level))
		if failed {
			text = "error"
		}
		text += " " + record.Message
		record.Attrs(func(a slog.Attr) bool {
			if !failed || a.Key != "err" { // which the reference's log keeps apart
				text += fmt.Sprintf(" %s=%s", a.Key, a.Value)
			}
			return true
		})
		texts = append(texts, text)
	}
	return texts
}

// The executor returns the lines of the reference's log as data, in its order.
func TestLogRecordsOfTheExecutor(t *testing.T) {
	sink := &linesOf{}
	klog.SetLoggerWithOptions(logr.New(sink), klog.ContextualLogger(true))
	defer klog.ClearLogger()
	defer func(were []utilruntime.ErrorHandler) { utilruntime.ErrorHandlers = were }(utilruntime.ErrorHandlers)
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(_ context.Context, err error, message string, values ...any) { sink.Error(err, message, values...) }}
	var now *calls
	client := apiServer(&now)
	for _, async := range []bool{true, false} {
		t.Run(fmt.Sprint("asynchronous ", async), func(outer *testing.T) {
			check(outer, 300, func(t *rapid.T) {
				p := drawPreempting(t)
				report := p.executed(t, async)
				sink.take()
				p.byReference(outer, client, &now, async)
				require.Equal(t, sink.take(), textsOf(report.LogRecords()), "%v", report)
			})
		})
	}
}
