// Package kube answers how a dump, a manifest or an object of Kubernetes in JSON becomes
// values of package outrank, and how these become JSON again.
//
//	cluster, err := kube.ReadCluster(file) // kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers -A -o json
//	err = kube.WriteCluster(os.Stdout, cluster)
//
// [ReadCluster] takes all that a decision looks at, [ReadPod] and [ReadManifest] a single
// pod, [WriteCluster] is the way back.
//
// Importing the package, be it for its effect alone, gives single objects their JSON in encoding/json:
// [outrank.Pod], [outrank.Node], [outrank.PodDisruptionBudget], [outrank.PriorityClass],
// [outrank.Namespace], [outrank.PodGroup], [outrank.CompositePodGroup],
// [outrank.Workload], [outrank.VolumeClaim] and [outrank.Cluster] as objects,
// [outrank.Affinity], [outrank.Container] and [outrank.LabelSelector] as the parts of a
// pod's spec, wherever they stand in a struct, a slice or a map of the caller. A program
// without the import gets an error in place of a JSON that says less.
//
// Rules cited as 21 and 22 stand in internal/manifest/RULES.md. Nothing here keeps what a
// caller passes in, and any number of goroutines may read and write at once.
package kube
