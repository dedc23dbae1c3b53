// Package kube answers: how does JSON of Kubernetes become values of package outrank, and how do these become JSON
// again? The JSON can be a dump of a cluster, a manifest, or a single object.
//
//	cluster, err := kube.ReadCluster(file) // kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers -A -o json
//	err = kube.WriteCluster(os.Stdout, cluster)
//
// [ReadCluster] reads everything that a decision depends on, [ReadPod] and [ReadManifest] read a single pod, and
// [WriteCluster] writes a cluster.
//
// Importing the package, even only for this effect, lets encoding/json write and read single objects as in
// Kubernetes, wherever the caller has them in a struct, a slice or a map: [outrank.Pod], [outrank.Node],
// [outrank.PodDisruptionBudget], [outrank.PriorityClass], [outrank.Namespace], [outrank.PodGroup],
// [outrank.CompositePodGroup], [outrank.Workload], [outrank.VolumeClaim] and [outrank.Cluster] as objects, and
// [outrank.Affinity], [outrank.Container] and [outrank.LabelSelector] as the parts of a pod's spec. A program
// without the import gets an error instead of incomplete JSON.
//
// The rules cited as chapters 21 and 22 are in internal/manifest/RULES.md. The package keeps nothing that a caller
// passes in, and any number of goroutines may read and write at once.
package kube
