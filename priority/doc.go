// Package priority answers: how important is a pod, and whose turn is it?
//
// A pod's importance is a number, its priority, and the number comes from a
// class that the pod names. A [Table] holds the classes of a cluster as the API
// server would keep them, and resolves pods against them:
//
//	table, err := priority.NewTable(cluster.Classes)
//	resolved, err := table.Resolve(pod)
//	admitted := resolved.Apply(*pod)
//
// Tables never change: [Table.With] and [Table.Without] give a new one, and a
// pod that was resolved keeps what it got whatever becomes of its class.
//
// [Compare] puts pods in the order in which preemption spares them, and
// [Critical] tells the pods that the system itself depends on.
//
// A [Queue] keeps the pods that wait to be placed, the most important first, and
// those that did not fit apart until it is worth while to try them again; a
// [FIFO] takes them as they come. Both are a [SchedulingQueue]:
//
//	queue, err := priority.NewQueue(priority.QueueConfig{})
//	err = queue.Add(pod, now)
//	entry, ok := queue.TryPop(now)                       // or Pop, which waits
//	entry.FailedFilters = []string{"NodeResourcesFit"}   // it did not fit
//	err = queue.AddUnschedulableIfNotPresent(entry, now) // else queue.Done(entry)
//	queue.MoveAll(priority.Event{Kind: priority.EventAssignedPodDeleted}, now)
//
// Section 3 of the rules holds what this package follows, and the end of section
// 10 for queues; upstream it is the Priority admission plugin, the validation
// of PriorityClass, and the scheduler's MoreImportantPod and scheduling queue.
// Errors about classes wrap [outrank.ErrInvalid] and a sentinel of this package,
// and carry their problems as an [*outrank.InputError].
//
// Nothing here changes what it is passed or reads a clock, and all of it may be
// called from any number of goroutines. Queues keep the pods they are given.
package priority
