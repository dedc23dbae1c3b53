package kubeletadmit

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// Predicate names a check that is not about amounts. A caller of [Resolve] may have predicates of
// its own, with other names.
type Predicate string

// The predicates, in the order in which [Check] reports them.
const (
	NodeAffinity    Predicate = "NodeAffinity"
	NodeName        Predicate = "NodeName"
	NodePorts       Predicate = "NodePorts"
	TaintToleration Predicate = "TaintToleration"
)

// CheckFailure is one reason why a pod cannot start on a node: a shortage of a
// resource or a failed predicate, never both.
type CheckFailure struct {
	// Resource names the resource that is short. It is empty if a predicate
	// failed.
	Resource resource.Name
	// Requested is what the pod requests, Used what the active pods hold, and
	// Capacity what the node offers (its allocatable). All are counted like
	// resource.Amount: thousandths of a core for cpu, whole units for all other
	// resources. They count only if Resource is set.
	Requested, Used, Capacity int64

	// Predicate is the check that failed. It is empty for a shortage.
	Predicate Predicate
	// Text describes what the predicate found.
	Text string
}

// isShortage reports whether the failure is a shortage of a resource, which
// evicting pods can cure.
func (f CheckFailure) isShortage() bool { return f.Resource != "" }

// Shortage returns how much of the resource has to be freed: Requested less
// what is free, where the free amount is Capacity less Used and is negative on an
// overcommitted node (rule 17.3.4). It is in the units of the resource. It is 0 or
// less if the figures say that there is room, and 0 for a predicate. It is exact,
// or the nearest int64, as long as neither Used nor Capacity is negative.
func (f CheckFailure) Shortage() int64 {
	if !f.isShortage() {
		return 0
	}
	return resource.AddSat(f.Requested, resource.SubSat(f.Used, f.Capacity))
}

// String returns the failure in the words of the scheduler: "Insufficient cpu", or
// the text of the predicate.
func (f CheckFailure) String() string {
	if f.isShortage() {
		return fit.Insufficient(string(f.Resource))
	}
	return f.Text
}

// Reason returns the word for the failure in the status of a rejected pod:
// "OutOfcpu", or the name of the predicate (rule 17.4.5).
func (f CheckFailure) Reason() string {
	if f.isShortage() {
		return "OutOf" + string(f.Resource)
	}
	return string(f.Predicate)
}

// message returns an explanation for people.
func (f CheckFailure) message() string {
	if !f.isShortage() {
		return fmt.Sprintf("%s: %s", f.Predicate, f.Text)
	}
	return fmt.Sprintf("%s: %s requested, %s of %s in use", f,
		amountText(f.Resource, f.Requested), amountText(f.Resource, f.Used), amountText(f.Resource, f.Capacity))
}

// referenceText returns message in the words of the kubelet (rule 17.4.9).
func (f CheckFailure) referenceText() string {
	if !f.isShortage() {
		return fmt.Sprintf("Predicate %s failed: %s", f.Predicate, f.Text)
	}
	return fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d", f.Resource, f.Requested, f.Used, f.Capacity)
}

// amountText returns a counted amount as a Kubernetes object would write it.
func amountText(name resource.Name, amount int64) string {
	switch name {
	case resource.CPU:
		return resource.NewMilli(amount).String()
	case resource.Memory, resource.EphemeralStorage:
		return resource.NewBinary(amount).String()
	}
	return resource.New(amount).String()
}
