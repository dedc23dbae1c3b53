package execution

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// victimEvent is the event about a victim, in the words of the variant. The older
// variants say the same about a victim that waited to be bound.
func (c *Config) victimEvent(victim *VictimReport, preemptor *outrank.Pod, node string) outrank.Event {
	e := preemptedEvent(victim.Pod, preemptor, node)
	by := fmt.Sprintf("by %s on node %s", preemptor.Key(), node)
	switch {
	case c.Variant == outrank.VariantSimplified:
		e.Type, e.Action, e.Message = outrank.EventWarning, ActionScheduling, "Preempted "+by
	case c.Variant == outrank.VariantV1_13:
		// v1.13 knows no action and no second pod of an event.
		e.Action, e.Related, e.Message = "", nil, by
	case victim.Result == RejectedWhileWaiting:
		e.Message += inMemory
	}
	return e
}

// preemptingEvent is the event about the preemptor in the simplified variant.
func preemptingEvent(preemptor *outrank.Pod, victims int, node string) outrank.Event {
	return outrank.Event{
		Type: outrank.EventNormal, Reason: ReasonPreempted, Action: ActionScheduling, Pod: preemptor,
		Message: fmt.Sprintf("Preempting %d pods on node %s", victims, node),
	}
}
