// Package plugin is Outrank as a plugin of kube-scheduler v1.37, in place of
// DefaultPreemption.
//
// When no node takes a pod, the plugin (PostFilter) decides with this module who has to
// leave, on a snapshot that follows the scheduler's own at the price of what has changed
// since. The statuses that the scheduler's filters gave are the ones that count, those of
// filters included that the module does not know. Where such filters, hooks or feature gates have
// a say in dry runs, DefaultPreemption's own code finds the victims. The preemptor is nominated, and the plan
// is carried out as the scheduler has it configured: beside the next attempts (the
// default), or before the attempt ends. While that is under way the pod is kept out of the
// queue (PreEnqueue). A group of pods is preempted for in the same way where the feature
// gate GenericWorkload is on (PodGroupPostFilter).
//
// The plugins of all profiles of a scheduler share the snapshot and the executor, so that a
// victim which two of them need away is told to go once.
//
// Every answer is one line of the log with all its figures. The API is asked to write what
// DefaultPreemption would have it write, and nothing else; an event about every plan can be
// asked for.
package plugin
