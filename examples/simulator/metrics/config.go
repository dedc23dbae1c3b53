package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Defaults of a [Config].
const (
	DefaultShortest = 10 * time.Second
	DefaultPoints   = 240
)

// mostPoints bounds the memory of a series.
const mostPoints = 100_000

// Config says what is measured. Its zero value measures everything but fragmentation.
type Config struct {
	// Tenant names the tenant of a pod: by a label, say. Nil means its namespace. It must always
	// return the same for the same pod.
	Tenant func(pod *outrank.Pod) string
	// Resources are those that utilisation, goodput and dominant shares are about. None means cpu,
	// memory, and whatever else the nodes offer at the beginning but slots for pods, by name.
	Resources []resource.Name
	// Shortest is the running time that the slowdown of shorter pods is measured against, so that
	// a pod of a moment does not outweigh all others; zero means DefaultShortest.
	Shortest time.Duration
	// Points is the most stretches of a series, from 2 on; an odd number counts as one less. Zero
	// means DefaultPoints.
	Points int
	// Fragmentation, if set, measures how much of what is free cannot be used.
	Fragmentation *Fragmentation
}

// Validate names everything that is wrong with the configuration, in one *[outrank.InputError].
func (c *Config) Validate() error {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "metrics config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if c.Shortest < 0 {
		add("Shortest", "%v is negative", c.Shortest)
	}
	if c.Points != 0 && (c.Points < 2 || c.Points > mostPoints) {
		add("Points", "%d is not between 2 and %d", c.Points, mostPoints)
	}
	for i, name := range c.Resources {
		if name == "" || slices.Contains(c.Resources[:i], name) {
			add(fmt.Sprintf("Resources[%d]", i), "%q is empty, or named before", name)
		}
	}
	if f := c.Fragmentation; f != nil {
		f.check(add)
	}
	if len(ps) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}

// Fragmentation measures how much of a free resource typical pods cannot use, as fragmentation
// gradient descent does (Weng and others, "Beware of Fragmentation", 2023): for each pod of a mix,
// all that is free on a node counts as a fragment where the node has no room for the pod or where
// the pod asks for nothing of the resource; else what is free on devices that are too full for it.
// The fragment of a node is the mean over the mix, by weight. Room is a matter of resources and
// slots alone here: taints and cordons are not looked at.
type Fragmentation struct {
	Resource resource.Name
	// Mix are the typical pods; see MixOf.
	Mix []Demand
	// Devices, if set, returns what is free on each device of a node with these pods, in the order
	// in which they came; nil means that all of the resource of a node is one pool. It must only
	// read, and return the same for the same.
	Devices func(node *outrank.Node, pods []*outrank.Pod) []int64
	// Device is the amount of one whole device: a pod that asks for no more has to have it from one
	// device, and any other takes whole ones. It is needed with Devices, and only then.
	Device int64
}

// Demand is one kind of pod in a mix.
type Demand struct {
	Requests resource.List
	// Weight is how many of the pods are of this kind, in any unit; above 0.
	Weight float64
	// Takes, if set, says which nodes take such a pod at all: those with its model of device, say.
	Takes func(node *outrank.Node) bool
}

func (f *Fragmentation) check(add func(field, format string, args ...any)) {
	if f.Resource == "" {
		add("Fragmentation.Resource", "missing")
	}
	if len(f.Mix) == 0 {
		add("Fragmentation.Mix", "it needs a pod")
	}
	for i, d := range f.Mix {
		if !(d.Weight > 0 && d.Weight <= math.MaxInt64) {
			add(fmt.Sprintf("Fragmentation.Mix[%d].Weight", i), "%v is not above 0, or too large", d.Weight)
		}
	}
	if (f.Devices == nil) != (f.Device == 0) || f.Device < 0 {
		add("Fragmentation.Device", "%d: it is the amount of one of the Devices, and they belong together", f.Device)
	}
}

// MixOf returns the kinds of pods that are most frequent, the most frequent first and of equals the
// one that comes first, by their requests: at most so many kinds, and all for 0. The weight of a kind
// is the number of its pods. Time is O(n log n).
func MixOf(pods []*outrank.Pod, most int) []Demand {
	var mix []Demand
	at := map[string]int{}
	for _, p := range pods {
		requests := p.RunningRequests(outrank.DefaultRelease)
		key := keyOf(requests)
		i, seen := at[key]
		if !seen {
			i, at[key] = len(mix), len(mix)
			mix = append(mix, Demand{Requests: requests})
		}
		mix[i].Weight++
	}
	slices.SortStableFunc(mix, func(a, b Demand) int { return cmp.Compare(b.Weight, a.Weight) })
	if most > 0 && len(mix) > most {
		mix = mix[:most]
	}
	return mix
}

// keyOf is equal for equal requests.
func keyOf(l resource.List) string {
	var b strings.Builder
	for _, name := range sortedNames(l) {
		fmt.Fprintf(&b, "%q=%d;", name, l.Amount(name))
	}
	return b.String()
}

func sortedNames(l resource.List) []resource.Name { return slices.Sorted(maps.Keys(l)) }
