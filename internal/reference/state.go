package reference

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// hostPort is a port taken on a node.
type hostPort struct {
	ip, protocol string
	port         int32
}

// constraint is a DoNotSchedule topology spread constraint with its defaults
// filled in.
type constraint struct {
	key                        string
	maxSkew, minDomains        int
	selector                   *outrank.LabelSelector
	honorAffinity, honorTaints bool
}

// spreadState holds, for each constraint, the number of counted pods in each
// domain. A domain is a value of the constraint's key on some node that counts;
// it has 0 where that node holds no such pod.
type spreadState []map[string]int

func (s spreadState) clone() spreadState {
	c := make(spreadState, len(s))
	for i := range s {
		c[i] = maps.Clone(s[i])
	}
	return c
}

// term is a required pod affinity or anti-affinity term as its owner means it.
type term struct {
	owner      *outrank.Pod
	key        string
	selector   *outrank.LabelSelector
	namespaces []string
	// namespaceSelector adds the namespaces it matches; nil adds none.
	namespaceSelector *outrank.LabelSelector
}

// domain is one value of one topology key.
type domain struct{ key, value string }

// counts holds a number for each domain, and no entry where it is 0.
type counts map[domain]int

// add counts in the node's domain of the key. A node without the key is in no
// domain.
func (c counts) add(n *outrank.Node, key string, by int) {
	value, ok := n.Labels[key]
	if !ok {
		return
	}
	at := domain{key, value}
	c[at] += by
	if c[at] == 0 {
		delete(c, at)
	}
}

// interpodState has InterPodAffinity's counts over the cluster.
type interpodState struct {
	// skipped: nothing concerned the preemptor at the start, so the filter is
	// left out of the whole attempt.
	skipped bool
	// affinity counts the pods that match all affinity terms of the preemptor,
	// anti those that match each of its anti-affinity terms, existing the
	// anti-affinity terms of other pods that match the preemptor.
	affinity, anti, existing counts
}

func (s interpodState) clone() interpodState {
	s.affinity = maps.Clone(s.affinity)
	s.anti = maps.Clone(s.anti)
	s.existing = maps.Clone(s.existing)
	return s
}
