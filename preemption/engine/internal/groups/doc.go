// Package groups answers: who has to leave a cluster so that a group of pods can run together (chapter 12)?
// There is one candidate, the whole cluster.
//
// [Preempt] goes through these stages, each a file or two:
//
//	begin     is this a group, and does it preempt here?  (begin, owner)
//	place     is there a place without preemption?
//	          (place, quorum; fitter, parts, seat, kind, far; draft)
//	possible  which units could leave, in what order?     (unit, sort)
//	decide    is there a place without them?              (preempt, guard)
//	spare     who of them can stay?                       (budgets, reprieve)
//
// [Verify] checks a plan against a cluster, with the same parts.
package groups
