// Package score answers: where does a pod that fits go? It gives the nodes that take a pod the
// scores that kube-scheduler's default profile gives them, by the rules of v1.37, or of v1.36 if the
// cluster's release says so.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	scorer, err := score.New(score.Config{})              // the default profile
//	ranked, err := scorer.Rank(ctx, eval, snap, pod)      // the nodes that take the pod
//	node := ranked.Choose(nil)                            // nil if none does
//	fmt.Println(node.Name, ranked.Totals)
//
// A [Ranking] has the scores of each plugin, before and after normalization. The rules stand in
// RULES.md in this folder, chapter 27, and comments cite them. [Config] has the weights, strategies
// and arguments that a KubeSchedulerConfiguration can change.
//
// The first question about a snapshot counts its pods. From then on the snapshot keeps the counts
// ([engine.Snapshot.Tracked]), for all scorers.
package score
