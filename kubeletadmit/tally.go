package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// tally holds what a call has to know about the active pods. It reads each pod once, for
// the check and the choice together.
type tally struct {
	config Config
	// pod is the pod to be admitted.
	pod *outrank.Pod
	// wanted are the amounts that the check asks for. used is what the active
	// pods hold of each, as the scheduler counts it. beside is the number of
	// active pods that count.
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
	// pods. amounts has a row for each, with a column per name: what the
	// kubelet's preemption counts the pod with.
	movable []movable
	amounts []int64
}

// movable is a pod that may be evicted.
type movable struct {
	// at is the pod's index in the list of active pods.
	at int
	tierKey
}

// classes lists the classes whose pods may be evicted, in the order in which they go.
var classes = [...]outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}

// tierKey identifies the tier of a pod.
type tierKey struct {
	// priority is 0 unless pods are evicted by priority (Config.PriorityFirst).
	priority int32
	// class is the index in classes.
	class int
}

// reset empties the tally for the next call. It keeps the memory, and no pod or text of the
// caller.
func (t *tally) reset() {
	*t = tally{
		wanted: wiped(t.wanted), used: t.used[:0], names: wiped(t.names),
		movable: t.movable[:0], amounts: t.amounts[:0],
	}
}

// want adds a resource to those that are counted if the pod requests it.
func (t *tally) want(name resource.Name) { t.wantAmount(name, t.pod.RequestOf(name)) }

// wantOverhead is want for a resource of which only the pod's overhead counts.
func (t *tally) wantOverhead(name resource.Name) { t.wantAmount(name, t.pod.Overhead[name]) }

func (t *tally) wantAmount(name resource.Name, q resource.Quantity) {
	if amount := resource.Amount(name, q); amount > 0 {
		t.wanted = append(t.wanted, ResourceNeed{name, amount})
		t.used = append(t.used, 0)
		t.names = append(t.names, name)
	}
}

// column returns the index of the name in names. It adds
// the name if it is missing.
func (t *tally) column(name resource.Name) int {
	column := slices.Index(t.names, name)
	if column < 0 {
		column, t.names = len(t.names), append(t.names, name)
	}
	return column
}

// count looks at the active pods, none of which is nil. It returns the problems
// of each pod that holds a negative amount of something that the check asks for.
// Time is linear in the number of active pods.
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

// add counts the active pod at index at. ok is false if the pod has a negative amount of
// something that the check asks for.
func (t *tally) add(at int, pod *outrank.Pod) (ok bool) {
	// The row lies behind the rows of the movable pods. It is kept if the pod is
	// movable; otherwise the next pod overwrites it.
	first := len(t.amounts)
	next := first + len(t.names)
	t.amounts = slices.Grow(t.amounts, len(t.names))
	row := t.amounts[first:next]

	// For a plain pod, what it holds by the scheduler's sum is also what it frees by
	// the kubelet's, so one row serves both.
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
		return ok // its status records a class that has no tier (rule 17.5.1)
	}
	if t.config.PriorityFirst {
		key.priority = pod.PriorityValue()
	}

	// For a pod that is not plain, the row still has to be filled with what it frees.
	if !plain {
		for i, name := range t.names {
			row[i] = counted(pod, name)
		}
	}
	t.movable, t.amounts = append(t.movable, movable{at, key}), t.amounts[:next]
	return ok
}

// plain fills the row with the sums of what the containers request, if the scheduler
// and the kubelet's preemption both count the pod by these sums: it has no pod-level
// resources, no overhead, no init containers, and no requests in its status. For any
// other pod, and for a negative amount, it returns false, and the row means nothing.
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

// total returns the sum of the containers' requests of a resource. ok is false if a
// request is negative.
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

// hold adds the row of a plain pod to what is used. It returns true, as holdRunning does
// for a valid pod, because no amount in the row is negative.
func (t *tally) hold(row []int64) bool {
	for i, used := range t.used {
		t.used[i] = resource.AddSat(used, row[i])
	}
	return true
}

// holdRunning adds what any pod holds to what is used (rule 2.2.10). It reports
// whether the spec of the pod asks for no negative amount of what is wanted.
func (t *tally) holdRunning(pod *outrank.Pod) bool {
	ok := true
	for i, name := range t.names[:len(t.used)] {
		ok = ok && !asksBelowZero(pod, name)
		t.used[i] = resource.AddSat(t.used[i], resource.Amount(name, pod.RunningRequestOf(t.config.Release, name)))
	}
	return ok
}

// asksBelowZero reports whether the pod's spec has a negative amount of a resource.
// A status may have one, too, which is not a fault of the pod (rule 2.2.19).
func asksBelowZero(pod *outrank.Pod, name resource.Name) bool {
	asks := func(c outrank.Container) bool { return c.Requests[name].Sign() < 0 }
	return pod.Overhead[name].Sign() < 0 || pod.Resources != nil && pod.Resources.Requests[name].Sign() < 0 ||
		slices.ContainsFunc(pod.Containers, asks) || slices.ContainsFunc(pod.InitContainers, asks)
}

// class is [Config.class], with a shortcut for plain pods without limits. Such a pod is
// never Guaranteed, and its row says whether it requests anything: amounts are rounded
// up, so that none above 0 becomes 0.
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
// it has not ended, and it is another pod (rule 17.3.13).
func besides(active, pod *outrank.Pod) bool { return !active.Finished() && !same(active, pod) }

// same reports whether two values describe the same pod.
func same(a, b *outrank.Pod) bool {
	return a == b || a.Name == b.Name && a.UID == b.UID && a.NamespaceName() == b.NamespaceName()
}

// wiped clears and empties a slice, so that its memory keeps nothing of the caller alive.
// The slice must not have been shortened since it was last empty.
func wiped[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// counted returns the amount with which the kubelet counts the pod when it makes room (group
// 2.3).
func counted(pod *outrank.Pod, name resource.Name) int64 {
	return resource.Amount(name, pod.KubeletRequestOf(name))
}
