package tenancy

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// Protection spares workloads that started a short while ago (group 24.8). Each field says for how long after its start
// a workload is spared from one kind of preemption: within its queue, by a queue that reclaims its quota (borrowing or
// not), and by a comparison of shares. The zero value spares nobody.
type Protection struct{ Within, Reclaim, FairShare time.Duration }

// window returns how long after its start a workload is spared from a rule.
func (p Protection) window(rule string) time.Duration {
	switch rule {
	case ruleWithin:
		return p.Within
	case ruleReclaimed, ruleBorrowing:
		return p.Reclaim
	case ruleFairShare:
		return p.FairShare
	}
	return 0
}

// check adds a problem for each window below 0.
func (p Protection) check(object string, ps *[]outrank.Problem) {
	for _, x := range []struct {
		field string
		d     time.Duration
	}{{"Within", p.Within}, {"Reclaim", p.Reclaim}, {"FairShare", p.FairShare}} {
		if x.d < 0 {
			*ps = append(*ps, outrank.Problem{Object: object, Field: "Protection." + x.field, Text: fmt.Sprintf("%v is negative", x.d)})
		}
	}
}

// until returns the end of the window that spares a workload from a rule. It is zero if there is no window, if the
// window has ended, or if started is zero.
func (p Protection) until(rule string, started, now time.Time) time.Time {
	window := p.window(rule)
	end := started.Add(window)
	if window <= 0 || started.IsZero() || !now.Before(end) {
		return time.Time{}
	}
	return end
}
