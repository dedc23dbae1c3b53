package clustergen

import (
	"math/rand/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Names of the resources that are not Kubernetes' own.
const (
	gpu       resource.Name = "example.com/gpu"
	hugepages resource.Name = resource.HugePagesPrefix + "2Mi"
	// uncounted is a name that no node keeps an account of.
	uncounted resource.Name = "storage"
)

// size is the request of cpu and memory with this number, from 0 on.
func (g *generator) size(number int) resource.List {
	steps := int64(number) + 1
	return resource.List{
		resource.CPU:    resource.NewMilli(100 * steps),
		resource.Memory: mebibytes(64 * steps),
	}
}

// residentRequests draws what the first container of a kind of pods asks for.
func (g *generator) residentRequests(r *rand.Rand, number int) resource.List {
	l := g.size(number)
	switch r.IntN(8) {
	case 0:
		delete(l, resource.CPU)
	case 1:
		delete(l, resource.Memory)
	case 2:
		l[resource.Memory] = resource.Quantity{}
	}
	if oneIn(r, 3) {
		l[resource.EphemeralStorage] = mebibytes(512 * int64(1+r.IntN(2)))
	}
	if oneIn(r, 4) {
		l[gpu] = resource.New(int64(1 + r.IntN(2)))
	}
	if oneIn(r, 5) {
		l[hugepages] = mebibytes(2 * int64(1+r.IntN(2)))
	}
	if oneIn(r, 7) {
		l[uncounted] = mebibytes(5 << 10)
	}
	return l
}

// preemptorRequests draws the request of one to four of the pods on nodes.
func (g *generator) preemptorRequests(r *rand.Rand) resource.List {
	l := resource.List{}
	for range between(r, 1, 4) {
		l = l.Plus(g.size(r.IntN(g.Sizes)))
	}
	switch r.IntN(6) {
	case 0:
		delete(l, resource.CPU)
	case 1, 2, 3:
		delete(l, resource.Memory)
	}
	if oneIn(r, 6) {
		l[resource.EphemeralStorage] = mebibytes(512)
	}
	if oneIn(r, 8) {
		l[gpu] = resource.New(1)
	}
	if oneIn(r, 9) {
		l[hugepages] = mebibytes(2)
	}
	if oneIn(r, 8) {
		l[uncounted] = mebibytes(5 << 10)
	}
	return l
}

// addRequests gives the pod a container with these requests, and now and then
// more containers, init containers, sidecars, overhead and requests of the pod
// as a whole.
func addRequests(r *rand.Rand, p *outrank.Pod, requests resource.List) {
	p.Containers = []outrank.Container{{Name: "c0", Requests: requests}}
	if oneIn(r, 8) {
		p.Containers = append(p.Containers, outrank.Container{Name: "c1", Requests: smallRequests(r)})
	}
	if oneIn(r, 6) {
		p.InitContainers = initContainers(r)
	}
	if oneIn(r, 8) {
		p.Overhead = smallRequests(r)
	}
	if oneIn(r, 8) {
		p.Resources = podLevel(r, p)
	}
}

func smallRequests(r *rand.Rand) resource.List {
	l := resource.List{}
	if steps := r.Int64N(3); steps > 0 {
		l[resource.CPU] = resource.NewMilli(50 * steps)
	}
	if steps := r.Int64N(3); steps > 0 {
		l[resource.Memory] = mebibytes(32 * steps)
	}
	return l
}

func initContainers(r *rand.Rand) []outrank.Container {
	var list []outrank.Container
	for i := range between(r, 1, 3) {
		list = append(list, outrank.Container{
			Name:     pick(r, "init", "side") + string(rune('0'+i)),
			Requests: smallRequests(r),
			Sidecar:  oneIn(r, 2),
		})
	}
	return list
}

// podLevel requests, for the pod as a whole, at least the sum of its
// containers, as the API server demands.
func podLevel(r *rand.Rand, p *outrank.Pod) *resource.Requirements {
	whole, extra := p.Requests(), smallRequests(r)
	level := &resource.Requirements{Requests: resource.List{}}
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		if oneIn(r, 2) {
			level.Requests[name] = whole[name].Add(extra[name])
		}
	}
	return level
}

// resize puts the first container in the middle of a resize in place.
func resize(r *rand.Rand, p *outrank.Pod) {
	c := &p.Containers[0]
	c.AllocatedResources = resource.List{resource.CPU: resource.NewMilli(pick[int64](r, 200, 400)), resource.Memory: mebibytes(pick[int64](r, 64, 192))}
	c.Actual = resource.List{resource.CPU: resource.NewMilli(pick[int64](r, 200, 350)), resource.Memory: mebibytes(pick[int64](r, 64, 256))}
	p.ResizeInfeasible = oneIn(r, 2)
}

func mebibytes(n int64) resource.Quantity { return resource.NewBinary(n << 20) }
