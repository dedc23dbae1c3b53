// Package joint answers: who has to leave so that several pending pods can run, if they
// are planned together?
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// kube-scheduler lets the pods of its queue preempt one after the other. Each chooses what
// is best for itself: the node where one small pod leaves, say, though a larger one of the
// same priority would have made room for the next three as well. Preempt plans for all of
// them against one snapshot:
//
//	plan, err := joint.Preempt(ctx, eval, snap, joint.Request{Pods: waiting, Now: now})
//	fmt.Println(plan)
//
// A Plan has a place for every pod that has one after preempting one by one. By the ranks of the policy
// the total of its victims is never worse: usually it is the same, sometimes better. The plan reports both
// totals, which pods need which victim, and a certificate: the plan is optimal, or at most this far from the
// best one.
//
// # Moves
//
// A victim need not be lost: its controller creates a replacement, and another node may have room for
// it. With [Request].Moves a plan says of each victim where its replacement fits after the plan, or why it
// fits nowhere, and plans are compared by what these losses cost. A plan whose victims can all move is then
// preferred to one whose victims are lost. [Outlooks] ranks the candidates of one pod's decision in the same
// way. [Moves] answers for a single victim, as a cost for the ranks, or for all victims of one candidate.
//
// # Regret
//
// [RegretOf] says how far a plan of package preemption is from the best one by the same ranks: the gap in
// each rank, and whether it is proven.
//
// # Rules
//
// Chapter 25 of RULES.md in this package's folder states what a joint plan is, what it
// costs and what the search guarantees; comments cite it. The decisions one by one follow the rules of
// package preemption (chapters 7 to 11).
//
// # The way through the code
//
// request.go has the request and its pods, and plan.go has Preempt and turns the best solution into a Plan.
// run.go has the state of one call, and preempt.go leads from the request to that solution: onebyone.go lets
// the pods preempt one after the other, and then the searches look for something better.
//
// draft.go is the cluster on which places are tried, ask.go asks one node about one pod, and totals.go adds up
// victims. model.go describes the draft in the amounts of measure.go, relax.go passes them to internal/packing,
// and bound.go computes a total that no plan beats. amounts.go, improve.go and exact.go look for plans, carry.go
// checks whether a plan holds at once, and spare.go spares the victims that nobody needs in the end. moves.go
// looks for places for the replacements, losses.go has the kinds of losses with their costs, and fate.go says what
// becomes of each victim and why. certificate.go says how good a plan is, apply.go carries it out on a snapshot,
// and words.go and parts.go write it in words and in JSON.
//
// outlook.go ranks candidates, movesof.go and alike.go ask about one victim at a time, and regret.go compares a
// plan with the best one.
//
// The package uses only the public interface of package engine: [engine.Evaluator.LookAt] asks a node without
// some of its pods, and the marks of a snapshot undo what was tried.
//
// # Calls at once
//
// Nothing is kept between calls except the answers that a [Moves] remembers. The caller's snapshot stays as it
// is. But planning clones it, which counts as a change, so no other call may use it meanwhile.
package joint
