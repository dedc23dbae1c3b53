// Package actions carries out plans of Outrank in a cluster. It implements [execution.Actions] with client-go.
//
// It makes the same requests to the API server as kube-scheduler v1.37:
//
//   - a victim gets the condition DisruptionTarget by a patch of its status, with the
//     generation at which it was observed. Then it is deleted, unless its UID shows that it is
//     no longer the pod that was chosen;
//   - a victim that has not been bound yet is rejected in the scheduler's memory
//     instead;
//   - a nomination is cleared by a patch of the status, or through the scheduler's
//     queue of API calls if there is one.
//
// Errors that are worth another try wrap [execution.ErrRetriable]: conflicts, internal errors, a server that is
// unavailable and refused connections. [Wait] waits between the tries of an [execution.Config].
//
// The package works with a scheduler of the framework and without one, so that any
// program with a clientset and a lister of pods can carry out plans.
package actions
