package quota

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Quota is a ResourceQuota: limits for the pods of a namespace, or for those of
// them in its scopes, together.
type Quota struct {
	Namespace, Name string
	// Scopes are spec.scopes, each with the operator Exists, and the expressions of
	// spec.scopeSelector. All of them have to hold for a pod; without any, every pod
	// of the namespace counts.
	Scopes []Requirement
	// Hard has the limits, and Used the amounts in use: status.hard and status.used.
	// A name without an entry in Used has not been counted yet. Quota.Measure counts.
	Hard, Used resource.List
}

// errNoQuota is the error of a nil Quota.
var errNoQuota = fmt.Errorf("%w: no quota", outrank.ErrInvalid)

// Scope is a property of pods.
type Scope string

// The scopes.
const (
	// Terminating has the pods with an activeDeadlineSeconds, NotTerminating all others.
	Terminating    Scope = "Terminating"
	NotTerminating Scope = "NotTerminating"
	// BestEffort has the pods of that QoS class, NotBestEffort all others.
	BestEffort    Scope = "BestEffort"
	NotBestEffort Scope = "NotBestEffort"
	// PriorityClass goes by the name of the pod's class.
	PriorityClass Scope = "PriorityClass"
	// CrossNamespacePodAffinity has the pods with a term of pod affinity or anti-affinity
	// that names namespaces.
	CrossNamespacePodAffinity Scope = "CrossNamespacePodAffinity"
)

// Requirement is one demand on a pod.
type Requirement struct {
	Scope Scope `json:"scopeName"`
	// Operator is Exists for every scope but PriorityClass, which also takes In,
	// NotIn and DoesNotExist.
	Operator outrank.Operator `json:"operator"`
	// Values are needed by In and NotIn and forbidden for the others.
	Values []string `json:"values,omitempty"`
}

// Limited is an entry of limitedResources in the ResourceQuotaConfiguration of
// the admission plugin: a resource that needs a quota to cover it. It has the
// form of that file in JSON.
type Limited struct {
	// APIGroup and Resource name the limited resource; pods are of the group "".
	APIGroup string `json:"apiGroup,omitempty"`
	Resource string `json:"resource"`
	// MatchContains limits the pods' usage of each resource whose name contains
	// one of these texts.
	MatchContains []string `json:"matchContains,omitempty"`
	// MatchScopes limits pods for which one of these holds, whatever Resource says.
	MatchScopes []Requirement `json:"matchScopes,omitempty"`
}

// Pod is a pod with the further fields that a quota depends on.
type Pod struct {
	*outrank.Pod
	// Deadline is set where the pod has spec.activeDeadlineSeconds.
	Deadline bool
	// PrefersAcross is set where a preferred term of pod affinity or anti-affinity
	// names namespaces; outrank.Affinity has the required ones.
	PrefersAcross bool
}

// scopesField is where scopes stand in a quota.
const scopesField = "spec.scopeSelector.matchExpressions"

// Validate returns everything that is wrong with a quota, in one
// *[outrank.InputError].
func (q *Quota) Validate() error {
	if q == nil {
		return errNoQuota
	}
	return invalid(q.problems())
}

// object returns what problems call the quota.
func (q *Quota) object() string {
	return "resourcequota " + string(outrank.NewKey(q.Namespace, q.Name))
}

// problems lists everything that is wrong with the quota.
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

// requirementProblems lists the problems that a check finds in requirements (group 20.1).
func requirementProblems(object, field string, rs []Requirement, problem func(*Requirement) string) []outrank.Problem {
	var ps []outrank.Problem
	for i, r := range rs {
		if text := problem(&r); text != "" {
			ps = append(ps, outrank.Problem{Object: object, Field: fmt.Sprintf("%s[%d]", field, i), Text: text})
		}
	}
	return ps
}

// problem returns why the API server does not let a requirement in, empty where it does.
func (r *Requirement) problem() string {
	plain := []Scope{Terminating, NotTerminating, BestEffort, NotBestEffort, CrossNamespacePodAffinity} // without values
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

// unreadable returns why nobody can decide whether a requirement holds that the API server lets in: it has a
// value that no label could have (rule 20.1.6). It is empty for any other requirement.
func (r *Requirement) unreadable() string {
	if r.problem() != "" {
		return ""
	}
	if err := r.selector().Validate(); err != nil {
		return err.Error()
	}
	return ""
}

// selector returns the requirement as one about a label that is named like the scope.
func (r *Requirement) selector() *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: string(r.Scope), Operator: r.Operator, Values: r.Values}}}
}

// invalid returns the error for some problems, nil for none.
func invalid(ps []outrank.Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}
