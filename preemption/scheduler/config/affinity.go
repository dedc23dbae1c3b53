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
	return outrank.NodeSelectorTerm{
		MatchExpressions: readRequirements(o, "matchExpressions", labelProblem),
		MatchFields:      readRequirements(o, "matchFields", fieldProblem),
	}
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
