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

// Largest is the largest pod of a shape that finds a place.
type Largest struct {
	Pod question.Pod `json:"pod"`
	// Shape is what the pod in question asks for. It is made larger and smaller as a whole: of
	// Resource in steps of Step, and of the others in proportion, rounded up to whole units.
	Shape    resource.List     `json:"shape"`
	Resource resource.Name     `json:"resource"`
	Step     resource.Quantity `json:"step"`
	// Fits is the largest that finds a place with nobody leaving, and Evicting the largest that
	// finds one by pushing out others, too. One step more finds none, which was tried. They are
	// nil where the smallest finds none.
	Fits     *Size `json:"fits,omitempty"`
	Evicting *Size `json:"evicting,omitempty"`
	// Waiting is the turn of the smallest, one step, where it finds no place at all.
	Waiting *question.Turn `json:"waiting,omitempty"`
	// Tried counts the sizes that were tried.
	Tried int `json:"tried"`
}

// Size is a size of the pod that finds a place.
type Size struct {
	// Steps is its size in steps, of which the shape has Of.
	Steps int64 `json:"steps"`
	Of    int64 `json:"of"`
	// Requests is what it asks for, and Next what it would ask for with one step more.
	Requests resource.List `json:"requests"`
	Next     resource.List `json:"next"`
	// Node takes it, and Victims leave for it; Nodes is how many take it as things are.
	Node    string            `json:"node"`
	Nodes   int               `json:"nodes,omitempty"`
	Victims []question.Victim `json:"victims"`
	// Beyond is the turn of the pod with one step more; nil where the amounts end there.
	Beyond *question.Turn `json:"beyond,omitempty"`
}

// mostSteps bounds the sizes that are tried.
const mostSteps = 1 << 60

// mebi is the step of memory and other bytes.
const mebi = 1 << 20

// AskLargest answers how large a pod of a shape can be: its requests are made larger and smaller
// together, by halving and doubling, until one size finds a place and the next does not. Where a
// larger pod could find a place though a smaller one does not, which no rule about amounts
// brings about, a larger size may do as well.
//
// Errors are those of [question.Scenario.Turn], and wrap [outrank.ErrInvalid] for a pod that asks
// for nothing, and for one that is not asked about by itself. The scenario stays as it is.
func AskLargest(s *question.Scenario, pod *outrank.Pod) (*Largest, error) {
	if err := s.Alone(pod); err != nil {
		return nil, err
	}
	g, err := growing(s.Fork(), pod)
	if err != nil {
		return nil, err
	}
	out := &Largest{Pod: question.NameOf(pod, ""), Shape: pod.Requests(), Resource: g.counted, Step: amount(g.counted, 1, pod.Requests()[g.counted])}
	for _, find := range []struct {
		into **Size
		does func(*question.Turn) bool
	}{
		{&out.Fits, func(t *question.Turn) bool { return t.Outcome == question.Placed }},
		{&out.Evicting, (*question.Turn).Places},
	} {
		if *find.into, err = g.largest(find.does); err != nil {
			return nil, err
		}
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
	// by is the resource that is counted in units, of which the shape has of.
	counted    resource.Name
	shapeUnits int64
	waits      bool // the pod is one of the cluster
	known      map[int64]*question.Turn
}

func growing(s *question.Scenario, pod *outrank.Pod) (*growth, error) {
	g := &growth{Scenario: s, pod: pod, known: map[int64]*question.Turn{}}
	requests := pod.Requests()
	for _, name := range inOrder(requests) {
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

// inOrder are the names of a list: cpu and memory before the others, which go by name.
func inOrder(l resource.List) []resource.Name {
	names := l.Names()
	slices.SortStableFunc(names, func(a, b resource.Name) int { return cmp.Compare(rank(a), rank(b)) })
	return names
}

func rank(name resource.Name) int {
	switch name {
	case resource.CPU:
		return 0
	case resource.Memory:
		return 1
	}
	return 2
}

// unitOf is what a resource is rounded up to: whole mebibytes where the shape asks for such,
// else single bytes, single ones, and thousandths of a cpu, which is counted in these.
func unitOf(name resource.Name, q resource.Quantity) int64 {
	if has := q.Value(); name != resource.CPU && has > 0 && has%mebi == 0 {
		return mebi
	}
	return 1
}

func units(name resource.Name, q resource.Quantity) int64 {
	if name == resource.CPU {
		return q.MilliValue()
	}
	return q.Value() / unitOf(name, q)
}

// amount is so many units of a resource in the place of an amount of the shape.
func amount(name resource.Name, units int64, like resource.Quantity) resource.Quantity {
	if name == resource.CPU {
		return resource.NewMilli(units)
	}
	of := unitOf(name, like)
	if units > math.MaxInt64/of {
		units = math.MaxInt64 / of
	}
	if name == resource.Memory || of == mebi {
		return resource.NewBinary(units * of)
	}
	return resource.New(units)
}

// largest finds a size that does while the next does not; nil where the smallest does not.
func (g *growth) largest(does func(*question.Turn) bool) (*Size, error) {
	var err error
	holds := func(steps int64) bool {
		if err != nil {
			return false
		}
		var t *question.Turn
		t, err = g.try(steps)
		return err == nil && does(t)
	}
	low, high := int64(0), g.shapeUnits // low does, or is nothing; high does not
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
	out.Beyond, err = g.try(high)
	return out, err
}

// try is the turn of the pod in a size.
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

// sized is the pod in a size.
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

// scaled is the amount times steps by of, rounded up; the most that there is where it is more.
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

// Times is the size as a multiple of the shape.
func (s *Size) Times() string { return fmt.Sprintf("%.3g times", float64(s.Steps)/float64(s.Of)) }
