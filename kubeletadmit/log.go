package kubeletadmit

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// LogRecords returns what a kubelet logs while it evicts for a critical pod (rule 17.7.7): for each kill that was
// tried that it begins, and then that it succeeded or why it failed. pod is the critical pod, and kills are the
// results of [Evict] for this admission. This module writes no log itself. To write one:
//
//	for _, record := range admission.LogRecords(pod, kills) {
//		err := handler.Handle(ctx, record) // of log/slog
//	}
//
// A record has no time. Its level is the negative of the number after -v, or slog.LevelError for an error, which
// is in the attribute "err". Time is linear in the kills and the failures of the admission.
func (a Admission) LogRecords(pod *outrank.Pod, kills []KillResult) (records []slog.Record) {
	add := func(level slog.Level, message string, attrs ...slog.Attr) {
		record := slog.NewRecord(time.Time{}, level, message, 0)
		record.AddAttrs(attrs...)
		records = append(records, record)
	}

	requesting, short := slog.String("requestingPod", podText(pod)), slog.String("insufficientResources", a.shortText())
	for _, k := range kills {
		if !k.Tried {
			continue
		}
		name := slog.String("pod", podText(k.Pod))
		add(-2, "Preempting pod to free up resources", name, slog.String("podUID", podUID(k.Pod)), short, requesting)
		if k.Err != nil {
			add(slog.LevelError, "Failed to evict pod", name, slog.Any("err", k.Err))
			continue
		}
		add(0, "Pod evicted successfully", name)
	}
	return records
}

// podUID returns the UID of a pod. The pod is nil only in a result that the caller has built.
func podUID(p *outrank.Pod) string {
	if p == nil {
		return ""
	}
	return p.UID
}

// shortText lists the shortages of the check as a kubelet prints them, also those of nothing.
func (a Admission) shortText() string {
	var parts strings.Builder
	for _, f := range a.Failures {
		if f.isShortage() {
			fmt.Fprintf(&parts, "(res: %s, q: %d), ", f.Resource, f.Shortage())
		}
	}
	return "[" + parts.String() + "]"
}
