package explain

import (
	"github.com/outrank-go/outrank"
)

// domain is a value of a topology key.
type domain struct{ key, value string }

// placed is a pod on a node with the term that it is there for, nil for a term of the
// preemptor.
type placed struct {
	pod  *outrank.Pod
	node string
	term *podTerm
}

// podTerm is a required pod affinity term as its owner means it.
type podTerm struct {
	owner      *outrank.Pod
	key        string
	selector   *outrank.LabelSelector
	matcher    outrank.Matcher
	namespaces []string
	inLabels   *outrank.LabelSelector // namespaces by label, nil for none
}

// neighbourIndex has the pods of the cluster that affinity terms have to do with, by
// domain.
type neighbourIndex struct {
	namespaces map[string]map[string]string
	faulty     bool
	// own and anti are the preemptor's terms. near has the pods that match all of own, by
	// the domain of each; away those that match each of anti; others those whose own
	// anti-affinity matches the preemptor.
	own, anti    []podTerm
	near, others map[domain][]placed
	away         []map[domain][]placed
}

// constraint is a topology spread constraint of DoNotSchedule with its defaults.
type constraint struct {
	key        string
	maxSkew    int32
	minDomains int
	selector   *outrank.LabelSelector
	matcher    outrank.Matcher
	affinity   bool // nodes count only where the pod's node affinity allows them
	taints     bool // nodes count only where the pod tolerates them
	// counts has the matching pods of each domain with a node that counts.
	counts map[string]int
}

// spreadIndex has the counts of the cluster as it is.
type spreadIndex struct {
	constraints []constraint
	// order ranks the domains of a constraint by their counts, so that the least of them
	// with a few changes is found without a look at all.
	order [][]string
}

// missing is how much of what a pod asks for is missing on a node: the largest part of any
// resource. It orders nodes, and is not known for those that are short of no room.
type missing struct {
	known bool
	part  float64
}

// less reports whether less is missing than elsewhere.
func (m missing) less(o missing) bool { return m.known && (!o.known || m.part < o.part) }

// closest is the node of which the least is missing so far.
type closest struct {
	missing
	Nearest
}
