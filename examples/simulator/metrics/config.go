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

// mostPoints is the most stretches of a series.
const mostPoints = 100_000

// Config says what is measured. The zero value measures everything except fragmentation.
type Config struct {
	// Tenant returns the tenant of a pod, for example a label. Nil means its namespace. It must always return
	// the same for the same pod.
	Tenant func(pod *outrank.Pod) string
	// Resources lists the resources of utilisation, goodput and dominant shares. None means cpu, memory, and
	// every other resource that a node offers at the beginning except slots for pods, by name.
	Resources []resource.Name
	// Shortest is the least running time in a slowdown: a shorter running time counts as this one, so that
	// very short pods do not outweigh all others. Zero means DefaultShortest.
	Shortest time.Duration
	// Points is the largest number of stretches in a series. It must be at least 2; an odd number counts as
	// one less. Zero means DefaultPoints.
	Points int
	// Fragmentation, if set, measures how much of a free resource cannot be used.
	Fragmentation *Fragmentation
}

// Validate returns everything that is wrong with the configuration, as one *[outrank.InputError].
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

// Fragmentation measures how much of a free resource typical pods cannot use, as fragmentation gradient
// descent does (Weng and others, "Beware of Fragmentation", 2023). For each pod of a mix, everything that is
// free on a node is a fragment if the node has no room for the pod, or if the pod does not request the
// resource. Otherwise the fragment is what is free on those devices that are too full for the pod. The
// fragment of a node is the weighted mean over the mix. Only resources and slots for pods decide whether
// there is room; taints and cordons are ignored.
type Fragmentation struct {
	Resource resource.Name
	// Mix are the typical pods; see MixOf.
	Mix []Demand
	// Devices, if set, returns what is free on each device of a node with these pods, which are in the order
	// in which they came. Nil means that the resource of a node is one pool. It must only read, and must
	// always return the same for the same node and pods.
	Devices func(node *outrank.Node, pods []*outrank.Pod) []int64
	// Device is the amount of one whole device. A pod that requests no more takes it from one device; any
	// other pod takes whole devices. It must be set with Devices, and only then.
	Device int64
}

// Demand is one kind of pod in a mix.
type Demand struct {
	Requests resource.List
	// Weight is the share of this kind among the pods, in any unit. It must be above 0.
	Weight float64
	// Takes, if set, reports whether a node takes such a pod at all, for example by its model of device.
	Takes func(node *outrank.Node) bool
}

// check rejects values that make no sense.
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

// MixOf returns the most frequent kinds of pods; pods with equal requests are of one kind. The most frequent
// kind comes first; of equally frequent ones, the one that occurs first among the pods. There are at most the
// given number of kinds, or all of them for 0. The weight of a kind is the number of its pods. Time is O(n
// log n).
func MixOf(pods []*outrank.Pod, most int) []Demand {
	var mix []Demand
	places := map[string]int{} // the index in the mix, by a text of the requests
	for _, p := range pods {
		requests := p.RunningRequests(outrank.DefaultRelease)
		key := keyOf(requests)
		i, seen := places[key]
		if !seen {
			i = len(mix)
			places[key] = i
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

// keyOf returns a text that is equal for equal requests, and only for these.
func keyOf(l resource.List) string {
	var b strings.Builder
	for _, name := range sortedNames(l) {
		fmt.Fprintf(&b, "%q=%d;", name, l.Amount(name))
	}
	return b.String()
}

func sortedNames(l resource.List) []resource.Name { return slices.Sorted(maps.Keys(l)) }
