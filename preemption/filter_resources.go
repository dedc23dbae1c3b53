package preemption

import (
	"cmp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/resource"
)

// NodeResourcesFit (group 7.7).

// resourceNeeds is what the preemptor asks for of each resource that counts.
type resourceNeeds []need

type need struct {
	name   resource.Name
	amount int64
}

// beginResources reads what the pod asks for: nothing of a resource that it asks 0 of (rule 7.7.2), of
// one that nodes keep no account of, or that the profile ignores (rule 7.18.5). The number of pods
// counts for every pod.
func (a *attempt) beginResources() bool {
	a.held = map[*occupant][]int64{}
	requests := a.pod.Requests()
	for _, name := range requests.Names() {
		if amount := requests.Amount(name); amount > 0 && name.Counted() && !a.ignores(name) {
			a.resources = append(a.resources, need{name, amount})
		}
	}
	slices.SortFunc(a.resources, func(n, m need) int {
		return cmp.Or(cmp.Compare(n.place(), m.place()), cmp.Compare(n.name, m.name))
	})
	return true
}

// place is where a shortage of the resource stands among the reasons (rule 7.7.4): cpu, memory and ephemeral
// storage come first, then all others by name.
func (n need) place() int {
	standard := []resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}
	if at := slices.Index(standard, n.name); at >= 0 {
		return at
	}
	return len(standard)
}

// ignores reports whether the profile has a resource passed over, which it can of extended ones alone (rule 7.18.5).
func (a *attempt) ignores(name resource.Name) bool {
	if !name.IsExtended() {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(a.config.Profile.IgnoredResources, name) || slices.Contains(a.config.Profile.IgnoredResourceGroups, group)
}

// askResources: there has to be a place for one more pod, and each request has to fit into what the
// others leave. All that is short is named (rules 7.7.1, 7.7.3 and 7.7.4). Where a request is larger
// than the whole node, nobody's leaving helps (rules 7.7.5 and 7.7.6).
func (d *dryRun) askResources() Status {
	status := Status{}
	fail := func(code Code, reason string) {
		if severity(code) > severity(status.Code) {
			status.Code = code
		}
		status.Filter = NodeResourcesFit
		status.Reasons = append(status.Reasons, reason)
	}

	if int64(len(d.pods))+1 > d.site.node.Allocatable.Amount(resource.Pods) {
		fail(Unschedulable, "Too many pods")
	}
	for i, need := range d.resources {
		if code := d.lacks(i, need); code != Success {
			fail(code, "Insufficient "+string(need.name))
		}
	}
	return status
}

// lacks says whether the node has too little of a resource, and whether it could have enough (rules 7.7.3 and 7.7.5).
func (d *dryRun) lacks(i int, need need) Code {
	whole := d.site.node.Allocatable.Amount(need.name)
	if d.resize {
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

// free is what is left of a resource: allocatable less the requests of the pods there (rule 7.7.3). It is
// below 0 on a node that holds too much.
func (d *dryRun) free(i int, whole int64) int64 {
	free := whole
	for _, p := range d.pods {
		free = resource.SubSat(free, d.amounts(p)[i])
	}
	return free
}

// amounts are what a pod holds of the resources that the preemptor asks for, which the attempt remembers. A
// pod on its node may be in the middle of a resize, and one that is only expected there cannot be (rules
// 2.1.9 and 2.2.11).
func (a *attempt) amounts(p *occupant) []int64 {
	if held, known := a.held[p]; known {
		return held
	}
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
