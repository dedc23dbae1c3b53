// Package convert turns the objects of the Kubernetes API into the plain types of outrank, and the steps of a
// plan back into objects and patches of the API.
//
// Each function returns what outrank reads from the JSON of the same object, without writing JSON:
//
//	pod, err := convert.Pod(p)         // p is a *corev1.Pod
//	node, err := convert.Node(n)       // a *corev1.Node
//	cluster, err := convert.Cluster(o) // all of them: as kube.ReadCluster
//
// An ordinary pod takes about a microsecond. No defaults are filled in: a pod from an informer has been through
// an API server and has all of them.
//
// # What belongs together
//
// A pod names claims, and other objects say what the claims stand for. [Pod] keeps only the name of a claim, as
// reading a single pod does. [Cluster] fills the claims in, and package mirror keeps them current. A program can
// also do it by itself: [Claim] and [BindingOf] convert a claim, [Volume] and [StorageClass] convert what it is
// bound to, and [Bind] puts them together. [Attach] does so for a node, its [CSINode] and the drivers that nodes
// need ([CSIDriver]).
//
// # Errors
//
// An object that makes no sense is refused with an [outrank.InputError] that names the object and the field as
// kube.ReadCluster names them. It wraps [outrank.ErrInvalid]. Every object that has been through an API server
// makes sense.
//
// # Sharing
//
// The result shares maps, texts and lists of texts with the API object. Neither may be changed afterwards, as
// with any object of an informer. No function changes its argument, and all functions may be called at once.
//
// # Differences from the JSON
//
// Times keep their fractions of a second, which JSON cuts off. It makes no difference for objects of an API
// server, which have whole seconds.
//
// # Which fields
//
// fields.txt in package apitest lists every field of the API types, either as read, or as ignored with the
// reason. If a new version of the API brings a field, a test fails until somebody has added it to the list.
package convert
