package clusters

import (
	"maps"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"github.com/outrank-go/outrank/resource"
)

// Resources beside cpu, memory, storage and pods.
const (
	gpu       resource.Name = "example.com/gpu"
	hugepages resource.Name = resource.HugePagesPrefix + "2Mi"
	// uncounted is a resource of which neither nodes nor the scheduler keep an account.
	uncounted resource.Name = "storage"
)

// amounts lists the quantities that may be drawn of one resource. The empty text leaves the resource out.
type amounts struct {
	name  resource.Name
	texts []string
}

// drawAmounts draws one of the amounts of each resource.
func drawAmounts(s draw.Source, all ...amounts) resource.List {
	l := resource.List{}
	for _, a := range all {
		if text := draw.Pick(s, string(a.name), a.texts...); text != "" {
			l[a.name] = resource.MustParse(text)
		}
	}
	return l
}

// size returns the cpu and memory that a pod of a size requests. Sizes are numbered from 0, and each is one
// step larger than the one before.
func size(number int) resource.List {
	steps := int64(number) + 1
	return resource.List{resource.CPU: resource.NewMilli(100 * steps), resource.Memory: mebibytes(64 * steps)}
}

// runningRequests draws the requests of the first container of a kind of pods. With Shape.Sizes above 0 they
// are those of the size with this number, where cpu or memory may be missing.
func (g *generator) runningRequests(s draw.Source, number int) resource.List {
	l := drawAmounts(s,
		amounts{resource.EphemeralStorage, []string{"", "", "", "512Mi", "1Gi"}},
		amounts{gpu, []string{"", "", "", "", "1", "2"}},
		amounts{hugepages, []string{"", "", "", "", "", "2Mi", "4Mi"}},
		amounts{uncounted, []string{"", "", "", "", "", "", "5Gi"}},
	)

	if g.Sizes == 0 {
		maps.Copy(l, drawAmounts(s,
			amounts{resource.CPU, []string{"200m", "250m", "300m", "500m", "250m", ""}},
			amounts{resource.Memory, []string{"64Mi", "128Mi", "128Mi", "256Mi", "0", ""}},
		))
		return l
	}

	sized := size(number)
	switch s.Int("missing of the size", 0, 7) {
	case 5:
		delete(sized, resource.CPU)
	case 6:
		delete(sized, resource.Memory)
	case 7:
		sized[resource.Memory] = resource.Quantity{}
	}
	maps.Copy(l, sized)
	return l
}

// askingRequests draws the requests of a preemptor: about as much as one to four pods on nodes request.
func (g *generator) askingRequests(s draw.Source) resource.List {
	l := drawAmounts(s,
		amounts{resource.EphemeralStorage, []string{"", "", "", "", "", "512Mi"}},
		amounts{gpu, []string{"", "", "", "", "", "", "", "1"}},
		amounts{hugepages, []string{"", "", "", "", "", "", "", "", "2Mi"}},
		amounts{uncounted, []string{"", "", "", "", "", "", "", "5Gi"}},
	)

	if g.Sizes == 0 {
		maps.Copy(l, drawAmounts(s,
			amounts{resource.CPU, []string{"500m", "300m", "750m", "400m", "1", ""}},
			amounts{resource.Memory, []string{"", "128Mi", "128Mi", "256Mi", "300Mi", "0"}},
		))
		return l
	}

	sized := resource.List{}
	for range s.Int("sizes", 1, 4) {
		sized = sized.Plus(size(s.Int("size", 0, g.Sizes-1)))
	}

	// Mostly one resource alone decides, so that victims are chosen by it.
	switch s.Int("missing of the sizes", 0, 5) {
	case 1, 2, 3:
		delete(sized, resource.Memory)
	case 4:
		delete(sized, resource.CPU)
	}
	maps.Copy(l, sized)
	return l
}

// unit draws the requests that all pods of a kind have where Shape.Alike is set.
func unit(s draw.Source) resource.List {
	return drawAmounts(s,
		amounts{resource.CPU, []string{"100m", "100m", "200m", ""}},
		amounts{resource.Memory, []string{"64Mi", "64Mi", "128Mi", ""}},
		amounts{resource.EphemeralStorage, []string{"", "", "", "1Gi"}},
		amounts{gpu, []string{"", "", "", "", "1"}},
	)
}

// units draws the requests of a preemptor for such pods: as much as several of them request, exactly or less
// the smallest amount.
func units(s draw.Source) resource.List {
	times := []int64{6, 7, 7, 8, 8, 9, 10, 1}
	l := resource.List{}
	if n := draw.Pick(s, "units of cpu", times...); !draw.OneIn(s, "no cpu", 4) {
		l[resource.CPU] = resource.NewMilli(100*n - draw.Pick[int64](s, "less cpu", 0, 0, 1))
	}
	if n := draw.Pick(s, "units of memory", times...); draw.OneIn(s, "memory", 2) {
		l[resource.Memory] = resource.NewBinary(n<<26 - draw.Pick[int64](s, "less memory", 0, 0, 1))
	}
	if n := draw.Pick(s, "units of gpu", times...); draw.OneIn(s, "gpu", 12) {
		l[gpu] = resource.New(n)
	}
	return l
}

// demand gives the pod a container with these requests, and now and then more containers, init
// containers, sidecars, overhead and requests of the pod as a whole.
func demand(s draw.Source, p *outrank.Pod, requests resource.List) {
	p.Containers = []outrank.Container{{Name: "c0", Requests: requests}}
	if draw.OneIn(s, "second container", 8) {
		p.Containers = append(p.Containers, outrank.Container{Name: "c1", Requests: smallRequests(s)})
	}
	if draw.OneIn(s, "init containers", 6) {
		p.InitContainers = initContainers(s)
	}
	if draw.OneIn(s, "overhead", 8) {
		p.Overhead = smallRequests(s)
	}
	if draw.OneIn(s, "pod-level resources", 8) {
		p.Resources = podLevel(s, p)
	}
}

// smallRequests draws little cpu and memory, or none.
func smallRequests(s draw.Source) resource.List {
	return drawAmounts(s,
		amounts{resource.CPU, []string{"", "50m", "100m"}},
		amounts{resource.Memory, []string{"", "32Mi", "64Mi"}},
	)
}

// initContainers draws one to three init containers, half of which are sidecars.
func initContainers(s draw.Source) []outrank.Container {
	var list []outrank.Container
	for i := range s.Int("how many", 1, 3) {
		list = append(list, outrank.Container{
			Name:     draw.Pick(s, "init name", "init", "side") + string(rune('0'+i)),
			Requests: smallRequests(s),
			Sidecar:  draw.OneIn(s, "sidecar", 2),
		})
	}
	return list
}

// podLevel draws requests for the pod as a whole. They are at least as large as the sum over its containers,
// because an API server rejects smaller ones.
func podLevel(s draw.Source, p *outrank.Pod) *resource.Requirements {
	whole, extra := p.Requests(), smallRequests(s)
	level := &resource.Requirements{Requests: resource.List{}}
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		if draw.OneIn(s, "pod-level "+string(name), 2) {
			level.Requests[name] = whole[name].Add(extra[name])
		}
	}
	return level
}

// resize makes a container one that is being resized in place. Parts of its status may be missing.
func resize(s draw.Source, p *outrank.Pod) {
	c := &p.Containers[0]
	if len(p.InitContainers) > 0 && draw.OneIn(s, "an init container", 2) {
		c = &p.InitContainers[0]
	}
	c.AllocatedResources = drawAmounts(s, amounts{resource.CPU, []string{"200m", "400m", ""}}, amounts{resource.Memory, []string{"", "64Mi", "192Mi"}})
	c.Actual = drawAmounts(s, amounts{resource.CPU, []string{"200m", "350m", ""}}, amounts{resource.Memory, []string{"", "64Mi", "256Mi"}})

	switch s.Int("missing of the status", 0, 4) {
	case 1:
		c.AllocatedResources = nil
	case 2:
		c.Actual, c.Reported = nil, draw.OneIn(s, "resources without requests", 2)
	}

	if draw.OneIn(s, "status of the pod", 4) {
		p.AllocatedResources = drawAmounts(s, amounts{resource.CPU, []string{"300m", "500m"}}, amounts{resource.Memory, []string{"", "64Mi"}})
		p.Actual = drawAmounts(s, amounts{resource.CPU, []string{"", "300m"}})
	}
	p.ResizeInfeasible = draw.OneIn(s, "infeasible", 2)
}

func mebibytes(n int64) resource.Quantity { return resource.NewBinary(n << 20) }
