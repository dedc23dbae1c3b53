// Package queue answers: which pod is next? It is kube-scheduler's scheduling queue: pods wait in it, the most
// important is popped first, and a pod that did not fit waits apart until trying it again may help.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	q, err := queue.New(queue.Config{})
//	err = q.Add(pod, now)
//	entry, ok := q.TryPop(now)                       // or Pop, which waits
//	entry.FailedFilters = []string{"NodeResourcesFit"} // it did not fit
//	err = q.AddUnschedulableIfNotPresent(entry, now) // else q.Done(entry)
//	q.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted}, now)
//
// A [Queue] has four pools (active, backoff, unschedulable, gated) and pops by priority; a queue made by
// [NewFIFO] pops the pods in the order in which they came. Method Fail of execution.Executor puts a pod back
// after a failed attempt. Package preemption/scheduler/attempt makes the calls above, and tells the queue what
// informers deliver.
//
// From v1.37 on, with the feature gate GenericWorkload, a [Queue] holds the pods of a group
// together and pops them as one entry, which has a [Group] in place of a pod. The caller
// tells the queue of groups with [Queue.PutGroup] and [Queue.PutComposite]. After an attempt with a group
// it first ends the attempt of each member, and then that of the group: with [Queue.AddAttemptedGroup], or,
// if the group found no place, with the call for a pod that did not fit. Pods whose group is not known wait
// apart.
//
// # Calls at once, and cost
//
// All methods may be called from any number of goroutines. Time is an argument throughout: nothing here reads a
// clock or starts a goroutine, and the same calls return the same entries. A call about one of n pods inside
// takes O(log n). A call that looks at all pods of a pool takes O(n log n); pods that [Queue.Refuse] keeps
// together count as one there. Memory is linear in the largest number of pods that were ever inside at once,
// and in the events since the oldest attempt under way began. Queues keep the pointers that they are given and
// never change a pod.
//
// # Rules, and deviations from the reference
//
// Chapter 5 of RULES.md in this package's folder states what this package does, and comments cite it, as in
// "rule 5.2.3". The reference is the queue of kube-scheduler v1.36 and v1.37. The deviations are listed at
// [Queue], [CompareEntries] and [Queue.AssignedPodAdded].
package queue
