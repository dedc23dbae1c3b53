package resource

import "strings"

// Name is the name of a resource, as the keys of requests, limits, capacity
// and allocatable write it.
type Name string

// Names to which Kubernetes itself gives a meaning.
const (
	// CPU is processor time, in cores; it is counted in thousandths.
	CPU Name = "cpu"
	// Memory is counted in bytes.
	Memory Name = "memory"
	// EphemeralStorage is local disk space, counted in bytes.
	EphemeralStorage Name = "ephemeral-storage"
	// Pods is the number of pods a node takes; each pod counts 1, whatever it
	// requests.
	Pods Name = "pods"

	// HugePagesPrefix begins the names of huge pages, one per page size
	// ("hugepages-2Mi"), counted in bytes.
	HugePagesPrefix = "hugepages-"
)

// Parts of names that decide how kube-scheduler classifies a resource.
const (
	attachableVolumesPrefix = "attachable-volumes-"
	quotaPrefix             = "requests."
	kubernetesDomain        = "kubernetes.io/"
)

// Counted reports whether kube-scheduler keeps a sum for the name on each node.
// It does for cpu, memory and ephemeral-storage, for huge pages and attachable
// volumes, for names in the kubernetes.io domain and for extended resources.
// Other names without a domain, like "storage", are left out of every sum. Pods
// is left out, too: every pod counts 1.
//
// It follows the scheduler's Resource.Add together with the helper that
// recognises scalar resources.
func (n Name) Counted() bool {
	switch n {
	case CPU, Memory, EphemeralStorage:
		return true
	}
	s := string(n)
	return strings.HasPrefix(s, HugePagesPrefix) ||
		strings.HasPrefix(s, attachableVolumesPrefix) ||
		strings.Contains(s, kubernetesDomain) ||
		n.IsExtended()
}

// IsExtended reports whether the name belongs to an extended resource, which
// Kubernetes does not define, like "nvidia.com/gpu": it has a domain, the
// domain is not kubernetes.io, and it is not a quota's name for the requests of
// another resource ("requests.nvidia.com/gpu"). Only the form of the name is
// checked, not whether it is valid.
func (n Name) IsExtended() bool {
	s := string(n)
	return strings.Contains(s, "/") &&
		!strings.Contains(s, kubernetesDomain) &&
		!strings.HasPrefix(s, quotaPrefix)
}
