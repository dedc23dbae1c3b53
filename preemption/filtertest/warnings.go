package filtertest

import (
	"fmt"
	"reflect"

	"github.com/outrank-go/outrank/preemption/engine"
)

// Warnings says what makes decisions with a filter slow, one sentence each. A filter can
// keep its contract and be slow, so that [Check] does not fail for it; a test prints the
// warnings. The filter is not called but for its name.
func Warnings(filter engine.Filter) []string {
	if filter == nil {
		return nil
	}
	_, selective := filter.(engine.SelectiveFilter)
	if selective || reflect.TypeOf(filter) == reflect.TypeOf(engine.NodeRule("", nil)) {
		return nil // a rule looks at no pods
	}
	return []string{fmt.Sprintf("filter %s: it has no Concerns, so that every pod counts as one that it looks at: "+
		"a decision about 5,000 nodes takes some hundred times as long (see preemption.SelectiveFilter)", filter.Name())}
}
