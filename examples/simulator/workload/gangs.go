package workload

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// MostGang is the most pods of one gang.
const MostGang = 10_000

// Gangs returns a new list of items in which pods form gangs of the given size, and the groups of these
// gangs. In order of arrival, every size pods of a service class form a gang; the rest of a class stays as it
// is. The pods of a gang arrive together with the last of them, and keep their requests and durations. A gang
// has the priority of its class. Either all of its pods are placed or none, and they are disrupted together.
// The given items are only read. The result is ordered by arrival, then by name. Errors wrap
// [outrank.ErrInvalid]: the size must be between 2 and [MostGang]. Time is O(n log n).
func Gangs(items []Item, size int) ([]Item, []*outrank.PodGroup, error) {
	if size < 2 || size > MostGang {
		return nil, nil, fmt.Errorf("%w: gangs of %d pods: not between 2 and %d", outrank.ErrInvalid, size, MostGang)
	}

	out := slices.Clone(items)
	var groups []*outrank.PodGroup
	forming := map[string][]int{} // the pods of the next gang of each class
	for i := range out {
		class := out[i].Class
		forming[class] = append(forming[class], i)
		if len(forming[class]) < size {
			continue
		}

		// Items are in order of arrival, so this one arrives last of its gang. The pods are copied, because
		// the given items are only read.
		g := &outrank.PodGroup{
			Name: fmt.Sprintf("gang-%d", len(groups)+1), UID: fmt.Sprintf("gang-%d", len(groups)+1), Policy: outrank.GangPolicy,
			MinCount: int32(size), DisruptionMode: outrank.DisruptPodGroup, Priority: out[i].Pod.Priority, PriorityClassName: out[i].Pod.PriorityClassName,
		}

		for _, member := range forming[class] {
			pod := *out[member].Pod
			pod.Group = g.Name
			out[member].Pod = &pod
			out[member].Arrival = out[i].Arrival
		}

		groups = append(groups, g)
		forming[class] = forming[class][:0]
	}
	sortItems(out)
	return out, groups, nil
}
