// Package plugin decides, inside kube-scheduler v1.37, which pods have to leave when no node takes a pod. It is
// Outrank as a scheduler plugin and takes the place of DefaultPreemption.
//
// PostFilter decides with this module. It works on a snapshot that follows the scheduler's own and costs only
// what has changed since. The statuses of the scheduler's filters count, also those of filters that the module
// does not know. Where such a filter, a hook or a feature gate has a say in dry runs, DefaultPreemption's own
// code finds the victims.
//
// PostFilter then nominates the preemptor and carries the plan out: by default in the background, beside the next
// attempts, or before the attempt ends if the scheduler is configured so. PreEnqueue keeps the pod out of the
// queue meanwhile. PodGroupPostFilter does the same for a group of pods where the feature gate GenericWorkload is
// on.
//
// The plugins of all profiles of a scheduler share the snapshot and the executor. A victim that two of them need
// away is therefore told to go once.
//
// Every decision is one line of the log with all its figures. The plugin makes the same writes to the API as
// DefaultPreemption. An event about every plan is the only addition, and the arguments have to ask for it.
package plugin
