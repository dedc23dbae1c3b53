package config

import (
	"strconv"

	"github.com/outrank-go/outrank"
)

// profileReader is a profile while it is read.
type profileReader struct {
	Profile
	o *object
	// usual is the default profile.
	usual pluginList
}

// readAffinityArgs reads NodeAffinity's demands on the nodes of every pod (rule
// 19.3.2).
func (p *profileReader) readAffinityArgs(o *object) {
	added := o.object("addedAffinity")
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	if r := added.object(required); added.has(required) {
		p.Config.Profile.AddedAffinity = &outrank.NodeSelector{}
		r.objects("nodeSelectorTerms", func(t *object) {
			s := p.Config.Profile.AddedAffinity
			s.NodeSelectorTerms = append(s.NodeSelectorTerms, readTerm(t))
		})
		r.done()
	}
	p.readPreferred(added)
	added.done()
}

// readTerm reads a term. kube-scheduler does not start with one that makes no
// sense, while it accepts such a term of a pod.
func readTerm(o *object) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{
		MatchExpressions: readRequirements(o, "matchExpressions", labelProblem),
		MatchFields:      readRequirements(o, "matchFields", fieldProblem),
	}
}

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

// labelProblem returns the problem of a requirement of labels; empty for none. The values of
// Gt and Lt, too, have to be those of labels, so that none has a sign.
func labelProblem(r *outrank.NodeRequirement) string {
	compares, like := r.Operator == outrank.Gt || r.Operator == outrank.Lt, r.Operator
	if compares {
		if len(r.Values) != 1 {
			return string(r.Operator) + " takes one value"
		}
		if !qualified(r.Key) {
			return strconv.Quote(cut(r.Key)) + " is no name of a label"
		}
		like = outrank.In
	}
	selector := outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: r.Key, Operator: like, Values: r.Values}}}
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
