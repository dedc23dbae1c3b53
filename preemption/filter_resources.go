package preemption

import (
	"cmp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/resource"
)

// NodeResourcesFit (group 7.7).

// resourceNeeds lists what the preemptor asks for, in the order in which shortages are named.
type resourceNeeds []need

// need is how much the preemptor asks for of one resource.
type need struct {
	name   resource.Name
	amount int64
}

// beginResources reads what the pod asks for. The filter has something to say about every pod, as each takes
// the room of one (rule 7.7.2).
func (a *attempt) beginResources() bool {
	a.held = map[*occupant][]int64{}

	// A request of 0 is not checked (rule 7.7.2), and neither is a resource that nodes keep no account of
	// or that the profile ignores (rule 7.18.5).
	profile := a.profile()
	requests := a.pod.Requests()
	for _, name := range requests.Names() {
		if amount := requests.Amount(name); amount > 0 && name.Counted() && !profile.ignores(name) {
			a.resources = append(a.resources, need{name, amount})
		}
	}

	slices.SortFunc(a.resources, func(n, m need) int {
		return cmp.Or(cmp.Compare(n.place(), m.place()), cmp.Compare(n.name, m.name))
	})
	return true
}

// place returns the place of the resource among the reasons (rule 7.7.4): cpu, memory and ephemeral storage
// come first, in this order, and then all others together.
func (n need) place() int {
	standard := []resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}
	if at := slices.Index(standard, n.name); at >= 0 {
		return at
	}
	return len(standard)
}

// ignores reports whether the profile passes over a resource, by its name or by the part before the slash.
// Only extended resources can be passed over (rule 7.18.5).
func (p *Profile) ignores(name resource.Name) bool {
	if !name.IsExtended() {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(p.IgnoredResources, name) || slices.Contains(p.IgnoredResourceGroups, group)
}

// askResources fails if the node has no place for one more pod, or if a request exceeds what the pods there
// leave (rules 7.7.1 and 7.7.3).
func (d *dryRun) askResources() Status {
	// Everything that is short is named (rule 7.7.4), and the worst code counts: a request larger than the
	// whole node makes it unresolvable whatever else is short (rule 7.7.5).
	status := Status{}
	fail := func(code Code, reason string) {
		if severity(code) > severity(status.Code) {
			status.Code = code
		}
		status.Filter = NodeResourcesFit
		status.Reasons = append(status.Reasons, reason)
	}

	if int64(len(d.pods))+1 > d.site.allocatable(resource.Pods) {
		fail(Unschedulable, "Too many pods")
	}
	for i, need := range d.attempt.resources {
		if code := d.lacks(i, need); code != Success {
			fail(code, "Insufficient "+string(need.name))
		}
	}
	return status
}

// lacks returns the code of one need, the i-th: Success if the node has enough left of the resource, and
// otherwise whether it could have (rules 7.7.3 and 7.7.5).
func (d *dryRun) lacks(i int, need need) Code {
	whole := d.site.allocatable(need.name)
	if d.attempt.resize {
		return d.lacksForResize(i, need, whole)
	}
	switch {
	case need.amount > whole:
		return UnschedulableAndUnresolvable
	case need.amount > d.free(i, whole):
		return Unschedulable
	}
	return Success
}

// free returns what the pods there leave of whole, the allocatable amount of the i-th resource (rule 7.7.3).
// It is below 0 on a node that holds too much.
func (d *dryRun) free(i int, whole int64) int64 {
	free := whole
	for _, p := range d.pods {
		free = resource.SubSat(free, d.attempt.amounts(p)[i])
	}
	return free
}

// amounts returns how much a pod takes of each resource that the preemptor asks for. The attempt remembers
// it, as it stays the same.
func (a *attempt) amounts(p *occupant) []int64 {
	if held, known := a.held[p]; known {
		return held
	}

	// A pod on its node may take more than its spec says, because it is being resized (rule 2.2.11). A pod
	// that is only expected there counts with its spec alone (rule 2.1.9).
	var requests resource.List
	if p.nominated {
		requests = p.pod.Requests()
	} else {
		requests = p.pod.RunningRequests(a.cluster.Release)
	}

	held := make([]int64, len(a.resources))
	for i, need := range a.resources {
		held[i] = requests.Amount(need.name)
	}
	a.held[p] = held
	return held
}
