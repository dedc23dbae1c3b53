package filtertest

import (
	"fmt"

	"github.com/outrank-go/outrank/preemption"
)

// Warnings returns the reasons why decisions with a filter are slow, one sentence each. A filter can
// keep its contract and be slow, so [Check] does not fail for it; a test can print the
// warnings. The filter is not called.
func Warnings(filter *preemption.Filter) []string {
	if filter == nil || filter.Start == nil || filter.Concerns != nil {
		return nil
	}
	return []string{fmt.Sprintf("filter %s: it has no Concerns, so that every pod counts as one that it looks at: "+
		"a decision about 5,000 nodes takes some hundred times as long (see preemption.Filter)", filter.Name)}
}
