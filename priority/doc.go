// Package priority answers: how important is a pod?
//
// A pod's importance is a number, its priority, and the number comes from a
// class that the pod names. A [Table] holds the classes of a cluster as the API
// server would keep them, and resolves pods against them:
//
//	table, err := priority.NewTable(cluster.Classes)
//	resolved, err := table.Resolve(pod)
//	admitted := resolved.Apply(*pod)
//
// [Table.ResolveGroup] does the same for groups of pods.
//
// A table never changes: [Table.With] and [Table.Without] return a new one. A pod
// that was resolved keeps its priority whatever becomes of its class.
//
// [Compare] sorts pods in the order in which preemption spares them, the most
// important first. [Critical] reports the pods that the system itself depends on.
//
// Package preemption/scheduler/queue holds the pods that wait and says which is next.
//
// # Rules
//
// Chapter 4 of RULES.md in this package's folder states what this package does,
// and comments cite it, as in "rule 4.2.3". In Kubernetes these rules are the
// Priority admission plugin, the validation of PriorityClass, and the scheduler's
// MoreImportantPod.
//
// # Errors, calls at once, and cost
//
// Errors about classes wrap [outrank.ErrInvalid] and a sentinel of this package,
// and carry their problems as an [*outrank.InputError].
//
// No function here changes its arguments or reads a clock, and all of them may be
// called from any number of goroutines at once. Resolving a pod and comparing two
// pods take constant time. Building a table takes the time of sorting its classes.
package priority
