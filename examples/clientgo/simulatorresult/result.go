// Package simulatorresult writes a plan down where kube-scheduler-simulator shows what
// PostFilter plugins have found: in an annotation of the preemptor.
//
// The key, the shape and the words are those of that project's packages annotation and
// resultstore, at the date that preemption/PROJECTS.md names. This package imports nothing of it.
package simulatorresult

import (
	"encoding/json"

	"github.com/outrank-go/outrank/preemption"
)

// PostFilterKey is the annotation with the results of PostFilter plugins.
const PostFilterKey = "scheduler-simulator/postfilter-result"

// nominated is what stands at the node that a plugin has nominated the preemptor to.
const nominated = "preemption victim"

// PostFilter returns the value of the annotation [PostFilterKey] for a plan: the nodes that the
// plugin was asked about, each with an object that names the plugin at the node where victims
// leave for the preemptor and is empty at all others. The node of the plan is there in any case.
// A nil plan nominates nowhere. Time is linear in the number of nodes.
func PostFilter(plugin string, plan *preemption.Plan, nodes []string) (string, error) {
	results := make(map[string]map[string]string, len(nodes))
	for _, node := range nodes {
		results[node] = map[string]string{}
	}
	if plan != nil && plan.Outcome == preemption.Preempts {
		results[plan.Node] = map[string]string{plugin: nominated}
	}
	text, err := json.Marshal(results) // with sorted keys
	return string(text), err
}
