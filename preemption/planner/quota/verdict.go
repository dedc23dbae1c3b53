package quota

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Verdict says whether a pod may be created, and if not, why. It may be created if Reason is empty.
type Verdict struct {
	Pod *outrank.Pod
	// Used maps the name of each quota that applies to its usage including the pod. The API
	// server writes it into status.used. It is nil for a pod that is refused.
	Used map[string]resource.List

	// Reason and the fields after it are only set for a pod that is refused. Reason is "unstated" if a container
	// does not state an amount that a quota limits, "uncounted" if the usage of a quota has not been counted yet,
	// "uncovered-resources" or "uncovered-scopes" if no quota covers something that Limited names, and
	// "exceeded" if a quota would be exceeded.
	Reason string
	// Quota is the name of the quota that refuses the pod. It is empty if no quota covers the pod.
	Quota string
	// Resources lists the resources that the reason is about, sorted.
	Resources []resource.Name
	// Unstated maps each amount that has to be stated to the names of the containers that do not state it. It is
	// only set for "unstated".
	Unstated map[resource.Name][]string
	// Scopes lists the scopes that no quota covers. It is only set for "uncovered-scopes".
	Scopes []Requirement
	// Requested, Before and Hard are the pod's request, the usage without the pod and the limit, for
	// each of Resources. They are only set for "exceeded".
	Requested, Before, Hard resource.List
}

// The values of Verdict.Reason.
const (
	unstated           = "unstated"
	uncounted          = "uncounted"
	uncoveredResources = "uncovered-resources"
	uncoveredScopes    = "uncovered-scopes"
	exceeded           = "exceeded"
)

// Message returns the message with which the API server refuses the pod (rule 20.2.8). It is empty
// for a pod that may be created.
func (v *Verdict) Message() string {
	if v.Reason == "" {
		return ""
	}
	text := v.text()
	if v.Reason == uncoveredScopes {
		return text // Kubernetes does not name the pod in this case
	}
	name := "Unknown"
	if v.Pod != nil && v.Pod.Name != "" {
		name = v.Pod.Name
	}
	return fmt.Sprintf("pods %q is forbidden: %s", name, text)
}

// text returns the message without the name of the pod.
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

// amounts lists amounts as NAME=AMOUNT, sorted by name and separated by commas.
func amounts(l resource.List) string {
	var parts []string
	for _, name := range l.Names() {
		parts = append(parts, string(name)+"="+l[name].String())
	}
	return strings.Join(parts, ",")
}

// joined lists names, separated by commas.
func joined(names []resource.Name) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = string(name)
	}
	return strings.Join(parts, ",")
}
