// Package refusing tells a filter's state that refuses a pod everywhere from all others. Its
// method names a type of this package, so that nobody outside can write another such state.
package refusing

// Of is a refusal with a status.
type Of[S any] struct{ Status S }

// Refused returns the refusal.
func (o Of[S]) Refused() Of[S] { return o }

// State is a state that refuses.
type State[S any] interface{ Refused() Of[S] }
