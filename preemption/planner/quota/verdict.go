package quota

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Verdict says whether a pod may be created, and why not. It may where Reason is empty.
type Verdict struct {
	Pod *outrank.Pod
	// Used has the amounts in use of each quota that applies, with the pod, by
	// the quota's name; the API server writes them into status.used. It is nil
	// for a pod that is refused.
	Used map[string]resource.List

	// Reason and all below are for a pod that is refused. Reason is "unstated" where some container
	// does not state an amount that a quota limits, "uncounted" where the usage of a quota is not
	// known yet, "uncovered-resources" and "uncovered-scopes" where no quota covers what needs one,
	// and "exceeded" where a quota would be exceeded.
	Reason string
	// Quota is the name of the quota that refuses the pod, empty where no quota does.
	Quota string
	// Resources are the names that the reason is about, sorted.
	Resources []resource.Name
	// Unstated has, for the reason "unstated", the containers that do not state an amount, by name.
	Unstated map[resource.Name][]string
	// Scopes has, for "uncovered-scopes", the scopes without a quota.
	Scopes []Requirement
	// Requested, Before and Hard are, for "exceeded", the pod's request, the
	// former usage and the limit, of Resources alone.
	Requested, Before, Hard resource.List
}

// The reasons of Verdict.Reason.
const (
	unstated           = "unstated"
	uncounted          = "uncounted"
	uncoveredResources = "uncovered-resources"
	uncoveredScopes    = "uncovered-scopes"
	exceeded           = "exceeded"
)

// Message returns what the API server answers (rule 20.2.8), empty for a pod that
// may be created.
func (v *Verdict) Message() string {
	if v.Reason == "" {
		return ""
	}
	text := v.text()
	if v.Reason == uncoveredScopes {
		return text // the reference does not say which pod
	}
	name := "Unknown"
	if v.Pod != nil && v.Pod.Name != "" {
		name = v.Pod.Name
	}
	return fmt.Sprintf("pods %q is forbidden: %s", name, text)
}

// text returns the answer without the name of the pod.
func (v *Verdict) text() string {
	switch v.Reason {
	case unstated:
		var parts []string
		for _, name := range sorted(v.Unstated) {
			parts = append(parts, fmt.Sprintf("%s for: %s", name, strings.Join(v.Unstated[name], ",")))
		}
		return fmt.Sprintf("failed quota: %s: must specify %s", v.Quota, strings.Join(parts, "; "))
	case uncounted:
		return fmt.Sprintf("status unknown for quota: %s, resources: %s", v.Quota, joined(v.Resources))
	case uncoveredResources:
		return "insufficient quota to consume: " + joined(v.Resources)
	case uncoveredScopes:
		return fmt.Sprintf("insufficient quota to match these scopes: %v", v.Scopes)
	case exceeded:
		return fmt.Sprintf("exceeded quota: %s, requested: %s, used: %s, limited: %s", v.Quota, amounts(v.Requested), amounts(v.Before), amounts(v.Hard))
	}
	return ""
}

// amounts prints NAME=AMOUNT by name.
func amounts(l resource.List) string {
	var parts []string
	for _, name := range l.Names() {
		parts = append(parts, string(name)+"="+l[name].String())
	}
	return strings.Join(parts, ",")
}

// joined lists names with commas.
func joined(names []resource.Name) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = string(name)
	}
	return strings.Join(parts, ",")
}
