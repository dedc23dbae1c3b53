package config

import (
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// profileReader is a profile while it is being read from the file.
type profileReader struct {
	Profile
	// o is the profile's object in the file.
	o *object
	// usual is the default profile.
	usual pluginList
	// sorting is the profile's setting of queueSort. runs has the plugins that run at some point, and given the
	// arguments of plugins, by name.
	sorting pluginSet
	runs    map[string]bool
	given   map[string]value
}

// readAffinityArgs reads the node affinity that NodeAffinity adds to every pod (rule 19.3.2).
func (p *profileReader) readAffinityArgs(o *object) {
	added := o.object("addedAffinity")
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	if r := added.object(required); added.has(required) {
		selector := &outrank.NodeSelector{}
		r.objects("nodeSelectorTerms", func(t *object) {
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, readTerm(t))
		})
		p.settings().AddedAffinity = selector
		r.done()
	}
	p.readPreferred(added)
	added.done()
}

// settings returns the preemption.Profile, which most fields of the file go into.
func (p *profileReader) settings() *preemption.Profile { return &p.Config.Profile }

// readTerm reads a term of node affinity. An invalid term is a problem in the file, although kube-scheduler
// accepts it in a pod.
func readTerm(o *object) outrank.NodeSelectorTerm {
	t := outrank.NodeSelectorTerm{
		MatchExpressions: readRequirements(o, "matchExpressions", labelProblem),
		MatchFields:      readRequirements(o, "matchFields", fieldProblem),
	}
	for i := range t.MatchFields {
		t.MatchFields[i] = byName(t.MatchFields[i])
	}
	return t
}

// readUnused reads a term that does not count. Its requirements only have to have the right fields.
func readUnused(o *object) outrank.NodeSelectorTerm {
	nothing := func(*outrank.NodeRequirement) string { return "" }
	return outrank.NodeSelectorTerm{
		MatchExpressions: readRequirements(o, "matchExpressions", nothing),
		MatchFields:      readRequirements(o, "matchFields", nothing),
	}
}

// byName returns a requirement on the name of a node that the same nodes meet. kube-scheduler takes one on any field,
// and of any other than the name each node has an empty value; no node has an empty name (rule 19.3.7).
func byName(r outrank.NodeRequirement) outrank.NodeRequirement {
	if r.Key == outrank.FieldName || len(r.Values) != 1 {
		return r
	}
	met := (r.Operator == outrank.In) == (r.Values[0] == "")
	by := outrank.NodeRequirement{Key: outrank.FieldName, Operator: outrank.In, Values: []string{""}}
	if met {
		by.Operator = outrank.NotIn
	}
	return by
}

// readRequirements reads the requirements in a field. problem says what is wrong with a requirement; it is
// empty if nothing is.
func readRequirements(o *object, name string, problem func(*outrank.NodeRequirement) string) []outrank.NodeRequirement {
	var all []outrank.NodeRequirement
	o.objects(name, func(r *object) {
		x := outrank.NodeRequirement{Key: r.text("key"), Operator: outrank.Operator(r.text("operator")), Values: r.texts("values")}
		if wrong := problem(&x); wrong != "" {
			r.ps.add(r.at, "%s", wrong)
		}
		all = append(all, x)
	})
	return all
}

// labelProblem says what is wrong with a requirement on labels, empty if nothing is. The values of
// Gt and Lt must be valid label values like all others, which cannot have a sign.
func labelProblem(r *outrank.NodeRequirement) string {
	compares := r.Operator == outrank.Gt || r.Operator == outrank.Lt
	operator := r.Operator
	if compares {
		if len(r.Values) != 1 {
			return string(r.Operator) + " takes one value"
		}
		if !qualified(r.Key) {
			return strconv.Quote(cut(r.Key)) + " is no name of a label"
		}
		operator = outrank.In // a LabelSelector, which validates the rest, has no Gt and Lt
	}

	selector := outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: r.Key, Operator: operator, Values: r.Values}}}
	if err := selector.Validate(); err != nil {
		return err.Error()
	}
	if compares {
		if _, err := strconv.ParseInt(r.Values[0], 10, 64); err != nil {
			return strconv.Quote(cut(r.Values[0])) + " is not an integer"
		}
	}
	return ""
}
