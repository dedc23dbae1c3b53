package inverse

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// Largest says which pod of a shape is the largest that finds a place.
type Largest struct {
	Pod question.Pod `json:"pod"`
	// Shape has the requests of the pod in question. It is scaled as a whole: Resource in steps of Step, the
	// other resources in proportion, rounded up to whole units.
	Shape    resource.List     `json:"shape"`
	Resource resource.Name     `json:"resource"`
	Step     resource.Quantity `json:"step"`
	// Fits is the largest size that finds a place without a pod leaving. Evicting is the largest size that
	// finds a place if it may push out others. One step more was tried and finds none. They are nil if the
	// smallest size finds none.
	Fits     *Size `json:"fits,omitempty"`
	Evicting *Size `json:"evicting,omitempty"`
	// Waiting is the turn of the smallest size, which is one step, if even that finds no place.
	Waiting *question.Turn `json:"waiting,omitempty"`
	// Tried counts the sizes that were tried.
	Tried int `json:"tried"`
}

// Size is a size of the pod that finds a place.
type Size struct {
	// Steps is the size in steps. The shape itself has Of steps.
	Steps int64 `json:"steps"`
	Of    int64 `json:"of"`
	// Requests has the amounts that the pod asks for, and Next the amounts with one step more.
	Requests resource.List `json:"requests"`
	Next     resource.List `json:"next"`
	// Node takes the pod once Victims have left. Nodes counts the nodes that take the pod as things are.
	Node    string            `json:"node"`
	Nodes   int               `json:"nodes,omitempty"`
	Victims []question.Victim `json:"victims"`
	// Beyond is the turn of the pod with one step more.
	Beyond *question.Turn `json:"beyond,omitempty"`
}

// mostSteps is a size, in steps, that exceeds every node.
const mostSteps = 1 << 60

// mebi is the unit of memory and of other resources in bytes.
const mebi = 1 << 20

// AskLargest answers how large a pod of a shape can be. It scales the requests together, by doubling and
// halving, until one size finds a place and the next does not. No rule about amounts lets a larger pod find a
// place where a smaller one finds none. If one did, sizes larger than the answer would find places, too.
//
// Errors are those of [question.Scenario.Turn]. They wrap [outrank.ErrInvalid] for a pod that asks for
// nothing, and for one that cannot be asked about by itself. The scenario does not change.
func AskLargest(s *question.Scenario, pod *outrank.Pod) (*Largest, error) {
	if err := s.Alone(pod); err != nil {
		return nil, err
	}
	g, err := growing(s.Fork(), pod)
	if err != nil {
		return nil, err
	}

	out := &Largest{Pod: question.NameOf(pod, ""), Shape: pod.Requests(), Resource: g.counted, Step: amount(g.counted, 1, pod.Requests()[g.counted])}
	out.Fits, err = g.largest(func(t *question.Turn) bool { return t.Outcome == question.Placed })
	if err != nil {
		return nil, err
	}
	if out.Evicting, err = g.largest((*question.Turn).Places); err != nil {
		return nil, err
	}
	if out.Evicting == nil {
		out.Waiting, err = g.try(1)
	}
	out.Tried = len(g.known)
	return out, err
}

// growth tries sizes of a pod.
type growth struct {
	*question.Scenario
	pod *outrank.Pod
	// counted is the resource in whose units sizes are counted. The shape asks for shapeUnits of it.
	counted    resource.Name
	shapeUnits int64
	// waits is set if the pod waits in the cluster. Each size then replaces it there.
	waits bool
	// known has the turns of the sizes that were tried.
	known map[int64]*question.Turn
}

// growing begins the search for a pod. Sizes are counted in the first resource of which the pod asks for a
// whole unit.
func growing(s *question.Scenario, pod *outrank.Pod) (*growth, error) {
	g := &growth{Scenario: s, pod: pod, known: map[int64]*question.Turn{}}
	requests := pod.Requests()
	for _, name := range inOrder(requests) {
		// An amount of less than a unit cannot be counted.
		has := units(name, requests[name])
		if has <= 0 {
			continue
		}
		g.counted, g.shapeUnits = name, has
		break
	}
	if g.counted == "" {
		return nil, &outrank.InputError{Problems: []outrank.Problem{{
			Object: "pod " + string(pod.Key()), Field: "spec.containers.resources.requests", Text: "it asks for nothing that could be more or less",
		}}}
	}
	_, g.waits = s.Snapshot().Pod(pod.Key())
	return g, nil
}

// inOrder returns the names of a list: cpu, memory, then the others by name.
func inOrder(l resource.List) []resource.Name {
	names := l.Names()
	slices.SortStableFunc(names, func(a, b resource.Name) int { return cmp.Compare(rank(a), rank(b)) })
	return names
}

// rank puts cpu first and memory second.
func rank(name resource.Name) int {
	switch name {
	case resource.CPU:
		return 0
	case resource.Memory:
		return 1
	}
	return 2
}

// unitOf returns the unit to which an amount is rounded up. It is a mebibyte if the shape asks for whole
// mebibytes, otherwise 1: a byte, a single item or, for cpu, a thousandth.
func unitOf(name resource.Name, q resource.Quantity) int64 {
	if has := q.Value(); name != resource.CPU && has > 0 && has%mebi == 0 {
		return mebi
	}
	return 1
}

// units returns an amount as a number of units.
func units(name resource.Name, q resource.Quantity) int64 {
	if name == resource.CPU {
		return q.MilliValue()
	}
	return q.Value() / unitOf(name, q)
}

// amount returns the quantity of a number of units, where like is the amount in the shape. It saturates at the
// largest amount.
func amount(name resource.Name, units int64, like resource.Quantity) resource.Quantity {
	if name == resource.CPU {
		return resource.NewMilli(units)
	}
	unit := unitOf(name, like)
	if units > math.MaxInt64/unit {
		units = math.MaxInt64 / unit
	}
	if name == resource.Memory || unit == mebi {
		return resource.NewBinary(units * unit)
	}
	return resource.New(units)
}

// largest finds a size for which does holds while it does not for the next. It is nil if does does not hold for
// the smallest size.
func (g *growth) largest(does func(*question.Turn) bool) (*Size, error) {
	// After an error no size holds any more, which ends both loops.
	var err error
	holds := func(steps int64) bool {
		if err != nil {
			return false
		}
		var t *question.Turn
		t, err = g.try(steps)
		return err == nil && does(t)
	}

	// low holds, or is 0. In the end high does not hold, because mostSteps exceeds every node.
	low, high := int64(0), g.shapeUnits
	for high < mostSteps && holds(high) {
		low, high = high, min(2*high, mostSteps)
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	if err != nil || low == 0 {
		return nil, err
	}

	t, err := g.try(low)
	if err != nil {
		return nil, err
	}
	out := &Size{
		Steps: low, Of: g.shapeUnits, Requests: g.sized(low).Requests(), Next: g.sized(high).Requests(),
		Node: t.Node, Nodes: t.Fits, Victims: append([]question.Victim{}, t.Victims...),
	}

	// The next size was tried, unless it is mostSteps.
	out.Beyond, err = g.try(high)
	return out, err
}

// try returns the turn of the pod in a size. Each size is played once.
func (g *growth) try(steps int64) (*question.Turn, error) {
	if t := g.known[steps]; t != nil {
		return t, nil
	}
	if err := g.Context(); err != nil {
		return nil, err
	}

	pod := g.sized(steps)
	if g.waits {
		if err := g.Put(pod); err != nil {
			return nil, err
		}
	}
	t, err := g.Turn(pod)
	g.known[steps] = &t
	return &t, err
}

// sized returns the pod in a size. Limits grow with the requests, which must not exceed them.
func (g *growth) sized(steps int64) *outrank.Pod {
	c := *g.pod
	list := func(l resource.List) resource.List {
		if l == nil {
			return nil
		}
		out := make(resource.List, len(l))
		for name, q := range l {
			out[name] = amount(name, scaled(units(name, q), steps, g.shapeUnits), q)
		}
		return out
	}
	containers := func(all []outrank.Container) []outrank.Container {
		out := append([]outrank.Container(nil), all...)
		for i := range out {
			out[i].Requests, out[i].Limits = list(out[i].Requests), list(out[i].Limits)
		}
		return out
	}

	c.Containers, c.InitContainers = containers(c.Containers), containers(c.InitContainers)
	if r := c.Resources; r != nil {
		c.Resources = &resource.Requirements{Requests: list(r.Requests), Limits: list(r.Limits)}
	}
	return &c
}

// scaled returns units*steps/of, rounded up and saturated. The intermediate product has 128 bits, so that it
// does not overflow.
func scaled(units, steps, of int64) int64 {
	if units <= 0 {
		return units
	}
	high, low := bits.Mul64(uint64(units), uint64(steps))
	if high >= uint64(of) {
		return math.MaxInt64
	}
	whole, rest := bits.Div64(high, low, uint64(of))
	if rest > 0 {
		whole++
	}
	return int64(min(whole, math.MaxInt64))
}

// Times returns the size as a multiple of the shape, such as "1.5 times".
func (s *Size) Times() string { return fmt.Sprintf("%.3g times", float64(s.Steps)/float64(s.Of)) }
