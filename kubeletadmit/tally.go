package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// tally holds the facts about the active pods that a call needs. It looks at each of
// them once, for the check and for the choice together.
type tally struct {
	config Config
	// pod is the pod to be admitted.
	pod *outrank.Pod
	// wanted is what the check asks for, used what the active pods hold of
	// each, as the scheduler counts it, and beside the number of active pods
	// that count.
	wanted []ResourceNeed
	used   []int64
	beside int
	// names are the resources that are counted, each once, the wanted ones
	// first and in their order.
	names []resource.Name

	// choosing is set if pods may have to be evicted. Only then are cpu and
	// memory indexes into names, and only then is anything below filled.
	choosing    bool
	cpu, memory int
	// movable are the pods that may be evicted, in the order of the active
	// pods, and amounts what the kubelet's preemption counts them with: a row
	// for each, with a column per name.
	movable []movable
	amounts []int64
}

// movable is a pod that may be evicted.
type movable struct {
	// at is the index among the active pods.
	at int
	tierKey
}

// classes are those whose pods are evicted, the lowest first.
var classes = [...]outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}

// tierKey is equal for the pods of a tier.
type tierKey struct {
	// priority is 0 everywhere where priorities make no tiers.
	priority int32
	// class is the index in classes.
	class int
}

// reset keeps the memory and drops everything that belongs to the caller.
func (t *tally) reset() {
	*t = tally{
		wanted: wiped(t.wanted), used: t.used[:0], names: wiped(t.names),
		movable: t.movable[:0], amounts: t.amounts[:0],
	}
}

// want has a resource counted if the pod asks for it.
func (t *tally) want(name resource.Name) { t.wantAmount(name, t.pod.RequestOf(name)) }

func (t *tally) wantAmount(name resource.Name, q resource.Quantity) {
	if amount := resource.Amount(name, q); amount > 0 {
		t.wanted, t.names = append(t.wanted, ResourceNeed{name, amount}), append(t.names, name)
		t.used = append(t.used, 0)
	}
}

// column returns the index of the name among those that are counted. It adds
// the name if it is missing.
func (t *tally) column(name resource.Name) int {
	at := slices.Index(t.names, name)
	if at < 0 {
		at, t.names = len(t.names), append(t.names, name)
	}
	return at
}

// count looks at the active pods, none of which is nil. It returns a problem
// for each pod that holds a negative amount of something that the check asks
// for. Time is linear in their number.
func (t *tally) count(active []*outrank.Pod) (problems []outrank.Problem) {
	if t.choosing {
		t.cpu, t.memory = t.column(resource.CPU), t.column(resource.Memory)
	}
	for i, p := range active {
		if !besides(p, t.pod) {
			continue
		}
		t.beside++
		if !t.add(i, p) {
			problems = append(problems, problemsIn(p.Validate())...)
		}
	}
	return problems
}

// add counts one pod. It reports whether none of the amounts that the check
// asks for is negative.
func (t *tally) add(at int, pod *outrank.Pod) (ok bool) {
	first := len(t.amounts)
	next := first + len(t.names)
	t.amounts = slices.Grow(t.amounts, len(t.names))
	row := t.amounts[first:next]
	plain := t.plain(row, pod)
	if plain {
		ok = t.hold(row)
	} else {
		ok = t.holdRunning(pod)
	}
	if !t.choosing || !Preemptable(t.pod, pod) {
		return ok
	}
	key := tierKey{class: slices.Index(classes[:], t.class(row, pod, plain))}
	if key.class < 0 {
		return ok
	}
	if t.config.PriorityFirst {
		key.priority = pod.PriorityValue()
	}
	if !plain {
		for i, name := range t.names {
			row[i] = counted(pod, name)
		}
	}
	t.movable, t.amounts = append(t.movable, movable{at, key}), t.amounts[:next]
	return ok
}

// plain fills the row for a pod that the scheduler and the kubelet's preemption
// count alike, with the sum of what its containers request: a pod without
// pod-level resources, overhead, init containers and anything that the status
// reports. It returns false for any other pod, and for a negative amount.
func (t *tally) plain(row []int64, pod *outrank.Pod) bool {
	if pod.Resources != nil || len(pod.Overhead) > 0 || len(pod.InitContainers) > 0 || pod.Actual != nil || pod.ResizeInfeasible {
		return false
	}
	for i := range pod.Containers {
		if c := &pod.Containers[i]; c.AllocatedResources != nil || c.Actual != nil {
			return false
		}
	}
	for i, name := range t.names {
		sum, ok := total(pod.Containers, name)
		if !ok {
			return false
		}
		row[i] = resource.Amount(name, sum)
	}
	return true
}

// total returns what the containers request together. It is not ok if a request
// is negative.
func total(containers []outrank.Container, name resource.Name) (sum resource.Quantity, ok bool) {
	for i := range containers {
		q := containers[i].Requests[name]
		if q.Sign() < 0 {
			return sum, false
		}
		if i == 0 {
			sum = q
		} else {
			sum = sum.Add(q)
		}
	}
	return sum, true
}

// hold adds the row of a plain pod to what is used. Nothing in it is negative.
func (t *tally) hold(row []int64) bool {
	for i, used := range t.used {
		t.used[i] = resource.AddSat(used, row[i])
	}
	return true
}

// holdRunning adds what any pod holds to what is used. It reports whether none
// of what the pod asks for is negative.
func (t *tally) holdRunning(pod *outrank.Pod) bool {
	ok := true
	for i, name := range t.names[:len(t.used)] {
		ok = ok && !asksBelowZero(pod, name)
		t.used[i] = resource.AddSat(t.used[i], resource.Amount(name, pod.RunningRequestOf(t.config.Release, name)))
	}
	return ok
}

// asksBelowZero reports whether the pod's spec has a negative amount of a resource.
// A status may have one, too, which is no fault of the pod (rule 2.2.19).
func asksBelowZero(pod *outrank.Pod, name resource.Name) bool {
	asks := func(c outrank.Container) bool { return c.Requests[name].Sign() < 0 }
	return pod.Overhead[name].Sign() < 0 || pod.Resources != nil && pod.Resources.Requests[name].Sign() < 0 ||
		slices.ContainsFunc(pod.Containers, asks) || slices.ContainsFunc(pod.InitContainers, asks)
}

// class is [Config.class]. A plain pod without limits is never Guaranteed, and its
// row says whether it requests anything, because amounts are rounded up.
func (t *tally) class(row []int64, pod *outrank.Pod, plain bool) outrank.QOSClass {
	switch {
	case pod.QOSClass != "" || !plain || limited(pod):
		return t.config.class(pod)
	case row[t.cpu] > 0 || row[t.memory] > 0:
		return outrank.Burstable
	}
	return outrank.BestEffort
}

// limited reports whether a container of the pod has a limit.
func limited(pod *outrank.Pod) bool {
	for i := range pod.Containers {
		if len(pod.Containers[i].Limits) > 0 {
			return true
		}
	}
	return false
}

// besides reports whether an active pod counts beside the pod to be admitted:
// it has not ended, and it is another pod.
func besides(active, pod *outrank.Pod) bool { return !active.Finished() && !same(active, pod) }

// same reports whether two values describe the same pod.
func same(a, b *outrank.Pod) bool {
	return a == b || a.Name == b.Name && a.UID == b.UID && a.NamespaceName() == b.NamespaceName()
}

// wiped empties a slice that has only grown since it was empty.
func wiped[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// counted returns what the kubelet counts the pod with when it makes room.
func counted(pod *outrank.Pod, name resource.Name) int64 {
	return resource.Amount(name, pod.KubeletRequestOf(name))
}
