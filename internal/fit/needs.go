package fit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Need is the amount of one resource that a pod to be placed requests of a node: millicores of cpu, units of
// any other resource. The amount is above 0.
type Need struct {
	Name   resource.Name
	Amount int64
}

// Needs lists the amounts that a pod to be placed requests: cpu, memory and ephemeral storage first, then the
// others by name (group 7.7). Resources that the configuration makes NodeResourcesFit ignore are left out.
func Needs(pod *outrank.Pod, ignored []resource.Name, groups []string) []Need {
	var out []Need
	for name, q := range pod.Requests() {
		if amount := resource.Amount(name, q); name.Counted() && amount > 0 && !Ignored(name, ignored, groups) {
			out = append(out, Need{name, amount})
		}
	}

	slices.SortFunc(out, func(a, b Need) int {
		return cmp.Or(cmp.Compare(place(a.Name), place(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// place returns the place of a resource in the order of the standard ones. All other resources share the place
// after them.
func place(name resource.Name) int {
	standard := [...]resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}
	if i := slices.Index(standard[:], name); i >= 0 {
		return i
	}
	return len(standard)
}

// Standard reports whether a resource is cpu, memory or ephemeral storage.
func Standard(name resource.Name) bool {
	return name == resource.CPU || name == resource.Memory || name == resource.EphemeralStorage
}

// Ignored reports whether NodeResourcesFit ignores a resource, by its name or by the group before the slash in
// it (rule 7.18.5; fitsRequest).
func Ignored(name resource.Name, names []resource.Name, groups []string) bool {
	if !name.IsExtended() {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(names, name) || slices.Contains(groups, group)
}
