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
	// term is the pod's own term, because of which it is in the index. It is nil if the pod is there because it
	// matches a term of the preemptor.
	term *podTerm
}

// podTerm is a required pod affinity term, ready to be matched.
type podTerm struct {
	owner *outrank.Pod
	// key is the topology key.
	key string
	// selector includes the requirements of matchLabelKeys and mismatchLabelKeys. matcher is its compiled form.
	selector *outrank.LabelSelector
	matcher  outrank.Matcher
	// namespaces and inLabels say which namespaces the term selects: those listed, and those whose labels match.
	// inLabels is nil if the term has no namespaceSelector.
	namespaces []string
	inLabels   *outrank.LabelSelector
}

// neighbourIndex finds, by domain, the pods of the cluster that affinity terms are about.
type neighbourIndex struct {
	// namespaces has the labels of each known namespace.
	namespaces map[string]map[string]string
	// bareSelectsAll is set in releases with rule 7.13.14: a namespaceSelector of the preemptor that matches a
	// namespace without labels selects every namespace.
	bareSelectsAll bool
	// own and anti are the preemptor's terms of affinity and of anti-affinity.
	own, anti []podTerm
	// near has the pods that match all terms of own, under the domain of each term (rule 7.13.5). away[i] has the
	// pods that match anti[i]. others has the pods with an anti-affinity term that matches the preemptor, under
	// the domain of that term.
	near, others map[domain][]placed
	away         []map[domain][]placed
}

// constraint is a topology spread constraint of DoNotSchedule, with defaults filled in.
type constraint struct {
	key        string
	maxSkew    int32
	minDomains int
	// selector includes the requirements of matchLabelKeys. matcher is its compiled form.
	selector *outrank.LabelSelector
	matcher  outrank.Matcher
	affinity bool // a node counts only if the pod's node affinity allows it
	taints   bool // a node counts only if the pod tolerates its taints
	// counts maps each domain with a node that counts to its number of matching pods.
	counts map[string]int
}

// spreadIndex has the counts of all constraints in the cluster with no pod gone.
type spreadIndex struct {
	constraints []constraint
	// order lists the domains of each constraint, the one with the fewest pods first. With it the smallest count
	// after a few changes is found without looking at every domain.
	order [][]string
}

// missing says how much room a node lacks: part is the largest fraction of a request that is missing, over all
// resources. It is not known for a node that lacks no room.
type missing struct {
	known bool
	part  float64
}

// less reports whether less is missing than in o. Unknown counts as more than any known amount.
func (m missing) less(o missing) bool { return m.known && (!o.known || m.part < o.part) }

// closest is the node that lacks the least room so far.
type closest struct {
	missing
	Nearest
}
