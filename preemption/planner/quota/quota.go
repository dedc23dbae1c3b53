package quota

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Quota is a ResourceQuota: it limits what all pods of a namespace, or all pods in its
// scopes there, use together.
type Quota struct {
	Namespace, Name string
	// Scopes has the entries of spec.scopes, each with the operator Exists, and the
	// expressions of spec.scopeSelector. The quota is about pods for which all of them
	// hold, and about every pod of the namespace if there are none.
	Scopes []Requirement
	// Hard is status.hard, the limits, and Used is status.used, the amounts in use. A
	// name without an entry in Used has not been counted yet; Quota.Measure counts.
	Hard, Used resource.List
}

// errNoQuota is the error of a nil Quota.
var errNoQuota = fmt.Errorf("%w: no quota", outrank.ErrInvalid)

// Scope is a property of pods.
type Scope string

// The scopes.
const (
	// Terminating contains the pods with activeDeadlineSeconds, NotTerminating all others.
	Terminating    Scope = "Terminating"
	NotTerminating Scope = "NotTerminating"
	// BestEffort contains the pods of that QoS class, NotBestEffort all others.
	BestEffort    Scope = "BestEffort"
	NotBestEffort Scope = "NotBestEffort"
	// PriorityClass compares the name of the pod's priority class with the values of the requirement.
	PriorityClass Scope = "PriorityClass"
	// CrossNamespacePodAffinity contains the pods with a term of pod affinity or
	// anti-affinity that names or selects namespaces.
	CrossNamespacePodAffinity Scope = "CrossNamespacePodAffinity"
)

// Requirement is a condition on a pod: that it is in a scope.
type Requirement struct {
	Scope Scope `json:"scopeName"`
	// Operator is Exists. For the scope PriorityClass it may also be In, NotIn or
	// DoesNotExist.
	Operator outrank.Operator `json:"operator"`
	// Values is required for In and NotIn, and must be empty for other operators.
	Values []string `json:"values,omitempty"`
}

// Limited is an entry of limitedResources in the configuration file of the admission
// plugin (ResourceQuotaConfiguration): a resource that may only be used if a quota covers
// it. Its JSON is the same as in the file.
type Limited struct {
	// APIGroup and Resource name the limited resource; pods are of the group "".
	APIGroup string `json:"apiGroup,omitempty"`
	Resource string `json:"resource"`
	// MatchContains limits each resource that a pod uses and whose name contains one
	// of these strings.
	MatchContains []string `json:"matchContains,omitempty"`
	// MatchScopes limits pods for which one of these requirements holds, whatever
	// Resource says.
	MatchScopes []Requirement `json:"matchScopes,omitempty"`
}

// Pod is a pod with the further fields that a quota depends on.
type Pod struct {
	*outrank.Pod
	// Deadline is set if the pod has spec.activeDeadlineSeconds.
	Deadline bool
	// PrefersAcross is set if a preferred term of pod affinity or anti-affinity names or
	// selects namespaces. The required terms are in outrank.Affinity.
	PrefersAcross bool
}

// scopesField is the field that problems of scopes are reported for.
const scopesField = "spec.scopeSelector.matchExpressions"

// Validate returns an *[outrank.InputError] with every problem of a quota, or nil.
func (q *Quota) Validate() error {
	if q == nil {
		return errNoQuota
	}
	return invalid(q.problems())
}

// object returns the name of the quota in problems.
func (q *Quota) object() string {
	return "resourcequota " + string(outrank.NewKey(q.Namespace, q.Name))
}

// problems lists every problem of the quota.
func (q *Quota) problems() []outrank.Problem {
	var ps []outrank.Problem
	if q.Name == "" {
		ps = append(ps, outrank.Problem{Object: q.object(), Field: "metadata.name", Text: "missing"})
	}
	ps = append(ps, requirementProblems(q.object(), scopesField, q.Scopes, (*Requirement).problem)...)

	for _, list := range []struct {
		field string
		resource.List
	}{{"status.hard", q.Hard}, {"status.used", q.Used}} {
		for _, name := range list.Names() {
			if list.List[name].Sign() < 0 {
				ps = append(ps, outrank.Problem{
					Object: q.object(), Field: list.field + "." + string(name), Text: list.List[name].String() + " is negative",
				})
			}
		}
	}
	return ps
}

// requirementProblems calls problem for each requirement of a field, and lists the problems that it returns
// (group 20.1).
func requirementProblems(object, field string, rs []Requirement, problem func(*Requirement) string) []outrank.Problem {
	var ps []outrank.Problem
	for i, r := range rs {
		if text := problem(&r); text != "" {
			ps = append(ps, outrank.Problem{Object: object, Field: fmt.Sprintf("%s[%d]", field, i), Text: text})
		}
	}
	return ps
}

// problem returns why the API server rejects a requirement, or the empty string if it accepts it.
func (r *Requirement) problem() string {
	plain := []Scope{Terminating, NotTerminating, BestEffort, NotBestEffort, CrossNamespacePodAffinity} // only Exists
	switch {
	case slices.Contains(plain, r.Scope) && (r.Operator != outrank.Exists || len(r.Values) > 0):
		return fmt.Sprintf("the scope %s takes the operator Exists alone, without values", r.Scope)
	case slices.Contains(plain, r.Scope):
		return ""
	case r.Scope != PriorityClass:
		return fmt.Sprintf("there is no scope %q", string(r.Scope))
	}

	switch r.Operator {
	case outrank.In, outrank.NotIn:
		if len(r.Values) == 0 {
			return fmt.Sprintf("the operator %s needs values", r.Operator)
		}
	case outrank.Exists, outrank.DoesNotExist:
		if len(r.Values) > 0 {
			return fmt.Sprintf("the operator %s takes no values", r.Operator)
		}
	default:
		return fmt.Sprintf("there is no operator %q", string(r.Operator))
	}
	return ""
}

// unreadable returns why a requirement cannot be evaluated although the API server accepts it: it has a value that
// is no valid label value (rule 20.1.6). It returns the empty string for any other requirement.
func (r *Requirement) unreadable() string {
	if r.problem() != "" {
		return ""
	}
	if err := r.selector().Validate(); err != nil {
		return err.Error()
	}
	return ""
}

// selector returns the requirement as a selector of the label whose key is the name of the scope.
func (r *Requirement) selector() *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: string(r.Scope), Operator: r.Operator, Values: r.Values}}}
}

// invalid returns an error with these problems, or nil if there are none.
func invalid(ps []outrank.Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}
