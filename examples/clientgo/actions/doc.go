// Package actions carries out plans of Outrank in a cluster: it implements
// [execution.Actions] with client-go.
//
// What it asks of the API server is what kube-scheduler v1.37 asks:
//
//   - a victim gets the condition DisruptionTarget by a patch of its status, with the
//     generation that it was observed at, and is deleted then, if it still is the pod
//     that was chosen (by its UID);
//   - a victim that has not been bound yet is rejected in the scheduler's memory
//     instead;
//   - a nomination is cleared by a patch of the status, or through the scheduler's
//     queue of API calls where that is on.
//
// Which errors are worth another try is said by wrapping [execution.ErrRetriable]:
// conflicts, internal errors, a server that is unavailable and refused connections.
// [Wait] waits between the tries of an [execution.Config].
//
// The package works with a scheduler of the framework and without one, so that any
// program with a clientset and a lister of pods can carry out plans.
package actions
