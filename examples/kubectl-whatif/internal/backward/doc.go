// Package backward answers why a pod was pushed out: who did it, whether that was the decision of
// the rules, and what would have spared it. It is asked about the cluster as it was before, and
// has the events of the scheduler where they are still there.
//
// Every verdict was tried: the preemptor's turn is played on a copy of the cluster, after
// the turns of everything that a scheduler takes before it, and so is each way of sparing the
// pod. The same input has the same answer.
package backward
