package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// tally is what a call needs to know of the active pods. It looks at each of
// them once, for the check and for the choice together.
type tally struct {
	// pod is the one to be admitted.
	pod *outrank.Pod
	// wanted is what the check asks for, used what the active pods hold of
	// each, as the scheduler counts it, and beside how many of them there are.
	wanted []ResourceNeed
	used   []int64
	beside int
	// names are the resources that are counted, each once, the wanted ones
	// first and in their order.
	names []resource.Name

	// choosing is set where pods may have to go. Only then are cpu and memory
	// places in names, and only then is anything below filled.
	choosing    bool
	cpu, memory int
	// movable are the pods that may be pushed out, in the order of the active
	// pods, and amounts what the kubelet's preemption counts them with: a row
	// for each, with a column per name.
	movable []movable
	amounts []int64
}

// movable is a pod that may be pushed out.
type movable struct {
	// at is its place among the active pods, and tier that of its class in
	// tiers.
	at, tier int
}

// reset keeps the memory alone, without what leads to the caller.
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

// column gives the place of the name among those that are counted, and adds it
// where it is not.
func (t *tally) column(name resource.Name) int {
	at := slices.Index(t.names, name)
	if at < 0 {
		at, t.names = len(t.names), append(t.names, name)
	}
	return at
}

// count looks at the active pods, none of which is nil. It gives the problems
// of those that hold less than nothing of what the check asks for. Time is
// linear in their number.
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

// add counts one pod. It reports whether nothing that the check asks for is
// below 0.
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
	if !t.choosing || !MayPreempt(t.pod, pod) {
		return ok
	}
	tier := slices.Index(tiers[:], t.class(row, pod, plain))
	if tier < 0 {
		return ok
	}
	if !plain {
		for i, name := range t.names {
			row[i] = counted(pod, name)
		}
	}
	t.movable, t.amounts = append(t.movable, movable{at, tier}), t.amounts[:next]
	return ok
}

// plain fills the row for a pod that the scheduler and the kubelet's preemption
// count alike, with the sum of what its containers ask for: one that has no
// pod-level resources, no overhead, no init containers and nothing that the
// status reports. Else it reports false, also where an amount is below 0.
func (t *tally) plain(row []int64, pod *outrank.Pod) bool {
	if pod.Resources != nil || len(pod.Overhead) > 0 || len(pod.InitContainers) > 0 {
		return false
	}
	for i := range pod.Containers {
		if c := &pod.Containers[i]; c.Allocated != nil || c.Actual != nil {
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

// total is what the containers ask for, or false where one of them asks for
// less than nothing.
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

// hold adds the row of a plain pod to what is used. Nothing in it is below 0.
func (t *tally) hold(row []int64) bool {
	for i, used := range t.used {
		t.used[i] = resource.AddSat(used, row[i])
	}
	return true
}

// holdRunning adds what any pod holds to what is used. It reports whether none
// of it is below 0.
func (t *tally) holdRunning(pod *outrank.Pod) bool {
	ok := true
	for i := range t.used {
		amount := resource.Amount(t.names[i], pod.RunningRequestOf(t.names[i]))
		ok = ok && amount >= 0
		t.used[i] = resource.AddSat(t.used[i], amount)
	}
	return ok
}

// class is [qos.Of]. A plain pod without limits is never Guaranteed, and its
// row says whether it asks for anything: amounts are rounded up.
func (t *tally) class(row []int64, pod *outrank.Pod, plain bool) outrank.QOSClass {
	switch {
	case pod.QOSClass != "" || !plain || limited(pod):
		return qos.Of(pod)
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
// it has not ended, and it is another one.
func besides(active, pod *outrank.Pod) bool { return !active.Finished() && !same(active, pod) }

// same reports whether two values describe one pod.
func same(a, b *outrank.Pod) bool {
	return a == b || a.Name == b.Name && a.UID == b.UID && a.NamespaceName() == b.NamespaceName()
}
