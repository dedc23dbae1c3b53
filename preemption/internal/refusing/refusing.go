// Package refusing answers: does the state of a filter refuse the pod on every node? Such a state has a method
// whose signature has a type of this package, so that packages outside of preemption cannot write another one.
package refusing

// Of is a refusal with a status. A state that embeds it refuses.
type Of[S any] struct{ Status S }

// Refused returns the refusal.
func (o Of[S]) Refused() Of[S] { return o }

// State is a filter's state that refuses the pod on every node.
type State[S any] interface{ Refused() Of[S] }
