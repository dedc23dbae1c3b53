package explain

import (
	"github.com/outrank-go/outrank"
)

// domain is a value of a topology key: the nodes with that value of the label.
type domain struct{ key, value string }

// placed is a pod in the index, with its node.
type placed struct {
	pod  *outrank.Pod
	node string
	// term is the pod's own term for which it is in the index; nil where it matches a term of the preemptor.
	term *podTerm
}

// podTerm is a required pod affinity term, ready to be matched.
type podTerm struct {
	owner *outrank.Pod
	// key is the topology key.
	key string
	// selector includes what the owner's labels add to it. matcher matches by it.
	selector *outrank.LabelSelector
	matcher  outrank.Matcher
	// namespaces and inLabels say which namespaces the term looks at: those listed, and those whose labels
	// match. inLabels is nil where the term does not select namespaces.
	namespaces []string
	inLabels   *outrank.LabelSelector
}

// neighbourIndex finds, by domain, the pods of the cluster that affinity terms are about.
type neighbourIndex struct {
	// namespaces has the labels of each namespace that is known.
	namespaces map[string]map[string]string
	// bareSelectsAll is set where rule 7.13.14 holds: a namespaceSelector of the preemptor that holds for no labels at
	// all means every namespace.
	bareSelectsAll bool
	// own and anti are the preemptor's terms of affinity and of anti-affinity.
	own, anti []podTerm
	// near has the pods that match all terms of own, in the domain of each term (rule 7.13.5). away has, for
	// each term of anti, the pods that match it. others has the pods with an anti-affinity term that matches
	// the preemptor, in the domain of that term.
	near, others map[domain][]placed
	away         []map[domain][]placed
}

// constraint is a topology spread constraint of DoNotSchedule, with defaults filled in.
type constraint struct {
	key        string
	maxSkew    int32
	minDomains int
	// selector includes what the pod's labels add to it. matcher matches by it.
	selector *outrank.LabelSelector
	matcher  outrank.Matcher
	affinity bool // a node counts only if the pod's node affinity allows it
	taints   bool // a node counts only if the pod tolerates its taints
	// counts has the number of matching pods in each domain that has a node that counts.
	counts map[string]int
}

// spreadIndex has the counts in the cluster as it is.
type spreadIndex struct {
	constraints []constraint
	// order lists the domains of each constraint, the fewest pods first. With it the least count is found
	// after a few changes without a look at every domain.
	order [][]string
}

// missing says how much room a node lacks. part is the largest part of a request, over all resources, that
// is missing. It is not known for a node that lacks no room.
type missing struct {
	known bool
	part  float64
}

// less reports whether less is missing here than in o. An unknown amount is more than any known one.
func (m missing) less(o missing) bool { return m.known && (!o.known || m.part < o.part) }

// closest is the node that lacks the least room so far.
type closest struct {
	missing
	Nearest
}
