package outrank_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
)

// Whatever is read by itself says what could not be read of it.
func TestUnmarshalNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		to         any
		text, want string
	}{
		{&outrank.Pod{}, `{"metadata":{"name":"x"},"spec":{"priority":"high"}}`, `pod default/x: spec.priority: the string "high" stands where a whole number of 32 bits belongs`},
		{&outrank.Pod{}, `{"metadata":{"name":"x"},"status":{"startTime":"now"}}`, `pod default/x: status.startTime: "now" is not a time such as 2026-01-10T12:00:00Z`},
		{&outrank.Node{}, `{"metadata":{"name":"x"},"spec":{"unschedulable":1}}`, "node x: spec.unschedulable: the number 1 stands where true or false belongs"},
		{&outrank.PodDisruptionBudget{}, `{"metadata":{"name":"x"},"status":{"disruptionsAllowed":"1"}}`, `poddisruptionbudget default/x: status.disruptionsAllowed: the string "1" stands where a whole number of 32 bits belongs`},
		{&outrank.PodDisruptionBudget{}, `{"metadata":{"name":"x"},"spec":{"maxUnavailable":"half"}}`, `poddisruptionbudget default/x: spec.maxUnavailable: "half" is neither a whole number nor a percentage`},
		{&outrank.PriorityClass{}, `{"metadata":{"name":"x"},"value":[]}`, "priorityclass x: value: an array stands where a whole number of 32 bits belongs"},
		{&outrank.Namespace{}, `{"metadata":{"name":"x","labels":[]}}`, "namespace x: metadata.labels: an array stands where an object belongs"},
		{&outrank.PodGroup{}, `{"metadata":{"name":"x"},"spec":{"priority":true}}`, "podgroup default/x: spec.priority: true stands where a whole number of 32 bits belongs"},
		{&outrank.PodGroup{}, `{"metadata":{"name":"x"},"spec":{"disruptionMode":{"all":true}}}`, "podgroup default/x: spec.disruptionMode.all: true stands where an object belongs"},
		{&outrank.CompositePodGroup{}, `{"metadata":{"name":"x"},"spec":{"disruptionMode":"Pod"}}`, `compositepodgroup default/x: spec.disruptionMode: the string "Pod" stands where an object belongs`},
		{&outrank.CompositePodGroup{}, `{"metadata":{"name":"x"},"spec":{"schedulingPolicy":{"gang":{"minGroupCount":"1"}}}}`, `compositepodgroup default/x: spec.schedulingPolicy.gang.minGroupCount: the string "1" stands where a whole number of 32 bits belongs`},
		{&outrank.Workload{}, `{"metadata":{"name":"x"},"spec":{"compositePodGroupTemplates":[{"name":"a","podGroupTemplates":[{"name":7}]}]}}`,
			"workload default/x: spec.compositePodGroupTemplates[0].podGroupTemplates[0].name: the number 7 stands where a string belongs"},
		{&outrank.LabelSelector{}, `{"matchLabels":7}`, "label selector: matchLabels: the number 7 stands where an object belongs"},
	} {
		err := json.Unmarshal([]byte(c.text), c.to)
		assert.ErrorIs(t, err, outrank.ErrInvalid, c.text)
		assert.EqualError(t, err, c.want)
	}
}
