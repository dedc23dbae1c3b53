// Package convert turns the objects of the Kubernetes API into the plain types of
// outrank, and what a plan needs back into the API's words.
//
// Each function gives what outrank reads from the JSON of the same object, without
// writing any:
//
//	pod, err := convert.Pod(p)         // p is a *corev1.Pod
//	node, err := convert.Node(n)       // a *corev1.Node
//	cluster, err := convert.Cluster(o) // all of them: as kube.ReadCluster
//
// An ordinary pod takes about a microsecond. Objects are taken as they are: a pod
// from an informer has been through an API server and has all its defaults, and so
// needs no more.
//
// # What belongs together
//
// A pod names claims; what they stand for is in other objects. [Pod] leaves a claim a
// mere name, as reading a single pod does. [Cluster] fills it in, and package mirror
// keeps it current. For those who do it themselves there are the parts: [Claim] and
// [BindingOf] say what a claim tells of itself, [Volume] and [StorageClass] what it is
// bound to, [Bind] puts them together and [Attach] does so for a node, its [CSINode]
// and the drivers that nodes need ([CSIDriver]).
//
// # Errors
//
// An object that makes no sense is refused with an [outrank.InputError] that names
// object and field, as kube.ReadCluster names them; it wraps [outrank.ErrInvalid].
// Whatever has been through an API server makes sense.
//
// # Sharing
//
// What is returned shares maps, texts and lists of texts with the API object. Both are
// to be left alone from then on, as objects of an informer are anyway. No function
// changes its argument, and all of them may be called at once.
//
// # Differences from the JSON
//
// Times keep their fractions of a second, which JSON cuts off: an API server gives
// whole seconds, and an object made in a test means what it says.
//
// # Which fields
//
// fields.txt in package apitest lists every field of the API types, as read or as ignored
// with the reason. A field that a new version of the API brings fails the test until somebody
// has looked at it.
package convert
