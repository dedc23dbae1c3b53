package gen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
	"pgregory.net/rapid"
)

// Names of the resources that are not Kubernetes' own.
const (
	gpu       resource.Name = "example.com/gpu"
	hugepages resource.Name = resource.HugePagesPrefix + "2Mi"
	// uncounted is a name that no node keeps an account of.
	uncounted resource.Name = "storage"
)

// amounts draws a quantity for each name, or leaves it out where the text is
// empty.
type amounts struct {
	name  resource.Name
	texts []string
}

func (a amounts) drawInto(t *rapid.T, l resource.List) {
	if text := pick(t, string(a.name), a.texts...); text != "" {
		l[a.name] = resource.MustParse(text)
	}
}

func drawAmounts(t *rapid.T, all ...amounts) resource.List {
	l := resource.List{}
	for _, a := range all {
		a.drawInto(t, l)
	}
	return l
}

// residentRequests draws the requests of one container on a node.
func residentRequests(t *rapid.T) resource.List {
	return drawAmounts(t,
		amounts{resource.CPU, []string{"200m", "250m", "300m", "500m", "250m", ""}},
		amounts{resource.Memory, []string{"64Mi", "128Mi", "128Mi", "256Mi", "0", ""}},
		amounts{resource.EphemeralStorage, []string{"", "", "", "512Mi", "1Gi"}},
		amounts{gpu, []string{"", "", "", "", "1", "2"}},
		amounts{hugepages, []string{"", "", "", "", "", "2Mi", "4Mi"}},
		amounts{uncounted, []string{"", "", "", "", "", "", "5Gi"}},
	)
}

// unit is the request of each pod of a shape of equal ones.
func unit(t *rapid.T) resource.List {
	return drawAmounts(t,
		amounts{resource.CPU, []string{"100m", "100m", "200m", ""}},
		amounts{resource.Memory, []string{"64Mi", "64Mi", "128Mi", ""}},
		amounts{resource.EphemeralStorage, []string{"", "", "", "1Gi"}},
		amounts{gpu, []string{"", "", "", "", "1"}},
	)
}

// units is as much as several of those ask for, or a little less than one more.
func units(t *rapid.T) resource.List {
	times := []int64{6, 7, 7, 8, 8, 9, 10, 1}
	l := resource.List{}
	if n := pick(t, "units of cpu", times...); !oneIn(t, "no cpu", 4) {
		l[resource.CPU] = resource.NewMilli(100*n - pick[int64](t, "less cpu", 0, 0, 1))
	}
	if n := pick(t, "units of memory", times...); oneIn(t, "memory", 2) {
		l[resource.Memory] = resource.NewBinary(n<<26 - pick[int64](t, "less memory", 0, 0, 1))
	}
	if n := pick(t, "units of gpu", times...); oneIn(t, "gpu", 12) {
		l[gpu] = resource.New(n)
	}
	return l
}

// preemptorRequests is as much as one to four residents hold.
func preemptorRequests(t *rapid.T) resource.List {
	return drawAmounts(t,
		amounts{resource.CPU, []string{"500m", "300m", "750m", "400m", "1", ""}},
		amounts{resource.Memory, []string{"", "128Mi", "128Mi", "256Mi", "300Mi", "0"}},
		amounts{resource.EphemeralStorage, []string{"", "", "", "", "", "512Mi"}},
		amounts{gpu, []string{"", "", "", "", "", "", "", "1"}},
		amounts{hugepages, []string{"", "", "", "", "", "", "", "", "2Mi"}},
		amounts{uncounted, []string{"", "", "", "", "", "", "", "5Gi"}},
	)
}

// demand gives the pod containers with requests from draw, and now and then
// init containers, sidecars, overhead and requests of the pod as a whole.
func demand(t *rapid.T, p *outrank.Pod, draw func(*rapid.T) resource.List) {
	p.Containers = []outrank.Container{{Name: "c0", Requests: draw(t)}}
	if oneIn(t, "second container", 8) {
		p.Containers = append(p.Containers, outrank.Container{Name: "c1", Requests: smallRequests(t)})
	}
	if oneIn(t, "init containers", 6) {
		p.InitContainers = initContainers(t)
	}
	if oneIn(t, "overhead", 8) {
		p.Overhead = smallRequests(t)
	}
	if oneIn(t, "pod-level resources", 8) {
		p.Resources = podLevel(t, p)
	}
}

func smallRequests(t *rapid.T) resource.List {
	return drawAmounts(t,
		amounts{resource.CPU, []string{"", "50m", "100m"}},
		amounts{resource.Memory, []string{"", "32Mi", "64Mi"}},
	)
}

func initContainers(t *rapid.T) []outrank.Container {
	var list []outrank.Container
	for i := range rapid.IntRange(1, 3).Draw(t, "how many") {
		list = append(list, outrank.Container{
			Name:     pick(t, "init name", "init", "side") + string(rune('0'+i)),
			Requests: smallRequests(t),
			Sidecar:  rapid.Bool().Draw(t, "sidecar"),
		})
	}
	return list
}

// podLevel requests, for the pod as a whole, at least the sum of its
// containers, as the API server demands.
func podLevel(t *rapid.T, p *outrank.Pod) *resource.Requirements {
	whole := p.Requests()
	extra := smallRequests(t)
	r := &resource.Requirements{Requests: resource.List{}}
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		if rapid.Bool().Draw(t, "pod-level "+string(name)) {
			r.Requests[name] = whole[name].Add(extra[name])
		}
	}
	return r
}

// resize puts a container in the middle of a resize in place.
func resize(t *rapid.T, p *outrank.Pod) {
	c := &p.Containers[0]
	if len(p.InitContainers) > 0 && oneIn(t, "an init container", 2) {
		c = &p.InitContainers[0]
	}
	c.AllocatedResources = drawAmounts(t, amounts{resource.CPU, []string{"200m", "400m", ""}}, amounts{resource.Memory, []string{"", "64Mi", "192Mi"}})
	c.Actual = drawAmounts(t, amounts{resource.CPU, []string{"200m", "350m", ""}}, amounts{resource.Memory, []string{"", "64Mi", "256Mi"}})
	switch rapid.IntRange(0, 4).Draw(t, "missing of the status") {
	case 1:
		c.AllocatedResources = nil
	case 2:
		c.Actual, c.Reported = nil, rapid.Bool().Draw(t, "resources without requests")
	}
	if oneIn(t, "status of the pod", 4) {
		p.AllocatedResources = drawAmounts(t, amounts{resource.CPU, []string{"300m", "500m"}}, amounts{resource.Memory, []string{"", "64Mi"}})
		p.Actual = drawAmounts(t, amounts{resource.CPU, []string{"", "300m"}})
	}
	p.ResizeInfeasible = rapid.Bool().Draw(t, "infeasible")
}
