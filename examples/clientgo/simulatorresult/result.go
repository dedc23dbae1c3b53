// Package simulatorresult writes a plan in the form in which kube-scheduler-simulator shows the results of
// PostFilter plugins: as an annotation of the preemptor.
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

// nominated is the value for the node to which a plugin has nominated the preemptor.
const nominated = "preemption victim"

// PostFilter returns the value of the annotation [PostFilterKey] for a plan. It has an object for each node
// about which the plugin was asked, and always for the node of the plan. The object of the node on which
// victims leave for the preemptor names the plugin; all others are empty. A nil plan nominates no node. It
// takes time linear in the number of nodes.
func PostFilter(plugin string, plan *preemption.Plan, nodes []string) (string, error) {
	results := make(map[string]map[string]string, len(nodes))
	for _, node := range nodes {
		results[node] = map[string]string{}
	}
	if plan != nil && plan.Outcome == preemption.Preempts {
		results[plan.Node] = map[string]string{plugin: nominated}
	}
	text, err := json.Marshal(results) // the keys are sorted
	return string(text), err
}
