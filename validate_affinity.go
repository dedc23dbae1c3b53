package outrank

import "github.com/outrank-go/outrank/internal/apis"

func (v *validator) affinity(a *Affinity, spec *apis.Path) {
	aff := spec.Field("affinity")
	if a.NodeAffinity != nil {
		required := aff.Field("nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms")
		v.nodeTerms(a.NodeAffinity, &required)
	}
	v.podTerms(a.PodAffinity, "podAffinity.requiredDuringSchedulingIgnoredDuringExecution", &aff)
	v.podTerms(a.PodAntiAffinity, "podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution", &aff)
}

func (v *validator) nodeTerms(s *NodeSelector, list *apis.Path) {
	if s == nil {
		return
	}
	for i := range s.NodeSelectorTerms {
		term := list.At(i)
		v.nodeRequirements(s.NodeSelectorTerms[i].MatchExpressions, "matchExpressions", &term)
		v.nodeRequirements(s.NodeSelectorTerms[i].MatchFields, "matchFields", &term)
	}
}

// nodeRequirements checks the requirements in a field of the parent, matchExpressions or
// matchFields.
func (v *validator) nodeRequirements(rs []NodeRequirement, field string, parent *apis.Path) {
	list := parent.Field(field)
	for i := range rs {
		if text := rs[i].problem(field == "matchFields"); text != "" {
			at := list.At(i)
			v.add(&at, "%s", text)
		}
	}
}

// problem says what is wrong with a requirement, and is empty for a valid one. isField is set
// for a requirement on a field of the node.
func (r *NodeRequirement) problem(isField bool) string {
	if isField {
		return r.fieldProblem()
	}
	if text := apis.KeyProblem(r.Key); text != "" {
		return text
	}

	switch r.Operator {
	case In, NotIn, Exists, DoesNotExist:
		return (&Requirement{Operator: r.Operator, Values: r.Values}).operatorProblem()
	case Gt, Lt:
		if len(r.Values) != 1 {
			return string(r.Operator) + " takes one value"
		}
	default:
		return apis.Quote(string(r.Operator)) + " is none of In, NotIn, Exists, DoesNotExist, Gt, Lt"
	}
	return ""
}

// fieldProblem is problem for a requirement on a field of the node.
func (r *NodeRequirement) fieldProblem() string {
	switch {
	case r.Key != FieldName:
		return apis.Quote(r.Key) + " is no field of a node; only " + FieldName + " is"
	case r.Operator != In && r.Operator != NotIn:
		return apis.Quote(string(r.Operator)) + " is neither In nor NotIn"
	case len(r.Values) != 1:
		return string(r.Operator) + " takes one value here"
	}
	return ""
}

// preferences checks the wishes of a pod as the API server does.
func (v *validator) preferences(p *Preferences, spec *apis.Path) {
	if p == nil {
		return
	}

	const preferred = "preferredDuringSchedulingIgnoredDuringExecution"
	aff := spec.Field("affinity")
	list := aff.Field("nodeAffinity." + preferred)
	for i := range p.NodeAffinity {
		at := list.At(i)
		v.weight(p.NodeAffinity[i].Weight, &at)
		term := at.Field("preference")
		v.nodeRequirements(p.NodeAffinity[i].Preference.MatchExpressions, "matchExpressions", &term)
		v.nodeRequirements(p.NodeAffinity[i].Preference.MatchFields, "matchFields", &term)
	}
	v.weightedTerms(p.PodAffinity, "podAffinity."+preferred, &aff)
	v.weightedTerms(p.PodAntiAffinity, "podAntiAffinity."+preferred, &aff)
}

func (v *validator) weightedTerms(ts []WeightedPodAffinityTerm, field string, parent *apis.Path) {
	list := parent.Field(field)
	for i := range ts {
		at := list.At(i)
		v.weight(ts[i].Weight, &at)
		term := at.Field("podAffinityTerm")
		v.podTerm(&ts[i].PodAffinityTerm, &term)
	}
}

func (v *validator) weight(w int32, parent *apis.Path) {
	if w < 1 || w > 100 {
		at := parent.Field("weight")
		v.add(&at, "%d is not between 1 and 100", w)
	}
}

func (v *validator) podTerms(ts []PodAffinityTerm, field string, parent *apis.Path) {
	list := parent.Field(field)
	for i := range ts {
		at := list.At(i)
		v.podTerm(&ts[i], &at)
	}
}

func (v *validator) podTerm(t *PodAffinityTerm, at *apis.Path) {
	v.selector(t.LabelSelector, "labelSelector", at)
	v.selector(t.NamespaceSelector, "namespaceSelector", at)
	v.topologyKey(t.TopologyKey, at)
}

// spread checks all of a spread constraint except its selector: the API server did not check
// these selectors before v1.25, and it keeps pods with invalid ones to this day.
// [Cluster.Warnings] names them.
func (v *validator) spread(c *TopologySpreadConstraint, at *apis.Path) {
	// A key that no label can have is let through; only a missing key is refused.
	if c.TopologyKey == "" {
		v.topologyKey(c.TopologyKey, at)
	}
	if c.MaxSkew <= 0 {
		skew := at.Field("maxSkew")
		v.add(&skew, "%d is not positive", c.MaxSkew)
	}
	if c.MinDomains < 0 {
		domains := at.Field("minDomains")
		v.add(&domains, "%d is negative", c.MinDomains)
	}
	checkWord(v, c.WhenUnsatisfiable, unsatisfiablePolicies, place{at, "whenUnsatisfiable"})
	checkWord(v, c.NodeAffinityPolicy, nodeInclusions, place{at, "nodeAffinityPolicy"})
	checkWord(v, c.NodeTaintsPolicy, nodeInclusions, place{at, "nodeTaintsPolicy"})
}

// topologyKey refuses a topology key that is missing or that no label can have.
func (v *validator) topologyKey(key string, parent *apis.Path) {
	at := parent.Field("topologyKey")
	if key == "" {
		v.add(&at, "missing")
	} else if text := apis.KeyProblem(key); text != "" {
		v.add(&at, "%s", text)
	}
}

// selector checks the selector of a pod affinity term. A selector that is wrong only in the
// values of its expressions is let through: API servers did not check these before v1.25,
// and keep such pods to this day.
func (v *validator) selector(s *LabelSelector, field string, parent *apis.Path) {
	if s == nil || !s.malformed() {
		return
	}
	at := parent.Field(field)
	for _, p := range s.problems() {
		one := at.Field(p.field)
		v.add(&one, "%s", p.text)
	}
}
