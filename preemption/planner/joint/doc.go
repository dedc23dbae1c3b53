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
// A Plan has a place for every pod that one by one has one, in the order of the queue, and
// its victims come to no more by the ranks of the policy: usually to the same, sometimes to
// less, never to more. It says both totals, who of the pods needs which victim, and how
// sure it is: optimal, or at most so far from it.
//
// # Moves
//
// A victim need not be lost: its controller makes it again, and another node may have room for
// that. With [Request].Moves a plan says of each victim where its replacement fits after the
// plan, or why nowhere, and goes by what that costs: of two plans the one whose victims can all
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
// costs and what the search guarantees; comments cite it. One by one the pods are decided
// on by package preemption (chapters 7 to 11).
//
// # The way through the code
//
// preempt.go is the whole call, and run.go what one call knows. onebyone.go has the pods preempt one after the other.
// draft.go is the cluster on which places are tried, ask.go one pod before one node,
// totals.go what victims come to. model.go tells the draft in amounts, relax.go asks internal/packing
// about them, and bound.go says what no plan can beat. amounts.go, improve.go and exact.go look
// for plans, carry.go carries them out, spare.go has those victims stay that nobody needs in the end,
// and moves.go looks for places for the replacements.
// outlook.go is the ranking of candidates. movesof.go and alike.go ask about one victim at a
// time, and regret.go holds a plan to the best one. All of it stands on the public interface of
// package engine: [engine.Evaluator.LookAt] asks a node without some of its pods, and marks of
// a snapshot take back what was tried.
//
// # Calls at once
//
// Nothing is kept between calls, but what a [Moves] knows. The caller's snapshot stays as it is;
// but planning clones it, which counts as a change, so that no other call may use it meanwhile.
package joint
