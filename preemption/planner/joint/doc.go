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
// the total of its victims is never worse: usually it is the same, sometimes better. The plan says both totals,
// which pods need which victim, and how sure it is: it is optimal, or at most by this much from the best.
//
// # Moves
//
// A victim need not be lost: its controller makes it again, and another node may have room for
// that. With [Request].Moves a plan says of each victim where its replacement fits after the
// plan, or why nowhere, and goes by what that costs. Of two plans it prefers the one whose victims can all
// move, say. [Outlooks] asks the same about the candidates of one pod's decision. [Moves] says
// it of one victim by itself, as a cost for the ranks, or of those of one candidate.
//
// # Regret
//
// [RegretOf] says how far a plan of package preemption is from the best one by the same ranks:
// rank by rank, and how sure that is.
//
// # Rules
//
// Chapter 25 of RULES.md in this package's folder states what a joint plan is, what it
// costs and what the search guarantees; comments cite it. The decisions one by one follow the rules of
// package preemption (chapters 7 to 11).
//
// # The way through the code
//
// request.go has the request and its pods, and plan.go has Preempt and the answer that it makes of the best
// solution. run.go says what one call knows, and preempt.go has the way from the request to that solution:
// onebyone.go has the pods preempt one after the other, and then the searches look for something better.
//
// draft.go is the cluster on which places are tried, ask.go asks one node about one pod, and totals.go adds up
// victims. model.go describes the draft in the amounts of measure.go, relax.go asks internal/packing about them,
// and bound.go says what no plan can beat. amounts.go, improve.go and exact.go look for plans, carry.go tries
// whether a plan holds at once, and spare.go has victims stay that nobody needs in the end. moves.go looks for
// places for the replacements, losses.go has the kinds of losses with their costs, and fate.go says what becomes of
// each victim and why. certificate.go says how good a plan is, apply.go carries it out on a snapshot, and words.go
// and parts.go write it in words and in JSON.
//
// outlook.go ranks candidates, movesof.go and alike.go ask about one victim at a time, and regret.go compares a
// plan with the best one.
//
// All of it stands on the public interface of package engine: [engine.Evaluator.LookAt] asks a node without some
// of its pods, and marks of a snapshot take back what was tried.
//
// # Calls at once
//
// Nothing is kept between calls except what a [Moves] knows. The caller's snapshot stays as it is. But planning
// clones it, which counts as a change, so no other call may use it meanwhile.
package joint
