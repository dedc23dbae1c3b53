// Package metrics answers how a simulated run served the pods that came. It has the metrics that researchers
// report about a scheduler, each as a summary and as a series over time, over all pods, by priority and by
// tenant.
//
//	collector, err := metrics.New(cluster, metrics.Config{})
//	run, err := sim.New(cluster, work, sim.Config{Follow: collector.Event})
//	result, err := run.Run(ctx)
//	err = collector.Report(run.Now()).WriteText(os.Stdout)
//
// Each metric is defined at its field:
//
//   - completion times and slowdown: [Group].Completion and Slowdown
//   - utilisation, goodput, efficiency and lost work: [Use], and [Group].LostSeconds
//   - fairness by priority and by tenant: [Fairness], and [Group].DominantShare
//   - fragmentation of one resource: [Fragmentation], and [Fragments]
//   - evictions by cause: [Group].Evictions
//   - the same over time: [Series], and the series beside the others
//
// A figure without a value, such as the slowdown of no jobs, is [Undefined]: null in JSON and a dash in text.
// It is never guessed, and never 0.
//
// The package only receives events, through [sim.Config].Follow, and knows nothing about how a run works. A
// run without a collector has no cost for it. The same events give the same report, to the byte.
package metrics
