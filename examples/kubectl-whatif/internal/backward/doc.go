// Package backward answers why a pod was pushed out. Which pod did it? Was that the decision of the rules? What
// would have spared the pod? The question is about the cluster as it was before. It may include the events of
// the scheduler, if they still exist.
//
// Every verdict was tried. The preemptor's turn is played on a copy of the cluster, after the turns of
// all pods that a scheduler takes before it, and each way of sparing the pod is played at that turn. The same
// input has the same answer.
package backward
