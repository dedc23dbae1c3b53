package priority

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// ResolveGroup determines the priority of a new group of pods by the rules of a
// release (group 4.4; the Priority admission plugin). A group is resolved as a pod is by
// [Table.Resolve]: by the class that it names or else the global default, and refused
// with [ErrUnknownClass] or with [ErrConflict]. The policy is resolved only with the
// feature gate PodGroupPreemptionPolicy. Without the gate the resolution has no policy,
// and the policy of the group is not looked at. The group is not changed; see
// [Resolution.ApplyToGroup].
//
// An error names the group and every field that is wrong. An error about an unknown
// release or a nil group wraps [outrank.ErrInvalid]. Time is constant.
func (t *Table) ResolveGroup(r outrank.Release, g *outrank.PodGroup) (Resolution, error) {
	if g == nil {
		return Resolution{}, missing("podgroup")
	}
	return t.resolveGroup(r, claim{"podgroup " + string(g.Key()), "group", g.PriorityClassName, g.Priority, g.PreemptionPolicy})
}

// ResolveComposite is [Table.ResolveGroup] for a group of groups (rule 4.4.3). An API
// server has groups of groups only with the feature gate CompositePodGroup; without it
// the error wraps [outrank.ErrInvalid].
func (t *Table) ResolveComposite(r outrank.Release, g *outrank.CompositePodGroup) (Resolution, error) {
	if g == nil {
		return Resolution{}, missing("compositepodgroup")
	}
	c := claim{"compositepodgroup " + string(g.Key()), "group", g.PriorityClassName, g.Priority, g.PreemptionPolicy}

	// An unknown release is refused by resolveGroup, in the same words as for any group.
	if r.Known() && !release.Of(release.Release(r)).CompositesResolved {
		return Resolution{}, &outrank.InputError{Problems: []outrank.Problem{{Object: c.object, Text: fmt.Sprintf("%v has no such groups", r.OrDefault())}}}
	}
	return t.resolveGroup(r, c)
}

// resolveGroup resolves the claim of a group of either kind.
func (t *Table) resolveGroup(r outrank.Release, c claim) (Resolution, error) {
	if !r.Known() {
		return Resolution{}, &outrank.InputError{Problems: []outrank.Problem{{Object: c.object, Text: fmt.Sprintf("%v is not known", r)}}}
	}

	// Without the gate the policy is dropped from the claim, so that it cannot conflict, and
	// from the resolution, so that the group gets none (rule 4.4.2).
	withPolicy := release.Of(release.Release(r)).GroupClassPolicy
	if !withPolicy {
		c.policy = ""
	}
	res, err := t.resolve(c)
	if err == nil && !withPolicy {
		res.Policy = ""
	}
	return res, err
}

// missing returns the error about an object that is nil.
func missing(object string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: object, Text: "is nil"}}}
}

// ApplyToGroup returns a copy of the group with its class and priority set. Its policy
// is set if the resolution has one. The copy is shallow, as with [Resolution.Apply].
func (r Resolution) ApplyToGroup(g outrank.PodGroup) outrank.PodGroup {
	g.PriorityClassName, g.Priority = r.Class, outrank.Priority(r.Value)
	if r.Policy != "" {
		g.PreemptionPolicy = r.Policy
	}
	return g
}

// ApplyToComposite is [Resolution.ApplyToGroup] for a group of groups.
func (r Resolution) ApplyToComposite(g outrank.CompositePodGroup) outrank.CompositePodGroup {
	g.PriorityClassName, g.Priority = r.Class, outrank.Priority(r.Value)
	if r.Policy != "" {
		g.PreemptionPolicy = r.Policy
	}
	return g
}
