package question

import (
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
)

// Open reports whether the resize was not done, so that the pod keeps running with its old amounts.
func (r *Resized) Open() bool {
	return r.Outcome == Deferred || r.Outcome == NeverDone || r.Outcome == Refused
}

// name returns the name of the pod, followed by the container if the change names it.
func (r *Resized) name() string {
	if r.Container == "" {
		return string(r.Pod.Key)
	}
	return string(r.Pod.Key) + "/" + r.Container
}

// String says in a sentence what becomes of the resize.
func (r *Resized) String() string {
	text := "The resize of " + r.name() + " on " + r.Pod.Node + " from " + amount.Texts(r.From) + " to " + amount.Texts(r.To) + " is " + r.outcome()
	if why := r.why(); len(why) > 0 {
		text += ": " + strings.Join(why, "; ")
	}
	return strings.TrimSuffix(text, ".") + "."
}

// outcome returns the outcome in a word or two.
func (r *Resized) outcome() string {
	switch r.Outcome {
	case NeverDone:
		return "never done"
	case Moot:
		return "moot"
	}
	return string(r.Outcome)
}

// why says what is in the way of the resize. It is empty if nothing is.
func (r *Resized) why() []string {
	short := ""
	for _, name := range r.Short.Names() {
		if short != "" {
			short += ", "
		}
		short += amountText(name, r.Short[name])
	}

	switch r.Outcome {
	case Deferred:
		return []string{"the node is short of " + short + " until pods leave"}
	case NeverDone:
		if short == "" {
			return []string{"the pod is static, and no node resizes these"}
		}
		return []string{"that is " + short + " more than the node offers"}
	case Refused:
		return []string{"the API server: " + r.Message}
	case Moot:
		return []string{"the pod leaves the node"}
	}
	return nil
}
